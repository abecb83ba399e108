//! Learned order of the passages of a file: gradient-boosted regression trees over [`Feature`]s, learned from where fixes
//! were made and from what comments say. Which files come first is decided by points.
//!
//! The table is `learned_trees.bin`, made by `evals/ranking/`: a magic line, the names of the features that it uses, one a
//! line, and an empty line; then each tree as the number of its splits, the splits, and the values of its leaves, one more
//! than splits. A split is the number of a feature (a byte), a threshold (32 bits), and the children for values up to it and
//! above it (a byte each): splits from 0, leaves from 128. Floats are little-endian.

use std::{collections::BTreeMap, sync::LazyLock};

use rayon::prelude::*;

use super::{
    features::Feature,
    pool::{Pool, ScoredCandidate, by_score},
};
use retriever_workspace::RepoPath;

const TABLE: &[u8] = include_bytes!("learned_trees.bin");
/// The digit is the version of the format.
const MAGIC: &str = "trees 1\n";
/// The best candidates that are reordered.
const REORDERED: usize = 300;
/// Weight of the score, relative to that of the best candidate, beside the trees.
const POINTS: f32 = 6.0;
/// The first number of a leaf, and the bytes of a split.
const FIRST_LEAF: u8 = 128;
const SPLIT_BYTES: usize = 7;

struct Split {
    feature: Feature,
    threshold: f32,
    children: [u8; 2],
}

struct Tree {
    splits: Vec<Split>,
    leaves: Vec<f32>,
}

fn trees() -> &'static [Tree] {
    static TREES: LazyLock<Vec<Tree>> = LazyLock::new(|| parse(TABLE).unwrap_or_default());
    &TREES
}

/// Parses a table; none for one that is damaged.
fn parse(table: &[u8]) -> Option<Vec<Tree>> {
    let rest = table.strip_prefix(MAGIC.as_bytes())?;
    let end = rest.windows(2).position(|pair| pair == b"\n\n")?;
    let (names, mut rest) = (std::str::from_utf8(&rest[..end]).ok()?, &rest[end + 2..]);
    let features: Vec<Feature> = names.lines().map(str::parse).collect::<Result<_, _>>().ok()?;
    let mut trees = Vec::new();
    while !rest.is_empty() {
        let tree;
        (tree, rest) = Tree::parse(rest, &features)?;
        trees.push(tree);
    }
    Some(trees)
}

impl Tree {
    /// Parses the first tree of `bytes`; returns what is behind it.
    fn parse<'a>(bytes: &'a [u8], features: &[Feature]) -> Option<(Self, &'a [u8])> {
        let float = |bytes: &[u8]| bytes.first_chunk::<4>().map(|bytes| f32::from_le_bytes(*bytes));
        let (count, rest) = bytes.split_first()?;
        let count = usize::from(*count);
        let (splits, rest) = rest.split_at_checked(SPLIT_BYTES * count)?;
        let (leaves, rest) = rest.split_at_checked(4 * (count + 1))?;
        let split = |bytes: &[u8]| {
            let feature = *features.get(usize::from(*bytes.first()?))?;
            let children = [*bytes.get(5)?, *bytes.get(6)?];
            Some(Split { feature, threshold: float(bytes.get(1..)?)?, children })
        };
        let splits = splits.chunks_exact(SPLIT_BYTES).map(split).collect::<Option<Vec<Split>>>()?;
        let leaves = leaves.chunks_exact(4).map(float).collect::<Option<Vec<f32>>>()?;
        // Splits stand in front of their children, so that every descent ends at a leaf.
        let is_valid = splits.iter().zip(0_u8..).all(|(split, at)| {
            split.children.iter().all(|child| match child.checked_sub(FIRST_LEAF) {
                Some(leaf) => usize::from(leaf) <= count,
                None => *child > at && usize::from(*child) < count,
            })
        });
        is_valid.then_some((Self { splits, leaves }, rest))
    }

    fn value(&self, scored: &ScoredCandidate) -> f32 {
        let mut at = if self.splits.is_empty() { FIRST_LEAF } else { 0 };
        while let Some(split) = self.splits.get(usize::from(at)) {
            let is_above = scored.features.get(split.feature) > split.threshold;
            at = split.children[usize::from(is_above)];
        }
        self.leaves.get(usize::from(at - FIRST_LEAF)).copied().unwrap_or_default()
    }
}

/// Puts the candidates of each file, of the best of `pool`, into the learned order. The totals of a file stay what they are
/// and are handed on to its candidates in the new order, so that they mean the same as before; the difference is a part of
/// the score. `pool` is sorted by score, before and after.
pub(crate) fn reorder(pool: &mut Pool) {
    let count = pool.len().min(REORDERED);
    let pool = &mut pool[..count];
    let value = |scored: &ScoredCandidate| {
        let points = POINTS * scored.features.get(Feature::PointsShare);
        points + trees().iter().map(|tree| tree.value(scored)).sum::<f32>()
    };
    let values: Vec<f32> = pool.par_iter().map(|scored| value(scored)).collect();
    let mut files: BTreeMap<&RepoPath, Vec<(f32, usize)>> = BTreeMap::new();
    for (at, (scored, value)) in pool.iter().zip(values).enumerate() {
        files.entry(&scored.candidate.file.path).or_default().push((value, at));
    }
    let mut totals: Vec<(usize, f64)> = Vec::with_capacity(count);
    for candidates in files.values_mut() {
        let of_file: Vec<f64> = candidates.iter().map(|(_, at)| pool[*at].total()).collect();
        candidates.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        totals.extend(candidates.iter().map(|(_, at)| *at).zip(of_file));
    }
    for (at, total) in totals {
        let score = &mut pool[at].candidate.score;
        score.add("learned", total - score.total());
    }
    pool.sort_by(|one, other| by_score(&one.candidate, &other.candidate));
}
