//! How long a report and its parts may be. The prompt, the schema of the report's tool and validation all take their
//! limits from here.

use crate::token_ratios::report_chars;

/// Most primary places of a map.
pub const MAX_PRIMARY: usize = 5;
/// Most secondary places of a map.
pub const MAX_SECONDARY: usize = 2;
/// Most places that a map tells to read.
pub const MAX_READ_TARGETS: usize = 5;
/// Most findings.
pub(crate) const MAX_FINDINGS: usize = 8;
/// Most references of a finding.
pub(crate) const MAX_REFS: usize = 4;
/// Most gaps.
pub(crate) const MAX_MISSING: usize = 3;
/// Longest `fact` or `what` that a model is asked for, in characters; longest `why` or `purpose` of a report.
pub(crate) const MAX_ITEM_CHARS: usize = 240;
/// Longest `why` or `purpose` that a model is asked for, in characters. A longer one is cut to it before findings are.
pub(crate) const MAX_REASON_CHARS: usize = 120;
/// Longest summary, in characters.
pub(crate) const MAX_SUMMARY_CHARS: usize = 600;
/// Longest flow, in characters.
pub(crate) const MAX_FLOW_CHARS: usize = 800;

/// How long a report may be so that its map has room for all of it, in words that a model can act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportRoom {
    /// Characters of the whole report as a model submits it.
    pub chars: usize,
    /// Primary places.
    pub places: usize,
    /// Findings.
    pub facts: usize,
    /// Characters of the flow.
    pub flow_chars: usize,
    /// Characters of a fact.
    pub fact_chars: usize,
    /// Characters of a reason or a purpose.
    pub reason_chars: usize,
}

impl ReportRoom {
    /// Returns the room in a map of `tokens`. A place takes about 160 characters, a fact with its references 260, and 1,100 are for
    /// the summary and the other lists.
    pub fn of(tokens: u64) -> Self {
        let tokens = usize::try_from(tokens).unwrap_or(usize::MAX);
        let chars = report_chars(tokens);
        let places = (tokens / 300).clamp(2, MAX_PRIMARY);
        let flow_chars = (tokens.saturating_mul(3) / 800 * 100).clamp(300, MAX_FLOW_CHARS);
        let left = chars.saturating_sub(1_100 + places * 160 + flow_chars);
        Self {
            chars,
            places,
            facts: (left / 260).clamp(2, MAX_FINDINGS),
            flow_chars,
            fact_chars: MAX_ITEM_CHARS,
            reason_chars: MAX_REASON_CHARS,
        }
    }
}
