//! Normalises the text that a model writes to one line, and cuts it at sentences and words.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;
use retriever_workspace::changes_display;

/// Compiles a literal pattern of this crate. One that does not compile matches nothing, and its tests fail.
pub(crate) fn literal_regex(pattern: &str) -> Option<Regex> {
    Regex::new(pattern).ok()
}

/// Returns `text` as one line: control characters and line breaks become spaces, invisible and bidirectional control
/// characters are removed, runs of whitespace collapse.
pub(crate) fn single_line(text: &str) -> String {
    let has_no_width = |c: char| matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{feff}' | '\u{ad}');
    let visible: String = text
        .chars()
        .map(|c| if c.is_control() || c.is_whitespace() { ' ' } else { c })
        .filter(|c| !has_no_width(*c) && !changes_display(*c))
        .collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns at most `limit` characters of `text`: up to the last sentence that fits if that keeps at least half of them,
/// else up to the last word, followed by `…`.
pub(crate) fn truncate(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let end = text.char_indices().nth(limit.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
    let head = &text[..end];
    let sentence = sentences(head).iter().rev().skip(1).map(|s| s.len()).sum::<usize>();
    if sentence * 2 >= head.len() {
        return head[..sentence].trim_end().to_owned();
    }
    let word = head.rfind(' ').filter(|at| at * 2 >= head.len()).unwrap_or(head.len());
    format!("{}…", head[..word].trim_end())
}

/// Returns the start of a text that was refused, by which the model finds it.
pub(crate) fn quoted_start(text: &str) -> String {
    truncate(text, 40)
}

/// Splits `text` into sentences, each with the space after it, so that their concatenation is `text`. A full stop inside a
/// name, number, code span, quotation or abbreviation does not end a sentence. Neither does `!` or `?` that is part of a name
/// (`call!`).
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    split_at_sentences(text, &quotations(text))
}

/// Splits a sentence where one of a quotation in it ends.
pub(crate) fn quoted_sentences(sentence: &str) -> Vec<&str> {
    split_at_sentences(sentence, &[])
}

/// Returns where the words between quotation marks of `text` are.
pub(crate) fn quotations(text: &str) -> Vec<Range<usize>> {
    static QUOTATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(r#"(?:^|[\s(])(?:"([^"`]+)"|'([^'`]+)'|“([^”`]+)”)(?:[\s).,;:]|$)"#)
    });
    let found = QUOTATION.as_ref().into_iter().flat_map(|form| form.captures_iter(text));
    found.filter_map(|found| Some(found.iter().skip(1).flatten().next()?.range())).collect()
}

fn split_at_sentences<'t>(text: &'t str, whole: &[Range<usize>]) -> Vec<&'t str> {
    let mut all = Vec::new();
    let (mut start, mut in_code) = (0, false);
    let bytes = text.as_bytes();
    for (at, c) in text.char_indices() {
        if c == '`' {
            in_code = !in_code && opens_code(text, at);
        }
        let ends = matches!(c, '.' | '!' | '?')
            && bytes.get(at + 1) == Some(&b' ')
            && (c == '.' || !is_sign_of_name(text, at));
        let is_inside = || whole.iter().any(|span| span.contains(&at));
        if ends && !in_code && !is_inside() && !ends_in_abbreviation(&text[start..=at]) {
            all.push(&text[start..at + 2]);
            start = at + 2;
        }
    }
    if start < text.len() {
        all.push(&text[start..]);
    }
    all
}

/// Whether the backtick at `at` has a pair behind it; without one it opens nothing.
pub(crate) fn opens_code(text: &str, at: usize) -> bool {
    text[at + 1..].contains('`')
}

/// Whether the `!` or `?` at `at` is the last letter of a name: prose goes on behind it in lower case.
fn is_sign_of_name(text: &str, at: usize) -> bool {
    text[..at].ends_with(is_word_char)
        && text[at + 1..].trim_start().starts_with(char::is_lowercase)
}

fn ends_in_abbreviation(sentence: &str) -> bool {
    let last = sentence.rsplit([' ', '(']).next().unwrap_or_default();
    ["e.g.", "i.e.", "etc.", "vs.", "cf."].contains(&last.to_lowercase().as_str())
}

/// Whether a name of most languages may have `c` after its first character.
pub(crate) fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a name of the languages that allow `$` in names may have `c` after its first character.
pub(crate) fn is_word_char_or_dollar(c: char) -> bool {
    is_word_char(c) || c == '$'
}

/// Whether `name` occurs in `text` without a letter, digit or underscore next to it.
pub(crate) fn has_word(text: &str, name: &str) -> bool {
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            !text[..at].chars().next_back().is_some_and(is_word_char)
                && !text[at + name.len()..].chars().next().is_some_and(is_word_char)
        })
}

/// Whether `word` is one of `words`, which are separated by spaces.
pub(crate) fn is_listed(words: &str, word: &str) -> bool {
    words.split(' ').any(|listed| listed == word)
}
