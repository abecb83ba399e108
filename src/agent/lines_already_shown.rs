//! Lines of a result that the model has already seen: they are named and left out. A repeated call is answered in full,
//! since a shortened conversation may have lost them ([`tool_dispatch`](super::tool_dispatch)).

use std::borrow::Cow;

use crate::tools::{ObservationExcerpt, ToolObservation};
use retriever_report::evidence_ledger::{EvidenceLedger, EvidenceSource, IdentifiedPlace, LineSet};
use retriever_workspace::{LineRange, RepoPath};

/// Last sentence of the answer to a repeated call. A shortened conversation may have lost the lines.
pub(super) const ONCE_MORE: &str = "The same call once more brings it again.";
/// Least number of known lines at an end of a read that are left out.
const MIN_LEFT_OUT: usize = 20;
/// Least number of known lines between matches that are left out.
const MIN_KNOWN_CONTEXT: u32 = 4;

/// Returns where a read was delivered before, if all of it was.
pub(super) fn already_read(
    observation: &ToolObservation,
    ledger: &EvidenceLedger,
) -> Option<String> {
    let [excerpt] = observation.excerpts.as_slice() else { return None };
    let (first, last) = (excerpt.lines.first()?.0, excerpt.lines.last()?.0);
    let range = LineRange::new(first, last)?;
    let path = &excerpt.file.path;
    let file = ledger.file(path)?;
    if file.version.hash != excerpt.file.hash || !file.read.contains(range) {
        return None;
    }
    let name = shown_as(ledger, path, range);
    Some(format!("Already shown{name}: {path}:{range}. Nothing in it has changed. {ONCE_MORE}"))
}

/// Returns ` as c7` for lines of a place with an ID.
fn shown_as(ledger: &EvidenceLedger, path: &RepoPath, range: LineRange) -> String {
    let covers = |place: &&IdentifiedPlace| {
        place.path == *path && place.range.is_some_and(|shown| shown.covers(range))
    };
    let named = ledger.places().iter().find(covers);
    named.map_or_else(String::new, |place| format!(" as {}", place.id))
}

/// Leaves out known lines at the start and the end of a read, if there are many and some lines are new. Returns whether
/// it did.
pub(super) fn leave_out_known_ends(
    observation: &mut Cow<'_, ToolObservation>,
    ledger: &EvidenceLedger,
) -> bool {
    let (EvidenceSource::Read, [excerpt]) = (observation.source, observation.excerpts.as_slice())
    else {
        return false;
    };
    let path = excerpt.file.path.clone();
    let known = ledger.file(&path).filter(|known| known.version.hash == excerpt.file.hash);
    let Some(known) = known else { return false };
    let is_known = |line: &(u32, String)| {
        LineRange::line(line.0).is_some_and(|line| known.read.contains(line))
    };
    let lines = &excerpt.lines;
    let head = lines.iter().take_while(|line| is_known(line)).count();
    let tail = lines.iter().rev().take_while(|line| is_known(line)).count();
    let kept = |count: usize| if count < MIN_LEFT_OUT { 0 } else { count };
    let (head, tail) = (kept(head), kept(tail));
    if head + tail == 0 || head + tail >= lines.len() {
        return false;
    }
    let end = lines.len() - tail;
    let left_out = [&lines[..head], &lines[end..]];
    let notes: Vec<String> = left_out
        .into_iter()
        .filter_map(|part| LineRange::new(part.first()?.0, part.last()?.0))
        .map(|range| {
            format!("lines {range}: shown before{}. {ONCE_MORE}", shown_as(ledger, &path, range))
        })
        .collect();
    let observation = observation.to_mut();
    observation.excerpts[0].lines.truncate(end);
    observation.excerpts[0].lines.drain(..head);
    observation.footer.splice(0..0, notes);
    true
}

/// Leaves out known lines around matches, if several are consecutive. Returns whether it did.
pub(super) fn leave_out_known_context(
    observation: &mut Cow<'_, ToolObservation>,
    ledger: &EvidenceLedger,
) -> bool {
    let known: Vec<Vec<LineRange>> =
        observation.excerpts.iter().map(|excerpt| known_context(excerpt, ledger)).collect();
    if known.iter().all(Vec::is_empty) {
        return false;
    }
    let observation = observation.to_mut();
    let mut notes = Vec::new();
    for (excerpt, ranges) in observation.excerpts.iter_mut().zip(known) {
        let path = &excerpt.file.path;
        let is_known = |line: u32| ranges.iter().any(|range| range.contains(line));
        excerpt.lines.retain(|(number, _)| !is_known(*number));
        excerpt.labels.retain(|number, _| !is_known(*number));
        let say = |range: &LineRange| format!("{range}{}", shown_as(ledger, path, *range));
        let said: Vec<String> = ranges.iter().map(say).collect();
        if !said.is_empty() {
            notes.push(format!("shown before in {path}: {}", said.join(", ")));
        }
    }
    if let Some(last) = notes.last_mut() {
        last.push_str(". ");
        last.push_str(ONCE_MORE);
    }
    observation.footer.splice(0..0, notes);
    true
}

/// Returns the delivered lines around matches of `excerpt`, in runs of at least [`MIN_KNOWN_CONTEXT`].
fn known_context(excerpt: &ObservationExcerpt, ledger: &EvidenceLedger) -> Vec<LineRange> {
    let file = ledger.file(&excerpt.file.path);
    let Some(file) = file.filter(|file| file.version.hash == excerpt.file.hash) else {
        return Vec::new();
    };
    let is_known =
        |line: &u32| LineRange::line(*line).is_some_and(|range| file.delivered.contains(range));
    let mut known = LineSet::new();
    for line in excerpt.context.iter().copied().filter(is_known) {
        if let Some(line) = LineRange::line(line) {
            known.insert(line);
        }
    }
    known.runs().iter().copied().filter(|run| run.width() >= MIN_KNOWN_CONTEXT).collect()
}
