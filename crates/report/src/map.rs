//! The code map: what a planner gets. Every place in it was delivered to the model line by line. The shape is a
//! contract; `schemas/code_map.schema.json` is made from these types.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::draft::GapSearch;
use retriever_search::{Intent, Role};
use retriever_workspace::vocabulary;

/// Version of the code map's shape.
pub const CODE_MAP_VERSION: u32 = 1;

vocabulary! {
    /// How a map came to be.
    Status {
        /// From a submitted report.
        Complete = "complete",
        /// From a report, or a provisional one, of a run that was cut short.
        Partial = "partial",
        /// From the ledger and the candidates, without a usable report.
        Fallback = "fallback",
    }
}

vocabulary! {
    /// How far a map may be trusted, as the validator computed it. Ordered from least to most.
    Confidence {
        /// A starting point.
        Low = "low",
        /// Useful, with a known weakness.
        Medium = "medium",
        /// Treat it as the code map.
        High = "high",
    }
}

vocabulary! {
    /// What the planner should do next.
    Action {
        /// Answer; nothing needs to be opened.
        AnswerFromReport = "answer_from_report",
        /// Open the read targets.
        ReadTargets = "read_targets",
        /// Run the bounded search.
        TargetedGapSearch = "targeted_gap_search",
        /// The map is of no help.
        Skip = "skip",
    }
}

vocabulary! {
    /// Why the exploration ended.
    StopReason {
        /// A report was submitted.
        Submitted = "submitted",
        /// Nothing new came back any more, and the report was forced.
        DiminishingReturns = "diminishing_returns",
        /// No steps were left.
        StepBudget = "step_budget",
        /// No tool calls were left.
        CallBudget = "call_budget",
        /// No observed tokens were left.
        ObservationBudget = "observation_budget",
        /// Time was up.
        Deadline = "deadline",
        /// The caller interrupted.
        Interrupted = "interrupted",
        /// The model failed.
        ModelError = "model_error",
        /// The model ended without a usable report.
        NoReport = "no_report",
    }
}

/// A verified answer to one question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CodeMap {
    /// Version of this shape.
    pub version: u32,
    /// The question, as asked.
    pub question: String,
    /// What the answer is for.
    pub intent: Intent,
    /// How the map came to be.
    pub status: Status,
    /// How far to trust it.
    pub confidence: Confidence,
    /// What to do next.
    pub recommended_primary_action: Action,
    /// The answer in one or two sentences.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// What calls what, from entry to effect.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub flow: String,
    /// The places that matter most, best first; at most 5.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub primary: Vec<Primary>,
    /// Places worth knowing; at most 2.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secondary: Vec<Secondary>,
    /// Facts, each with the lines that show it; at most 8.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Places to open, each with a purpose; at most 5.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_targets: Vec<ReadTarget>,
    /// Places that an earlier map of the session has: they stand here by their IDs and in no other list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<Known>,
    /// What was looked for and not found; at most 3.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Missing>,
    /// A bounded search for what is missing.
    #[serde(default, skip_serializing_if = "GapSearch::is_empty")]
    pub gap_search: GapSearch,
    /// The roles that coverage was judged by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requested_roles: Vec<Role>,
    /// How the map was made.
    pub meta: Meta,
}

impl CodeMap {
    /// Path and lines of every place and every reference.
    pub fn places(&self) -> impl Iterator<Item = (&str, u32, u32)> {
        let primary = self.primary.iter().map(|item| (item.path.as_str(), item.start, item.end));
        let secondary =
            self.secondary.iter().map(|item| (item.path.as_str(), item.start, item.end));
        let targets =
            self.read_targets.iter().map(|item| (item.path.as_str(), item.start, item.end));
        let refs = self.findings.iter().flat_map(|finding| &finding.refs);
        let refs = refs.map(|place| (place.path.as_str(), place.start, place.end));
        primary.chain(secondary).chain(targets).chain(refs)
    }

    /// The files that it refers to anywhere.
    pub fn paths(&self) -> BTreeSet<&str> {
        self.places().map(|(path, ..)| path).collect()
    }
}

/// Lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Place {
    /// Path relative to the root.
    pub path: String,
    /// First line, 1-based.
    pub start: u32,
    /// Last line, inclusive.
    pub end: u32,
    /// In a session: the name by which later maps of the session refer to the place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// A place that matters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Primary {
    /// Path relative to the root.
    pub path: String,
    /// First line, 1-based.
    pub start: u32,
    /// Last line, inclusive.
    pub end: u32,
    /// In a session: the name by which later maps of the session refer to the place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Names declared there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<String>,
    /// The part it plays; left out when nothing backs a claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// What it does for the question.
    pub why: String,
}

/// A place worth knowing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Secondary {
    /// Path relative to the root.
    pub path: String,
    /// First line, 1-based.
    pub start: u32,
    /// Last line, inclusive.
    pub end: u32,
    /// In a session: the name by which later maps of the session refer to the place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The part it plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// What it does for the question.
    pub why: String,
}

/// A fact and the lines that show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// One sentence.
    pub fact: String,
    /// The part that the place plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Where it can be seen.
    pub refs: Vec<Place>,
    /// IDs of places where it can be seen that an earlier map of the session has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<String>,
}

/// A place to open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReadTarget {
    /// Path relative to the root.
    pub path: String,
    /// First line, 1-based.
    pub start: u32,
    /// Last line, inclusive.
    pub end: u32,
    /// In a session: the name by which later maps of the session refer to the place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What to look for or change there.
    pub purpose: String,
    /// Whether the task can't be done without it.
    pub required: bool,
}

vocabulary! {
    /// The list that a place belongs to.
    List {
        /// The places that matter most.
        Primary = "primary",
        /// Places worth knowing.
        Secondary = "secondary",
        /// Places to open.
        ReadTargets = "read_targets",
    }
}

/// A place that an earlier map of the session has, whose path and lines stand there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Known {
    /// The ID that the earlier map gave it.
    pub id: String,
    /// The list it would be in.
    pub list: List,
    /// The part it plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// What it does for this question, or what to look for or change there.
    pub why: String,
    /// Whether the task can't be done without opening it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
}

/// Something that was not found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Missing {
    /// What.
    pub what: String,
    /// The role it would have played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Whether the answer is of no use without it.
    pub critical: bool,
}

/// How a map was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Meta {
    /// Who wrote the report.
    pub author: Author,
    /// Name of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What the model claimed of its confidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_confidence: Option<Confidence>,
    /// Codes of everything that was dropped, changed or held against the report, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// Why the exploration ended.
    pub stop_reason: StopReason,
    /// Model steps taken.
    pub steps: u32,
    /// Tool calls answered.
    pub tool_calls: u32,
    /// Estimated tokens that were shown to the model as observations.
    pub observed_tokens: u64,
    /// Estimated tokens of this map.
    pub report_tokens: u64,
    /// Wall-clock milliseconds.
    pub elapsed_ms: u64,
    /// Tokens the provider counted, when it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Cost of the run in the currency of the configured prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// The session's use so far, for a question of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionUse>,
}

/// How much a session has saved, this question included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionUse {
    /// Whether this map is the answer to an earlier, equal question. Steps and tokens are those of that run; this time no
    /// model was asked.
    pub hit: bool,
    /// Questions that were answered.
    pub questions: u64,
    /// How many of them by an earlier answer.
    pub hits: u64,
}

/// Who wrote a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// A language model.
    Model,
    /// The built-in deterministic driver.
    Offline,
    /// The conservative fallback, after everything else failed.
    Fallback,
}

/// Tokens of one answer or, added up, of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Usage {
    /// Tokens of the prompts, cached ones included.
    pub prompt_tokens: u64,
    /// Prompt tokens that were served from a cache.
    pub cached_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// Written tokens that were reasoning.
    pub reasoning_tokens: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.prompt_tokens += other.prompt_tokens;
        self.cached_tokens += other.cached_tokens;
        self.completion_tokens += other.completion_tokens;
        self.reasoning_tokens += other.reasoning_tokens;
    }
}
