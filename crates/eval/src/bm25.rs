//! The lexical baseline: Okapi BM25 over the words of whole files, including their paths. Words are runs of letters and
//! digits, and the parts of identifiers. There is no stemming, no weighting and no stop list.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

use rayon::prelude::*;

use crate::answer_score::{CitedPlace, ScorableAnswer};
use retriever_workspace::{RepoPath, Workspace};

/// Number of files in its map.
const MAX_PLACES: usize = 5;
/// Maximum number of ranked files.
const MAX_RANKED: usize = 50;
/// Term saturation, with its usual value.
const K1: f64 = 1.2;
/// Length normalisation, with its usual value.
const B: f64 = 0.75;

struct Document {
    path: RepoPath,
    words: usize,
    /// Occurrences of each word of the question.
    counts: Vec<u32>,
}

/// Answers `question` with the best files of `workspace`. Blocking.
pub fn bm25(workspace: &Workspace, question: &str) -> ScorableAnswer {
    let started = Instant::now();
    let ranked: Vec<CitedPlace> = rank(workspace, question)
        .into_iter()
        .map(|path| CitedPlace { path: path.to_string(), range: None })
        .collect();
    ScorableAnswer {
        places: ranked.iter().take(MAX_PLACES).cloned().collect(),
        ranked: Some(ranked),
        map: None,
        delivered: None,
        elapsed_ms: Some(u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX)),
        search_ms: None,
    }
}

/// Ranks the text files of `workspace` for `question`, best first; files without any of its words are left out.
fn rank(workspace: &Workspace, question: &str) -> Vec<RepoPath> {
    let mut wanted = BTreeSet::new();
    each_word(question, |word| {
        wanted.insert(word.to_owned());
    });
    let wanted: BTreeMap<String, usize> = wanted.into_iter().zip(0..).collect();
    let documents: Vec<Document> = workspace
        .walk(&RepoPath::root())
        .files
        .into_par_iter()
        .filter_map(|entry| {
            let file = workspace.read(&entry.path).ok()?;
            let mut document =
                Document { path: entry.path, words: 0, counts: vec![0; wanted.len()] };
            for text in [document.path.to_string().as_str(), file.text()] {
                each_word(text, |word| {
                    document.words += 1;
                    if let Some(index) = wanted.get(word) {
                        document.counts[*index] += 1;
                    }
                });
            }
            Some(document)
        })
        .collect();
    let number = documents.len() as f64;
    let total: usize = documents.iter().map(|document| document.words).sum();
    let average = total as f64 / number.max(1.0);
    let rarity: Vec<f64> = (0..wanted.len())
        .map(|word| {
            let having = documents.iter().filter(|document| document.counts[word] > 0).count();
            let having = having as f64;
            (1.0 + (number - having + 0.5) / (having + 0.5)).ln()
        })
        .collect();
    let score = |document: &Document| -> f64 {
        let length = K1 * (1.0 - B + B * document.words as f64 / average);
        let word = |(count, rarity): (&u32, &f64)| {
            let count = f64::from(*count);
            rarity * count * (K1 + 1.0) / (count + length)
        };
        document.counts.iter().zip(&rarity).map(word).sum()
    };
    let mut scored: Vec<(f64, RepoPath)> = documents
        .iter()
        .map(|document| (score(document), document.path.clone()))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    scored.sort_by(|(a, one), (b, other)| b.total_cmp(a).then_with(|| one.cmp(other)));
    scored.into_iter().take(MAX_RANKED).map(|(_, path)| path).collect()
}

/// Calls `found` with every word of `text` in lower case, and with the parts of compound words.
fn each_word(text: &str, mut found: impl FnMut(&str)) {
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
        let whole = word.trim_matches('_').to_lowercase();
        if whole.is_empty() {
            continue;
        }
        found(&whole);
        let mut part = String::new();
        let mut parts = Vec::new();
        let mut lower_before = false;
        for c in word.chars() {
            if (c == '_' || (c.is_uppercase() && lower_before)) && !part.is_empty() {
                parts.push(std::mem::take(&mut part));
            }
            if c != '_' {
                part.extend(c.to_lowercase());
            }
            lower_before = c.is_lowercase() || c.is_numeric();
        }
        if !parts.is_empty() {
            parts.push(part);
            parts.iter().filter(|part| !part.is_empty()).for_each(|part| found(part));
        }
    }
}
