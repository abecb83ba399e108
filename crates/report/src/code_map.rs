//! The code map: the answer that a planner receives. All lines of its places were delivered to the model. The JSON shape is
//! a contract; `schemas/code_map.schema.json` is generated from these types.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, IntoStaticStr, VariantArray};

use crate::token_ratios::map_tokens;
use retriever_search::{Intent, PlaceRole};
use retriever_workspace::{LineRange, UnknownVariant};

/// Most lines of a place that is no declaration.
pub const MAX_PLACE_LINES: u32 = 120;

/// Version of the JSON shape.
pub const CODE_MAP_VERSION: u32 = 1;

/// How a map was made.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<MapStatus>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MapStatus {
    /// From a submitted report.
    Complete,
    /// From a report of a run that ended early.
    Partial,
    /// From delivered lines and candidates, without a usable report.
    Fallback,
}

/// How far a map can be trusted, as computed by the validator. Ordered from least to most.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<Confidence>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// A starting point.
    Low,
    /// Usable, with a known weakness.
    Medium,
    /// Can be relied on without further searching.
    High,
}

/// What the planner should do next.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<RecommendedAction>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecommendedAction {
    /// Answer from the map; no file has to be opened.
    AnswerFromReport,
    /// Read the primary places, then the read targets.
    ReadTargets,
    /// Run the suggested search.
    TargetedGapSearch,
    /// Ignore the map.
    Skip,
}

/// Why the exploration ended.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<StopReason>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StopReason {
    /// A report was submitted.
    Submitted,
    /// Further steps brought nothing new, and the report was forced.
    DiminishingReturns,
    /// The step limit was reached.
    StepBudget,
    /// The limit of tool calls was reached.
    CallBudget,
    /// The limit of observed tokens was reached.
    ObservationBudget,
    /// The deadline was reached.
    Deadline,
    /// The caller cancelled the run.
    Interrupted,
    /// The model failed.
    ModelError,
    /// The model submitted no usable report.
    NoReport,
    /// A tool failed in a way that the run could not go on from.
    ToolError,
}

/// What validation did to a place, fact or text of the report.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<Verdict>)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Nothing; it stands as the model submitted it.
    #[default]
    AsSubmitted,
    /// Its lines were reduced.
    Tightened,
    /// Lines that show what it says were added to its references.
    Recited,
    /// A part of its text was removed.
    Cut,
    /// What it names is in its lines; an order, a number or an action that it claims could not be confirmed there.
    Unconfirmed,
}

impl Verdict {
    /// Whether it stands as the model submitted it.
    pub fn is_as_submitted(&self) -> bool {
        *self == Self::AsSubmitted
    }
}

/// A verified answer to one question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CodeMap {
    /// Version of this shape.
    pub version: u32,
    /// The question, as asked; absent where the caller knows which answer this is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub question: String,
    /// What the answer is for.
    pub intent: Intent,
    /// How the map was made.
    pub status: MapStatus,
    /// How far the map can be trusted.
    pub confidence: Confidence,
    /// What the planner should do next.
    pub recommended_primary_action: RecommendedAction,
    /// The answer in one or two sentences.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// What validation did to the summary.
    #[serde(default, skip_serializing_if = "Verdict::is_as_submitted")]
    pub summary_verdict: Verdict,
    /// What calls what, from entry to effect.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub flow: String,
    /// What validation did to the flow.
    #[serde(default, skip_serializing_if = "Verdict::is_as_submitted")]
    pub flow_verdict: Verdict,
    /// The places that matter most, best first; at most 5.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub primary: Vec<PrimaryPlace>,
    /// Places worth knowing; at most 2.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secondary: Vec<SecondaryPlace>,
    /// Facts, each with the lines that show it; at most 8.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Places to open, each with a purpose; at most 5.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_targets: Vec<ReadTarget>,
    /// Places that an earlier map of the session contains, by their IDs. They are in no other list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<KnownPlace>,
    /// What was searched for and not found; at most 3.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<MissingItem>,
    /// A search for what is missing.
    #[serde(default, skip_serializing_if = "GapSearch::is_empty")]
    pub gap_search: GapSearch,
    /// Places of the report that the token limit left no room for, as `path:start-end`, those of a file as `path:1-5, 20-40`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The places of `left_out`, to compare maps; no part of the JSON.
    #[serde(skip)]
    pub left_out_places: Vec<Place>,
    /// Files that were read and that the report does not cite; at most 4.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_read: Vec<String>,
    /// The roles that coverage was checked against.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requested_roles: Vec<PlaceRole>,
    /// How the map was made.
    pub meta: MapMetadata,
}

impl CodeMap {
    /// Returns the listed places: primary, then secondary, then read targets.
    pub fn listed_places(&self) -> impl Iterator<Item = &Place> {
        let primary = self.primary.iter().map(|item| &item.place);
        let secondary = self.secondary.iter().map(|item| &item.place);
        let targets = self.read_targets.iter().map(|item| &item.place);
        primary.chain(secondary).chain(targets)
    }

    /// Returns the listed places and the references of findings.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        self.listed_places().chain(self.findings.iter().flat_map(|finding| &finding.refs))
    }

    /// Returns the paths of all places.
    pub fn paths(&self) -> BTreeSet<&str> {
        self.places().map(|place| place.path.as_str()).collect()
    }

    /// Returns the map without the question, as it answers a single one.
    #[must_use]
    pub fn without_question(&self) -> Self {
        Self { question: String::new(), ..self.clone() }
    }

    /// Returns the estimated tokens of the map as compact JSON, without the question.
    pub fn token_count(&self) -> u64 {
        serde_json::to_string(&self.without_question()).map_or(u64::MAX, |text| map_tokens(&text))
    }

    /// Sets `meta.report_tokens` to [`CodeMap::token_count`].
    pub fn set_report_tokens(&mut self) {
        self.meta.report_tokens = self.token_count();
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
    /// ID by which later maps of the session refer to the place; only in a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

impl Place {
    /// Returns the place at `range` of `path`, without a session ID.
    pub fn new(path: impl Into<String>, range: LineRange) -> Self {
        Self { path: path.into(), start: range.start(), end: range.end(), id: None }
    }

    /// Whether the two share a line.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let lines = self.range().zip(other.range());
        self.path == other.path && lines.is_some_and(|(own, other)| own.overlaps(other))
    }

    /// Whether all lines of `other` are its own.
    pub fn covers(&self, other: &Self) -> bool {
        let lines = self.range().zip(other.range());
        self.path == other.path && lines.is_some_and(|(own, other)| own.covers(other))
    }

    /// Returns its lines, or `None` if the numbers are no valid range.
    pub fn range(&self) -> Option<LineRange> {
        LineRange::new(self.start, self.end)
    }
}

/// A place that matters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PrimaryPlace {
    /// Its file and lines.
    #[serde(flatten)]
    pub place: Place,
    /// Names declared there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<String>,
    /// Its role; absent if no evidence supports a role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<PlaceRole>,
    /// How it contributes to the answer.
    pub why: String,
    /// What validation did to it.
    #[serde(default, skip_serializing_if = "Verdict::is_as_submitted")]
    pub verdict: Verdict,
}

/// A place worth knowing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SecondaryPlace {
    /// Its file and lines.
    #[serde(flatten)]
    pub place: Place,
    /// Its role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<PlaceRole>,
    /// How it contributes to the answer.
    pub why: String,
    /// What validation did to it.
    #[serde(default, skip_serializing_if = "Verdict::is_as_submitted")]
    pub verdict: Verdict,
}

/// A fact and its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// One sentence.
    pub fact: String,
    /// The role of the cited places.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<PlaceRole>,
    /// The places that show it.
    pub refs: Vec<Place>,
    /// What validation did to it.
    #[serde(default, skip_serializing_if = "Verdict::is_as_submitted")]
    pub verdict: Verdict,
}

/// A place to open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReadTarget {
    /// Its file and lines.
    #[serde(flatten)]
    pub place: Place,
    /// What to look for or change there.
    pub purpose: String,
    /// Whether the task cannot be done without it; said only if so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// What validation did to it.
    #[serde(default, skip_serializing_if = "Verdict::is_as_submitted")]
    pub verdict: Verdict,
}

/// The list that a place belongs to.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<PlaceList>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlaceList {
    /// The places that matter most.
    Primary,
    /// Places worth knowing.
    Secondary,
    /// Places to open.
    ReadTargets,
}

/// A place whose lines an earlier map of the session contains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KnownPlace {
    /// Its file and lines, and the ID of the earlier map's place that contains them.
    #[serde(flatten)]
    pub place: Place,
    /// The list that it belongs to.
    pub list: PlaceList,
    /// Its role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<PlaceRole>,
    /// How it contributes to the answer, or what to look for or change there.
    pub why: String,
    /// Whether the task cannot be done without opening it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
}

/// Something that was not found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MissingItem {
    /// What.
    pub what: String,
    /// The role it would have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<PlaceRole>,
    /// Whether the answer is useless without it; said only if so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub critical: bool,
}

/// A bounded search for what is missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(inline)]
pub struct GapSearch {
    /// Concrete words or identifiers to search for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 5))]
    pub terms: Vec<String>,
    /// Folders or globs to search in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 5))]
    pub scopes: Vec<String>,
}

impl GapSearch {
    /// Whether nothing is suggested.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.scopes.is_empty()
    }
}

/// Figures about a run and its map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MapMetadata {
    /// Who wrote the report.
    pub author: ReportAuthor,
    /// Name of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The confidence that the model claimed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_confidence: Option<Confidence>,
    /// Codes of everything that was dropped, changed or counted against the report, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// What was cut of the report and why, as far as there was room; at most 4.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<String>,
    /// Whether the code graph took part; said only when it did not.
    #[serde(default, skip_serializing_if = "CodeGraphUse::is_used")]
    pub graph: CodeGraphUse,
    /// Why the exploration ended.
    pub stop_reason: StopReason,
    /// Model steps taken.
    pub steps: u32,
    /// Tool calls answered.
    pub tool_calls: u32,
    /// Estimated tokens that the model received as observations.
    pub observed_tokens: u64,
    /// Estimated tokens of this map.
    pub report_tokens: u64,
    /// Wall-clock milliseconds.
    pub elapsed_ms: u64,
    /// Tokens as counted by the provider, if it reports them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<TokenUsage>,
    /// Cost of the run in the currency of the configured prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Use of the session so far; only in a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionUsage>,
}

/// Whether the code graph is used to find candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CodeGraphUse {
    /// The graph was used.
    #[default]
    Used,
    /// The graph is not built yet. The answer may be reused until it is.
    #[serde(rename = "none")]
    NotBuilt,
}

impl CodeGraphUse {
    fn is_used(&self) -> bool {
        *self == Self::Used
    }
}

/// Use of a session, including this question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionUsage {
    /// Whether this map is the cached answer to an equal question. Steps and tokens are those of the earlier run; no model
    /// was asked this time.
    pub hit: bool,
    /// Questions answered.
    pub questions: u64,
    /// Questions answered from the cache.
    pub hits: u64,
}

/// Who wrote a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReportAuthor {
    /// A language model.
    Model,
    /// The built-in deterministic driver.
    Offline,
    /// The offline driver, in place of a model that gave no report.
    Fallback,
}

/// Tokens of one answer, or of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TokenUsage {
    /// Prompt tokens, including cached ones.
    pub prompt_tokens: u64,
    /// Prompt tokens that were served from a cache.
    pub cached_tokens: u64,
    /// Tokens that the model wrote.
    pub completion_tokens: u64,
    /// Reasoning tokens among them.
    pub reasoning_tokens: u64,
}

impl std::ops::AddAssign for TokenUsage {
    fn add_assign(&mut self, other: Self) {
        self.prompt_tokens += other.prompt_tokens;
        self.cached_tokens += other.cached_tokens;
        self.completion_tokens += other.completion_tokens;
        self.reasoning_tokens += other.reasoning_tokens;
    }
}
