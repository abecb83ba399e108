//! What a text mentions must be in its evidence. For a finding this is the delivered text of its references and the names
//! of the declarations around them whose first line was delivered. Summary, flow and reasons may mention anything that was
//! delivered of a cited file, any path that was shown, and the words of the question. A finding that fails is dropped; a
//! summary or flow loses the failing sentences; a failing reason is replaced by [`default_reason`].
//!
//! Identifiers are compared case-sensitively, words in backticks are not.

use std::collections::BTreeSet;

use super::{
    citation::{Citation, quoted},
    context::ValidationContext,
    draft_state::{DraftState, FindingItem, PlaceItem},
    mention_index::{MentionIndex, has_word},
};
use crate::{
    mentions::{Mention, mentions},
    prose::{sentences, single_line, truncate},
    reason::{Reason, ReasonCode},
};
use retriever_search::words_in;

pub(super) fn apply(state: &mut DraftState, context: &ValidationContext<'_>) {
    let files: BTreeSet<String> =
        context.ledger.files().map(|file| file.stamp.path.as_str().to_owned()).collect();
    let reasons = &mut state.reasons;
    state.findings.retain(|finding| is_grounded(finding, &files, context, reasons));

    let evidence = evidence_of_prose(state, files, context);
    state.summary = grounded_sentences("summary", &state.summary, &evidence, &mut state.reasons);
    state.flow = grounded_sentences("flow", &state.flow, &evidence, &mut state.reasons);
    let DraftState { primary, secondary, reasons, .. } = state;
    for item in primary.iter_mut().chain(secondary) {
        if let Some(name) = ungrounded_mention(&item.text, &evidence) {
            let detail = format!("why: {name} is nowhere in the cited lines");
            let reference = quoted(&item.reference);
            reasons.push(Reason::new(ReasonCode::FactUnsupported, reference, detail));
            item.text = default_reason(&item.citation, context);
        }
        item.symbols = grounded_symbols(item, context, reasons);
    }
}

/// Returns the reason for a citation without a usable one: the names that it declares.
pub(super) fn default_reason(citation: &Citation, context: &ValidationContext<'_>) -> String {
    let text = citation.text(context);
    let names: BTreeSet<&str> =
        citation.declared_names(context).into_iter().filter(|name| has_word(&text, name)).collect();
    let first: Vec<String> = names.into_iter().take(2).map(|name| format!("`{name}`")).collect();
    if first.is_empty() { String::new() } else { format!("declares {}", first.join(", ")) }
}

fn is_grounded(
    finding: &FindingItem,
    files: &BTreeSet<String>,
    context: &ValidationContext<'_>,
    reasons: &mut Vec<Reason>,
) -> bool {
    let mut text = String::new();
    let mut names = BTreeSet::new();
    for citation in &finding.refs {
        text.push_str(&citation.text(context));
        names.extend(citation.declared_names(context).into_iter().map(str::to_owned));
    }
    let words = words_in(&names.iter().fold(text.clone(), |all, name| all + " " + name));
    let evidence = MentionIndex::new(text, names, files.iter().cloned());
    if let Some(name) = ungrounded_mention(&finding.text, &evidence) {
        let detail = format!("{name} is not in the cited lines");
        reasons.push(Reason::new(ReasonCode::FactUnsupported, &finding.label, detail));
        return false;
    }
    if !shares_word(&finding.text, &words) {
        let detail = "shares no word with the cited lines";
        reasons.push(Reason::new(ReasonCode::FactUnverified, &finding.label, detail));
    }
    true
}

/// Whether a word of `text` that is no function word has the same prefix as one of `words`.
fn shares_word(text: &str, words: &BTreeSet<String>) -> bool {
    const PREFIX_CHARS: usize = 5;
    let prefix = |word: &str| word.chars().take(PREFIX_CHARS).collect::<String>();
    let prefixes: BTreeSet<String> = words.iter().map(|word| prefix(word)).collect();
    words_in(text).iter().any(|word| {
        word.chars().count() >= 3 && !is_function_word(word) && prefixes.contains(&prefix(word))
    })
}

fn is_function_word(word: &str) -> bool {
    const FUNCTION_WORDS: &str = " the and for from with that this then into when what which each are its only \
        not but has have will does via onto over under after before here there where than also they \
        all any one two use uses used ";
    FUNCTION_WORDS.contains(&format!(" {word} "))
}

/// Returns what summary, flow and reasons may mention: the delivered lines of all cited files, the candidates' names, all
/// paths that were shown, and the question. `files` are the paths of which lines were delivered.
fn evidence_of_prose(
    state: &DraftState,
    files: BTreeSet<String>,
    context: &ValidationContext<'_>,
) -> MentionIndex {
    let cited: BTreeSet<&str> = state.citations().map(|citation| citation.path.as_str()).collect();
    let mut text = context.question.text.clone();
    for file in context.ledger.files().filter(|f| cited.contains(f.stamp.path.as_str())) {
        for run in file.delivered.runs() {
            for (_, line) in file.lines_in(*run) {
                text.push('\n');
                text.push_str(line);
            }
        }
    }
    let candidates = context.candidates.iter().flat_map(|candidate| &candidate.symbols);
    let names = candidates.map(|symbol| symbol.name.clone());
    let listed = context.ledger.places().iter().map(|place| place.path.as_str().to_owned());
    MentionIndex::new(text, names, files.into_iter().chain(listed))
}

/// Returns the first mention of `text` that `evidence` does not contain.
fn ungrounded_mention(text: &str, evidence: &MentionIndex) -> Option<String> {
    let mention = mentions(text).into_iter().find(|mention| !evidence.contains(mention))?;
    Some(match mention {
        Mention::Identifier(name) | Mention::Word(name) | Mention::File(name) => {
            format!("\"{}\"", truncate(&name, 60))
        }
        Mention::Quantity(value) => value.to_string(),
    })
}

fn grounded_sentences(
    field: &str,
    text: &str,
    evidence: &MentionIndex,
    reasons: &mut Vec<Reason>,
) -> String {
    let mut kept = String::new();
    for sentence in sentences(text) {
        match ungrounded_mention(sentence, evidence) {
            Some(name) => {
                let detail = format!("{name} was not shown in any cited file");
                reasons.push(Reason::new(ReasonCode::FactUnsupported, field, detail));
            }
            None => kept.push_str(sentence),
        }
    }
    kept.trim().to_owned()
}

/// Returns the symbols of `item` that are in its cited lines or name a declaration around them.
fn grounded_symbols(
    item: &PlaceItem,
    context: &ValidationContext<'_>,
    reasons: &mut Vec<Reason>,
) -> Vec<String> {
    const MAX_SYMBOLS: usize = 6;
    let names = item.citation.declared_names(context).into_iter().map(str::to_owned);
    let evidence = MentionIndex::new(item.citation.text(context), names, []);
    let mut kept: Vec<String> = Vec::new();
    for symbol in &item.symbols {
        let symbol = truncate(single_line(symbol).trim_matches('`').trim_end_matches("()"), 80);
        let own_name = symbol.rsplit(['.', ':', '#', '/']).next().unwrap_or_default();
        let is_there = evidence.contains(&Mention::Identifier(own_name.to_owned()))
            || evidence.contains_ignoring_case(&symbol);
        if !is_there {
            let detail = format!("symbol \"{symbol}\" is not in the cited lines");
            let reference = quoted(&item.reference);
            reasons.push(Reason::new(ReasonCode::FactUnsupported, reference, detail));
        } else if !kept.contains(&symbol) && kept.len() < MAX_SYMBOLS {
            kept.push(symbol);
        }
    }
    kept
}
