//! Gradient-boosted regression trees over named features. A table of trees is made by `evals/ranking/` and compiled in.
//!
//! Its form: a magic line, the names of the features that it uses, one a line, and an empty line; then each tree as the
//! number of its splits, the splits, and the values of its leaves, one more than splits. A split is the number of a feature
//! (a byte), a threshold (32 bits), and the children for values up to it and above it (a byte each): splits from 0, leaves
//! from 128. Floats are little-endian.
//!
//! A candidate is not led down tree by tree. For each feature its value is compared with the thresholds of all trees, the lowest first, up
//! to one that is not exceeded; each that is exceeded rules out the leaves on its lower side. The first leaf that is left of a tree is
//! the one that a descent reaches (QuickScorer: Lucchese and others, 2015).

/// The digit is the version of the format.
const MAGIC: &str = "trees 1\n";
/// The first number of a leaf, and the bytes of a split.
const FIRST_LEAF: u8 = 128;
const SPLIT_BYTES: usize = 7;
/// Most splits of a tree: each leaf has a bit.
const MAX_SPLITS: usize = 31;

/// Trees over numbered features.
#[derive(Default)]
pub(super) struct BoostedTrees {
    /// By the number of a feature: the splits that compare it, lowest threshold first.
    splits: Vec<Vec<Split>>,
    /// Where the leaves of each tree begin.
    first_leaves: Vec<u32>,
    /// From the lowest side to the highest.
    leaves: Vec<f32>,
}

struct Split {
    threshold: f32,
    tree: u16,
    /// The leaves that are left if the threshold is exceeded.
    left: u32,
}

/// A tree as it is stored.
struct StoredTree<'a> {
    splits: &'a [u8],
    leaves: &'a [u8],
    /// The numbers of its features.
    features: &'a [u8],
}

impl BoostedTrees {
    /// Parses a table; none for one that is damaged or has features of another program. `number_of` returns the number of a
    /// feature.
    pub(super) fn parse(table: &[u8], number_of: impl Fn(&str) -> Option<usize>) -> Option<Self> {
        let rest = table.strip_prefix(MAGIC.as_bytes())?;
        let end = rest.windows(2).position(|pair| pair == b"\n\n")?;
        let (names, mut rest) = (std::str::from_utf8(&rest[..end]).ok()?, &rest[end + 2..]);
        let number = |name: &str| u8::try_from(number_of(name)?).ok();
        let features: Vec<u8> = names.lines().map(number).collect::<Option<_>>()?;
        let most = features.iter().max().map_or(0, |most| usize::from(*most) + 1);
        let mut trees = Self::default();
        trees.splits.resize_with(most, Vec::new);
        while let Some((count, behind)) = rest.split_first() {
            let count = usize::from(*count);
            let (splits, behind) = behind.split_at_checked(SPLIT_BYTES * count)?;
            let (leaves, behind) = behind.split_at_checked(4 * (count + 1))?;
            trees.add(&StoredTree { splits, leaves, features: &features })?;
            rest = behind;
        }
        for splits in &mut trees.splits {
            splits.sort_by(|one, other| one.threshold.total_cmp(&other.threshold));
        }
        Some(trees)
    }

    /// Returns the sum of the trees' values for the values of all features, by their numbers.
    pub(super) fn value(&self, features: &[f32]) -> f32 {
        let mut left = vec![u32::MAX; self.first_leaves.len()];
        for (value, splits) in features.iter().zip(&self.splits) {
            for split in splits.iter().take_while(|split| *value > split.threshold) {
                if let Some(left) = left.get_mut(usize::from(split.tree)) {
                    *left &= split.left;
                }
            }
        }
        let leaf = |(left, first): (&u32, &u32)| {
            self.leaves.get((first + left.trailing_zeros()) as usize).copied().unwrap_or_default()
        };
        left.iter().zip(&self.first_leaves).map(leaf).sum()
    }

    fn add(&mut self, tree: &StoredTree<'_>) -> Option<()> {
        let count = tree.splits.len() / SPLIT_BYTES;
        let (first, number) = (self.leaves.len(), u16::try_from(self.first_leaves.len()).ok()?);
        self.first_leaves.push(u32::try_from(first).ok()?);
        let root = if count == 0 { FIRST_LEAF } else { 0 };
        self.add_part(tree, root, number)?;
        (count <= MAX_SPLITS && self.leaves.len() == first + count + 1).then_some(())
    }

    /// Adds the part of a tree from a child on. Splits stand in front of their children, which bounds the recursion.
    fn add_part(&mut self, tree: &StoredTree<'_>, child: u8, number: u16) -> Option<()> {
        let float = |bytes: &[u8]| bytes.first_chunk::<4>().map(|bytes| f32::from_le_bytes(*bytes));
        let first = *self.first_leaves.last()? as usize;
        if let Some(leaf) = child.checked_sub(FIRST_LEAF) {
            self.leaves.push(float(tree.leaves.get(4 * usize::from(leaf)..)?)?);
            // A damaged tree could lead to its leaves again and again.
            return (self.leaves.len() - first <= MAX_SPLITS + 1).then_some(());
        }
        let split = tree.splits.chunks_exact(SPLIT_BYTES).nth(usize::from(child))?;
        let (lower, upper) = (*split.get(5)?, *split.get(6)?);
        let feature = *tree.features.get(usize::from(*split.first()?))?;
        let threshold = float(split.get(1..)?)?;
        if lower <= child || upper <= child {
            return None;
        }
        let start = self.leaves.len() - first;
        self.add_part(tree, lower, number)?;
        let end = self.leaves.len() - first;
        let ruled_out = ((1_u64 << end) - (1_u64 << start)) as u32;
        self.splits.get_mut(usize::from(feature))?.push(Split {
            threshold,
            tree: number,
            left: !ruled_out,
        });
        self.add_part(tree, upper, number)
    }
}
