//! Formats a candidate for the packet: with its line, or by its name.

use std::{collections::BTreeSet, fmt::Write as _};

use retriever_search::{CallNeighbour, CallRelation, Candidate, Declaration, PlaceRole};
use retriever_workspace::escape_for_model;

/// The longest ID of a candidate, for computing the size of an entry before it has one.
pub(super) const LONGEST_ID: &str = "c0000";

/// One candidate: `[c1] 10-58 in Sender, calls connect: 10| fn send(…) {`.
///
/// What it is and why it is here is only said where its line does not show it.
pub(super) fn entry(candidate: &Candidate, id: &str, telling: &BTreeSet<PlaceRole>) -> String {
    let mut says: Vec<String> = Vec::new();
    let line = candidate.signature.as_ref().map_or("", |(_, text)| text.as_str());
    if let Some(Declaration { kind, name, range }) = &candidate.part_of {
        says.push(format!("part of {kind} {name} {range}"));
    } else {
        let unseen = candidate.symbols.iter().filter(|symbol| !line.contains(&symbol.name));
        says.extend(unseen.map(|symbol| format!("{} {}", symbol.kind, symbol.name)));
    }
    let is_said = |owner: &String| candidate.provenance.iter().any(|why| why.contains(owner));
    let owner = candidate.owner.as_ref().filter(|owner| !is_said(owner));
    says.extend(owner.map(|owner| format!("in {owner}")));
    let roles = candidate.evidence_roles.intersection(telling);
    says.extend(roles.map(|role| format!("{}?", role.as_ref())));
    says.extend(candidate.provenance.iter().cloned());

    let mut text = format!("[{id}]");
    if let Some(range) = candidate.range {
        let _ = write!(text, " {range}");
    }
    if !says.is_empty() {
        let _ = write!(text, " {}", escape_for_model(&says.join(", ")));
    }
    if let Some((number, line)) = &candidate.signature {
        let _ = write!(text, ": {number}| {}", escape_for_model(line.trim_start()));
    }
    text.push('\n');
    text
}

/// Formats a candidate in a list of several: `[c31] 56-67 FileField.render_data`.
pub(super) fn named_entry(candidate: &Candidate, id: &str) -> String {
    let mut text = format!("[{id}]");
    if let Some(range) = candidate.range {
        let _ = write!(text, " {range}");
    }
    let owner = candidate.owner.as_ref().map(|owner| format!("{owner}.")).unwrap_or_default();
    let name = match (&candidate.part_of, candidate.symbols.first(), &candidate.signature) {
        (Some(Declaration { name, range, .. }), ..) => format!("of {owner}{name} {range}"),
        (None, Some(symbol), _) => format!("{owner}{}", symbol.name),
        (None, None, Some(_)) if !owner.is_empty() => format!("in {}", owner.trim_end_matches('.')),
        (None, None, _) => return text,
    };
    let _ = write!(text, " {}", escape_for_model(&name));
    text
}

/// Formats a function next to a candidate: `calls [c61] src/client.py:46-71 headers_of`.
pub(super) fn neighbour_entry(neighbour: &CallNeighbour, id: &str) -> String {
    let CallNeighbour { relation, name, path, range } = neighbour;
    let relation = match relation {
        CallRelation::Callee => "calls",
        CallRelation::Constructor => "makes",
        CallRelation::Caller | CallRelation::Test => "called by",
    };
    let place = escape_for_model(&format!("{path}:{range} {name}"));
    format!("{relation} [{id}] {place}")
}

/// Whether two candidates of a file are functions of the same name and type.
pub(super) fn is_overload(one: &Candidate, other: &Candidate) -> bool {
    let name = |candidate: &Candidate| candidate.symbols.first().map(|symbol| symbol.name.clone());
    let is_whole = one.part_of.is_none() && other.part_of.is_none();
    is_whole && name(one).is_some() && name(one) == name(other) && one.owner == other.owner
}

/// Appends the other functions of the same name: `; also [c7] 65-78, [c9] 128-136`.
pub(super) fn push_overloads(text: &mut String, overloads: &[(&Candidate, &String)]) {
    let listed: Vec<String> = overloads
        .iter()
        .map(|(candidate, id)| match candidate.range {
            Some(range) => format!("[{id}] {range}"),
            None => format!("[{id}]"),
        })
        .collect();
    if !listed.is_empty() {
        text.truncate(text.trim_end_matches('\n').len());
        let _ = writeln!(text, "; also {}", listed.join(", "));
    }
}
