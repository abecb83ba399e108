//! The first place for a question where to make a change: the one that would be first for a question how it works. There the
//! change is understood; behind it come the places where something is declared, registered and used.

use super::{
    candidate_pool::{ScoredCandidate, ScoredPool},
    passage_scorer::points_of_work,
    ranking_features::RankingFeature,
};

/// Candidates of which one may lead.
const MAY_LEAD: usize = 40;
/// The parts of a score that a passage has by itself.
const OWN_PARTS: &[&str] =
    &["name", "whole name", "body", "together", "owner", "no declaration", "meaning", "line"];

/// Puts the candidate first that does most of the work. The pool is sorted by scores without it.
pub(crate) fn lead_with_work(pool: &mut ScoredPool) {
    let value = |scored: &ScoredCandidate| {
        let score = &scored.candidate.score;
        let own: f64 = OWN_PARTS.iter().map(|part| score.get(part)).sum();
        score.total() + points_of_work(f64::from(scored.features.get(RankingFeature::Work)), own)
    };
    let first = pool.iter().take(MAY_LEAD).map(|scored| value(scored)).enumerate();
    let leader = first.max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(&one.0)));
    if let Some((at, _)) = leader {
        pool[..=at].rotate_right(1);
    }
}
