//! The packet: the candidates as the text that opens the conversation, by file. Cut first, then registered: only the lines
//! that are printed become evidence.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use crate::tools::render;
use retriever_report::evidence_ledger::{EvidenceLedger, EvidenceSource};
use retriever_search::{Candidate, CandidateSet, Declaration, PlaceRole};
use retriever_workspace::{RepoPath, escape_for_model, estimate_tokens};

/// Tokens of a packet, unless the caller wants another size (tune).
pub const PACKET_TOKENS: u64 = 3_500;

/// Folders of the orientation map, beside candidates and alone.
const FOLDERS: usize = 12;
const FOLDERS_ALONE: usize = 20;
/// A role that more candidates than one in so many may play is not named: it tells none from another.
const COMMON_ROLE: usize = 3;
/// The longest ID of a candidate, so that the size of an entry is known before it has one.
const LONGEST_ID: &str = "c0000";

/// Renders `survey` in at most about `token_budget` tokens and registers what is printed in `ledger`. Files stand by their
/// best candidate, the candidates of a file by line; IDs are given by rank.
pub fn packet(survey: &CandidateSet, ledger: &mut EvidenceLedger, token_budget: u64) -> String {
    let mut text = heading(survey);
    let telling = telling_roles(survey);
    let shown = fitting(survey, &telling, token_budget.saturating_sub(estimate_tokens(&text)));
    let ids: Vec<String> = shown
        .iter()
        .map(|candidate| ledger.assign_id(&candidate.file.path, candidate.range).to_string())
        .collect();
    let mut files: Vec<&RepoPath> = Vec::new();
    let mut by_file: BTreeMap<&RepoPath, Vec<(&Candidate, &String)>> = BTreeMap::new();
    for (candidate, id) in shown.iter().zip(&ids) {
        let path = &candidate.file.path;
        let entries = by_file.entry(path).or_default();
        if entries.is_empty() {
            files.push(path);
        }
        entries.push((candidate, id));
    }
    for path in files {
        let Some(mut entries) = by_file.remove(path) else { continue };
        entries.sort_by_key(|(candidate, _)| candidate.range);
        if let Some((candidate, _)) = entries.first() {
            text.push_str(&render::heading(&candidate.file));
        }
        while !entries.is_empty() {
            let (candidate, id) = entries.remove(0);
            let (same, others) =
                entries.into_iter().partition(|(other, _)| is_overload(candidate, other));
            entries = others;
            text.push_str(&entry(candidate, id, &telling));
            register(candidate, ledger);
            push_overloads(&mut text, &same);
        }
    }
    if shown.len() < survey.candidates.len() {
        let _ = writeln!(
            text,
            "({} weaker candidates not shown)",
            survey.candidates.len() - shown.len()
        );
    }
    ledger.record_tokens(None, estimate_tokens(&text));
    text
}

/// Returns the candidates that `tokens` have room for, at least one.
fn fitting<'a>(
    survey: &'a CandidateSet,
    telling: &BTreeSet<PlaceRole>,
    tokens: u64,
) -> Vec<&'a Candidate> {
    let mut files: BTreeSet<&RepoPath> = BTreeSet::new();
    let (mut shown, mut used) = (Vec::new(), 0);
    for candidate in &survey.candidates {
        let mut cost = entry(candidate, LONGEST_ID, telling);
        if files.insert(&candidate.file.path) {
            cost.push_str(&render::heading(&candidate.file));
        }
        used += estimate_tokens(&cost);
        if used > tokens && !shown.is_empty() {
            break;
        }
        shown.push(candidate);
    }
    shown
}

/// Returns the roles that were asked for and that few candidates may play.
fn telling_roles(survey: &CandidateSet) -> BTreeSet<PlaceRole> {
    let is_telling = |role: &&PlaceRole| {
        let with_role = |candidate: &&Candidate| candidate.evidence_roles.contains(*role);
        let count = survey.candidates.iter().filter(with_role).count();
        count * COMMON_ROLE <= survey.candidates.len()
    };
    survey.query.scope.roles.iter().filter(is_telling).copied().collect()
}

fn heading(survey: &CandidateSet) -> String {
    let found = match survey.candidates.len() {
        0 => "nothing matches the question's words".to_owned(),
        count => format!("{count} candidates by file; c1 is the likeliest"),
    };
    let mut text = format!("{} files ({} repository); {found}\n", survey.files_seen, survey.tier);
    let limit = if survey.candidates.is_empty() { FOLDERS_ALONE } else { FOLDERS };
    let listed: Vec<String> = survey
        .folders
        .iter()
        .take(limit)
        .map(|folder| match folder.name.as_str() {
            "" => format!("(root) {}", folder.files),
            name => format!("{}/ {}", escape_for_model(name), folder.files),
        })
        .collect();
    let more = survey.folders.len().saturating_sub(limit);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    let separator = if survey.candidates.is_empty() { "\n  " } else { ", " };
    let _ = writeln!(text, "files by folder: {}{more}", listed.join(separator));
    if let Some(why) = survey.no_answer.as_ref().filter(|why| !why.words.is_empty()) {
        let words = why.words.join(", ");
        let _ = writeln!(
            text,
            "note: nothing here is named after {}; what is asked for may not be there",
            escape_for_model(&words)
        );
    }
    for note in &survey.notes {
        let _ = writeln!(text, "note: {}", escape_for_model(note));
    }
    text
}

/// One candidate: `[c1] 10-58 in Sender, calls connect: 10| fn send(…) {`.
///
/// What it is and why it is here is only said where its line does not show it.
fn entry(candidate: &Candidate, id: &str, telling: &BTreeSet<PlaceRole>) -> String {
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

/// Whether two candidates of a file are functions of one name in one type.
fn is_overload(one: &Candidate, other: &Candidate) -> bool {
    let name = |candidate: &Candidate| candidate.symbols.first().map(|symbol| symbol.name.clone());
    let is_whole = one.part_of.is_none() && other.part_of.is_none();
    is_whole && name(one).is_some() && name(one) == name(other) && one.owner == other.owner
}

/// Names the other functions of the name in the line of the first: `; also [c7] 65-78, [c9] 128-136`.
fn push_overloads(text: &mut String, overloads: &[(&Candidate, &String)]) {
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

fn register(candidate: &Candidate, ledger: &mut EvidenceLedger) {
    if let Some((line, signature)) = &candidate.signature {
        let shown = escape_for_model(signature.trim_start());
        ledger.record_delivery(&candidate.file, EvidenceSource::Packet, &[(*line, shown)]);
    }
    if let Some(whole) = &candidate.part_of {
        ledger.record_declaration(&candidate.file, whole.clone());
    }
    let (Some(range), Some(symbol)) = (candidate.range, candidate.symbols.first()) else { return };
    if range.start() == symbol.line {
        let (name, kind) = (symbol.name.clone(), symbol.kind.clone());
        ledger.record_declaration(&candidate.file, Declaration { range, name, kind });
    }
}
