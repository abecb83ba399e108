//! What a text names occurs where it says so. A fact's identifiers, files and quantities must be in the delivered lines of
//! its own references, or be the name of a declaration around them whose first line was shown. Summary, flow and reasons may name
//! anything delivered of any cited file, a path that was shown, or the question's own words. A fact that fails goes; of a
//! summary or flow only the failing sentences go; a failing reason gives way to what is known of the place.
//!
//! Names compare in their own case, since a name in another case is another name; words in backticks compare in any case.

use std::collections::BTreeSet;

use super::{
    Fact, Judgement, Work,
    evidence::{Haystack, Spot, has_word, short},
};
use crate::{
    code::{Code, Reason},
    prose::{clean, clip, mentions, sentences},
};
use retriever_search::words_in;

pub(super) fn apply(work: &mut Work, judgement: &Judgement<'_>) {
    let shown: BTreeSet<String> =
        judgement.ledger.places().iter().map(|place| place.path.as_str().to_owned()).collect();
    let delivered: BTreeSet<String> =
        judgement.ledger.files().map(|file| file.stamp.path.as_str().to_owned()).collect();
    let known: BTreeSet<String> = shown.union(&delivered).cloned().collect();

    let reasons = &mut work.reasons;
    work.findings.retain(|fact| supported(fact, &delivered, judgement, reasons));

    let everything = everything(work, &known, judgement);
    for field in ["summary", "flow"] {
        let text = if field == "summary" { &mut work.summary } else { &mut work.flow };
        *text = supported_sentences(field, text, &everything, &mut work.reasons);
    }
    let items = work.primary.iter_mut().chain(&mut work.secondary);
    for item in items {
        let reference = short(&item.reference);
        if let Some(name) = unsupported(&item.text, &everything) {
            let detail = format!("why: {name} is nowhere in the cited lines");
            work.reasons.push(Reason::new(Code::FactUnsupported, &reference, detail));
            item.text = neutral(&item.spot, judgement);
        }
        item.symbols = symbols(&item.symbols, &item.spot, &reference, judgement, &mut work.reasons);
    }
}

/// What is known of a place without a model: the names it declares.
pub(crate) fn neutral(spot: &Spot, judgement: &Judgement<'_>) -> String {
    let text = spot.text(judgement);
    let names: BTreeSet<&str> =
        spot.names(judgement).into_iter().filter(|name| has_word(&text, name)).collect();
    let first: Vec<String> = names.into_iter().take(2).map(|name| format!("`{name}`")).collect();
    if first.is_empty() { String::new() } else { format!("declares {}", first.join(", ")) }
}

fn supported(
    fact: &Fact,
    delivered: &BTreeSet<String>,
    judgement: &Judgement<'_>,
    reasons: &mut Vec<Reason>,
) -> bool {
    let mut text = String::new();
    let mut names = BTreeSet::new();
    for spot in &fact.refs {
        text.push_str(&spot.text(judgement));
        names.extend(spot.names(judgement).into_iter().map(str::to_owned));
    }
    let words = words_in(&names.iter().fold(text.clone(), |all, name| all + " " + name));
    let hay = Haystack::new(text, names, delivered.iter().cloned());
    if let Some(name) = unsupported(&fact.text, &hay) {
        let detail = format!("{name} is not in the cited lines");
        reasons.push(Reason::new(Code::FactUnsupported, &fact.label, detail));
        return false;
    }
    if !shares_word(&fact.text, &words) {
        reasons.push(Reason::new(
            Code::FactUnverified,
            &fact.label,
            "shares no word with the cited lines",
        ));
    }
    true
}

fn shares_word(text: &str, words: &BTreeSet<String>) -> bool {
    const STEM: usize = 5;
    let stem = |word: &str| word.chars().take(STEM).collect::<String>();
    let stems: BTreeSet<String> = words.iter().map(|word| stem(word)).collect();
    words_in(text)
        .iter()
        .any(|word| word.chars().count() >= 3 && !is_glue(word) && stems.contains(&stem(word)))
}

fn is_glue(word: &str) -> bool {
    const GLUE: &str = " the and for from with that this then into when what which each are its only \
        not but has have will does via onto over under after before here there where than also they \
        all any one two use uses used ";
    GLUE.contains(&format!(" {word} "))
}

/// Everything that prose may name: the delivered lines of all cited files, names and paths that were shown, the question.
fn everything(work: &Work, paths: &BTreeSet<String>, judgement: &Judgement<'_>) -> Haystack {
    let cited: BTreeSet<&str> = work.spots().map(|spot| spot.path.as_str()).collect();
    let mut text = judgement.question.text.clone();
    let mut names = BTreeSet::new();
    for file in judgement.ledger.files().filter(|f| cited.contains(f.stamp.path.as_str())) {
        for run in file.delivered.runs() {
            for (_, line) in file.text_of(*run) {
                text.push('\n');
                text.push_str(line);
            }
        }
    }
    for candidate in judgement.candidates {
        names.extend(candidate.symbols.iter().map(|symbol| symbol.name.clone()));
    }
    Haystack::new(text, names, paths.iter().cloned())
}

/// The first thing that `text` names and `hay` doesn't hold.
fn unsupported(text: &str, hay: &Haystack) -> Option<String> {
    use crate::prose::Mention::{File, Identifier, Quantity, Word};
    let mention = mentions(text).into_iter().find(|mention| !hay.holds(mention))?;
    Some(match mention {
        Identifier(name) | Word(name) | File(name) => format!("\"{}\"", clip(&name, 60)),
        Quantity(value) => value.to_string(),
    })
}

fn supported_sentences(
    field: &str,
    text: &str,
    hay: &Haystack,
    reasons: &mut Vec<Reason>,
) -> String {
    let mut kept = String::new();
    for sentence in sentences(text) {
        match unsupported(sentence, hay) {
            Some(name) => {
                let detail = format!("{name} was not shown in any cited file");
                reasons.push(Reason::new(Code::FactUnsupported, field, detail));
            }
            None => kept.push_str(sentence),
        }
    }
    kept.trim().to_owned()
}

/// The symbols that the place holds or lies in.
fn symbols(
    claimed: &[String],
    spot: &Spot,
    reference: &str,
    judgement: &Judgement<'_>,
    reasons: &mut Vec<Reason>,
) -> Vec<String> {
    const MOST: usize = 6;
    let hay = Haystack::new(
        spot.text(judgement),
        spot.names(judgement).into_iter().map(str::to_owned),
        [],
    );
    let lower = hay.lower().to_owned();
    let mut kept: Vec<String> = Vec::new();
    for symbol in claimed {
        let symbol = clip(clean(symbol).trim_matches('`').trim_end_matches("()"), 80);
        let own = symbol.rsplit(['.', ':', '#', '/']).next().unwrap_or_default();
        let held = hay.holds(&crate::prose::Mention::Identifier(own.to_owned()))
            || has_word(&lower, &symbol.to_lowercase());
        if !held {
            let detail = format!("symbol \"{symbol}\" is not in the cited lines");
            reasons.push(Reason::new(Code::FactUnsupported, reference, detail));
        } else if !kept.contains(&symbol) && kept.len() < MOST {
            kept.push(symbol);
        }
    }
    kept
}
