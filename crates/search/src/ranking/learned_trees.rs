//! The learned judge of places: regression trees over [`FeatureVector`], learnt from where fixes were made and what comments said, which put
//! the places of a file in order; which files come first is said by points. The table is made by `evals/ranking/` and checked in.

use std::{collections::BTreeMap, sync::LazyLock};

use rayon::prelude::*;

use crate::{
    candidates::better,
    ranking::features::{Feature, Found},
};
use retriever_workspace::RepoPath;

/// The table: its magic, the names of the facts that it asks for, each with a line end, and an empty line; then each tree as the
/// number of its forks, these, and its leaves' points, one more than forks. A fork is a fact (a byte), a bound (32 bits), and
/// where to go up to it and above it (a byte each): forks from 0, leaves from 128. Numbers have their little end first.
const TABLE: &[u8] = include_bytes!("learned_trees.bin");
/// How it begins; the number counts its forms.
const MAGIC: &str = "forest 1\n";
/// The first of a survey's places by points that are judged.
const JUDGED: usize = 300;
/// What the share of the best place's points counts beside the trees.
const BY_HAND: f32 = 6.0;
/// Where leaves begin, and the bytes of a fork.
const LEAVES: u8 = 128;
const FORK: usize = 7;

struct Fork {
    fact: Feature,
    bound: f32,
    ways: [u8; 2],
}

struct Tree {
    forks: Vec<Fork>,
    leaves: Vec<f32>,
}

fn forest() -> &'static [Tree] {
    static FOREST: LazyLock<Vec<Tree>> = LazyLock::new(|| read(TABLE).unwrap_or_default());
    &FOREST
}

/// Reads the table; one that isn't whole gives nothing.
fn read(table: &[u8]) -> Option<Vec<Tree>> {
    let rest = table.strip_prefix(MAGIC.as_bytes())?;
    let end = rest.windows(2).position(|pair| pair == b"\n\n")?;
    let (names, mut rest) = (std::str::from_utf8(&rest[..end]).ok()?, &rest[end + 2..]);
    let facts: Vec<Feature> = names.lines().map(str::parse).collect::<Result<_, _>>().ok()?;
    let number = |bytes: &[u8]| bytes.first_chunk::<4>().map(|bytes| f32::from_le_bytes(*bytes));
    let mut trees = Vec::new();
    while let Some((count, after)) = rest.split_first() {
        let count = usize::from(*count);
        let (forks, after) = after.split_at_checked(FORK * count)?;
        let (leaves, after) = after.split_at_checked(4 * (count + 1))?;
        let fork = |bytes: &[u8]| {
            let ways = [*bytes.get(5)?, *bytes.get(6)?];
            // A tree's forks stand above those that they lead to, so that every way ends.
            let fact = *facts.get(usize::from(*bytes.first()?))?;
            Some(Fork { fact, bound: number(bytes.get(1..)?)?, ways })
        };
        let forks = forks.chunks_exact(FORK).map(fork).collect::<Option<Vec<Fork>>>()?;
        let is_whole = forks.iter().zip(0_u8..).all(|(fork, at)| {
            fork.ways.iter().all(|way| match way.checked_sub(LEAVES) {
                Some(leaf) => usize::from(leaf) <= count,
                None => *way > at && usize::from(*way) < count,
            })
        });
        let leaves = leaves.chunks_exact(4).map(number).collect::<Option<Vec<f32>>>()?;
        if !is_whole {
            return None;
        }
        trees.push(Tree { forks, leaves });
        rest = after;
    }
    Some(trees)
}

impl Tree {
    fn points(&self, found: &Found) -> f32 {
        let mut at = if self.forks.is_empty() { LEAVES } else { 0 };
        while let Some(fork) = self.forks.get(usize::from(at)) {
            at = fork.ways[usize::from(found.facts.get(fork.fact) > fork.bound)];
        }
        self.leaves.get(usize::from(at - LEAVES)).copied().unwrap_or_default()
    }
}

/// Puts the places of each file into the order that the trees say, of the first of `found`, which are in the order of points. The
/// points stay what they are and are handed on to the file's places in their new order, so that what a total means doesn't
/// change; the difference is a part of the score.
pub(crate) fn reorder(found: &mut [Box<Found>]) {
    let first = found.len().min(JUDGED);
    let found = &mut found[..first];
    let judge = |one: &Found| {
        let by_hand = BY_HAND * one.facts.get(Feature::PointsShare);
        by_hand + forest().iter().map(|tree| tree.points(one)).sum::<f32>()
    };
    let judged: Vec<f32> = found.par_iter().map(|one| judge(one)).collect();
    let mut files: BTreeMap<&RepoPath, Vec<(f32, usize)>> = BTreeMap::new();
    for (at, (one, points)) in found.iter().zip(judged).enumerate() {
        files.entry(&one.candidate.file.path).or_default().push((points, at));
    }
    let mut totals: Vec<(usize, f64)> = Vec::with_capacity(first);
    for places in files.values_mut() {
        let of_file = places.iter().map(|(_, at)| found[*at].candidate.score.total());
        let of_file: Vec<f64> = of_file.collect();
        places.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        totals.extend(places.iter().map(|(_, at)| *at).zip(of_file));
    }
    for (at, total) in totals {
        let score = &mut found[at].candidate.score;
        score.add("learned", total - score.total());
    }
    found.sort_by(|one, other| better(&one.candidate, &other.candidate));
}
