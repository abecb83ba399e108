//! The flow of an offline report: the calls between the candidates, as text. Places that the report does not cite are
//! named with their file and line.

use std::fmt::Write as _;

use super::{candidate_groups::CandidateGroup, read_candidates::code_span};
use crate::agent::offline_driver_trait::OfflineState;
use retriever_search::{CallFlowLink, CallFlowPlace};
use retriever_workspace::LineRange;

/// Most places of a flow.
const MAX_PLACES: usize = 8;
/// The first places of a report, one of which its flow passes.
const FIRST_CITED: usize = 3;

/// Returns the first places of the flow.
pub(super) fn first_places<'a>(state: &OfflineState<'a>) -> &'a [CallFlowPlace] {
    &state.flow[..state.flow.len().min(MAX_PLACES)]
}

/// Whether the line that names a place was read.
pub(super) fn is_read(state: &OfflineState<'_>, place: &CallFlowPlace) -> bool {
    let file = state.ledger.file(&place.path);
    file.zip(LineRange::new(place.name_line, place.name_line))
        .is_some_and(|(file, line)| file.read.contains(line))
}

/// Returns the flow as text, as far as its places were read; empty if that is not a single call, or passes none of the first
/// of `cited`.
pub(super) fn flow(state: &OfflineState<'_>, cited: &[&CandidateGroup<'_>]) -> String {
    let places = first_places(state).iter().take_while(|place| is_read(state, place));
    let places: Vec<&CallFlowPlace> = places.collect();
    let first = &cited[..cited.len().min(FIRST_CITED)];
    let passes = |cited: &&CandidateGroup<'_>| {
        let is_of = |place: &&CallFlowPlace| {
            cited.path() == place.path.as_str() && cited.range().overlaps(place.range)
        };
        places.iter().any(is_of)
    };
    if !first.iter().any(passes) {
        return String::new();
    }
    let mut flow = String::new();
    for place in places.iter().filter(|_| places.len() > 1) {
        let Some(name) = name(place, cited) else { return String::new() };
        let verb = match place.link {
            _ if flow.is_empty() => "",
            CallFlowLink::Start | CallFlowLink::Call => " calls ",
            CallFlowLink::Implementation => " is implemented by ",
            CallFlowLink::HandedOver => " hands over ",
            CallFlowLink::Read => " reads ",
            CallFlowLink::Triggered => " triggers ",
        };
        let which = if verb.is_empty() { "" } else { ", which" };
        let _ = write!(flow, "{verb}{name}{which}");
    }
    flow.truncate(flow.trim_end_matches(", which").len());
    if flow.is_empty() { flow } else { flow + "." }
}

/// Returns the name of a place without the prefix of private names, which the validator does not look up.
fn prose_name(place: &CallFlowPlace) -> String {
    place.name.replace(".#", ".")
}

/// Returns the name of a place, and its location unless it is cited.
fn name(place: &CallFlowPlace, cited: &[&CandidateGroup<'_>]) -> Option<String> {
    let name = code_span(&prose_name(place))?;
    let is_cited = |cited: &&CandidateGroup<'_>| {
        cited.path() == place.path.as_str() && cited.range().contains(place.name_line)
    };
    let is_told = cited.iter().any(is_cited);
    Some(if is_told { name } else { format!("{name} ({}:{})", place.path, place.name_line) })
}
