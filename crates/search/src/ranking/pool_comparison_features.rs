//! The features that say how a candidate compares with the others of the pool.

use rustc_hash::FxHashMap;

use super::{
    candidate_pool::{ScoredCandidate, ScoredPool},
    ranking_features::RankingFeature,
};
use crate::score_parts::ScorePart;
use retriever_workspace::RepoPath;

/// What is known of the candidates of one file.
#[derive(Default)]
struct FileStats {
    count: usize,
    best_score: f64,
    greatest_share: f32,
    greatest_cosine: f32,
    /// Candidates that were looked at.
    seen: usize,
}

/// Sets the features; the pool is sorted by score.
pub(crate) fn add_pool_features(pool: &mut ScoredPool) {
    let best_score = pool.first().map_or(0.0, |first| first.total()).max(f64::MIN_POSITIVE);
    let (mut stats, file_of) = file_stats(pool);
    for (scored, file) in pool.iter_mut().zip(file_of) {
        set_score_features(scored, best_score);
        set_file_features(scored, &stats[file], best_score);
        stats[file].seen += 1;
    }
}

/// Returns the statistics of each file, by the order of their best candidates, and for each candidate the number of its
/// file.
fn file_stats(pool: &ScoredPool) -> (Vec<FileStats>, Vec<usize>) {
    let mut numbers: FxHashMap<&RepoPath, usize> = FxHashMap::default();
    let mut stats: Vec<FileStats> = Vec::new();
    let mut file_of: Vec<usize> = Vec::with_capacity(pool.len());
    for scored in pool {
        let number = *numbers.entry(&scored.candidate.file.path).or_insert(stats.len());
        if number == stats.len() {
            stats.push(FileStats { best_score: scored.total(), ..FileStats::default() });
        }
        let file = &mut stats[number];
        file.count += 1;
        file.greatest_share = file.greatest_share.max(scored.features.get(RankingFeature::Any));
        file.greatest_cosine =
            file.greatest_cosine.max(scored.features.get(RankingFeature::Meaning));
        file_of.push(number);
    }
    (stats, file_of)
}

fn set_score_features(scored: &mut ScoredCandidate, best_score: f64) {
    let total = scored.total();
    let ScoredCandidate { candidate, features, .. } = scored;
    features.set(RankingFeature::PointsShare, total / best_score);
    features.set(RankingFeature::Graph, candidate.score.get(ScorePart::Graph) / best_score);
    let graph = candidate.graph.as_ref();
    let edges = |count: Option<u32>| count.map_or(-1.0, |count| f64::from(count).ln_1p());
    features.set(RankingFeature::Inbound, edges(graph.map(|graph| graph.inbound)));
    features.set(RankingFeature::Outbound, edges(graph.map(|graph| graph.outbound)));
}

fn set_file_features(scored: &mut ScoredCandidate, file: &FileStats, best_score: f64) {
    let total = scored.total();
    let features = &mut scored.features;
    features.set(RankingFeature::RankInFile, file.seen as f64);
    features.set(RankingFeature::BelowBestOfFile, (file.best_score - total) / best_score);
    features.set(RankingFeature::PlacesOfFile, (file.count as f64).ln_1p());
    let share = f64::from(features.get(RankingFeature::Any));
    features.set(RankingFeature::OfFile, share / f64::from(file.greatest_share.max(1e-6)));
    let cosine = features.get(RankingFeature::Meaning);
    features.set(RankingFeature::MeaningBelow, f64::from(file.greatest_cosine - cosine));
}
