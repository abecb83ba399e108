//! The packet: the candidates as the text that opens the conversation. Cut first, then registered: only the signature lines
//! that are printed become evidence.

use std::{collections::BTreeSet, fmt::Write as _};

use retriever_report::ledger::{EvidenceSource, Ledger};
use retriever_search::{Candidate, CandidateSet, Declaration, Role};
use retriever_workspace::escape_for_model;

/// Tokens of a packet, unless the caller wants another size (tune).
pub const PACKET_TOKENS: u64 = 3_000;

/// Folders of the orientation map, beside candidates and alone.
const FOLDERS: usize = 12;
const FOLDERS_ALONE: usize = 20;
/// Bytes of a token, roughly.
const TOKEN_BYTES: u64 = 4;

/// Renders `survey` in at most about `token_budget` tokens and registers what is printed in `ledger`.
pub fn packet(survey: &CandidateSet, ledger: &mut Ledger, token_budget: u64) -> String {
    let mut text = heading(survey);
    let budget = usize::try_from(token_budget.saturating_mul(TOKEN_BYTES)).unwrap_or(usize::MAX);
    let asked = &survey.query.scope.roles;
    let mut printed = 0;
    for candidate in &survey.candidates {
        // The longest ID an entry can have, so that its size is known before it is named.
        if text.len() + entry(candidate, "c0000", asked).len() > budget && printed > 0 {
            break;
        }
        let id = ledger.assign_id(&candidate.file.path, candidate.range);
        text.push_str(&entry(candidate, &id.to_string(), asked));
        register(candidate, ledger);
        printed += 1;
    }
    if printed < survey.candidates.len() {
        let _ =
            writeln!(text, "({} weaker candidates not shown)", survey.candidates.len() - printed);
    }
    ledger.record_tokens(None, u64::try_from(text.len()).unwrap_or(u64::MAX) / TOKEN_BYTES);
    text
}

fn heading(survey: &CandidateSet) -> String {
    let found = match survey.candidates.len() {
        0 => "nothing matches the question's words".to_owned(),
        count => format!("{count} candidates, best first"),
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

/// One candidate: `[c1] src/a.rs:10-58 fn send — handler? | name "send"`, and its signature behind a gutter.
///
/// Of the roles it may play those that were asked for are named; the rest would be noise.
fn entry(candidate: &Candidate, id: &str, asked: &BTreeSet<Role>) -> String {
    let mut text = format!("[{id}] {}", escape_for_model(candidate.file.path.as_str()));
    if let Some(range) = candidate.range {
        let _ = write!(text, ":{range}");
    }
    for symbol in &candidate.symbols {
        let _ =
            write!(text, " {} {}", escape_for_model(&symbol.kind), escape_for_model(&symbol.name));
    }
    let roles: Vec<&str> =
        candidate.evidence_roles.intersection(asked).map(|role| role.as_ref()).collect();
    if !roles.is_empty() {
        let _ = write!(text, " — {}?", roles.join(" "));
    }
    if !candidate.provenance.is_empty() {
        let _ = write!(text, " | {}", escape_for_model(&candidate.provenance.join(", ")));
    }
    text.push('\n');
    if let Some((line, signature)) = &candidate.signature {
        let _ = writeln!(text, "{line:>6}| {}", escape_for_model(signature));
    }
    text
}

fn register(candidate: &Candidate, ledger: &mut Ledger) {
    if let Some((line, signature)) = &candidate.signature {
        ledger.record_delivery(
            &candidate.file,
            EvidenceSource::Packet,
            &[(*line, escape_for_model(signature))],
        );
    }
    let (Some(range), Some(symbol)) = (candidate.range, candidate.symbols.first()) else { return };
    if range.start() == symbol.line {
        let (name, kind) = (symbol.name.clone(), symbol.kind.clone());
        ledger.record_declaration(&candidate.file, Declaration { range, name, kind });
    }
}
