//! Files that a walk or a search skipped, counted by reason.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ReadError;

/// Numbers of skipped files, by reason. Reasons that were not counted are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkippedFiles {
    /// Excluded by an ignore file or a configured glob; counted on request only.
    pub ignored: u64,
    /// Hidden; counted on request only.
    pub hidden: u64,
    /// On the deny list of secrets.
    pub secrets: u64,
    /// Not text.
    pub binary: u64,
    /// Larger than the limit.
    pub too_large: u64,
    /// The name is not UTF-8, or holds control characters.
    pub unprintable: u64,
    /// Reading failed.
    pub unreadable: u64,
    /// Whether ignored and hidden files were skipped without counting, since the tree is too large for a second walk.
    pub uncounted: bool,
}

impl SkippedFiles {
    /// Returns the counts as text, `3 hidden, 12 ignored`; empty when all are 0.
    pub fn describe(&self) -> String {
        [
            (self.ignored, "ignored"),
            (self.hidden, "hidden"),
            (self.secrets, "private"),
            (self.binary, "binary"),
            (self.too_large, "too large"),
            (self.unprintable, "with unprintable names"),
            (self.unreadable, "unreadable"),
        ]
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .chain(self.uncounted.then(|| "ignored and hidden ones (not counted)".to_owned()))
        .collect::<Vec<_>>()
        .join(", ")
    }

    /// Counts a file that could not be read.
    pub fn count(&mut self, error: &ReadError) {
        match error {
            ReadError::Secret(_) => self.secrets += 1,
            ReadError::Binary(_) => self.binary += 1,
            ReadError::TooLarge { .. } => self.too_large += 1,
            _ => self.unreadable += 1,
        }
    }

    /// Adds the counts of `other`.
    pub fn add(&mut self, other: &Self) {
        self.ignored += other.ignored;
        self.hidden += other.hidden;
        self.secrets += other.secrets;
        self.binary += other.binary;
        self.too_large += other.too_large;
        self.unprintable += other.unprintable;
        self.unreadable += other.unreadable;
        self.uncounted |= other.uncounted;
    }
}
