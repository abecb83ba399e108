//! Reports on what was delivered, when no candidate was read.

use std::cmp::Reverse;

use super::search_advice;
use crate::agent::offline_driver_trait::OfflineState;
use retriever_report::{
    DraftPrimary, DraftReadTarget, MAX_PLACE_LINES, MAX_PRIMARY, RecommendedAction, ReportDraft,
    evidence_ledger::FileEvidence,
};
use retriever_workspace::LineRange;

/// Returns a report on the delivered ranges: those of candidates first, then the longest.
pub(super) fn ledger_report(
    state: &OfflineState<'_>,
    is_current: &dyn Fn(&FileEvidence) -> bool,
) -> ReportDraft {
    let mut ranges: Vec<(&FileEvidence, LineRange)> = Vec::new();
    let candidates = state.candidates.iter().filter_map(|candidate| {
        let file = state.ledger.file(&candidate.file.path)?;
        Some((file, file.delivered.longest_within(candidate.range?)?))
    });
    let mut others: Vec<(&FileEvidence, LineRange)> =
        state.ledger.files().filter_map(|file| Some((file, longest_run(file)?))).collect();
    others.sort_by_key(|(file, run)| (Reverse(file.read.len()), Reverse(run.width())));
    // Read lines say more than the lines of a candidate in the packet.
    let (read, shown): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|(file, _)| !file.read.is_empty());
    for (file, range) in read.into_iter().chain(candidates).chain(shown) {
        let is_new = !ranges.iter().any(|(known, _)| known.version.path == file.version.path);
        if is_new && is_current(file) {
            ranges.push((file, first_lines(range)));
        }
    }
    let primary: Vec<DraftPrimary> = ranges
        .iter()
        .filter(|(file, _)| !file.version.traits.test && !file.version.traits.support)
        .take(MAX_PRIMARY)
        .map(|(file, range)| DraftPrimary {
            reference: format!("{}:{range}", file.version.path),
            symbols: Vec::new(),
            role: None,
            why: "was delivered during the exploration".to_owned(),
        })
        .collect();
    let read_targets = primary.iter().take(1).map(|item| DraftReadTarget {
        reference: item.reference.clone(),
        purpose: "see whether it answers the question".to_owned(),
        required: false,
    });
    ReportDraft {
        read_targets: read_targets.collect(),
        recommended_primary_action: Some(if primary.is_empty() {
            RecommendedAction::TargetedGapSearch
        } else {
            RecommendedAction::ReadTargets
        }),
        gap_search: search_advice::near_deliveries(state),
        primary,
        ..ReportDraft::default()
    }
}

/// Returns the longest run of lines of a file that was read, else the longest that was delivered.
fn longest_run(file: &FileEvidence) -> Option<LineRange> {
    let runs = if file.read.is_empty() { &file.delivered } else { &file.read };
    runs.runs().iter().copied().max_by_key(|run| run.width())
}

fn first_lines(range: LineRange) -> LineRange {
    let end = range.start().saturating_add(MAX_PLACE_LINES - 1).min(range.end());
    LineRange::new(range.start(), end).unwrap_or(range)
}
