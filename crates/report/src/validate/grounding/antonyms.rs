//! Antonyms. A clause that says "last" is doubtful where its lines say "first" and nowhere "last".

use std::{collections::BTreeSet, sync::LazyLock};

use super::{code_names::own_name, evidence::RunEvidence, sentence_clauses::is_negation};
use crate::{
    mentions_in_prose::{Mention, mentions},
    prose::is_listed,
    validate::citation::Citation,
};
use retriever_search::words_in;

/// One side of a contrast.
#[derive(Debug)]
struct Side {
    /// What a text or code says.
    words: Vec<&'static str>,
    /// What only code says.
    code: Vec<&'static str>,
}

/// The contrasts of `contrast.table`, each with its sides.
static CONTRASTS: LazyLock<Vec<Vec<Side>>> = LazyLock::new(|| {
    let side = |text: &'static str| {
        let (words, code) = text.split_once('/').unwrap_or((text, ""));
        Side { words: words.split_whitespace().collect(), code: code.split_whitespace().collect() }
    };
    let rows = include_str!("contrast.table").lines().map(str::trim);
    let rows = rows.filter(|line| !line.is_empty() && !line.starts_with('#'));
    rows.map(|row| row.split('|').map(side).collect()).collect()
});

/// Returns a word of `clause` whose opposite, but not itself, is in what the clause is about: the cited lines, and the
/// delivered lines of what it names.
pub(super) fn contrasted(
    clause: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<String> {
    let prose = prose_words(clause);
    let claimed = CONTRASTS.iter().flat_map(|sides| {
        let said = sides.iter().enumerate().filter_map(|(at, side)| {
            let word = side.said_in(&prose)?;
            Some((sides, at, word))
        });
        let said: Vec<_> = said.collect();
        // "from first to last" says both.
        if said.len() == 1 { said } else { Vec::new() }
    });
    let claimed: Vec<_> = claimed.collect();
    if claimed.is_empty() {
        return None;
    }
    let code = words_about(clause, refs, evidence);
    claimed.into_iter().find_map(|(sides, own, word)| {
        let mut others = sides.iter().enumerate().filter(|(at, _)| *at != own);
        let is_opposed = !sides[own].is_in(&code) && others.any(|(_, side)| side.is_in(&code));
        is_opposed.then(|| format!("\"{word}\""))
    })
}

impl Side {
    /// Returns the word of this side that a text says without denying it.
    fn said_in<'p>(&self, prose: &[(&'p str, bool)]) -> Option<&'p str> {
        let said = prose.iter().find(|(word, is_denied)| {
            let word = word.to_lowercase();
            !is_denied && self.words.iter().any(|own| is_form(&word, own))
        });
        said.map(|(word, _)| *word)
    }

    fn is_in(&self, code: &BTreeSet<String>) -> bool {
        code.iter().any(|word| {
            self.words.iter().any(|own| is_form(word, own))
                || self.code.iter().any(|own| word == own)
        })
    }
}

/// Returns the words of a clause outside of its code spans, each with whether a negation stands shortly before it.
fn prose_words(clause: &str) -> Vec<(&str, bool)> {
    const CONTRARIES: &str = "without unlike than instead except but unless until against";
    const ADVERBS: &str = "last next final left right top above open minute up";
    const ARTICLES: &str = "the a an its their each every this that whose any only to from as of";
    const REACH: usize = 3;
    let mut all = Vec::new();
    for prose in clause.split('`').step_by(2) {
        let words: Vec<&str> = prose
            .split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '_'))
            .filter(|word| !word.is_empty())
            .collect();
        for (at, word) in words.iter().enumerate() {
            let before = &words[at.saturating_sub(REACH)..at];
            let is_denied =
                before.iter().any(|before| is_negation(before) || is_listed(CONTRARIES, before));
            // "It first reads" is about an order, "right away" about no side.
            let is_adverb = is_listed(ADVERBS, word)
                && !before.last().is_some_and(|before| is_listed(ARTICLES, before));
            if !is_adverb {
                all.push((*word, is_denied));
            }
        }
    }
    all
}

/// Returns the words, and the parts of names, of the lines that a clause is about.
fn words_about(clause: &str, refs: &[Citation], evidence: &RunEvidence<'_>) -> BTreeSet<String> {
    let mut text = String::new();
    let mut add = |citation: &Citation| {
        text.push_str(&citation.text(&evidence.context));
        for declaration in evidence.overlapping(citation) {
            text.push_str(&declaration.name);
            text.push('\n');
        }
    };
    refs.iter().for_each(&mut add);
    for mention in mentions(clause) {
        let (Mention::Identifier(name) | Mention::Word(name)) = &mention else { continue };
        for (path, declaration) in evidence.declared(own_name(name)) {
            add(&Citation { path: (*path).clone(), range: declaration.range });
        }
    }
    for name in mentions(clause) {
        if let Mention::Identifier(name) | Mention::Word(name) = name {
            text.push_str(&evidence.lines_with(&name));
        }
    }
    let mut words = words_in(&text);
    let signs = ["++", "--", "+=", "-=", "!"].into_iter().filter(|sign| text.contains(sign));
    words.extend(signs.map(str::to_owned));
    // `lowercase` is one word, `toLowerCase` three.
    for word in super::evidence::words_of(&text) {
        words.insert(word.to_lowercase().replace('_', ""));
    }
    words
}

/// Whether `word` is `base` or an inflected form of it. Both are in lower case.
fn is_form(word: &str, base: &str) -> bool {
    const ENDINGS: [&str; 14] =
        ["", "s", "es", "d", "ed", "ing", "ly", "er", "ers", "or", "ors", "ion", "ions", "ment"];
    if base.chars().count() < 4 {
        return word == base || word.strip_suffix('s') == Some(base);
    }
    if let Some(rest) = word.strip_prefix(base) {
        let doubled = base.chars().last().and_then(|last| rest.strip_prefix(last));
        return ENDINGS.contains(&rest)
            || doubled.is_some_and(|rest| ["ed", "ing", "er"].contains(&rest));
    }
    let stem = base.strip_suffix('e').or_else(|| base.strip_suffix('y'));
    stem.and_then(|stem| word.strip_prefix(stem)).is_some_and(|rest| {
        ["ing", "ion", "ions", "or", "er", "ies", "ied", "ation"].contains(&rest)
    })
}
