//! The report as the model submits it through `submit_report`. The doc comments of these types are the tool's description
//! and parameter documentation, so the model reads them.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::VariantArray;

use crate::{
    code_map::{Confidence, GapSearch, RecommendedAction},
    report_limits::{
        MAX_FINDINGS, MAX_FLOW_CHARS, MAX_ITEM_CHARS, MAX_MISSING, MAX_PRIMARY, MAX_READ_TARGETS,
        MAX_REFS, MAX_SECONDARY, MAX_SUMMARY_CHARS,
    },
};
use retriever_search::PlaceRole;

/// Name of the tool that submits the report. It ends a run, so it is not part of any tool registry.
pub const SUBMIT: &str = "submit_report";

/// Submit the final report and end the exploration. Cite only places whose lines you were shown: use the IDs in
/// brackets (c7, or c7:40-58 for part of it), path:start-end without one. No source code, no guesses; say what is missing.
/// Always give summary, primary and findings; primary is empty if the repository does not have what is asked for. What is over
/// a limit is cut.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReportDraft {
    /// The answer in one or two sentences.
    #[schemars(length(max = MAX_SUMMARY_CHARS))]
    pub summary: String,
    /// One paragraph: what calls what, from entry to effect.
    #[schemars(length(max = MAX_FLOW_CHARS))]
    pub flow: String,
    /// The places that matter most, best first.
    #[schemars(length(max = MAX_PRIMARY))]
    pub primary: Vec<DraftPrimary>,
    /// Places worth knowing, not needed.
    #[schemars(length(max = MAX_SECONDARY))]
    pub secondary: Vec<DraftSecondary>,
    /// Facts that save the planner a read, best first.
    #[schemars(length(max = MAX_FINDINGS))]
    pub findings: Vec<DraftFinding>,
    /// Places that the planner must still open, each with a concrete purpose.
    #[schemars(length(max = MAX_READ_TARGETS))]
    pub read_targets: Vec<DraftReadTarget>,
    /// What was looked for and not found.
    #[schemars(length(max = MAX_MISSING))]
    pub missing: Vec<DraftGap>,
    /// Where to search for what is missing.
    pub gap_search: GapSearch,
    /// Roles without which an answer is not complete, as you read the question; a hint.
    #[schemars(length(max = PlaceRole::VARIANTS.len()))]
    pub requested_roles: Vec<PlaceRole>,
    /// What the planner should do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommended_primary_action: Option<RecommendedAction>,
    /// How sure you are; it can only lower the computed confidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// Names of the lists that were submitted empty; for findings also a list of nothing but withdrawals. In a correction, an empty
    /// list withdraws the refused items of the first report.
    #[serde(skip)]
    pub emptied: BTreeSet<&'static str>,
}

impl ReportDraft {
    /// Whether the draft contains any reference.
    pub fn has_references(&self) -> bool {
        let findings = self.findings.iter().any(|finding| !finding.refs.is_empty());
        findings
            || !(self.primary.is_empty()
                && self.secondary.is_empty()
                && self.read_targets.is_empty())
    }

    /// Returns a corrected draft with the parts of the `earlier` one that it leaves out.
    #[must_use]
    pub fn completed_from(self, earlier: &Self) -> Self {
        let text = |own: String, earlier: &str| {
            if own.trim().is_empty() { earlier.to_owned() } else { own }
        };
        let emptied = &self.emptied;
        let numbered: Vec<DraftFinding> = earlier.findings.iter().map(unnumbered).collect();
        Self {
            summary: text(self.summary, &earlier.summary),
            flow: text(self.flow, &earlier.flow),
            primary: own_or(self.primary, &earlier.primary),
            secondary: own_or(self.secondary, withheld("secondary", emptied, &earlier.secondary)),
            findings: own_or(self.findings, withheld("findings", emptied, &numbered)),
            read_targets: own_or(
                self.read_targets,
                withheld("read_targets", emptied, &earlier.read_targets),
            ),
            missing: own_or(self.missing, withheld("missing", emptied, &earlier.missing)),
            gap_search: GapSearch {
                terms: own_or(self.gap_search.terms, &earlier.gap_search.terms),
                scopes: own_or(self.gap_search.scopes, &earlier.gap_search.scopes),
            },
            requested_roles: own_or(self.requested_roles, &earlier.requested_roles),
            recommended_primary_action: self
                .recommended_primary_action
                .or(earlier.recommended_primary_action),
            confidence: self.confidence.or(earlier.confidence),
            emptied: self.emptied,
        }
    }
}

/// Returns the `earlier` items of a list, or none if it was emptied: those that held are merged into the correction later.
fn withheld<'a, T>(list: &str, emptied: &BTreeSet<&'static str>, earlier: &'a [T]) -> &'a [T] {
    if emptied.contains(list) { &[] } else { earlier }
}

/// Returns a finding that replaces none.
pub(crate) fn unnumbered(finding: &DraftFinding) -> DraftFinding {
    DraftFinding { number: None, position: None, ..finding.clone() }
}

fn own_or<T: Clone>(own: Vec<T>, earlier: &[T]) -> Vec<T> {
    if own.is_empty() { earlier.to_vec() } else { own }
}

/// A place that matters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct DraftPrimary {
    /// ID.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Names declared there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<String>,
    /// What its lines hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<PlaceRole>,
    /// What it does for the question, in one line.
    #[schemars(length(max = MAX_ITEM_CHARS))]
    pub why: String,
}

/// A place worth knowing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct DraftSecondary {
    /// ID.
    #[serde(rename = "ref")]
    pub reference: String,
    /// What its lines hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<PlaceRole>,
    /// What it does for the question, in one line.
    #[schemars(length(max = MAX_ITEM_CHARS))]
    pub why: String,
}

/// A fact and the places that show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct DraftFinding {
    /// One checkable sentence about the cited lines: what they declare, do, call or hold.
    #[schemars(length(max = MAX_ITEM_CHARS))]
    pub fact: String,
    /// What its lines hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<PlaceRole>,
    /// IDs of the lines that show it.
    #[schemars(length(min = 1, max = MAX_REFS))]
    pub refs: Vec<String>,
    /// Only in a correction: the number of the finding that it replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<usize>,
    /// Its own number in the report, if items before it were dropped.
    #[serde(skip)]
    #[schemars(skip)]
    pub position: Option<usize>,
}

impl DraftFinding {
    /// Returns the number that the writer of the report counts it by. It stands at `index` of the draft.
    pub(crate) fn number_in_report(&self, index: usize) -> usize {
        self.position.unwrap_or(index + 1)
    }
}

/// A place to open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct DraftReadTarget {
    /// ID.
    #[serde(rename = "ref")]
    pub reference: String,
    /// What to look for or change there.
    #[schemars(length(max = MAX_ITEM_CHARS))]
    pub purpose: String,
    /// Whether the task can't be done without it.
    #[serde(default)]
    pub required: bool,
}

/// Something that was not found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct DraftGap {
    /// What.
    #[schemars(length(max = MAX_ITEM_CHARS))]
    pub what: String,
    /// The role of what is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<PlaceRole>,
    /// Whether the answer is of no use without it.
    #[serde(default)]
    pub critical: bool,
}
