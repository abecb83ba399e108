//! The built-in driver: reads the best candidates and the most useful places next to them, then reports what it read.
//! It does not judge its content.

use serde_json::{Value, json};

use super::{
    candidate_groups::{CandidateGroup, MAX_FURTHER, MAX_PLACES, joined},
    doc_sentence::MAX_LINES_ABOVE,
    offline_draft,
    read_candidates::read_candidates,
};
use crate::agent::offline_driver_trait::{OfflineDriver, OfflineState};
use retriever_report::{MAX_PLACE_LINES, ReportDraft};
use retriever_search::{Candidate, PlaceRole};
use retriever_workspace::LineRange;

/// Files to list if there is no candidate.
const MAX_LISTED_FILES: u32 = 40;

/// The built-in driver.
#[derive(Clone, Copy, Debug, Default)]
pub struct DefaultOfflineDriver;

impl OfflineDriver for DefaultOfflineDriver {
    fn calls(&self, state: &OfflineState<'_>) -> Vec<(&'static str, Value)> {
        match state.round {
            1 => {
                let calls: Vec<_> = to_read(state).iter().map(read_place).collect();
                let list = || ("glob", json!({ "pattern": "*", "limit": MAX_LISTED_FILES }));
                if calls.is_empty() { Vec::from([list()]) } else { calls }
            }
            2 => {
                let read = |(path, range): (&str, LineRange)| {
                    ("read", read_arguments(path, range.start(), range.width()))
                };
                let places = read_candidates(state);
                offline_draft::next_reads(state, &places).into_iter().map(read).collect()
            }
            _ => Vec::new(),
        }
    }

    fn report(&self, state: &OfflineState<'_>) -> ReportDraft {
        offline_draft::candidate_report(state, &read_candidates(state))
    }
}

/// Returns the best candidates, each with the further ones beside it. The last ones are replaced by the best candidate
/// of each role to show that none of them has.
fn to_read<'a>(state: &OfflineState<'a>) -> Vec<CandidateGroup<'a>> {
    let with_lines = |it: &'a Candidate| Some((it, it.range?));
    let first = state.candidates.iter().take(MAX_PLACES + MAX_FURTHER).filter_map(with_lines);
    let mut chosen = joined(first, |_, _| true);
    chosen.truncate(MAX_PLACES);
    let roles = offline_draft::roles_to_show(state);
    let open = roles.into_iter().filter(|role| !chosen.iter().any(|it| it.has_role(*role)));
    let of_role = |role: PlaceRole| {
        let mut all = state.candidates.iter().filter_map(with_lines);
        let (candidate, range) = all.find(|(it, _)| it.shown_roles.contains(&role))?;
        Some(CandidateGroup::alone(candidate, range))
    };
    let extra: Vec<CandidateGroup<'_>> = open.filter_map(of_role).collect();
    chosen.truncate(MAX_PLACES.saturating_sub(extra.len()));
    chosen.extend(extra);
    chosen
}

/// Returns the call that reads a place, with the comment above its declaration.
fn read_place(place: &CandidateGroup<'_>) -> (&'static str, Value) {
    let (candidate, range) = (place.candidate, place.range());
    let is_declaration = candidate.part_of.is_none() && !candidate.symbols.is_empty();
    let above = if is_declaration { MAX_LINES_ABOVE } else { 0 };
    let start = range.start().saturating_sub(above).max(1);
    let lines = range.width().min(MAX_PLACE_LINES) + range.start() - start;
    ("read", read_arguments(candidate.file.path.as_str(), start, lines))
}

fn read_arguments(path: &str, start: u32, lines: u32) -> Value {
    json!({ "file": path, "start_line": start, "num_lines": lines })
}
