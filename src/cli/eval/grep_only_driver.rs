//! A driver of the loop that uses only grep: it searches the question's words with the highest weights, reads around
//! the densest hits, and reports what it read. Without a configured model it is the baseline of an agent without recon.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use retriever::{
    OfflineDriver, OfflineState, Question,
    evidence_ledger::{EvidenceLedger, FileEvidence, LineRange},
    report::{self, ReportDraft},
    search::{ParsedQuery, TermForm},
};

/// Number of words that are searched, one call each.
const SEARCHES: usize = 8;
/// Number of places that are read.
const READS: usize = 6;
/// Number of lines of a read.
const WINDOW: u32 = 40;
/// Number of places in the report.
const PRIMARY: usize = 5;

/// The driver.
#[derive(Clone, Copy, Debug)]
pub(super) struct GrepDriver;

impl OfflineDriver for GrepDriver {
    fn calls(&self, state: &OfflineState<'_>) -> Vec<(&'static str, Value)> {
        let words = words(state.question);
        match state.round {
            1 => words.iter().map(|word| ("grep", search(word))).collect(),
            2 => {
                let places = densest(state.ledger, &words).into_iter();
                places.map(|place| ("read", read(&place))).collect()
            }
            _ => Vec::new(),
        }
    }

    fn report(&self, state: &OfflineState<'_>) -> ReportDraft {
        let report = report(state.ledger, &words(state.question));
        report::parse(&report).draft.unwrap_or_default()
    }
}

/// Returns the words and names of the question with the highest weights.
pub(super) fn words(question: &Question) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for term in ParsedQuery::of(question).terms {
        if term.form != TermForm::Pair && !words.contains(&term.text) {
            words.push(term.text);
        }
    }
    words.truncate(SEARCHES);
    words
}

pub(super) fn search(word: &str) -> Value {
    json!({ "pattern": word, "literal": true, "ignore_case": true, "limit": 100 })
}

pub(super) fn read((path, lines): &(String, LineRange)) -> Value {
    json!({ "file": path, "start_line": lines.start(), "num_lines": lines.width() })
}

/// Returns, for each file, the window that contains the most words; files with the most words come first.
pub(super) fn densest(ledger: &EvidenceLedger, words: &[String]) -> Vec<(String, LineRange)> {
    let mut found: Vec<(usize, usize, String, LineRange)> = ledger
        .files()
        .filter_map(|file| {
            let (distinct, hits, lines) = best_window(file, words)?;
            Some((distinct, hits, file.version.path.to_string(), lines))
        })
        .collect();
    found.sort_by(|one, other| {
        (other.0, other.1).cmp(&(one.0, one.1)).then_with(|| one.2.cmp(&other.2))
    });
    found.into_iter().take(READS).map(|(_, _, path, lines)| (path, lines)).collect()
}

/// Distinct words, hits and lines of the window with most of them.
fn best_window(file: &FileEvidence, words: &[String]) -> Option<(usize, usize, LineRange)> {
    let all = LineRange::new(1, file.version.total_lines)?;
    let hits: Vec<(u32, Vec<usize>)> = file
        .lines_in(all)
        .map(|(number, text)| {
            let text = text.to_lowercase();
            let held = |word: &String| text.contains(&word.to_lowercase());
            (number, (0..words.len()).filter(|index| held(&words[*index])).collect::<Vec<_>>())
        })
        .filter(|(_, words)| !words.is_empty())
        .collect();
    hits.iter()
        .map(|(start, _)| {
            let inside = hits.iter().filter(|(line, _)| (*start..*start + WINDOW).contains(line));
            let count = inside.clone().count();
            let distinct: BTreeSet<usize> =
                inside.flat_map(|(_, words)| words.iter().copied()).collect();
            (distinct.len(), count, *start)
        })
        .max_by_key(|(distinct, count, start)| (*distinct, *count, std::cmp::Reverse(*start)))
        .and_then(|(distinct, count, start)| {
            let start = start.saturating_sub(WINDOW / 8).max(1);
            let end = (start + WINDOW - 1).min(file.version.total_lines);
            Some((distinct, count, LineRange::new(start, end)?))
        })
}

fn report(ledger: &EvidenceLedger, words: &[String]) -> Value {
    let read = densest(ledger, words)
        .into_iter()
        .filter(|(path, lines)| {
            let files = ledger.files();
            files
                .into_iter()
                .any(|file| file.version.path.as_str() == path && file.read.covered(*lines) > 0)
        })
        .map(|(path, lines)| format!("{path}:{lines}"));
    let places: Vec<String> = read.take(PRIMARY).collect();
    let primary: Vec<Value> = places
        .iter()
        .map(|place| json!({ "ref": place, "role": "handler", "why": "holds most of the words" }))
        .collect();
    let targets: Vec<Value> = places
        .iter()
        .take(3)
        .map(|place| json!({ "ref": place, "purpose": "see what it does", "required": true }))
        .collect();
    let action = if places.is_empty() { "targeted_gap_search" } else { "read_targets" };
    json!({
        "primary": primary,
        "read_targets": targets,
        "gap_search": { "terms": words.iter().take(3).collect::<Vec<_>>() },
        "recommended_primary_action": action,
    })
}
