//! Learned order of the passages of a file: trees over [`RankingFeature`]s, learned from where fixes were made and from what
//! comments say. Which files come first is decided in [`super::learned_file_order`].

use std::{collections::BTreeMap, sync::LazyLock};

use rayon::prelude::*;

use super::{
    boosted_trees::BoostedTrees,
    candidate_pool::{ScoredCandidate, ScoredPool, by_score},
    ranking_features::RankingFeature,
};
use crate::score_parts::ScorePart;
use retriever_workspace::RepoPath;

/// None for a table that is damaged: then the points decide.
static TREES: LazyLock<Option<BoostedTrees>> = LazyLock::new(|| {
    let number = |name: &str| Some(name.parse::<RankingFeature>().ok()? as usize);
    BoostedTrees::parse(include_bytes!("passage_order.bin"), number)
});
/// The best candidates that are reordered.
const REORDERED: usize = 300;
/// Weight of the score, relative to that of the best candidate, beside the trees.
const POINTS: f32 = 6.0;

/// Puts the candidates of each file, of the best of `pool`, into the learned order. The totals of a file stay what they are
/// and are handed on to its candidates in the new order, so that they mean the same as before; the difference is a part of
/// the score. `pool` is sorted by score, before and after.
pub(crate) fn order_passages(pool: &mut ScoredPool) {
    let count = pool.len().min(REORDERED);
    let pool = &mut pool[..count];
    let Some(trees) = TREES.as_ref() else { return };
    let value = |scored: &ScoredCandidate| {
        let points = POINTS * scored.features.get(RankingFeature::PointsShare);
        points + trees.value(scored.features.as_slice())
    };
    let mut files: BTreeMap<&RepoPath, Vec<usize>> = BTreeMap::new();
    for (at, scored) in pool.iter().enumerate() {
        files.entry(&scored.candidate.file.path).or_default().push(at);
    }
    // The only candidate of a file has no other place to go.
    let compared: Vec<Vec<usize>> = files.into_values().filter(|all| all.len() > 1).collect();
    let values: Vec<Vec<f32>> = compared
        .par_iter()
        .with_max_len(1)
        .map(|candidates| candidates.iter().map(|at| value(&pool[*at])).collect())
        .collect();
    let mut totals: Vec<(usize, f64)> = Vec::with_capacity(count);
    for (candidates, values) in compared.into_iter().zip(values) {
        let of_file: Vec<f64> = candidates.iter().map(|at| pool[*at].total()).collect();
        let mut order: Vec<(f32, usize)> = values.into_iter().zip(candidates).collect();
        order.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        totals.extend(order.iter().map(|(_, at)| *at).zip(of_file));
    }
    for (at, total) in totals {
        let score = &mut pool[at].candidate.score;
        score.add(ScorePart::Learned, total - score.total());
    }
    pool.sort_by(|one, other| by_score(&one.candidate, &other.candidate));
}
