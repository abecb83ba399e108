//! Gradient-boosted regression trees over named features. A table of trees is made by `evals/ranking/` and compiled in.
//!
//! Its form: a magic line, the names of the features that it uses, one a line, and an empty line; then each tree as the
//! number of its splits, the splits, and the values of its leaves, one more than splits. A split is the number of a feature
//! (a byte), a threshold (32 bits), and the children for values up to it and above it (a byte each): splits from 0, leaves
//! from 128. Floats are little-endian.

use std::str::FromStr;

/// The digit is the version of the format.
const MAGIC: &str = "trees 1\n";
/// The first number of a leaf, and the bytes of a split.
const FIRST_LEAF: u8 = 128;
const SPLIT_BYTES: usize = 7;

/// Trees over the features `F`.
pub(super) struct BoostedTrees<F>(Vec<Tree<F>>);

struct Tree<F> {
    splits: Vec<Split<F>>,
    leaves: Vec<f32>,
}

struct Split<F> {
    feature: F,
    threshold: f32,
    children: [u8; 2],
}

impl<F: Copy + FromStr> BoostedTrees<F> {
    /// Parses a table; none for one that is damaged or has features of another program.
    pub(super) fn parse(table: &[u8]) -> Option<Self> {
        let rest = table.strip_prefix(MAGIC.as_bytes())?;
        let end = rest.windows(2).position(|pair| pair == b"\n\n")?;
        let (names, mut rest) = (std::str::from_utf8(&rest[..end]).ok()?, &rest[end + 2..]);
        let features: Option<Vec<F>> = names.lines().map(|name| name.parse().ok()).collect();
        let features = features?;
        let mut trees = Vec::new();
        while !rest.is_empty() {
            let tree;
            (tree, rest) = Tree::parse(rest, &features)?;
            trees.push(tree);
        }
        Some(Self(trees))
    }

    /// Returns the sum of the trees' values; `get` returns a feature.
    pub(super) fn value(&self, get: impl Fn(F) -> f32) -> f32 {
        self.0.iter().map(|tree| tree.value(&get)).sum()
    }
}

impl<F: Copy> Tree<F> {
    /// Parses the first tree of `bytes`; returns what is behind it.
    fn parse<'a>(bytes: &'a [u8], features: &[F]) -> Option<(Self, &'a [u8])> {
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
        let splits: Option<Vec<Split<F>>> = splits.chunks_exact(SPLIT_BYTES).map(split).collect();
        let splits = splits?;
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

    fn value(&self, get: &impl Fn(F) -> f32) -> f32 {
        let mut at = if self.splits.is_empty() { FIRST_LEAF } else { 0 };
        while let Some(split) = self.splits.get(usize::from(at)) {
            let is_above = get(split.feature) > split.threshold;
            at = split.children[usize::from(is_above)];
        }
        self.leaves.get(usize::from(at - FIRST_LEAF)).copied().unwrap_or_default()
    }
}
