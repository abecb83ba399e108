//! How much a plain word of a query says about code: stop words, generic words of software, and content words.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::identifiers::subwords;

/// How much a word says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordSpecificity {
    /// A subject or an action.
    Content,
    /// A word that any question about any program may hold.
    Generic,
    /// Grammar.
    Stop,
}

/// Counts the words of a name that are no stop words.
pub(crate) fn content_words(name: &str) -> usize {
    subwords(name).iter().filter(|word| word_class(word) != WordSpecificity::Stop).count()
}

/// Returns the class of a lower-case word.
pub(crate) fn word_class(word: &str) -> WordSpecificity {
    static STOP: LazyLock<FxHashSet<&str>> =
        LazyLock::new(|| table(include_str!("stop_words.txt")));
    static GENERIC: LazyLock<FxHashSet<&str>> =
        LazyLock::new(|| table(include_str!("generic_words.txt")));
    if STOP.contains(word) {
        WordSpecificity::Stop
    } else if GENERIC.contains(word) {
        WordSpecificity::Generic
    } else {
        WordSpecificity::Content
    }
}

fn table(text: &'static str) -> FxHashSet<&'static str> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).collect()
}

/// Whether `word` is a form of *keep* that only says that what follows goes on, as in `keeps failing`. `rest` is the text
/// behind the word.
pub(crate) fn only_repeats(word: &str, rest: &str) -> bool {
    let next = rest.trim_start_matches(' ');
    let next = &next[..next.find(|c: char| !c.is_alphabetic()).unwrap_or(next.len())];
    let is_noun = next.len() < 5 || next.ends_with("thing") || next.ends_with("string");
    matches!(word, "keep" | "keeps" | "kept" | "keeping") && next.ends_with("ing") && !is_noun
}
