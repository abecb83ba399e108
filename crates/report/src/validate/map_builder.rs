//! Builds the code map from a validated draft.

use super::{
    citation::Citation,
    draft_under_validation::{
        DraftUnderValidation, FindingUnderValidation, GapUnderValidation, PlaceUnderValidation,
    },
    validation_input::ValidationContext,
};
use crate::{
    code_map::{
        CODE_MAP_VERSION, CodeGraphUse, CodeMap, Confidence, Finding, MapMetadata, MissingItem,
        PrimaryPlace, ReadTarget, RecommendedAction, ReportAuthor, SecondaryPlace, StopReason,
    },
    validation_reason_codes::ValidationReason,
};
use retriever_workspace::RepoPath;

/// Most places that are listed as left out.
const MAX_LEFT_OUT: usize = 6;

/// Returns the map. `counted` are the reasons that lowered the confidence.
pub(super) fn build(
    state: &DraftUnderValidation,
    context: &ValidationContext<'_>,
    confidence: Confidence,
    action: RecommendedAction,
    counted: &[ValidationReason],
) -> CodeMap {
    CodeMap {
        version: CODE_MAP_VERSION,
        question: context.question.text.clone(),
        intent: context.question.intent,
        status: context.status,
        confidence,
        recommended_primary_action: action,
        summary: state.summary.clone(),
        summary_verdict: state.summary_verdict,
        flow: state.flow.clone(),
        flow_verdict: state.flow_verdict,
        primary: state.primary.iter().map(primary).collect(),
        secondary: state.secondary.iter().map(secondary).collect(),
        findings: state.findings.iter().map(finding).collect(),
        read_targets: state.read_targets.iter().map(read_target).collect(),
        known: Vec::new(),
        missing: state.missing.iter().map(missing).collect(),
        gap_search: state.gap_search.clone(),
        left_out: left_out(state),
        left_out_places: places_left_out(state).map(Citation::place).collect(),
        also_read: state.also_read.iter().map(|path| path.as_str().to_owned()).collect(),
        requested_roles: state.requested_roles.iter().copied().collect(),
        meta: meta(state, context, counted),
    }
}

/// Returns the parts of `meta` that validation knows; the caller sets the figures of the run.
fn meta(
    state: &DraftUnderValidation,
    context: &ValidationContext<'_>,
    counted: &[ValidationReason],
) -> MapMetadata {
    let mut reasons: Vec<String> = Vec::new();
    // What became of a text that no model wrote tells a planner nothing: the program wrote it, and the verdicts are there.
    let is_told = |reason: &&ValidationReason| {
        context.author == ReportAuthor::Model || !reason.code.is_about_prose()
    };
    for reason in state.reasons.iter().chain(counted).filter(is_told) {
        let word = reason.code.as_ref();
        if !reasons.iter().any(|known| known == word) {
            reasons.push(word.to_owned());
        }
    }
    MapMetadata {
        author: context.author,
        model: None,
        claimed_confidence: state.claimed_confidence,
        reasons,
        cuts: Vec::new(),
        graph: CodeGraphUse::Used,
        stop_reason: StopReason::Submitted,
        steps: 0,
        tool_calls: 0,
        observed_tokens: context.ledger.tokens(),
        report_tokens: 0,
        elapsed_ms: 0,
        usage: None,
        cost: None,
        session: None,
    }
}

/// Returns the places that were cut and that no other citation overlaps, as many as are listed.
fn places_left_out(state: &DraftUnderValidation) -> impl Iterator<Item = &Citation> {
    let is_gone = |place: &&Citation| !state.citations().any(|kept| kept.overlaps(place));
    state.left_out.iter().filter(is_gone).take(MAX_LEFT_OUT)
}

/// Returns the places that are listed as left out, those of a file together.
fn left_out(state: &DraftUnderValidation) -> Vec<String> {
    let mut files: Vec<(&RepoPath, Vec<String>)> = Vec::new();
    for place in places_left_out(state) {
        let lines = place.range.to_string();
        match files.iter_mut().find(|(path, _)| *path == &place.path) {
            Some((_, known)) => known.push(lines),
            None => files.push((&place.path, Vec::from([lines]))),
        }
    }
    files.into_iter().map(|(path, lines)| format!("{path}:{}", lines.join(", "))).collect()
}

fn primary(item: &PlaceUnderValidation) -> PrimaryPlace {
    PrimaryPlace {
        place: item.citation.place(),
        symbols: item.symbols.clone(),
        role: item.role,
        why: item.text.clone(),
        verdict: item.verdict,
    }
}

fn secondary(item: &PlaceUnderValidation) -> SecondaryPlace {
    SecondaryPlace {
        place: item.citation.place(),
        role: item.role,
        why: item.text.clone(),
        verdict: item.verdict,
    }
}

fn read_target(item: &PlaceUnderValidation) -> ReadTarget {
    ReadTarget {
        place: item.citation.place(),
        purpose: item.text.clone(),
        required: item.required,
        verdict: item.verdict,
    }
}

fn finding(item: &FindingUnderValidation) -> Finding {
    Finding {
        fact: item.text.clone(),
        role: item.role,
        refs: item.refs.iter().map(Citation::place).collect(),
        verdict: item.verdict,
    }
}

fn missing(gap: &GapUnderValidation) -> MissingItem {
    MissingItem { what: gap.what.clone(), role: gap.role, critical: gap.critical }
}
