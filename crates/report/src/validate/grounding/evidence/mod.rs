//! Looks up a mention in the evidence: in the cited lines, in other delivered lines, or in none.

mod delivered_comments;
mod delivered_functions;
mod delivered_names;
mod delivered_quantities;
mod delivered_words;

use std::{cell::OnceCell, collections::BTreeSet};

use rustc_hash::FxHashMap;

pub(super) use self::{
    delivered_functions::DeliveredFunction,
    delivered_quantities::{has_amount, units_around},
    delivered_words::{DeliveredLine, rarity},
};
use crate::{
    code_mentions_in_prose::Mention,
    evidence_ledger::FileEvidence,
    file_structure::{FileStructure, RelationDirection},
    prose_normalization::{has_word, is_word_char},
    validate::{citation::Citation, validation_input::ValidationContext},
};
use retriever_search::Declaration;
use retriever_workspace::{FileState, LineRange, RepoPath};

/// How a mention is supported.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum MentionEvidence {
    /// In the cited lines, in a declaration around them, at the other end of an edge there, or in the path.
    Cited,
    /// In these other lines of the run.
    Elsewhere(Citation),
    /// A path that was shown, or a word of the question.
    Shown,
    /// Not in anything that was delivered.
    Nowhere,
}

/// How a name is compared with code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LetterCase {
    Sensitive,
    Insensitive,
}

/// What was delivered in a run, by word and by declaration.
pub(super) struct RunEvidence<'a> {
    pub(super) context: ValidationContext<'a>,
    words: FxHashMap<&'a str, Vec<(&'a RepoPath, u32)>>,
    declarations: FxHashMap<&'a str, Vec<(&'a RepoPath, &'a Declaration)>>,
    paths: BTreeSet<&'a str>,
    lines: OnceCell<Vec<DeliveredLine<'a>>>,
    functions: OnceCell<Vec<DeliveredFunction<'a>>>,
}

impl<'a> RunEvidence<'a> {
    /// Indexes what `context` says was delivered.
    pub(super) fn new(context: &ValidationContext<'a>) -> Self {
        let mut evidence = Self {
            context: *context,
            words: FxHashMap::default(),
            declarations: FxHashMap::default(),
            paths: context.ledger.places().iter().map(|place| place.path.as_str()).collect(),
            lines: OnceCell::new(),
            functions: OnceCell::new(),
        };
        for file in context.ledger.files() {
            let path = &file.version.path;
            evidence.paths.insert(path.as_str());
            for (number, line) in file.delivered_lines() {
                for word in words_of(line) {
                    let lines = evidence.words.entry(word).or_default();
                    if lines.last() != Some(&(path, number)) {
                        lines.push((path, number));
                    }
                }
            }
            for declaration in declarations_of(file, context) {
                // Names of Ruby end in signs that texts leave out.
                let name = declaration.name.trim_end_matches(['?', '!', '=']);
                evidence.declarations.entry(name).or_default().push((path, declaration));
            }
        }
        evidence
    }

    /// Returns the declarations with this name in files of which lines were delivered.
    pub(super) fn declared(&self, name: &str) -> &[(&'a RepoPath, &'a Declaration)] {
        self.declarations.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether a delivered line, or a declaration around one, has `name`.
    pub(super) fn is_delivered(&self, name: &str) -> bool {
        self.words.contains_key(name) || self.declarations.contains_key(name)
    }

    /// Whether a folder above a file that was shown has this name, in any case of its letters.
    pub(super) fn is_shown_folder(&self, name: &str) -> bool {
        self.paths.iter().any(|path| {
            let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
            folders.split('/').any(|folder| folder.eq_ignore_ascii_case(name))
        })
    }

    /// Whether a path that was shown has `name` as a word.
    pub(super) fn is_in_path(&self, name: &str) -> bool {
        self.paths.iter().any(|path| has_word(path, name))
    }

    /// Returns what was delivered of a file.
    pub(super) fn file(&self, path: &RepoPath) -> Option<&'a FileEvidence> {
        self.context.ledger.file(path)
    }

    /// Returns what is known of the structure of a file.
    pub(super) fn structure(&self, path: &RepoPath) -> Option<&'a FileStructure> {
        self.context.structures.get(path)
    }

    /// Whether a delivered line of `range` contains `name`.
    pub(super) fn is_in_lines(&self, path: &RepoPath, range: LineRange, name: &str) -> bool {
        let lines = self.words.get(name).map_or(&[][..], Vec::as_slice);
        lines.iter().any(|(at, line)| *at == path && range.contains(*line))
    }

    /// Returns the delivered lines that contain `name`, with the lines next to them.
    pub(super) fn lines_with(&self, name: &str) -> String {
        let mut text = String::new();
        for (path, line) in self.words.get(name).map_or(&[][..], Vec::as_slice) {
            let around = LineRange::new(line.saturating_sub(1).max(1), line.saturating_add(1));
            let lines = around.zip(self.file(path));
            for (_, line) in lines.into_iter().flat_map(|(around, file)| file.lines_in(around)) {
                text.push_str(line);
                text.push('\n');
            }
        }
        text
    }

    /// Whether a delivered line of `range` that is no comment contains `name`.
    pub(super) fn is_in_code(&self, path: &RepoPath, range: LineRange, name: &str) -> bool {
        let lines = self.words.get(name).map_or(&[][..], Vec::as_slice);
        let mut lines = lines.iter().filter(|(at, line)| *at == path && range.contains(*line));
        lines.any(|(_, line)| !self.is_comment(path, *line))
    }

    /// Whether a delivered line that names `first` is followed by one of its file that names `second`, or names it too: a
    /// function that the outline does not know may be declared there.
    pub(super) fn is_followed(&self, first: &str, second: &str) -> bool {
        let lines = |name: &str| self.words.get(name).map_or(&[][..], Vec::as_slice);
        lines(first)
            .iter()
            .any(|(path, line)| lines(second).iter().any(|(at, after)| at == path && after >= line))
    }

    /// Whether a delivered function names `first` in a line before one that names `second`.
    pub(super) fn is_sequence(&self, first: &str, second: &str) -> bool {
        let lines = |name: &str| self.words.get(name).map_or(&[][..], Vec::as_slice);
        let own = |declaration: &Declaration| [first, second].contains(&declaration.name.as_str());
        lines(first).iter().any(|(path, before)| {
            let after = lines(second).iter().filter(|(at, line)| at == path && line > before);
            let after: Vec<u32> = after.map(|(_, line)| *line).collect();
            let around =
                LineRange::line(*before).map(|range| Citation { path: (*path).clone(), range });
            !after.is_empty()
                && around.is_some_and(|around| {
                    self.overlapping(&around).any(|declaration| {
                        declaration.is_function()
                            && !own(declaration)
                            && after.iter().any(|line| declaration.range.contains(*line))
                    })
                })
        })
    }

    /// Returns the support of `mention` in a text that cites `refs` and contains `words` besides.
    pub(super) fn find(
        &self,
        mention: &Mention,
        refs: &[Citation],
        words: &[&str],
    ) -> MentionEvidence {
        match mention {
            Mention::Identifier(name) => self.find_name(name, refs, LetterCase::Sensitive),
            Mention::Word(word) => self.find_name(word, refs, LetterCase::Insensitive),
            Mention::File(file) => self.find_file(file, refs),
            // That lines elsewhere have a command is no reason to tell it of these.
            Mention::Command(command) => match self.find_text(command, refs) {
                MentionEvidence::Cited => MentionEvidence::Cited,
                _ => MentionEvidence::Nowhere,
            },
            Mention::Hyphenated(words) => self.find_hyphenated(words, refs),
            Mention::Call(call) => self.find_call(call, refs),
            Mention::Literal(literal) => self.find_literal(literal, refs),
            Mention::Quantity(quantity) => self.find_quantity(quantity, refs, words),
            Mention::Unit(unit) => self.find_unit(unit, refs),
        }
    }

    /// Whether `name` stands in the cited lines, declares what is around them, is joined to them or is in the path.
    pub(super) fn is_cited(&self, name: &str, citation: &Citation, case: LetterCase) -> bool {
        if self.is_in_lines(&citation.path, citation.range, name)
            || has_word(citation.path.as_str(), name)
            || self
                .overlapping(citation)
                .any(|declaration| declaration.name.trim_end_matches(['?', '!', '=']) == name)
            || self.is_related(name, citation)
        {
            return true;
        }
        let is_spelled_so = |line: &str| has_word(&line.to_lowercase(), &name.to_lowercase());
        case == LetterCase::Insensitive
            && (is_spelled_so(citation.path.as_str())
                || self.file(&citation.path).is_some_and(|file| {
                    file.lines_in(citation.range).any(|(_, line)| is_spelled_so(line))
                }))
    }

    /// Returns the known declarations that share a line with `citation`.
    pub(super) fn overlapping(
        &self,
        citation: &Citation,
    ) -> impl Iterator<Item = &'a Declaration> + use<'a> {
        let (range, context) = (citation.range, self.context);
        let file = self.file(&citation.path);
        file.into_iter()
            .flat_map(move |file| declarations_of(file, &context))
            .filter(move |declaration| declaration.range.overlaps(range))
    }

    /// Whether a declaration at the cited lines belongs to `name`, or an edge of the graph joins them to it.
    fn is_related(&self, name: &str, citation: &Citation) -> bool {
        let Some(structure) = self.structure(&citation.path) else { return false };
        let mut heads = structure.heads.iter();
        if heads.any(|(range, head)| range.overlaps(citation.range) && has_word(head, name)) {
            return true;
        }
        structure.relations.iter().any(|relation| {
            (relation.other == name || relation.other_container.as_deref() == Some(name))
                && relation.range.overlaps(citation.range)
                && (relation.direction == RelationDirection::Outgoing || relation.is_call)
        })
    }

    /// Whether a declaration at the cited lines is a member of the type `owner`, which may be declared elsewhere: a method
    /// with a receiver, one of an extension.
    pub(super) fn is_member_of(&self, citation: &Citation, owner: &str) -> bool {
        let heads = self.structure(&citation.path).into_iter().flat_map(|of| &of.heads);
        heads.into_iter().any(|(range, head)| {
            range.overlaps(citation.range) && head.split(' ').next() == Some(owner)
        })
    }

    fn line(&self, path: &RepoPath, line: u32) -> Option<Citation> {
        Some(Citation { path: path.clone(), range: LineRange::line(line)? })
    }

    pub(super) fn is_current(&self, path: &RepoPath) -> bool {
        let state = self.context.file_states.get(path);
        self.file(path).is_some_and(|file| state == Some(&FileState::Current(file.version.hash)))
    }

    pub(super) fn current_lines(&self) -> impl Iterator<Item = (&'a RepoPath, u32, &'a str)> + '_ {
        let files = self.context.ledger.files().filter(|file| self.is_current(&file.version.path));
        files.flat_map(|file| {
            file.delivered_lines().map(move |(number, line)| (&file.version.path, number, line))
        })
    }
}

/// Returns every known declaration of a file: those of its structure, and those in the ledger.
fn declarations_of<'a>(
    file: &'a FileEvidence,
    context: &ValidationContext<'a>,
) -> impl Iterator<Item = &'a Declaration> + use<'a> {
    let structure = context.structures.get(&file.version.path);
    let known = structure.map_or(&[][..], |structure| structure.declarations.as_slice());
    known.iter().chain(&file.declarations)
}

/// Returns a name in lower case without underscores, so that a field and its property are the same.
pub(super) fn folded(name: impl AsRef<str>) -> String {
    name.as_ref().chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect()
}

/// Splits a line into identifiers and words, without signs such as `$` and `@` around them.
pub(super) fn words_of(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !is_word_char(c)).filter(|word| !word.is_empty())
}
