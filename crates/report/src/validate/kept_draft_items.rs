//! What validation kept of the items of a draft, before the map is cut to its token limit. Two drafts are compared by
//! it.

use super::{
    citation::Citation,
    draft_under_validation::{DraftUnderValidation, PlaceUnderValidation},
};
use crate::code_map::{Place, Verdict};

/// An item of a draft that stands.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptItem {
    /// Its index in its list of the draft, and those of the items that were merged into it.
    pub(crate) indices: Vec<usize>,
    /// What was done to it.
    pub(crate) verdict: Verdict,
    /// What it cites.
    pub(crate) places: Vec<Place>,
}

/// What stands of a draft.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeptItems {
    /// `None` if nothing is left of the summary.
    pub(crate) summary: Option<Verdict>,
    /// `None` if nothing is left of the flow.
    pub(crate) flow: Option<Verdict>,
    pub(crate) primary: Vec<KeptItem>,
    pub(crate) secondary: Vec<KeptItem>,
    pub(crate) findings: Vec<KeptItem>,
    pub(crate) read_targets: Vec<KeptItem>,
    pub(crate) missing: Vec<KeptItem>,
}

impl KeptItems {
    pub(super) fn of(state: &DraftUnderValidation) -> Self {
        let kept_text = |text: &str, verdict: Verdict| (!text.is_empty()).then_some(verdict);
        let findings = state.findings.iter().map(|item| KeptItem {
            indices: Vec::from([item.index]),
            verdict: item.verdict,
            places: item.refs.iter().map(Citation::place).collect(),
        });
        let missing = state.missing.iter().map(|gap| KeptItem {
            indices: Vec::from([gap.index]),
            verdict: gap.verdict,
            places: Vec::new(),
        });
        Self {
            summary: kept_text(&state.summary, state.summary_verdict),
            flow: kept_text(&state.flow, state.flow_verdict),
            // What was moved to the secondary places is kept in the list that it was submitted in.
            primary: kept_places(
                state.primary.iter().chain(state.secondary.iter().filter(|item| item.is_demoted)),
            ),
            secondary: kept_places(state.secondary.iter().filter(|item| !item.is_demoted)),
            findings: findings.collect(),
            read_targets: kept_places(state.read_targets.iter()),
            missing: missing.collect(),
        }
    }
}

fn kept_places<'a>(items: impl Iterator<Item = &'a PlaceUnderValidation>) -> Vec<KeptItem> {
    let kept = items.map(|item| KeptItem {
        indices: item.indices.clone(),
        verdict: item.verdict,
        places: Vec::from([item.citation.place()]),
    });
    kept.collect()
}
