//! Chooses candidates from the pool so that no file, no name and no copied code fills the first places. A change
//! concerns several files, and one place is enough to show each. A declaration that gets no place of its own is added
//! to the place next to it if it fits nearly as well.

use rustc_hash::FxHashMap;

use super::candidate_pool::{ScoredCandidate, ScoredPool, by_score};
use crate::{candidate::Candidate, query::ParsedQuery};
use retriever_workspace::{LineRange, RepoPath};

/// Most candidates of a search.
const MAX_CANDIDATES: usize = 60;
/// The places that a reader looks at first, and how many of them may have one name.
const FIRST: usize = 8;
const FIRST_OF_NAME: usize = 3;
/// Candidates of one file in general, and if it is asked where a change has to be made.
const USUAL: FileLimits = FileLimits { first: 3, all: 6 };
const OF_CHANGE: FileLimits = FileLimits { first: 1, all: 3 };

/// Fewest lines of code that can be told to be a copy, and by how many percent the length of a copy may differ.
const MIN_COPY_LINES: u32 = 4;
const COPY_PERCENT: u32 = 5;

/// Share of a place's points that a declaration needs to become part of it.
const ADJACENT_SHARE: f64 = 0.6;

/// How many candidates may be of one file.
#[derive(Clone, Copy)]
struct FileLimits {
    /// Among the first places.
    first: usize,
    /// In all.
    all: usize,
}

/// Takes the best candidates. Those whose lines overlap a better one of the same file are dropped.
pub(crate) fn diversify(query: &ParsedQuery, pool: ScoredPool) -> ScoredPool {
    let limits = if query.scope.wants_change { OF_CHANGE } else { USUAL };
    let mut chosen = Chosen::default();
    for scored in pool {
        chosen.add(scored, limits);
    }
    let Chosen { mut taken, waiting, left_out, .. } = chosen;
    // They are many, and freeing them takes longer than the choice.
    rayon::spawn(move || drop(left_out));
    let mut rest = taken.split_off(taken.len().min(FIRST));
    rest.extend(waiting);
    rest.sort_by(|one, other| by_score(&one.candidate, &other.candidate));
    taken.extend(rest);
    taken.truncate(MAX_CANDIDATES);
    taken
}

#[derive(Default)]
struct Chosen {
    taken: ScoredPool,
    /// Kept out of the first places.
    waiting: ScoredPool,
    /// Candidates of each file, and those of them that are taken.
    of_file: FxHashMap<RepoPath, (usize, usize)>,
    taken_of_name: FxHashMap<String, usize>,
    left_out: ScoredPool,
}

impl Chosen {
    fn add(&mut self, scored: Box<ScoredCandidate>, limits: FileLimits) {
        let path = &scored.candidate.file.path;
        let (of_file, taken_of_file) = self.of_file.get(path).copied().unwrap_or_default();
        if of_file > 0 && self.overlaps(&scored) {
            self.left_out.push(scored);
            return;
        }
        if of_file >= limits.all || self.taken.len() >= MAX_CANDIDATES {
            match self.place_next_to(&scored.candidate) {
                Some(place) => place.candidate.adjacent.push(scored.candidate),
                None => self.left_out.push(scored),
            }
            return;
        }
        let is_copy = self.taken.iter().any(|taken| are_copies(taken, &scored));
        let name = scored.name().unwrap_or_default();
        let of_name = self.taken_of_name.entry(name.to_owned()).or_default();
        let name_is_full = !name.is_empty() && *of_name >= FIRST_OF_NAME;
        let is_crowded = taken_of_file >= limits.first || name_is_full || is_copy;
        let counts = self.of_file.entry(path.clone()).or_default();
        counts.0 += 1;
        if self.taken.len() < FIRST && is_crowded {
            self.waiting.push(scored);
            return;
        }
        counts.1 += 1;
        *of_name += 1;
        self.taken.push(scored);
    }

    /// Returns the best place that a declaration stands next to and becomes part of.
    fn place_next_to(&mut self, candidate: &Candidate) -> Option<&mut ScoredCandidate> {
        let is_declared = !candidate.symbols.is_empty() && candidate.part_of.is_none();
        if !is_declared || !self.of_file.contains_key(&candidate.file.path) {
            return None;
        }
        let points = candidate.score.total();
        let places = self.taken.iter_mut().chain(&mut self.waiting);
        let mut of_file = places.filter(|place| place.candidate.file.path == candidate.file.path);
        let adjacent = of_file.find(|place| {
            points >= ADJACENT_SHARE * place.total() && place.candidate.can_take_in(candidate)
        });
        adjacent.map(AsMut::as_mut)
    }

    fn overlaps(&self, scored: &ScoredCandidate) -> bool {
        let candidate = &scored.candidate;
        let mut chosen = self.taken.iter().chain(&self.waiting).map(|other| &other.candidate);
        chosen.any(|other| {
            other.file.path == candidate.file.path
                && matches!((other.range, candidate.range), (Some(a), Some(b)) if a.overlaps(b))
        })
    }
}

/// Whether two candidates are the same code in two files, such as in copies for several versions of a platform: the same
/// declaration of the same owner, about as long, with the same words of the question.
fn are_copies(one: &ScoredCandidate, other: &ScoredCandidate) -> bool {
    fn declared(candidate: &Candidate) -> Option<(&str, &str)> {
        let name = candidate.symbols.first()?.name.as_str();
        candidate.signature.as_ref().map(|(_, line)| (name, line.as_str()))
    }
    let have_same_terms = one.main_terms == other.main_terms;
    let (one, other) = (&one.candidate, &other.candidate);
    let lines = |candidate: &Candidate| candidate.range.map_or(0, LineRange::width);
    let (short, long) = (lines(one).min(lines(other)), lines(one).max(lines(other)));
    short >= MIN_COPY_LINES
        && (long - short) * 100 <= long * COPY_PERCENT
        && one.file.path != other.file.path
        && one.owner == other.owner
        && have_same_terms
        && declared(one).is_some()
        && declared(one) == declared(other)
}
