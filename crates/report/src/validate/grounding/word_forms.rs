//! Words whose forms count as one: those that start with the same letters.

use std::collections::BTreeSet;

use retriever_search::words_in;

/// Letters that the forms of a word have in common.
const STEM_CHARS: usize = 5;

/// Returns the first letters of a word.
pub(super) fn stem(word: &str) -> String {
    word.chars().take(STEM_CHARS).collect()
}

/// Returns the stems of the words, and of the parts of names, of a text that are neither numbers nor function words.
pub(super) fn stems(text: &str) -> BTreeSet<String> {
    let words = words_in(text).into_iter();
    let words = words.filter(|word| {
        word.chars().count() >= 3 && !is_function_word(word) && !word.starts_with(char::is_numeric)
    });
    words.map(|word| stem(&word)).collect()
}

pub(super) fn is_function_word(word: &str) -> bool {
    const FUNCTION_WORDS: &str = " the and for from with that this then into when what which each are its only \
        not but has have will does via onto over under after before here there where than also they \
        all any one two use uses used ";
    FUNCTION_WORDS.contains(&format!(" {word} "))
}
