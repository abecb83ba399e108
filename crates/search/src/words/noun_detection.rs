//! Finds the words of a sentence that may name a thing. Verbs, participles and adverbs only describe what other words
//! name.

use super::stop_words::{WordSpecificity, word_class};

/// Words that name no particular person or thing.
const NO_NAMES: &str = "ago anybody everybody everyone nobody somebody themselves";

/// Words that a verb follows.
const BEFORE_VERBS: &str =
    "can cannot could he i it may might must not she should they to we who will would you";

/// Words before a verb that ends in `ing`.
const BEFORE_GERUNDS: &str =
    "after are be been before by from is keep keeps was were when while without";

/// Words that begin a noun phrase, and so follow verbs and prepositions, hardly ever nouns.
const AFTER_VERBS: &str = "\
    a all an each every her him his it its itself no someone something somebody the their them themselves \
    these this those us";

/// Whether `word`, which is in lower case, may name a thing somewhere in `sentence`. A part of an identifier may.
pub(crate) fn may_name_thing(word: &str, sentence: &str) -> bool {
    let is_content = word_class(word) == WordSpecificity::Content && !is_listed(NO_NAMES, word);
    if !is_content || is_participle_or_adverb(word) {
        return false;
    }
    !is_only_verb(word, sentence)
}

/// Whether `word`, which is in lower case, is a verb wherever `sentence` has it: `ship` is one in "we want to ship it".
pub(crate) fn is_only_verb(word: &str, sentence: &str) -> bool {
    let sentence = sentence.to_lowercase();
    let words: Vec<&str> =
        sentence.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty()).collect();
    let mut uses = (0..words.len()).filter(|at| words[*at] == word).peekable();
    uses.peek().is_some() && uses.all(|at| is_verb_at(&words, at))
}

fn is_participle_or_adverb(word: &str) -> bool {
    const MIN_BYTES: usize = 5;
    let is_participle = word.ends_with("ed") && !word.ends_with("eed");
    let is_adverb = word.ends_with("ly") && !word.ends_with("ply");
    word.len() >= MIN_BYTES && (is_participle || is_adverb)
}

fn is_verb_at(words: &[&str], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| words.get(at));
    let follows = |list: &str| before.is_some_and(|word| is_listed(list, word));
    let is_gerund = words[at].ends_with("ing") && follows(BEFORE_GERUNDS);
    let has_object = words.get(at + 1).is_some_and(|word| is_listed(AFTER_VERBS, word));
    is_gerund || follows(BEFORE_VERBS) || has_object
}

fn is_listed(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}
