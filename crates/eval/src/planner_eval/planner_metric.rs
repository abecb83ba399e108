//! The figures of a main agent's answer by name. Each is defined once, here; `score` computes it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, VariantArray};

use crate::metric::MetricDirection;
use retriever_workspace::UnknownVariant;

/// A number that is computed for one answer of the main agent. *After the map*: only where it was given a map of high or
/// medium confidence.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<PlannerMetric>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlannerMetric {
    /// 1 when the answer cites every required row; of a negative question when it says that nothing was found.
    Passed,
    /// Required rows that the answer cites / required rows. A row is cited when, for any of its places, the answer names the
    /// file (its path, or the end of it) and behind it lines that hit the place, or names the place's symbol anywhere.
    Cited,
    /// Gold files that the answer names / gold files: each of a fix's, and of every required row any one.
    Files,
    /// Negative questions only: 1 when the answer says that nothing was found.
    NegativeOk,
    /// 1 when the main agent gave an answer.
    Answered,
    /// Calls of any tool.
    Calls,
    /// Calls of `explore`.
    Explores,
    /// Calls of `grep` and `glob`.
    Searches,
    /// Calls of `read`.
    Reads,
    /// Calls of `grep` and `glob` after the map.
    SearchesAfterMap,
    /// Calls of `read`, with any map, of lines that hit none of its read targets and, when it recommends a search, lie in
    /// none of the search's scopes.
    ReadsOutside,
    /// 1 when the first thing that the main agent did with a map was what the map recommends: to answer; to read one of the
    /// targets; to search for one of the terms or in one of the scopes; for `skip`, to search.
    Followed,
    /// Questions with the intent `answer`: 1 when the main agent answered from the map without any call.
    FromMap,
    /// Turns of the main agent.
    Steps,
    /// Tokens that models read and wrote until the answer: the prompts of all turns, cached or not, and what was written; with
    /// those of the ask that made the map.
    TotalTokens,
    /// Tokens of the main agent's conversation at its end: its last prompt and what it wrote then.
    ResidentTokens,
    /// Seconds from the question to the answer, with those of the ask.
    Seconds,
    /// Estimated tokens of the tool results that it was shown.
    ShownTokens,
    /// Prompt tokens over all turns that were not served from a cache, as the endpoint counts them. Where it counts
    /// nothing: the estimated tokens of each turn's messages that the turn before did not have.
    Uncached,
    /// Prompt tokens over all turns that were served from a cache, as the endpoint counts them. Where it counts
    /// nothing: the estimated tokens of each turn's messages that the turn before had.
    Cached,
    /// Completion tokens, as the endpoint counts them.
    Written,
    /// Cost of the main agent's turns at its configured prices.
    Cost,
    /// Cost including that of the map.
    CostWithAsk,
}

impl PlannerMetric {
    /// Returns the name of the figure in tables.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Cited => "required rows cited",
            Self::Files => "gold files named",
            Self::NegativeOk => "negatives right",
            Self::Answered => "answered",
            Self::Calls => "calls",
            Self::Explores => "explore calls",
            Self::Searches => "grep and glob calls",
            Self::Reads => "read calls",
            Self::SearchesAfterMap => "grep and glob after a high or medium map",
            Self::ReadsOutside => "reads outside of the recommendation",
            Self::Followed => "recommendation followed",
            Self::FromMap => "answered from the report",
            Self::Steps => "turns",
            Self::TotalTokens => "tokens in all",
            Self::ResidentTokens => "tokens resident at the end",
            Self::Seconds => "seconds",
            Self::ShownTokens => "tool output tokens",
            Self::Uncached => "uncached input tokens",
            Self::Cached => "cached input tokens",
            Self::Written => "output tokens",
            Self::Cost => "cost",
            Self::CostWithAsk => "cost with the ask",
        }
    }

    /// Returns the direction in which the figure improves.
    pub const fn better(self) -> MetricDirection {
        match self {
            Self::Passed | Self::Cited | Self::Files | Self::NegativeOk | Self::Answered => {
                MetricDirection::Higher
            }
            Self::Calls
            | Self::Searches
            | Self::Reads
            | Self::TotalTokens
            | Self::ResidentTokens
            | Self::Seconds
            | Self::ShownTokens
            | Self::Uncached
            | Self::Cost
            | Self::CostWithAsk => MetricDirection::Lower,
            Self::Explores
            | Self::SearchesAfterMap
            | Self::ReadsOutside
            | Self::Followed
            | Self::FromMap
            | Self::Steps
            | Self::Cached
            | Self::Written => MetricDirection::Neither,
        }
    }

    /// Formats a value for tables.
    pub fn show(self, value: f64) -> String {
        match self {
            Self::TotalTokens
            | Self::ResidentTokens
            | Self::ShownTokens
            | Self::Uncached
            | Self::Cached
            | Self::Written => format!("{value:.0}"),
            Self::Seconds => format!("{value:.1}"),
            Self::Cost | Self::CostWithAsk => format!("{value:.4}"),
            _ => format!("{value:.2}"),
        }
    }

    /// Formats a difference for tables.
    pub fn show_change(self, value: f64) -> String {
        let sign = if value < 0.0 { "-" } else { "+" };
        format!("{sign}{}", self.show(value.abs()))
    }
}
