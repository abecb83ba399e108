//! The search channel: looks for texts that a question quotes, and for the fixed parts of error messages in it, word
//! for word, in the files that have all words of one. No declaration is named after a message, but the line that has it
//! is in the code in question.

use std::{collections::BTreeMap, sync::LazyLock};

use memchr::{memchr, memmem};
use rayon::prelude::*;
use regex::Regex;

use crate::{declarations, index::FullTextSnapshot, texts_of_one_search::TextCache};
use retriever_workspace::{Cancellation, FoundFile, RepoPath};

/// Texts that are searched for.
const MAX_TEXTS: usize = 6;
/// Files with all words of a text that are searched for it.
const MAX_SEARCHED_FILES: usize = 200;
/// Files with a text for it to still say where to look, and lines of one file.
const MAX_MATCHING_FILES: usize = 6;
const MAX_LINES: usize = 3;
/// Lengths of a text in bytes.
const TEXT_BYTES: std::ops::RangeInclusive<usize> = 8..=160;
/// Words of a quoted text, and of the fixed part of a message.
const MIN_QUOTED_WORDS: usize = 2;
const MIN_MESSAGE_WORDS: usize = 3;
/// Points of the only file with a text.
const POINTS: f64 = 6.0;
/// Bytes of a question that are read.
const MAX_QUESTION_BYTES: usize = 24 * 1024;

/// Quoted texts in one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct QuotedText {
    pub(crate) points: f64,
    /// Lines, with the text that stands there.
    pub(crate) lines: Vec<(u32, String)>,
}

/// Finds what `question` quotes in the source files among `entries`, which `index` is a snapshot of.
pub(crate) fn quoted_texts(
    index: &FullTextSnapshot,
    read: &TextCache<'_>,
    entries: &[FoundFile],
    question: &str,
    cancellation: &Cancellation,
) -> BTreeMap<RepoPath, QuotedText> {
    let mut found: Vec<(usize, &RepoPath, Vec<u32>)> = Vec::new();
    let texts = texts(question);
    for (number, text) in texts.iter().enumerate() {
        let with_words = index.files_with_words(text);
        let may_have = |(at, entry): &(usize, &FoundFile)| {
            index.file_among(&with_words, &entry.path, *at).is_some_and(|file| {
                let is_code = declarations::is_code(entry.path.extension()) || file.is_script();
                is_code && !file.is_secondary_by_path()
            })
        };
        let files = entries.iter().enumerate().filter(may_have).take(MAX_SEARCHED_FILES);
        let paths: Vec<&RepoPath> = files.map(|(_, entry)| &entry.path).collect();
        let of_text = paths.par_iter().filter(|_| !cancellation.is_cancelled());
        found.par_extend(of_text.filter_map(|path| {
            let lines = lines_with(read.read(path)?.text(), text);
            (!lines.is_empty()).then_some((number, *path, lines))
        }));
    }
    let mut quoted: BTreeMap<RepoPath, QuotedText> = BTreeMap::new();
    for (index, text) in texts.iter().enumerate() {
        let matching = found.iter().filter(|(of, ..)| *of == index);
        let count = matching.clone().count();
        for (_, path, lines) in matching.filter(|_| count <= MAX_MATCHING_FILES) {
            let file = quoted.entry((*path).clone()).or_default();
            file.points = file.points.max(POINTS / count as f64);
            file.lines.extend(lines.iter().map(|line| (*line, text.clone())));
        }
    }
    quoted
}

/// Returns the numbers of the first lines of `text` that contain `wanted`, which has no line ends.
fn lines_with(text: &str, wanted: &str) -> Vec<u32> {
    let mut lines = Vec::new();
    let (mut line, mut counted) = (1, 0);
    let mut from = 0;
    while lines.len() < MAX_LINES
        && let Some(found) = memmem::find(&text.as_bytes()[from..], wanted.as_bytes())
    {
        let at = from + found;
        line += memchr::memchr_iter(b'\n', &text.as_bytes()[counted..at]).count() as u32;
        counted = at;
        lines.push(line);
        // On behind the end of this line.
        let Some(end) = memchr(b'\n', &text.as_bytes()[at..]) else { break };
        from = at + end + 1;
    }
    lines
}

/// Returns the texts of `question` that a program may have printed or been given: quoted texts of several words, and the
/// fixed parts of each error message.
fn texts(question: &str) -> Vec<String> {
    static QUOTED: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#""([^"\n]{8,160})"|`([^`\n]{8,160})`"#).ok());
    static MESSAGE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?m)^[\s>]*(?:Caused by: |Uncaught |Unhandled )?",
            r"(?:[\w.:]*(?:Error|Exception|Warning)|error|fatal|panic(?:ked)?)(?:\[\w+\])?: (.{8,300})$"
        ))
        .ok()
    });
    // Parts of a message that differ each time: numbers, quoted values, names in brackets, paths.
    static VARIABLE_PART: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"['"`‘’“”<>{}\[\]()]|\S*\d\S*|\S*[/\\]\S*"#).ok());
    let mut texts: Vec<String> = Vec::new();
    let mut add = |text: &str| {
        let text = text.trim();
        let words = text.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic));
        let says_enough = words.count() >= MIN_QUOTED_WORDS && TEXT_BYTES.contains(&text.len());
        if says_enough && texts.len() < MAX_TEXTS && !texts.iter().any(|known| known == text) {
            texts.push(text.to_owned());
        }
    };
    let question = &question[..question.floor_char_boundary(MAX_QUESTION_BYTES)];
    // The patterns take long to compile, and few questions have anything for them.
    let quoted = question.contains(['"', '`']).then(|| QUOTED.as_ref()).flatten();
    for found in quoted.into_iter().flat_map(|quoted| quoted.captures_iter(question)) {
        add(found.get(1).or_else(|| found.get(2)).map_or("", |text| text.as_str()));
    }
    let message = question.contains(": ").then(|| MESSAGE.as_ref()).flatten();
    for found in message.into_iter().flat_map(|message| message.captures_iter(question)) {
        let message = found.get(1).map_or("", |text| text.as_str());
        let Some(variable) = VARIABLE_PART.as_ref() else { break };
        let fixed = variable.split(message).flat_map(|part| part.split(": "));
        let fixed = fixed.map(|part| part.trim_matches(|c: char| !c.is_alphanumeric()));
        for part in fixed.filter(|part| part.split_whitespace().count() >= MIN_MESSAGE_WORDS) {
            add(part);
        }
    }
    texts
}
