//! The features that say how a candidate compares with the others of the pool.

use rustc_hash::FxHashMap;

use super::{
    candidate_features::Feature,
    candidate_pool::{ScoredCandidate, ScoredPool},
    file_ranking::FileRanking,
};
use retriever_workspace::RepoPath;

/// Largest rank of a file that is told apart.
const MAX_FILE_RANK: u32 = 10_000;

/// What is known of the candidates of one file.
#[derive(Default)]
struct FileStats {
    count: usize,
    best_score: f64,
    greatest_share: f32,
    greatest_cosine: f32,
    /// Rank and score of the file.
    file_rank: u32,
    file_score: f64,
    /// Candidates that were looked at.
    seen: usize,
}

/// Scores that others are compared with.
struct Best {
    score: f64,
    file_score: f64,
    /// Weight of a word that occurs in one file.
    unique_word: f64,
}

/// Sets the features; the pool is sorted by score.
pub(crate) fn add_pool_features(pool: &mut ScoredPool, ranking: &FileRanking) {
    let best_file = ranking.files.first().map_or(0.0, |file| file.score.total());
    let best = Best {
        score: pool.first().map_or(0.0, |first| first.total()).max(f64::MIN_POSITIVE),
        file_score: best_file.max(f64::MIN_POSITIVE),
        unique_word: ranking.term_weights.unique.max(f64::MIN_POSITIVE),
    };
    let (mut stats, file_of) = file_stats(pool, ranking);
    for (rank, (scored, file)) in pool.iter_mut().zip(file_of).enumerate() {
        set_score_features(scored, rank, &best);
        set_file_features(scored, (file, &stats[file]), &best);
        stats[file].seen += 1;
    }
}

/// Returns the statistics of each file, by the order of their best candidates, and for each candidate the number of its
/// file.
fn file_stats(pool: &ScoredPool, ranking: &FileRanking) -> (Vec<FileStats>, Vec<usize>) {
    let mut numbers: FxHashMap<&RepoPath, usize> = FxHashMap::default();
    let mut stats: Vec<FileStats> = Vec::new();
    let mut file_of: Vec<usize> = Vec::with_capacity(pool.len());
    for scored in pool {
        let number = *numbers.entry(&scored.candidate.file.path).or_insert(stats.len());
        if number == stats.len() {
            let (best_score, file_rank) = (scored.total(), u32::MAX);
            stats.push(FileStats { best_score, file_rank, ..FileStats::default() });
        }
        let file = &mut stats[number];
        file.count += 1;
        file.greatest_share = file.greatest_share.max(scored.features.get(Feature::Any));
        file.greatest_cosine = file.greatest_cosine.max(scored.features.get(Feature::Meaning));
        file_of.push(number);
    }
    for (ranked, rank) in ranking.files.iter().zip(0_u32..) {
        if let Some(number) = numbers.get(&ranked.path) {
            let file = &mut stats[*number];
            (file.file_rank, file.file_score) = (rank, ranked.score.total());
        }
    }
    (stats, file_of)
}

fn set_score_features(scored: &mut ScoredCandidate, rank: usize, best: &Best) {
    let total = scored.total();
    let ScoredCandidate { candidate, features, .. } = scored;
    let score = &candidate.score;
    features.set(Feature::Points, total);
    features.set(Feature::PointsShare, total / best.score);
    features.set(Feature::Rank, (rank as f64).ln_1p());
    features.set(Feature::Graph, score.get("graph") / best.score);
    features.set(Feature::Path, score.get("path"));
    features.set(Feature::Kind, score.get("kind") / best.score);
    features.set(Feature::Role, score.get("role"));
    features.set(Feature::BestPoints, best.score / best.unique_word);
    let graph = candidate.graph.as_ref();
    let edges = |count: Option<u32>| count.map_or(-1.0, |count| f64::from(count).ln_1p());
    features.set(Feature::Inbound, edges(graph.map(|graph| graph.inbound)));
    features.set(Feature::Outbound, edges(graph.map(|graph| graph.outbound)));
}

fn set_file_features(
    scored: &mut ScoredCandidate,
    (number, file): (usize, &FileStats),
    best: &Best,
) {
    let total = scored.total();
    let features = &mut scored.features;
    features.set(Feature::RankInFile, file.seen as f64);
    features.set(Feature::BelowBestOfFile, (file.best_score - total) / best.score);
    features.set(Feature::PlacesOfFile, (file.count as f64).ln_1p());
    features.set(Feature::FileRank, f64::from(file.file_rank.min(MAX_FILE_RANK)).ln_1p());
    features.set(Feature::FileShare, file.file_score / best.file_score);
    features.set(Feature::FilePlaceRank, number as f64);
    let share = f64::from(features.get(Feature::Any));
    features.set(Feature::OfFile, share / f64::from(file.greatest_share.max(1e-6)));
    let cosine = features.get(Feature::Meaning);
    features.set(Feature::MeaningBelow, f64::from(file.greatest_cosine - cosine));
}
