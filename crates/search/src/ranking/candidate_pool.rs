//! The pool: every candidate that a search chooses from, with its features.

use std::cmp::Ordering;

use super::ranking_features::FeatureVector;
use crate::{candidate::Candidate, index::TermHit};

/// A candidate with its features.
#[derive(Clone, Debug)]
pub struct ScoredCandidate {
    /// The candidate.
    pub candidate: Candidate,
    /// What ranking knows of it.
    pub features: FeatureVector,
    /// Where the query's terms stand in it.
    pub(crate) hits: Vec<TermHit>,
    /// The terms that are worth most in it, the heaviest first.
    pub(super) main_terms: Vec<u8>,
}

impl ScoredCandidate {
    /// Returns a candidate without features or hits.
    pub(super) fn bare(candidate: Candidate) -> Box<Self> {
        Box::new(Self {
            candidate,
            features: FeatureVector::default(),
            hits: Vec::new(),
            main_terms: Vec::new(),
        })
    }

    pub(super) fn total(&self) -> f64 {
        self.candidate.score.total()
    }

    /// Returns the name of what is declared there.
    pub(super) fn name(&self) -> Option<&str> {
        self.candidate.symbols.first().map(|symbol| symbol.name.as_str())
    }
}

/// Candidates. They are boxed, since sorting moves them often.
pub(crate) type ScoredPool = Vec<Box<ScoredCandidate>>;

/// Sorts candidates, best first, see [`by_score`].
pub(crate) fn sort(pool: &mut ScoredPool) {
    // Each total is summed once.
    let totals: Vec<f64> = pool.iter().map(|scored| scored.total()).collect();
    let mut order: Vec<usize> = (0..pool.len()).collect();
    order.sort_by(|one, other| {
        let by_place = || by_place(&pool[*one].candidate, &pool[*other].candidate);
        totals[*other].total_cmp(&totals[*one]).then_with(by_place)
    });
    let mut unsorted: Vec<Option<Box<ScoredCandidate>>> = pool.drain(..).map(Some).collect();
    pool.extend(order.into_iter().filter_map(|at| unsorted[at].take()));
}

/// Orders by score, best first, and equals by path and line.
pub(super) fn by_score(one: &Candidate, other: &Candidate) -> Ordering {
    other.score.total().total_cmp(&one.score.total()).then_with(|| by_place(one, other))
}

fn by_place(one: &Candidate, other: &Candidate) -> Ordering {
    let lines = |candidate: &Candidate| candidate.range.map(|range| (range.start(), range.end()));
    one.file.path.cmp(&other.file.path).then_with(|| lines(one).cmp(&lines(other)))
}
