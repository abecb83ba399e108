//! Reads labelled cases: one JSON object per line, with labels by role (`evidence`), by place of a fix (`gold_files`,
//! `gold_spans`), or by the files that a short query should find (`relevant`, `secondary`). A line that cannot be used
//! becomes a [`SuiteProblem`] with its number, and the other lines still count. [`crate::case_checkout`] checks whether
//! labels fit a checkout.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::{Component, Path},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, VariantArray};

use retriever_search::{Intent, PlaceRole};
use retriever_workspace::{LineRange, UnknownVariant};

/// A question with the labels of a good answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvalCase {
    /// Name, unique in its suite.
    pub id: String,
    /// `owner/name`.
    pub repo: String,
    /// The commit of the labels; `None` for trees without history.
    #[serde(default, alias = "base_commit")]
    pub commit: Option<String>,
    /// The code's language, for readers of results.
    #[serde(default, alias = "lang")]
    pub language: Option<String>,
    /// The question.
    #[serde(alias = "query")]
    pub question: String,
    /// What the answer is for.
    #[serde(default)]
    pub intent: Intent,
    /// What a good answer cites, by role.
    #[serde(default)]
    pub evidence: Vec<ExpectedEvidence>,
    /// Files that a fix or an answer touches.
    #[serde(default)]
    pub gold_files: Vec<String>,
    /// Lines of a fix.
    #[serde(default)]
    pub gold_spans: Vec<BugFixLines>,
    /// Paths, or prefixes of paths, that look relevant and are not.
    #[serde(default)]
    pub distractors: Vec<String>,
    /// Whether the repository does not have what the question asks for.
    #[serde(default)]
    pub negative: bool,
    /// The folder of the checkout that is searched; `None` for all of it.
    #[serde(default)]
    pub root: Option<String>,
    /// The kind of query, for readers of results.
    #[serde(default)]
    pub category: Option<String>,
    /// Files that a search should find, relative to the checkout.
    #[serde(default)]
    pub relevant: Vec<String>,
    /// Further files that it may find, with the same weight.
    #[serde(default)]
    pub secondary: Vec<String>,
}

/// One item that a good answer cites.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpectedEvidence {
    /// The role of the place.
    pub role: PlaceRole,
    /// Whether an answer without it is incomplete.
    #[serde(default)]
    pub required: bool,
    /// Alternative places; any one of them is enough.
    pub any_of: Vec<ExpectedPlace>,
}

/// A place that satisfies a row: a whole declaration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpectedPlace {
    /// The file.
    pub path: String,
    /// The declaration, for readers.
    #[serde(default)]
    pub symbol: Option<String>,
    /// First line, 1-based.
    pub start: u32,
    /// Last line, inclusive.
    pub end: u32,
}

/// Lines of a fix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BugFixLines {
    /// The file.
    pub file: String,
    /// First line, 1-based.
    pub start: u32,
    /// Last line, inclusive.
    pub end: u32,
}

impl EvalCase {
    /// Whether the case needs only a ranking of files, and no map.
    pub fn is_search(&self) -> bool {
        !self.relevant.is_empty()
    }

    /// The files that a search should find, relative to the folder that is searched.
    pub fn targets(&self) -> impl Iterator<Item = &str> {
        let root = self.root.as_deref().unwrap_or_default().trim_end_matches('/');
        let inside = move |path: &String| path.strip_prefix(root)?.strip_prefix('/').map(str::len);
        let all = self.relevant.iter().chain(&self.secondary);
        all.map(move |path| inside(path).map_or(path.as_str(), |len| &path[path.len() - len..]))
    }

    /// Returns every labelled place: file and, if the label has them, lines.
    pub fn labels(&self) -> impl Iterator<Item = (&str, Option<LineRange>)> {
        let rows = self.evidence.iter().flat_map(|row| &row.any_of);
        rows.map(|label| (label.path.as_str(), LineRange::new(label.start, label.end)))
            .chain(self.gold_files.iter().map(|file| (file.as_str(), None)))
            .chain(self.targets().map(|file| (file, None)))
            .chain(
                self.gold_spans
                    .iter()
                    .map(|span| (span.file.as_str(), LineRange::new(span.start, span.end))),
            )
    }

    /// Returns what is wrong with the case itself.
    fn fault(&self) -> Option<String> {
        let owner_and_name = self.repo.split('/').filter(|part| !part.is_empty()).count();
        if self.id.trim().is_empty() {
            return Some("\"id\" is empty".to_owned());
        }
        if self.question.trim().is_empty() {
            return Some("\"question\" is empty".to_owned());
        }
        if owner_and_name != 2 || self.repo.split('/').any(|part| part == "..") {
            return Some(format!("\"repo\" is \"{}\", not owner/name", self.repo));
        }
        let is_inside = |root: &str| {
            Path::new(root).components().all(|part| matches!(part, Component::Normal(_)))
        };
        if !self.root.as_deref().is_none_or(is_inside) {
            return Some("\"root\" leads out of the checkout".to_owned());
        }
        if let Some(commit) = &self.commit
            && (commit.len() != 40 || !commit.bytes().all(|byte| byte.is_ascii_hexdigit()))
        {
            return Some(format!("\"commit\" is \"{commit}\", not 40 hexadecimal digits"));
        }
        if self.evidence.iter().any(|row| row.any_of.is_empty()) {
            return Some("a row of \"evidence\" has an empty \"any_of\"".to_owned());
        }
        let rows = self.evidence.iter().flat_map(|row| &row.any_of);
        let ranges = rows
            .map(|label| (&label.path, label.start, label.end))
            .chain(self.gold_spans.iter().map(|span| (&span.file, span.start, span.end)));
        for (path, start, end) in ranges {
            if LineRange::new(start, end).is_none() {
                return Some(format!("{path}:{start}-{end} is not a range of lines"));
            }
        }
        let labelled = self.labels().next().is_some();
        match (labelled, self.negative) {
            (false, false) => Some("it has no labels and is not negative".to_owned()),
            (true, true) => Some("it is negative and yet has labels".to_owned()),
            _ => None,
        }
    }
}

/// The cases of one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suite {
    /// The file's name without its ending.
    pub name: String,
    /// Usable cases, in the order of the file.
    pub cases: Vec<EvalCase>,
    /// What can't be used.
    pub problems: Vec<SuiteProblem>,
    /// Unknown keys of the file, with the number of their uses; they are ignored.
    pub unknown_keys: BTreeMap<String, u32>,
}

impl Suite {
    /// Returns a problem of one of the cases.
    pub(crate) fn problem(
        &self,
        kind: SuiteProblemKind,
        case: &EvalCase,
        message: String,
    ) -> SuiteProblem {
        SuiteProblem {
            kind,
            suite: self.name.clone(),
            place: self.name.clone(),
            case: Some(case.id.clone()),
            message,
        }
    }

    /// Parses a suite. `file` is its name in problems.
    pub fn parse(name: &str, file: &str, text: &str) -> Self {
        let mut suite = Self { name: name.to_owned(), ..Self::default() };
        let mut ids: BTreeMap<String, usize> = BTreeMap::new();
        let mut unknown: BTreeSet<(usize, String)> = BTreeSet::new();
        for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
            if line.trim().is_empty() {
                continue;
            }
            let refused = |kind, case: Option<&str>, message| SuiteProblem {
                kind,
                suite: name.to_owned(),
                place: format!("{file}:{number}"),
                case: case.map(str::to_owned),
                message,
            };
            let mut deserializer = serde_json::Deserializer::from_str(line);
            let read = serde_ignored::deserialize::<_, _, EvalCase>(&mut deserializer, |path| {
                unknown.insert((number, path.to_string()));
            });
            let case = match read.and_then(|case| deserializer.end().map(|()| case)) {
                Ok(case) => case,
                Err(error) => {
                    let message = format!("not a case: {error}");
                    suite.problems.push(refused(SuiteProblemKind::Malformed, None, message));
                    continue;
                }
            };
            if let Some(first) = ids.get(&case.id) {
                let message = format!("the id \"{}\" is line {first}'s already", case.id);
                suite.problems.push(refused(SuiteProblemKind::Duplicate, Some(&case.id), message));
            } else if let Some(fault) = case.fault() {
                suite.problems.push(refused(SuiteProblemKind::Malformed, Some(&case.id), fault));
            } else {
                ids.insert(case.id.clone(), number);
                suite.cases.push(case);
            }
        }
        for (_, key) in unknown {
            // `evidence.0.note` and `evidence.1.note` are one key.
            let key: Vec<&str> =
                key.split('.').filter(|part| part.parse::<usize>().is_err()).collect();
            *suite.unknown_keys.entry(key.join(".")).or_default() += 1;
        }
        suite
    }
}

/// Why a case was not scored, or was scored with a problem.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<SuiteProblemKind>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SuiteProblemKind {
    /// The line is not a case.
    Malformed,
    /// The ID is taken.
    Duplicate,
    /// There is no checkout.
    NoCheckout,
    /// The checkout is of another commit.
    WrongCommit,
    /// A label names a file or lines that the checkout doesn't have. The case is scored, and can't reach 1.
    BadLabel,
    /// The cassette is missing or unreadable, and the case is not scored; or it is stale, and the case is scored.
    Cassette,
    /// The question could not be asked.
    Failed,
}

/// A problem of a suite or of its checkouts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SuiteProblem {
    /// What kind of problem.
    pub kind: SuiteProblemKind,
    /// The suite.
    pub suite: String,
    /// `file:line`, or the suite's name when the line does not matter.
    pub place: String,
    /// The case, when it could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// A part of a sentence.
    pub message: String,
}

impl fmt::Display for SuiteProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.place)?;
        if let Some(case) = &self.case {
            write!(f, "{case}: ")?;
        }
        f.write_str(&self.message)
    }
}
