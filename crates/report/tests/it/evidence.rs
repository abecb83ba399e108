//! The evidence of a run written as one string. `//- /src/a.rs read=1-9 grep=12 decl=login:2-5 id=2-5 list test` starts a file
//! whose content follows; the words say what of it was delivered, declared and given an ID, and what kind of file it is.

use std::collections::{BTreeMap, BTreeSet};

use retriever_report::{
    FileStructure, MapLimits, MapStatus, Relation, RelationDirection, ReportAuthor,
    ValidationContext, ValidationReason,
    evidence_ledger::{Declaration, EvidenceLedger, EvidenceSource, FileVersion, LineRange},
};
use retriever_search::{
    Candidate, NoAnswerReason, ParsedQuery, Question, RequestedPlaceKinds, RoleCues,
};
use retriever_workspace::{ContentHash, FileState, FileTraits, PathKind, RepoPath};

/// The owned parts of a validation context.
#[derive(Debug)]
pub(crate) struct Evidence {
    pub(crate) question: Question,
    pub(crate) ledger: EvidenceLedger,
    pub(crate) file_states: BTreeMap<RepoPath, FileState>,
    pub(crate) existing_scopes: BTreeSet<RepoPath>,
    pub(crate) structures: BTreeMap<RepoPath, FileStructure>,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) no_answer: Option<NoAnswerReason>,
    pub(crate) scope: RequestedPlaceKinds,
    pub(crate) cues: RoleCues,
    pub(crate) problems: Vec<ValidationReason>,
    pub(crate) author: ReportAuthor,
    pub(crate) status: MapStatus,
    pub(crate) limits: MapLimits,
}

pub(crate) const ROOT: &str = "/work/project";

impl Evidence {
    pub(crate) fn new(source: &str) -> Self {
        let mut ledger = EvidenceLedger::new();
        let mut file_states = BTreeMap::new();
        let mut structures: BTreeMap<RepoPath, FileStructure> = BTreeMap::new();
        for part in source.split("//- /").skip(1) {
            let (header, content) = part.split_once('\n').expect("a header ends with its line");
            let mut words = header.split_whitespace();
            let path = RepoPath::parse(words.next().unwrap(), "").unwrap();
            let lines: Vec<&str> = content.lines().collect();
            let mut version = FileVersion {
                path: path.clone(),
                hash: ContentHash::of(content.as_bytes()),
                total_lines: u32::try_from(lines.len()).unwrap(),
                traits: FileTraits::default(),
            };
            let words: Vec<&str> = words.collect();
            for word in &words {
                match *word {
                    "test" => version.traits.test = true,
                    "generated" => version.traits.generated = true,
                    "docs" => version.traits.docs_example = true,
                    "vendored" => version.traits.vendored = true,
                    "route" => drop(version.traits.path_kinds.insert(PathKind::Route)),
                    _ => {}
                }
            }
            let mut now = FileState::Current(version.hash);
            for word in words {
                let (word, value) = word.split_once('=').unwrap_or((word, ""));
                let deliver = |ledger: &mut EvidenceLedger, source| {
                    let range = lines_of(value);
                    let text: Vec<(u32, String)> = (range.start()..=range.end())
                        .map(|n| (n, lines[usize::try_from(n).unwrap() - 1].to_owned()))
                        .collect();
                    ledger.record_delivery(&version, source, &text);
                };
                match word {
                    "read" => deliver(&mut ledger, EvidenceSource::Read),
                    "grep" => deliver(&mut ledger, EvidenceSource::Grep),
                    "id" => drop(ledger.assign_id(&path, Some(lines_of(value)))),
                    "list" => drop(ledger.assign_id(&path, None)),
                    "decl" => {
                        let (name, range) = value.split_once(':').unwrap();
                        let (name, kind) = (name.to_owned(), "fn".to_owned());
                        let declaration = Declaration { range: lines_of(range), name, kind };
                        ledger.record_declaration(&version, declaration);
                    }
                    "told" => ledger.record_annotation(value),
                    "syntax" => {
                        let (name, range) = value.split_once(':').unwrap();
                        let (range, kind) = range.split_once(':').unwrap_or((range, "function"));
                        let (name, kind) = (name.to_owned(), kind.to_owned());
                        let declaration = Declaration { range: lines_of(range), name, kind };
                        let structure = structures.entry(path.clone()).or_default();
                        structure.declarations.push(declaration);
                    }
                    "head" => {
                        let (owner, range) = value.split_once(':').unwrap();
                        let structure = structures.entry(path.clone()).or_default();
                        structure.heads.push((lines_of(range), format!("{owner} signature")));
                    }
                    "calls" | "called" => {
                        let (other, range) = value.split_once(':').unwrap();
                        let direction = if word == "calls" {
                            RelationDirection::Outgoing
                        } else {
                            RelationDirection::Incoming
                        };
                        structures.entry(path.clone()).or_default().relations.push(Relation {
                            own: String::new(),
                            range: lines_of(range),
                            other: other.to_owned(),
                            other_container: None,
                            direction,
                            is_call: true,
                        });
                    }
                    "edited" => now = FileState::Current(ContentHash::of(b"edited")),
                    "gone" => now = FileState::Missing,
                    "outside" => now = FileState::Outside,
                    // Delivered, then edited, then delivered in part: the rest is superseded.
                    "redelivered" => {
                        let mut newer = version.clone();
                        newer.hash = ContentHash::of(b"newer");
                        now = FileState::Current(newer.hash);
                        let range = lines_of(value);
                        let line = lines[usize::try_from(range.start()).unwrap() - 1].to_owned();
                        ledger.record_delivery(
                            &newer,
                            EvidenceSource::Read,
                            &[(range.start(), line)],
                        );
                    }
                    _ => {}
                }
            }
            file_states.insert(path, now);
        }
        Self {
            question: Question::new("How does login work?"),
            ledger,
            file_states,
            existing_scopes: BTreeSet::new(),
            structures,
            candidates: Vec::new(),
            no_answer: None,
            scope: RequestedPlaceKinds::default(),
            cues: RoleCues::default(),
            problems: Vec::new(),
            author: ReportAuthor::Model,
            status: MapStatus::Complete,
            limits: MapLimits::default(),
        }
    }

    /// Has `question` asked in place of the first one.
    pub(crate) fn ask(&mut self, question: Question) {
        self.scope = ParsedQuery::of(&question).scope;
        self.question = question;
    }

    pub(crate) fn context(&self) -> ValidationContext<'_> {
        ValidationContext {
            question: &self.question,
            root: ROOT,
            ledger: &self.ledger,
            file_states: &self.file_states,
            existing_scopes: &self.existing_scopes,
            structures: &self.structures,
            candidates: &self.candidates,
            no_answer: self.no_answer.as_ref(),
            scope: &self.scope,
            cues: &self.cues,
            problems: &self.problems,
            author: self.author,
            status: self.status,
            limits: self.limits,
        }
    }
}

fn lines_of(text: &str) -> LineRange {
    let (start, end) = text.split_once('-').unwrap_or((text, text));
    LineRange::new(start.parse().unwrap(), end.parse().unwrap()).unwrap()
}
