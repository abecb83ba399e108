//! Corroboration: a file with several passages that fit is more likely meant than a file with one passage that fits as
//! well. A name that many of the first passages have hardly tells which of them is meant.

use rustc_hash::FxHashMap;

use super::candidate_pool::{ScoredCandidate, ScoredPool, sort};
use crate::{candidate::Candidate, query::ParsedQuery, score_parts::ScorePart};
use retriever_workspace::{LineRange, RepoPath};

/// Names are counted among so many first candidates. If more than `MAX_WITH_NAME` have one name, each loses the share
/// `COMMON_NAME` of its score.
const NAMED: usize = 60;
const MAX_WITH_NAME: usize = 3;
const COMMON_NAME: f64 = 0.1;
/// Further passages of a file that speak for it, and the share of their own points that all its passages get.
const MAX_WITNESSES: usize = 2;
const CORROBORATION: f64 = 0.3;

/// Passages of a file that do not overlap, best first, and the own points of those behind the first.
#[derive(Default)]
struct Witnesses {
    ranges: Vec<LineRange>,
    points: f64,
}

impl Witnesses {
    fn add(&mut self, candidate: &Candidate, range: LineRange) {
        // What overlaps another passage was counted with it.
        let is_new = !self.ranges.iter().any(|known| known.overlaps(range));
        if is_new && self.ranges.len() <= MAX_WITNESSES {
            if !self.ranges.is_empty() {
                self.points += candidate.score.sum_of(|part| !part.is_of_file()).max(0.0);
            }
            self.ranges.push(range);
        }
    }
}

/// Adds to the scores of the pool and sorts it; it is sorted before, too. A question that points at lines, as a stack trace
/// does, needs no corroboration.
pub(crate) fn corroborate(query: &ParsedQuery, pool: &mut ScoredPool) {
    discount_common_names(pool);
    if query.mentions.iter().any(|mention| mention.line.is_some()) {
        return;
    }
    let mut files: FxHashMap<&RepoPath, Witnesses> = FxHashMap::default();
    for scored in pool.iter() {
        let candidate = &scored.candidate;
        if let Some(range) = candidate.range {
            files.entry(&candidate.file.path).or_default().add(candidate, range);
        }
    }
    let points = |scored: &ScoredCandidate| {
        let witnesses = files.get(&scored.candidate.file.path);
        CORROBORATION * witnesses.map_or(0.0, |witnesses| witnesses.points)
    };
    let points: Vec<f64> = pool.iter().map(|scored| points(scored)).collect();
    for (scored, points) in pool.iter_mut().zip(points) {
        scored.candidate.score.add(ScorePart::Corroboration, points);
    }
    sort(pool);
}

/// Takes a share from candidates whose name many of the first have.
fn discount_common_names(pool: &mut ScoredPool) {
    let mut with_name: FxHashMap<&str, usize> = FxHashMap::default();
    for name in pool.iter().take(NAMED).filter_map(|scored| scored.name()) {
        *with_name.entry(name).or_default() += 1;
    }
    with_name.retain(|_, count| *count > MAX_WITH_NAME);
    let is_common =
        |scored: &ScoredCandidate| scored.name().is_some_and(|name| with_name.contains_key(name));
    let is_common: Vec<bool> = pool.iter().map(|scored| is_common(scored)).collect();
    for (scored, _) in pool.iter_mut().zip(&is_common).filter(|(_, is_common)| **is_common) {
        let score = &mut scored.candidate.score;
        score.add(ScorePart::CommonName, -COMMON_NAME * score.total());
    }
    if is_common.contains(&true) {
        sort(pool);
    }
}
