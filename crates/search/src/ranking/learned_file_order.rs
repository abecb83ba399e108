//! Learned order of the files: trees over [`FileFeature`]s, learned from labelled questions, short and long. Passages score
//! by what they say; which file a question is about also depends on what the file is called and declares, and on what kind
//! of file it is.

use std::{ops::RangeInclusive, sync::LazyLock};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{
    boosted_trees::BoostedTrees,
    candidate_pool::{ScoredPool, sort},
    file_features::{FileFeature, ScoredFile},
    ranking_features::RankingFeature,
};
use crate::score_parts::ScorePart;
use retriever_workspace::RepoPath;

/// None for a table that is damaged: then the points decide.
static TREES: LazyLock<Option<BoostedTrees>> = LazyLock::new(|| {
    let number = |name: &str| Some(name.parse::<FileFeature>().ok()? as usize);
    BoostedTrees::parse(include_bytes!("file_order.bin"), number)
});
/// Weight of the score of a file's best place, relative to the best of all, beside the trees.
const POINTS: f32 = 2.0;
/// Weight of the similarity by the user's model.
const EMBEDDING: f32 = 1.0;
/// Up to so many words a question is ordered by the trees, from so many on by points: a long question mentions much else.
const SHORT_WORDS: f32 = 6.0;
const LONG_WORDS: f32 = 9.0;

/// Share of its score that its kind must leave a file for the trees to move it. Tests, documents, copies and generated code
/// keep their place, also when they are asked for: a name alone lifts none of them above the code of the repository.
const MOVED_KEPT: RangeInclusive<f32> = 0.5..=1.0;

/// Puts `files`, which are those of `pool` in the order of their best places, into the learned order. The scores of best
/// places stay what they are and are handed on in the new order, and a file's other places keep their share of its best
/// one. A file that the question points at keeps its place. `pool` is sorted by score, before and after.
pub(crate) fn order_files(files: &[ScoredFile], trust: f32, pool: &mut ScoredPool) {
    let Some(trees) = TREES.as_ref() else { return };
    let value = |file: &ScoredFile| {
        let learned = trees.value(file.features.as_slice());
        let similarity = EMBEDDING * file.similarity;
        POINTS * file.features.get(FileFeature::Points) + similarity + trust * learned
    };
    let is_moved = |file: &&ScoredFile| {
        file.best > 0.0
            && !file.is_pointed_at
            && MOVED_KEPT.contains(&file.features.get(FileFeature::Kept))
    };
    let moved: Vec<&ScoredFile> = files.iter().filter(is_moved).collect();
    let mut order: Vec<(f32, usize)> =
        moved.par_iter().enumerate().map(|(at, file)| (value(file), at)).collect();
    order.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    let factors: FxHashMap<&RepoPath, f64> = order
        .iter()
        .zip(&moved)
        .map(|((_, at), in_its_place)| {
            let file = moved[*at];
            (&file.path, in_its_place.best / file.best)
        })
        .collect();
    for scored in pool.iter_mut() {
        let Some(factor) = factors.get(&scored.candidate.file.path) else { continue };
        let score = &mut scored.candidate.score;
        score.add(ScorePart::FileOrder, score.total() * (factor - 1.0));
    }
    sort(pool);
}

/// Returns the weight of the trees; 0 for a question whose files are ordered by their points.
pub(crate) fn trust(pool: &ScoredPool) -> f32 {
    let words = pool.iter().map(|scored| scored.features.get(RankingFeature::QuestionWords));
    let brevity = (LONG_WORDS - words.fold(0.0, f32::max)) / (LONG_WORDS - SHORT_WORDS);
    brevity.clamp(0.0, 1.0)
}
