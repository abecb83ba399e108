//! The flow of an offline report: the longest chain of calls among its primary places, in words.

use std::fmt::Write as _;

use super::delivered_candidate::{DeliveredCandidate, code_span, name_among};
use retriever_search::CallBetweenCandidates;

/// Places in a flow.
const MAX_PLACES: usize = 6;

/// Returns the longest chain of calls among the places, in words; empty if none calls another.
pub(super) fn flow(primary: &[&DeliveredCandidate<'_>]) -> String {
    let chain = longest_call_chain(primary);
    let names: Option<Vec<String>> =
        chain.iter().map(|(index, _)| name_among(primary[*index], primary)).collect();
    let Some(names) = names.filter(|names| names.len() > 1) else { return String::new() };
    let mut flow = String::new();
    for (name, (_, via)) in names.iter().zip(&chain) {
        let _ = match via.and_then(|via| code_span(via)) {
            _ if flow.is_empty() => write!(flow, "{name}"),
            None => write!(flow, " calls {name}, which"),
            // The first of the two names only the one between them.
            Some(via) => write!(flow, " reaches {name} through {via}, which"),
        };
    }
    format!("{}.", flow.trim_end_matches(", which"))
}

/// Returns the indices of the places on the longest chain of calls, each with the function that the call goes through.
fn longest_call_chain<'a>(primary: &[&DeliveredCandidate<'a>]) -> Vec<(usize, Option<&'a String>)> {
    let callee = |call: &CallBetweenCandidates| {
        primary.iter().position(|place| {
            let declares = |line| place.candidate.symbols.first().is_some_and(|s| s.line == line);
            place.candidate.file.path == call.path && declares(call.line)
        })
    };
    let mut longest: Vec<(usize, Option<&String>)> = Vec::new();
    let mut open: Vec<Vec<(usize, Option<&String>)>> =
        (0..primary.len()).map(|start| vec![(start, None)]).collect();
    while let Some(chain) = open.pop() {
        let last = chain.last().map_or(0, |(index, _)| *index);
        let calls = primary[last].candidate.graph.iter().flat_map(|graph| &graph.calls);
        for call in calls.filter(|_| chain.len() < MAX_PLACES) {
            if let Some(next) = callee(call)
                && !chain.iter().any(|(index, _)| *index == next)
            {
                let mut longer = chain.clone();
                longer.push((next, call.via.as_ref()));
                open.push(longer);
            }
        }
        if chain.len() > longest.len() {
            longest = chain;
        }
    }
    longest
}
