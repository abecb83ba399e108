//! The packet: the candidates as the text that opens the conversation, by file. It is cut first and registered after
//! that, so that only printed lines become evidence.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use super::candidate_lines_for_model::{
    LONGEST_ID, entry, is_overload, named_entry, neighbour_entry, push_overloads,
};
use crate::tools::render_tool_result;
use retriever_report::evidence_ledger::{EvidenceLedger, EvidenceSource};
use retriever_search::{
    CallNeighbour, CallRelation, Candidate, CandidateSet, Declaration, PlaceRole,
};
use retriever_workspace::{LineRange, RepoPath, escape_for_model, estimate_tokens};

/// Default size of a packet, in tokens.
pub const PACKET_TOKENS: u64 = 3_500;

/// Most folders of the repository overview beside candidates.
const FOLDERS: usize = 12;
/// Most folders of the repository overview without candidates.
const FOLDERS_ALONE: usize = 20;
/// A role is named only if at most one in so many candidates may have it, since a common role does not distinguish
/// them.
const COMMON_ROLE: usize = 3;
/// Candidates that are shown with their line; the others are named. Of the required places of the labelled questions
/// that are candidates, four in five are among these.
const WITH_LINES: usize = 25;
/// The same when no name matches the question.
const WITH_LINES_IN_DOUBT: usize = 12;
/// Candidates whose callers and callees are named.
const WITH_NEIGHBOURS: usize = 5;
/// Most callers and callees that are named in all.
const MAX_NEIGHBOURS: usize = 8;

/// Renders `set` in at most about `token_budget` tokens and registers the printed lines in `ledger`. Files are
/// ordered by their best candidate, the candidates of a file by line; IDs by rank.
pub fn render_candidate_packet(
    set: &CandidateSet,
    ledger: &mut EvidenceLedger,
    token_budget: u64,
) -> String {
    let mut text = heading(set);
    let folders = set.folders.iter().take(listed_folders(set));
    let paths = folders.filter_map(|folder| RepoPath::parse(&folder.name, "").ok());
    paths.filter(|path| *path != RepoPath::root()).for_each(|path| ledger.record_folder(path));
    let telling = telling_roles(set);
    let shown = fitting(set, &telling, token_budget.saturating_sub(estimate_tokens(&text)));
    let with_lines = with_lines(set);
    let mut files: Vec<&RepoPath> = Vec::new();
    let mut by_file: BTreeMap<&RepoPath, Vec<RankedEntry<'_>>> = BTreeMap::new();
    for (rank, candidate) in shown.iter().copied().enumerate() {
        let path = &candidate.file.path;
        let id = ledger.assign_id(path, candidate.range).to_string();
        let entries = by_file.entry(path).or_default();
        if entries.is_empty() {
            files.push(path);
        }
        entries.push(RankedEntry { candidate, id, has_line: rank < with_lines });
    }
    for path in files {
        let Some(entries) = by_file.remove(path) else { continue };
        push_file(&mut text, entries, &telling, ledger);
    }
    let left = token_budget.saturating_sub(estimate_tokens(&text));
    push_neighbours(&mut text, &shown, ledger, left);
    if shown.len() < set.candidates.len() {
        let _ =
            writeln!(text, "({} weaker candidates not shown)", set.candidates.len() - shown.len());
    }
    ledger.record_tokens(None, estimate_tokens(&text));
    text
}

/// A candidate that is shown.
struct RankedEntry<'a> {
    candidate: &'a Candidate,
    id: String,
    has_line: bool,
}

/// Returns how many candidates are shown with their lines.
fn with_lines(set: &CandidateSet) -> usize {
    if set.no_answer.is_some() { WITH_LINES_IN_DOUBT } else { WITH_LINES }
}

/// Prints the candidates of a file: the best with their lines, the others by name.
fn push_file(
    text: &mut String,
    mut entries: Vec<RankedEntry<'_>>,
    telling: &BTreeSet<PlaceRole>,
    ledger: &mut EvidenceLedger,
) {
    entries.sort_by_key(|entry| entry.candidate.range);
    if let Some(first) = entries.first() {
        text.push_str(&render_tool_result::heading(&first.candidate.file));
    }
    let (mut best, others): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|entry| entry.has_line);
    while !best.is_empty() {
        let first = best.remove(0);
        let (same, rest) =
            best.into_iter().partition(|other| is_overload(first.candidate, other.candidate));
        best = rest;
        text.push_str(&entry(first.candidate, &first.id, telling));
        register(first.candidate, ledger);
        let same: Vec<_> =
            same.iter().map(|other: &RankedEntry<'_>| (other.candidate, &other.id)).collect();
        push_overloads(text, &same);
    }
    let named: Vec<String> =
        others.iter().map(|other| named_entry(other.candidate, &other.id)).collect();
    if !named.is_empty() {
        let _ = writeln!(text, "also {}", named.join(", "));
    }
    others.iter().for_each(|other| register_declaration(other.candidate, ledger));
}

/// Names the callees and callers of the best candidates, unless they are candidates, as far as `tokens` allow.
fn push_neighbours(
    text: &mut String,
    shown: &[&Candidate],
    ledger: &mut EvidenceLedger,
    tokens: u64,
) {
    let mut left = MAX_NEIGHBOURS;
    let mut block = "around the best:\n".to_owned();
    let empty = block.len();
    for candidate in shown.iter().take(WITH_NEIGHBOURS) {
        let near = candidate.graph.iter().flat_map(|graph| &graph.neighbours);
        let near = near.filter(|it| it.relation != CallRelation::Test && !is_among(it, shown));
        let near: Vec<&CallNeighbour> = near.take(left).collect();
        let cost: u64 =
            near.iter().map(|it| estimate_tokens(&neighbour_entry(it, LONGEST_ID)) + 1).sum();
        if near.is_empty() || estimate_tokens(&block) + cost > tokens {
            continue;
        }
        left -= near.len();
        let said: Vec<String> = near
            .into_iter()
            .map(|it| neighbour_entry(it, &ledger.assign_id(&it.path, Some(it.range)).to_string()))
            .collect();
        let id = ledger.assign_id(&candidate.file.path, candidate.range);
        let _ = writeln!(block, "[{id}] {}", said.join(", "));
    }
    if block.len() > empty {
        text.push_str(&block);
    }
}

/// Whether a function is a candidate, or inside one.
fn is_among(function: &CallNeighbour, shown: &[&Candidate]) -> bool {
    let holds = |range: LineRange| range.covers(function.range);
    shown
        .iter()
        .any(|candidate| candidate.file.path == function.path && candidate.range.is_some_and(holds))
}

/// Returns the candidates that fit into `tokens`, at least one.
fn fitting<'a>(
    set: &'a CandidateSet,
    telling: &BTreeSet<PlaceRole>,
    tokens: u64,
) -> Vec<&'a Candidate> {
    let with_lines = with_lines(set);
    let mut files: BTreeSet<&RepoPath> = BTreeSet::new();
    let (mut shown, mut used) = (Vec::new(), 0);
    for candidate in &set.candidates {
        let mut cost = if shown.len() < with_lines {
            entry(candidate, LONGEST_ID, telling)
        } else {
            named_entry(candidate, LONGEST_ID)
        };
        if files.insert(&candidate.file.path) {
            cost.push_str(&render_tool_result::heading(&candidate.file));
        }
        used += estimate_tokens(&cost);
        if used > tokens && !shown.is_empty() {
            break;
        }
        shown.push(candidate);
    }
    shown
}

/// Returns the requested roles that few candidates may have.
fn telling_roles(set: &CandidateSet) -> BTreeSet<PlaceRole> {
    let is_telling = |role: &&PlaceRole| {
        let with_role = |candidate: &&Candidate| candidate.evidence_roles.contains(*role);
        let count = set.candidates.iter().filter(with_role).count();
        count * COMMON_ROLE <= set.candidates.len()
    };
    set.query.scope.roles.iter().filter(is_telling).copied().collect()
}

/// Returns the number of folders to list.
fn listed_folders(set: &CandidateSet) -> usize {
    if set.candidates.is_empty() { FOLDERS_ALONE } else { FOLDERS }
}

fn heading(set: &CandidateSet) -> String {
    let is_named = set.candidates.first().is_some_and(Candidate::is_named_whole);
    let likeliest = if is_named { "; c1 is the likeliest" } else { "" };
    let found = match set.candidates.len() {
        0 => "nothing matches the question's words".to_owned(),
        count => format!("{count} candidates by file, numbered by rank{likeliest}"),
    };
    let mut text = format!("{} files ({} repository); {found}\n", set.files_seen, set.tier);
    let limit = listed_folders(set);
    let listed: Vec<String> = set
        .folders
        .iter()
        .take(limit)
        .map(|folder| match folder.name.as_str() {
            "" => format!("(root) {}", folder.files),
            name => format!("{}/ {}", escape_for_model(name), folder.files),
        })
        .collect();
    let more = set.folders.len().saturating_sub(limit);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    let separator = if set.candidates.is_empty() { "\n  " } else { ", " };
    let _ = writeln!(text, "files by folder: {}{more}", listed.join(separator));
    if let Some(why) = set.no_answer.as_ref().filter(|why| !why.words.is_empty()) {
        let words = why.words.join(", ");
        let _ = writeln!(
            text,
            "note: nothing here is named after {}; what is asked for may not be there",
            escape_for_model(&words)
        );
    }
    for note in &set.notes {
        let _ = writeln!(text, "note: {}", escape_for_model(note));
    }
    text
}

fn register(candidate: &Candidate, ledger: &mut EvidenceLedger) {
    if let Some((line, signature)) = &candidate.signature {
        let shown = escape_for_model(signature.trim_start());
        ledger.record_delivery(&candidate.file, EvidenceSource::Packet, &[(*line, shown)]);
    }
    register_declaration(candidate, ledger);
}

fn register_declaration(candidate: &Candidate, ledger: &mut EvidenceLedger) {
    if let Some(whole) = &candidate.part_of {
        ledger.record_declaration(&candidate.file, whole.clone());
    }
    let (Some(range), Some(symbol)) = (candidate.range, candidate.symbols.first()) else { return };
    if range.start() == symbol.line {
        let (name, kind) = (symbol.name.clone(), symbol.kind.clone());
        ledger.record_declaration(&candidate.file, Declaration { range, name, kind });
    }
}
