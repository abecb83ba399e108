//! What was delivered, as the rules look at it: spots, their text, and looking names up in it.

use std::collections::BTreeSet;

use super::Judgement;
use crate::{
    ledger::FileEvidence,
    prose::{Mention, clean, clip, numbers},
};
use retriever_workspace::{FileTraits, LineRange, RepoPath};

/// Lines that passed the place rules.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    pub(crate) path: RepoPath,
    pub(crate) range: LineRange,
}

impl Spot {
    pub(crate) fn file<'a>(&self, judgement: &Judgement<'a>) -> Option<&'a FileEvidence> {
        judgement.ledger.file(&self.path)
    }

    /// The delivered text.
    pub(crate) fn text(&self, judgement: &Judgement<'_>) -> String {
        let mut text = String::new();
        if let Some(file) = self.file(judgement) {
            for (_, line) in file.text_of(self.range) {
                text.push_str(line);
                text.push('\n');
            }
        }
        text
    }

    /// Whether the file is of a kind that only supports the code, and the question doesn't ask for that kind.
    pub(crate) fn is_support(&self, judgement: &Judgement<'_>) -> bool {
        let Some(file) = self.file(judgement) else { return false };
        let asked = judgement.asked;
        let FileTraits { test, support, generated, docs_example, vendored, .. } = file.stamp.traits;
        let hinted = judgement.question.hints.iter().any(|hint| {
            RepoPath::parse(hint, judgement.root).is_ok_and(|hint| {
                self.path == hint
                    || (hint != RepoPath::root()
                        && self.path.as_str().starts_with(&format!("{hint}/")))
            })
        });
        let tests = asked.wants_tests
            || asked.roles.contains(&retriever_search::Role::Test)
            || judgement.question.roles.contains(&retriever_search::Role::Test);
        !hinted
            && (((test || support) && !tests)
                || (docs_example && !asked.wants_docs)
                || ((generated || vendored) && !asked.wants_generated))
    }

    /// Names of declarations that lie in the range or around it, the innermost last, whose first line was shown.
    pub(crate) fn names<'a>(&self, judgement: &Judgement<'a>) -> Vec<&'a str> {
        let Some(file) = self.file(judgement) else { return Vec::new() };
        file.declarations
            .iter()
            .filter(|declaration| declaration.range.overlaps(self.range))
            .filter(|declaration| {
                LineRange::line(declaration.range.start())
                    .is_some_and(|line| file.delivered.contains(line))
            })
            .map(|declaration| declaration.name.as_str())
            .collect()
    }
}

/// Text in which mentions are looked up.
#[derive(Default)]
pub(super) struct Haystack {
    text: String,
    lower: String,
    names: BTreeSet<String>,
    paths: BTreeSet<String>,
    numbers: Vec<u64>,
}

impl Haystack {
    pub(super) fn new(
        text: String,
        names: impl IntoIterator<Item = String>,
        paths: impl IntoIterator<Item = String>,
    ) -> Self {
        Self {
            lower: text.to_lowercase(),
            numbers: numbers(&text),
            names: names.into_iter().collect(),
            paths: paths.into_iter().collect(),
            text,
        }
    }

    pub(super) fn lower(&self) -> &str {
        &self.lower
    }

    pub(super) fn holds(&self, mention: &Mention) -> bool {
        match mention {
            Mention::Identifier(name) => {
                self.holds_name(name)
                    || name.strip_suffix('s').is_some_and(|one| self.holds_name(one))
            }
            Mention::Word(word) => {
                has_word(&self.lower, &word.to_lowercase()) || self.holds_name(word)
            }
            Mention::File(file) => {
                let file = match file.rsplit_once(':') {
                    Some((path, lines)) if lines.starts_with(|c: char| c.is_ascii_digit()) => path,
                    _ => file,
                };
                let file = file.trim_start_matches("./");
                let tail = format!("/{file}");
                self.text.contains(file)
                    || self.paths.iter().any(|path| path == file || path.ends_with(&tail))
            }
            Mention::Quantity(value) => self.numbers.iter().any(|number| same(*number, *value)),
        }
    }

    fn holds_name(&self, name: &str) -> bool {
        self.names.contains(name)
            || has_word(&self.text, name)
            || self.paths.iter().any(|path| has_word(path, name))
    }
}

/// Whether two numbers are the same amount in units of time or size.
fn same(a: u64, b: u64) -> bool {
    const SCALES: [u64; 10] =
        [1, 24, 60, 1_000, 1_024, 3_600, 60_000, 1_000_000, 1_048_576, 1_000_000_000];
    SCALES.iter().any(|scale| a.checked_mul(*scale) == Some(b) || b.checked_mul(*scale) == Some(a))
}

/// Whether `name` occurs in `text` with no letter, digit or underscore next to it.
pub(super) fn has_word(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            !text[..at].chars().next_back().is_some_and(is_word)
                && !text[at + name.len()..].chars().next().is_some_and(is_word)
        })
}

/// A reference as it may be repeated to the model: short, on one line.
pub(super) fn short(reference: &str) -> String {
    clip(&clean(reference), 80)
}
