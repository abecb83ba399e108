//! The bounded search: texts that a question quotes, and the fixed parts of error messages in it, looked for as they are.
//! No declaration is named after a message, but the line that says it stands in the code to look at.

use std::{collections::BTreeMap, sync::LazyLock};

use rayon::prelude::*;
use regex::Regex;

use crate::declarations;
use retriever_workspace::{Cancellation, FileEntry, RepoPath, Workspace};

/// TextCache that are looked for.
const TEXTS: usize = 6;
/// Files that are searched, and the bytes of each.
const FILES: usize = 20_000;
const MAX_BYTES: u64 = 1024 * 1024;
/// Files that may hold a text that still says where to look, and lines of one file.
const HOLDERS: usize = 6;
const LINES: usize = 3;
/// Lengths of a text in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 8..=160;
/// Points of the file that alone holds a text.
const FOUND: f64 = 6.0;

/// Where quoted texts stand in one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    pub(crate) points: f64,
    /// Lines, with what stands there.
    pub(crate) lines: Vec<(u32, String)>,
}

/// Finds what `question` quotes in the source files among `entries`.
pub(crate) fn quoted_in(
    workspace: &Workspace,
    entries: &[FileEntry],
    question: &str,
    cancellation: &Cancellation,
) -> BTreeMap<RepoPath, Said> {
    let texts = texts(question);
    if texts.is_empty() {
        return BTreeMap::new();
    }
    let is_source =
        |entry: &&FileEntry| entry.size <= MAX_BYTES && declarations::knows(entry.path.extension());
    let sources: Vec<&FileEntry> = entries.iter().filter(is_source).take(FILES).collect();
    let found: Vec<(usize, &RepoPath, Vec<u32>)> = sources
        .par_iter()
        .filter(|_| !cancellation.is_cancelled())
        .filter(|entry| !workspace.traits(&entry.path, "").is_secondary())
        .filter_map(|entry| Some((&entry.path, workspace.read(&entry.path).ok()?)))
        .flat_map_iter(|(path, file)| {
            let holds = |(index, text): (usize, &String)| {
                file.text().contains(text.as_str()).then(|| {
                    let lines = (1..).zip(file.text().lines());
                    let lines = lines.filter(|(_, line)| line.contains(text.as_str()));
                    (index, path, lines.map(|(number, _)| number).take(LINES).collect())
                })
            };
            texts.iter().enumerate().filter_map(holds).collect::<Vec<_>>()
        })
        .collect();
    let mut said: BTreeMap<RepoPath, Said> = BTreeMap::new();
    for (index, text) in texts.iter().enumerate() {
        let holders = found.iter().filter(|(of, ..)| *of == index);
        let count = holders.clone().count();
        for (_, path, lines) in holders.filter(|_| count <= HOLDERS) {
            let known = said.entry((*path).clone()).or_default();
            known.points = known.points.max(FOUND / count as f64);
            known.lines.extend(lines.iter().map(|line| (*line, text.clone())));
        }
    }
    said
}

/// Returns the texts of `question` that a program may have written or been given: what stands between quotes in several words,
/// and the longest fixed part of each error message.
fn texts(question: &str) -> Vec<String> {
    static QUOTED: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#""([^"\n]{8,160})"|`([^`\n]{8,160})`"#).ok());
    static MESSAGE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?m)^[\s>]*(?:[\w.:]*(?:Error|Exception|Warning)|error|fatal|panic(?:ked)?)(?:\[\w+\])?: (.{8,300})$").ok()
    });
    // What is filled in: numbers, quoted values, names in brackets.
    static FILLED: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"['"`‘’“”<>{}\[\]()]|\S*\d\S*|\S*[/\\]\S*"#).ok());
    let mut texts: Vec<String> = Vec::new();
    let mut add = |text: &str| {
        let text = text.trim();
        let words = text.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic));
        let is_telling = words.count() >= 2 && LENGTHS.contains(&text.len());
        if is_telling && texts.len() < TEXTS && !texts.iter().any(|known| known == text) {
            texts.push(text.to_owned());
        }
    };
    let start = &question[..question.floor_char_boundary(24 * 1024)];
    // The patterns are dear to compile, and few questions have anything for them.
    let quoted = start.contains(['"', '`']).then(|| QUOTED.as_ref()).flatten();
    for found in quoted.into_iter().flat_map(|quoted| quoted.captures_iter(start)) {
        add(found.get(1).or_else(|| found.get(2)).map_or("", |text| text.as_str()));
    }
    let message = start.contains(": ").then(|| MESSAGE.as_ref()).flatten();
    for found in message.into_iter().flat_map(|message| message.captures_iter(start)) {
        let said = found.get(1).map_or("", |text| text.as_str());
        let Some(filled) = FILLED.as_ref() else { break };
        let longest = filled.split(said).max_by_key(|part| part.trim().len()).unwrap_or_default();
        if longest.split_whitespace().count() >= 3 {
            add(longest);
        }
    }
    texts
}
