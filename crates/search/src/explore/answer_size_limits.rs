//! How large an answer may be, by the size of the repository. An answer aims at less than half of its hard ceiling;
//! little else than the flow may use the rest.

use crate::search_corpus::RepositorySizeTier;

/// Share of the ceiling that an answer aims at, in percent.
const AIM_PERCENT: usize = 35;

/// The limits of one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerSizeLimits {
    /// Most characters of everything that is printed.
    pub chars: usize,
    /// Characters of source that are aimed at.
    pub(super) aim: usize,
    /// Most files whose source is printed.
    pub files: usize,
    /// Most characters of one file's source.
    pub chars_per_file: usize,
    /// Lines between two relevant parts that are printed, too, so that they become one.
    pub gap: u32,
    /// Maximum number of results.
    pub results: usize,
}

impl AnswerSizeLimits {
    /// Returns the limits for a repository of this size; `budget` replaces the ceiling.
    pub fn of(tier: RepositorySizeTier, budget: Option<usize>) -> Self {
        let (chars, files, chars_per_file, gap, results) = match tier {
            RepositorySizeTier::Small => (18_000, 5, 3_800, 8, 20),
            RepositorySizeTier::Medium => (28_000, 9, 5_000, 12, 20),
            RepositorySizeTier::Large => (35_000, 12, 7_000, 15, 24),
            RepositorySizeTier::Huge => (38_000, 14, 7_000, 15, 24),
        };
        let ceiling = budget.unwrap_or(chars);
        // A larger budget asks for more, a smaller one only limits.
        let aim = (ceiling.max(chars) * AIM_PERCENT / 100).min(ceiling);
        Self { chars: ceiling, aim, files, chars_per_file, gap, results }
    }
}
