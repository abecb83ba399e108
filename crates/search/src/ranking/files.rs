//! Ranks whole files: one parallel pass over the tree's packed words counts the terms of each file by field, and BM25F over
//! the fields says how well it fits. What lies inside a file is [`crate::ranking::passages`]'s to judge.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::query::question::QuestionScope;
use crate::{
    candidate::ScoreParts,
    channels::quoted_text::Said,
    index::{
        segment::ContentKind,
        term_matcher::{Field, TermMatcher},
        term_scanner::TermScanner,
    },
    query::{
        expansion::ExpandedQuery,
        parsed::{FileMention, ParsedQuery},
    },
    words,
};
use retriever_workspace::{Cancellation, FileEntry, FileTraits, RepoPath, Workspace};

/// Weight of a match by field, before saturation.
const DECLARED: f64 = 2.0;
const COMMENT: f64 = 0.6;
const FILE_NAME: f64 = 5.0;
const FOLDER: f64 = 1.2;
/// Points for a path that names what is asked for, beside its part in the file's score.
const PATH: f64 = 0.8;
/// BM25: how soon repetition stops counting, and how much a long file is held against it.
const K1: f64 = 1.6;
const B: f64 = 0.55;
/// What a related word keeps of its worth beside a word that names things.
const SPOKEN: f64 = 0.5;
/// How fast the worth of a term grows with its rarity.
const RARITY: f64 = 0.65;

/// Matches of one term in one file, by field.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    body: f32,
    comment: f32,
    declared: f32,
    name: f32,
    folder: f32,
}

/// A file and the terms in it.
struct Counted {
    path: RepoPath,
    traits: FileTraits,
    words: u32,
    tallies: BTreeMap<u8, Tally>,
    minified: bool,
}

/// A file that may matter.
#[derive(Clone, Debug)]
pub(crate) struct RankedFile {
    pub(crate) path: RepoPath,
    /// Score with its components.
    pub(crate) score: ScoreParts,
    /// Lines that the question mentions in it, with what that is worth, 0 to 1.
    pub(crate) lines: Vec<(u32, f64)>,
    /// Whether the caller gave it as a hint.
    pub(crate) hinted: bool,
    /// Terms in its path, with their share.
    pub(crate) path_terms: BTreeSet<u8>,
}

/// Every file, ranked, and what the collection says of each term.
pub(crate) struct Ranking {
    pub(crate) files: Vec<RankedFile>,
    /// Worth of each term: the question's weight times its rarity.
    pub(crate) worth: Vec<f64>,
    /// Whether anything is named after each term.
    pub(crate) named: Vec<bool>,
    /// Worth of a plain word that stands in one file and in no other.
    pub(crate) rare: f64,
}

/// What is looked for.
#[derive(Clone, Copy)]
pub(crate) struct QueryContext<'a> {
    pub(crate) reading: &'a ParsedQuery,
    pub(crate) query: &'a ExpandedQuery,
    pub(crate) hints: &'a BTreeSet<RepoPath>,
    pub(crate) matcher: &'a TermMatcher,
    /// The words of the tree.
    pub(crate) lookup: &'a TermScanner<'a>,
    /// Where texts stand that the question quotes.
    pub(crate) said: &'a BTreeMap<RepoPath, Said>,
}

/// Ranks `entries` by how well they fit what is sought.
pub(crate) fn rank(
    workspace: &Workspace,
    entries: &[FileEntry],
    sought: &QueryContext<'_>,
    cancellation: &Cancellation,
) -> Ranking {
    let QueryContext { reading, query, hints, said, .. } = *sought;
    let counted: Vec<Counted> = entries
        .par_iter()
        .with_max_len(16)
        .enumerate()
        .filter(|_| !cancellation.is_cancelled())
        .map(|(at, entry)| count(workspace, &entry.path, at, sought))
        .collect();
    let worth = worth(query, &counted);
    let average = counted.iter().map(|file| f64::from(file.words)).sum::<f64>()
        / f64::from(u32::try_from(counted.len().max(1)).unwrap_or(u32::MAX));
    let all_files = f64::from(u32::try_from(counted.len()).unwrap_or(u32::MAX));
    let named = (0..u8::MAX).zip(&query.terms).map(|(term, _)| {
        counted.iter().any(|file| file.tallies.get(&term).is_some_and(|tally| tally.declared > 0.0))
    });
    let named = named.collect();
    let mentioned = mentions(&reading.mentions, entries);
    let copied = copied_in(entries);
    let mut files: Vec<RankedFile> = counted
        .into_par_iter()
        .with_min_len(64)
        .filter_map(|file| {
            let mut score = ScoreParts::default();
            let lexical = bm25f(&file, query, &worth, average);
            score.add("file", lexical);
            score.add("path", PATH * by_path(&file, query, &worth));
            let (points, lines) = mentioned.get(&file.path).cloned().unwrap_or_default();
            score.add("mentioned", points);
            score.add("quoted", said.get(&file.path).map_or(0.0, |said| said.points));
            let hinted = hints.contains(&file.path)
                || hints.iter().any(|hint| file.path.as_str().starts_with(&format!("{hint}/")));
            score.add("hint", if hinted { HINTED } else { 0.0 });
            score.add("kind", -score.total() * discount(&file, &copied, &reading.asked));
            (score.total() > 0.0).then(|| RankedFile {
                path_terms: file
                    .tallies
                    .iter()
                    .filter(|(_, tally)| tally.name > 0.0 || tally.folder > 0.0)
                    .map(|(term, _)| *term)
                    .collect(),
                path: file.path,
                score,
                lines,
                hinted,
            })
        })
        .collect();
    files.sort_by(|a, b| {
        b.score.total().total_cmp(&a.score.total()).then_with(|| a.path.cmp(&b.path))
    });
    Ranking { files, worth, named, rare: rarity(all_files, 1.0) }
}

/// Points of a file that the caller hinted at.
const HINTED: f64 = 12.0;

/// Counts the terms of the file that stands at place `at` of the walk.
fn count(workspace: &Workspace, path: &RepoPath, at: usize, sought: &QueryContext<'_>) -> Counted {
    let QueryContext { matcher, lookup, query, .. } = *sought;
    let mut tallies: BTreeMap<u8, Tally> = BTreeMap::new();
    let known = lookup.words.file(path, at);
    let holds = known.map_or(ContentKind::Nothing, |(_, file)| file.holds);
    let traits = known.map_or_else(|| workspace.traits(path, ""), |(_, file)| file.traits());
    let words = known.map_or(0, |(_, file)| file.words);
    let minified = holds == ContentKind::Minified;
    let counted = |tallies| Counted { path: path.clone(), traits, words, tallies, minified };
    if holds == ContentKind::Data {
        return counted(tallies);
    }
    let whole = path.as_str();
    let (folders, name) = whole.rsplit_once('/').unwrap_or(("", whole));
    let name = name.split('.').find(|part| !part.is_empty()).unwrap_or(name);
    for (term, strength) in matcher.terms_in(name) {
        let tally = tallies.entry(term).or_default();
        tally.name = tally.name.max(strength);
    }
    for (term, strength) in matcher.terms_in(folders) {
        let tally = tallies.entry(term).or_default();
        tally.folder = tally.folder.max(strength);
    }
    if let (Some(known), ContentKind::Text) = (known, holds) {
        let mut inside = vec![Tally::default(); query.terms.len()];
        lookup.scan(known, |hit| {
            let Some(tally) = inside.get_mut(usize::from(hit.term)) else { return };
            match hit.field {
                Field::Body => tally.body += hit.strength,
                Field::Comment => tally.comment += hit.strength,
                Field::Declared => tally.declared += hit.strength,
            }
        });
        for (tally, term) in inside.into_iter().zip(0..u8::MAX) {
            let Tally { body, comment, declared, .. } = tally;
            if body + comment + declared > 0.0 {
                let known = tallies.entry(term).or_default();
                (known.body, known.comment, known.declared) = (body, comment, declared);
            }
        }
    }
    counted(tallies)
}

/// Returns each term's weight times its rarity among the files. IndexSnapshot related to one that the code names things with count
/// half: the question speaks the code's language there.
fn worth(query: &ExpandedQuery, counted: &[Counted]) -> Vec<f64> {
    let mut holding = vec![0_u32; query.terms.len()];
    let mut naming = vec![0_u32; query.terms.len()];
    for file in counted {
        for (term, tally) in &file.tallies {
            if let Some(count) = holding.get_mut(usize::from(*term)) {
                *count += 1;
            }
            if let Some(count) = naming.get_mut(usize::from(*term)) {
                *count += u32::from(tally.declared > 0.0);
            }
        }
    }
    let all = f64::from(u32::try_from(counted.len()).unwrap_or(u32::MAX));
    query
        .terms
        .iter()
        .zip(0..u8::MAX)
        .zip(holding)
        .map(|((term, index), holding)| {
            let spoken = !query.is_own(index) && naming[usize::from(query.concept(index))] > 0;
            let rarity = rarity(all, f64::from(holding));
            term.weight * rarity * if spoken { SPOKEN } else { 1.0 }
        })
        .collect()
}

/// Returns what the rarity of a word is worth that `holding` of `all` files hold. A word that is rare by chance must not outweigh
/// several that are apt.
fn rarity(all: f64, holding: f64) -> f64 {
    (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln().max(0.0).powf(RARITY)
}

fn bm25f(file: &Counted, query: &ExpandedQuery, worth: &[f64], average: f64) -> f64 {
    let length = f64::from(file.words) / average.max(1.0);
    let long = 1.0 - B + B * length;
    let long_names = 1.0 - B / 2.0 + B / 2.0 * length;
    query.joined(file.tallies.iter().map(|(term, tally)| {
        let body = f64::from(tally.body) + COMMENT * f64::from(tally.comment);
        let count = body / long
            + DECLARED * f64::from(tally.declared) / long_names
            + FILE_NAME * f64::from(tally.name)
            + FOLDER * f64::from(tally.folder);
        (*term, worth.get(usize::from(*term)).copied().unwrap_or_default() * count / (count + K1))
    }))
}

/// Returns the worth of the terms in a path, by the share that they are of the file's name.
fn by_path(file: &Counted, query: &ExpandedQuery, worth: &[f64]) -> f64 {
    let name = file.path.file_name().split('.').next().unwrap_or_default();
    let words = u32::try_from(words::subwords(name).len().max(1)).unwrap_or(1);
    query.joined(file.tallies.iter().map(|(term, tally)| {
        let share = f64::from(tally.name) / f64::from(words) + 0.2 * f64::from(tally.folder);
        (*term, worth.get(usize::from(*term)).copied().unwrap_or_default() * share)
    }))
}

/// Returns the share of its score that a file loses for its kind; less than nothing when its kind is asked for.
fn discount(file: &Counted, copied: &[&str], asked: &QuestionScope) -> f64 {
    let traits = &file.traits;
    let is_copied = copied.iter().any(|folder| file.path.as_str().starts_with(folder));
    let mut keep = 1.0;
    if traits.test {
        keep *= if asked.wants_tests { 1.25 } else { 0.35 };
    }
    if traits.support && !asked.wants_tests {
        keep *= 0.45;
    }
    let is_foreign = traits.generated || traits.vendored || is_copied || file.minified;
    if is_foreign && !asked.wants_generated {
        keep *= 0.35;
    }
    if traits.docs_example || is_prose(&file.path) {
        keep *= if asked.wants_docs { 1.25 } else { 0.35 };
    } else if !is_code(&file.path) {
        keep *= 0.6;
    }
    1.0 - keep
}

fn is_prose(path: &RepoPath) -> bool {
    let extension = path.extension().to_ascii_lowercase();
    matches!(
        extension.as_str(),
        "md" | "mdx" | "markdown" | "rst" | "txt" | "adoc" | "ipynb" | "po"
    ) || path.extension().is_empty()
}

/// Whether a file is written in a language that declares things.
fn is_code(path: &RepoPath) -> bool {
    crate::declarations::knows(path.extension())
}

/// Returns the folders, each with its `/`, that bear a licence of their own and no manifest of a package: somebody else's code
/// that was copied in.
fn copied_in(entries: &[FileEntry]) -> Vec<&str> {
    let (mut licensed, mut packages) = (BTreeSet::new(), BTreeSet::new());
    for entry in entries {
        let path = entry.path.as_str();
        let Some(at) = path.rfind('/') else { continue };
        let (folder, name) = (&path[..=at], path[at + 1..].to_lowercase());
        let (stem, ending) = name.split_once('.').unwrap_or((&name, ""));
        let is_licence = ["license", "licence", "copying"]
            .iter()
            .any(|word| stem.split(['-', '_']).any(|part| part == *word));
        if is_licence && matches!(ending, "" | "txt" | "md" | "html" | "rst") {
            licensed.insert(folder);
        } else if MANIFESTS.contains(&name.as_str()) || ending.ends_with("proj") {
            packages.insert(folder);
        }
    }
    licensed.difference(&packages).copied().collect()
}

/// Files by which a folder is a package of this repository.
const MANIFESTS: &[&str] = &[
    "build.gradle",
    "build.gradle.kts",
    "build.sbt",
    "cargo.toml",
    "composer.json",
    "go.mod",
    "mix.exs",
    "package.json",
    "package.swift",
    "pom.xml",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
];

/// What a frame is worth that is not the innermost in the repository.
const OUTER_FRAME: f64 = 0.8;

/// Resolves what the question mentions to files: points, and the lines named with what that is worth.
fn mentions(
    mentions: &[FileMention],
    entries: &[FileEntry],
) -> BTreeMap<RepoPath, (f64, Vec<(u32, f64)>)> {
    if mentions.is_empty() {
        return BTreeMap::new();
    }
    let mut by_name: BTreeMap<&str, Vec<&RepoPath>> = BTreeMap::new();
    for entry in entries {
        by_name.entry(entry.path.file_name()).or_default().push(&entry.path);
    }
    let mut resolved: BTreeMap<RepoPath, (f64, Vec<(u32, f64)>)> = BTreeMap::new();
    let mut ordered: Vec<&FileMention> = mentions.iter().collect();
    ordered.sort_by_key(|mention| mention.frame);
    let mut has_frame = false;
    for mention in ordered {
        let name = mention.path.rsplit('/').next().unwrap_or_default();
        let Some(named) = by_name.get(name) else { continue };
        let common = |path: &RepoPath| {
            path.as_str()
                .rsplit('/')
                .zip(mention.path.rsplit('/'))
                .take_while(|(a, b)| a == b)
                .count()
        };
        let best = named.iter().map(|path| common(path)).max().unwrap_or_default();
        let fits: Vec<&&RepoPath> = named.iter().filter(|path| common(path) == best).collect();
        // A bare name that many files bear says little; a path that only one file ends in says nearly all.
        let share = 1.0 / f64::from(u32::try_from(fits.len()).unwrap_or(u32::MAX));
        let is_outer = mention.frame.is_some() && has_frame;
        has_frame |= mention.frame.is_some();
        let worth = if is_outer { OUTER_FRAME } else { 1.0 };
        let points = if best >= 2 { 10.0 } else { 7.0 } * share * worth;
        for path in fits {
            let (score, lines) = resolved.entry((*path).clone()).or_default();
            *score = score.max(points);
            if share > 0.3 {
                lines.extend(mention.line.map(|line| (line, worth)));
            }
        }
    }
    resolved
}
