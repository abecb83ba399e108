//! Ranks whole files: BM25F over the fields in which terms occur, and points for what the path says, for mentions, quoted
//! texts and hints. What stands inside a file is scored in [`super::passage_scorer`].

use rayon::prelude::*;

use super::{file_kind_penalty::FileKindPenalties, term_weights::TermWeights};
use crate::{
    query::ExpandedQuery,
    retrieval_channels::{
        FileTerms, MentionedFile, QueryContext, TermCounter, TermCounts, TermFieldCounts,
        mentioned_files,
    },
    score_parts::{ScorePart, ScoreParts},
    words,
};
use retriever_workspace::{Cancellation, FoundFile, RepoPath, Workspace, base_name};

/// Weight of an occurrence by field; one in code has 1.
const DECLARED: f64 = 2.0;
const COMMENT: f64 = 0.6;
const FILE_NAME: f64 = 5.0;
const FOLDER: f64 = 1.2;
/// BM25: saturation, and the influence of a file's length; names are influenced by half as much.
const K1: f64 = 1.6;
const B: f64 = 0.55;
/// Points for the share of a path that terms are, and the weight of folders in it.
const PATH: f64 = 0.8;
const PATH_FOLDER: f64 = 0.2;
/// Points of a file that the caller hinted at.
const HINTED: f64 = 12.0;
/// Greatest weight of a word, which one that a single file has can reach.
pub(super) const MAX_UNIQUE_WEIGHT: f64 = 3.3;
/// Points of the most similar file by the user's model, see [`embedding_points`].
const FILE_EMBEDDING: f64 = 1.5;
/// What is left of them when the query names code.
const EMBEDDING_OF_NAMED: f64 = 0.33;
/// Files for a task.
const COUNTED_AT_ONCE: usize = 64;
const MIN_SCORED_AT_ONCE: usize = 64;

/// A file that may matter.
#[derive(Clone, Debug)]
pub(crate) struct RankedFile {
    pub(crate) path: RepoPath,
    pub(crate) score: ScoreParts,
    /// Lines that the question mentions in it, each with its weight of 0 to 1.
    pub(crate) lines: Vec<(u32, f64)>,
    /// First lines of declarations that are similar to the question by the user's model.
    pub(crate) similar_lines: Vec<u32>,
    /// Whether the caller hinted at it.
    pub(crate) is_hinted: bool,
    /// Terms in its path, in order.
    pub(crate) path_terms: Vec<u8>,
    /// Occurrences of each term.
    pub(crate) counts: TermCounts,
    /// Words and line ends.
    pub(crate) length: u32,
    /// Share of its score that it lost for its kind.
    pub(crate) lost_share: f64,
}

/// All files that may matter.
pub(crate) struct FileRanking {
    /// Sorted by path.
    files: Vec<RankedFile>,
    /// Their numbers, best first.
    order: Vec<usize>,
    /// The rank of each, from 0.
    ranks: Vec<usize>,
    pub(crate) term_weights: TermWeights,
}

impl FileRanking {
    /// `files` are sorted by path.
    fn new(files: Vec<RankedFile>, term_weights: TermWeights) -> Self {
        let totals = files.iter().map(|file| file.score.total());
        let mut order: Vec<(f64, usize)> = totals.zip(0..).collect();
        order.par_sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut ranks = vec![0; files.len()];
        for (rank, (_, at)) in order.iter().enumerate() {
            ranks[*at] = rank;
        }
        let order = order.into_iter().map(|(_, at)| at).collect();
        Self { files, order, ranks, term_weights }
    }

    /// Returns the files, best first.
    pub(crate) fn best_first(&self) -> impl Iterator<Item = &RankedFile> {
        self.order.iter().map(|at| &self.files[*at])
    }

    /// Returns the file at a path, and its rank from 0.
    pub(crate) fn of_path(&self, path: &str) -> Option<(usize, &RankedFile)> {
        let at = self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        Some((self.ranks[at], &self.files[at]))
    }
}

/// Ranks `entries`.
pub(crate) fn rank_files(
    workspace: &Workspace,
    entries: &[FoundFile],
    context: &QueryContext<'_>,
    cancellation: &Cancellation,
) -> FileRanking {
    let counter = || TermCounter::new(workspace, context);
    let numbers = context.scanner.index.numbers(entries);
    let number = |at: usize| numbers.get(at).copied().flatten();
    let counted: Vec<FileTerms<'_>> = entries
        .par_iter()
        .with_max_len(COUNTED_AT_ONCE)
        .enumerate()
        .filter(|_| !cancellation.is_cancelled())
        .map_init(counter, |counter, (at, entry)| counter.count(entry, number(at)))
        .collect();
    let term_weights = TermWeights::of(context.expanded, &counted);
    let count = f64::from(u32::try_from(counted.len().max(1)).unwrap_or(u32::MAX));
    let length: u64 = counted.par_iter().map(|file| u64::from(file.length())).sum();
    let mentioned = mentioned_files(&context.parsed.mentions, entries);
    let scorer = FileScorer {
        context,
        query: context.expanded,
        weights: &term_weights,
        kinds: FileKindPenalties::new(workspace, context.parsed),
        average_length: length as f64 / count,
    };
    let files: Vec<RankedFile> = counted
        .into_par_iter()
        .with_min_len(MIN_SCORED_AT_ONCE)
        .filter_map(|file| scorer.ranked(mentioned.get(file.path), file))
        .collect();
    FileRanking::new(files, term_weights)
}

/// Returns the points for the greatest similarity that the user's model can find. They depend on the weight of a word that
/// occurs in one file only.
pub(super) fn embedding_points(context: &QueryContext<'_>, weights: &TermWeights) -> f64 {
    let share = if context.parsed.names_code() { EMBEDDING_OF_NAMED } else { 1.0 };
    share * weights.unique.min(MAX_UNIQUE_WEIGHT)
}

fn is_in_path(counts: &TermFieldCounts) -> bool {
    counts.name > 0.0 || counts.folder > 0.0
}

struct FileScorer<'a> {
    context: &'a QueryContext<'a>,
    query: &'a ExpandedQuery,
    weights: &'a TermWeights,
    kinds: FileKindPenalties<'a>,
    average_length: f64,
}

impl FileScorer<'_> {
    /// Scores a file; `None` without any evidence for it.
    fn ranked(&self, mentioned: Option<&MentionedFile>, file: FileTerms<'_>) -> Option<RankedFile> {
        let QueryContext { hints, quoted, similar, .. } = *self.context;
        let mut score = ScoreParts::default();
        score.add(ScorePart::File, self.bm25f(&file));
        score.add(ScorePart::Path, PATH * self.path_share(&file));
        let mentioned = mentioned.cloned().unwrap_or_default();
        score.add(ScorePart::Mentioned, mentioned.points);
        score.add(ScorePart::Quoted, quoted.get(file.path).map_or(0.0, |quoted| quoted.points));
        let similarity = similar.map_or(0.0, |similar| similar.of_file(file.path));
        score.add(
            ScorePart::Embedding,
            FILE_EMBEDDING * embedding_points(self.context, self.weights) * similarity,
        );
        let is_hinted = hints.iter().any(|hint| file.path.is_within(hint));
        score.add(ScorePart::Hint, if is_hinted { HINTED } else { 0.0 });
        if score.total() <= 0.0 {
            return None;
        }
        let lost_share = self.kinds.lost_share(&file);
        score.add(ScorePart::Kind, -score.total() * lost_share);
        (score.total() > 0.0).then(|| {
            let counts = file.counts.iter().filter(|(_, counts)| is_in_path(counts));
            let path_terms = counts.map(|(term, _)| term).collect();
            let similar = similar.into_iter().flat_map(|similar| similar.proposed_lines(file.path));
            let similar_lines = similar.collect();
            RankedFile {
                path: file.path.clone(),
                score,
                lines: mentioned.lines,
                similar_lines,
                is_hinted,
                path_terms,
                length: file.length(),
                counts: file.counts,
                lost_share,
            }
        })
    }

    fn bm25f(&self, file: &FileTerms<'_>) -> f64 {
        let length = f64::from(file.length()) / self.average_length.max(1.0);
        let body_norm = 1.0 - B + B * length;
        let name_norm = 1.0 - B / 2.0 + B / 2.0 * length;
        self.query.sum_by_concept(file.counts.iter().map(|(term, counts)| {
            let body = f64::from(counts.body) + COMMENT * f64::from(counts.comment);
            let count = body / body_norm
                + DECLARED * f64::from(counts.declared) / name_norm
                + FILE_NAME * f64::from(counts.name)
                + FOLDER * f64::from(counts.folder);
            (term, self.weights.get(term) * count / (count + K1))
        }))
    }

    /// Returns the weight of the terms in the path, by the share that they are of the file's name.
    fn path_share(&self, file: &FileTerms<'_>) -> f64 {
        if !file.counts.iter().any(|(_, counts)| is_in_path(counts)) {
            return 0.0;
        }
        let name = base_name(file.path.file_name());
        let words = u32::try_from(words::subword_count(name).max(1)).unwrap_or(1);
        self.query.sum_by_concept(file.counts.iter().map(|(term, counts)| {
            let share =
                f64::from(counts.name) / f64::from(words) + PATH_FOLDER * f64::from(counts.folder);
            (term, self.weights.get(term) * share)
        }))
    }
}
