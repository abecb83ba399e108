//! The best candidates are separate places, each with its own reason. A further candidate beside one of them in its
//! file becomes part of that place, which a reader opens anyhow.

use retriever_search::{CallNeighbour, Candidate, PlaceRole};
use retriever_workspace::LineRange;

/// Most candidates that are separate places.
pub(super) const MAX_PLACES: usize = 12;
/// Most further candidates that may join them.
pub(super) const MAX_FURTHER: usize = 8;
/// Most lines of a joined place.
const MAX_LINES: u32 = 60;
/// Most lines between two candidates of a joined place.
const MAX_LINES_BETWEEN: u32 = 5;
/// Most width of a place, as a multiple of its narrowest candidate, so that none of them is lost in it.
const MAX_WIDTH_FACTOR: u32 = 3;

/// Candidates that form one place.
#[derive(Clone)]
pub(super) struct CandidateGroup<'a> {
    /// The best of them.
    pub(super) candidate: &'a Candidate,
    /// The others, best first.
    others: Vec<&'a Candidate>,
    /// The callers and callees beside them that the place holds as well.
    neighbours_inside: Vec<&'a str>,
    /// The lines of all that were delivered by reading.
    range: LineRange,
    narrowest: u32,
}

impl<'a> CandidateGroup<'a> {
    pub(super) fn alone(candidate: &'a Candidate, range: LineRange) -> Self {
        Self {
            candidate,
            others: Vec::new(),
            neighbours_inside: Vec::new(),
            range,
            narrowest: range.width(),
        }
    }

    pub(super) fn path(&self) -> &'a str {
        self.candidate.file.path.as_str()
    }

    pub(super) const fn range(&self) -> LineRange {
        self.range
    }

    pub(super) fn reference(&self) -> String {
        format!("{}:{}-{}", self.path(), self.range.start(), self.range.end())
    }

    /// Returns the candidates, best first.
    pub(super) fn candidates(&self) -> impl Iterator<Item = &'a Candidate> {
        std::iter::once(self.candidate).chain(self.others.iter().copied())
    }

    /// Whether one of the candidates has a role.
    pub(super) fn has_role(&self, role: PlaceRole) -> bool {
        self.candidates().any(|candidate| candidate.shown_roles.contains(&role))
    }

    /// Returns the name of the best candidate's declaration.
    pub(super) fn name(&self) -> Option<&'a str> {
        self.candidate.symbols.first().map(|symbol| symbol.name.as_str())
    }

    /// Returns the callers and callees.
    pub(super) fn neighbours(&self) -> impl Iterator<Item = &'a CallNeighbour> + use<'a> {
        self.candidate.graph.iter().flat_map(|graph| &graph.neighbours)
    }

    /// Returns the names of callers and callees that the place holds beside its candidates.
    pub(super) fn names_of_neighbours_inside(&self) -> impl Iterator<Item = &'a str> {
        self.neighbours_inside.iter().copied()
    }

    /// Returns the lines of the place with a function of its file that stands beside it.
    pub(super) fn lines_with(&self, function: LineRange) -> Option<LineRange> {
        self.span_of_both(function, function.width())
    }

    /// Takes a caller or callee into the place, whose lines are `range` then.
    pub(super) fn take_in(&mut self, name: &'a str, function: LineRange, range: LineRange) {
        self.narrowest = self.narrowest.min(function.width());
        self.range = range;
        self.neighbours_inside.push(name);
    }

    /// Returns the lines of both, if they may be one place.
    fn with(&self, other: &Self) -> Option<LineRange> {
        let is_of_one_kind = self.candidate.file.path == other.candidate.file.path
            && self.candidate.is_test() == other.candidate.is_test();
        self.span_of_both(other.range, other.narrowest).filter(|_| is_of_one_kind)
    }

    /// Returns the lines of this place and of others in its file, if they are close and narrow enough to be one place.
    fn span_of_both(&self, next: LineRange, narrowest: u32) -> Option<LineRange> {
        let one = self.range;
        let range = one.span(next);
        let between = one
            .start()
            .max(next.start())
            .saturating_sub(one.end().min(next.end()).saturating_add(1));
        let narrowest = self.narrowest.min(narrowest);
        let is_tight = range.width() <= MAX_LINES.min(narrowest.saturating_mul(MAX_WIDTH_FACTOR));
        (is_tight && between <= MAX_LINES_BETWEEN).then_some(range)
    }
}

/// Joins each of the further candidates to the best one beside it. `may_join` decides by the lines of both.
pub(super) fn joined<'a>(
    candidates: impl Iterator<Item = (&'a Candidate, LineRange)>,
    may_join: impl Fn(&Candidate, LineRange) -> bool,
) -> Vec<CandidateGroup<'a>> {
    let mut groups: Vec<CandidateGroup<'a>> = Vec::new();
    for (rank, (candidate, range)) in candidates.enumerate() {
        let own = CandidateGroup::alone(candidate, range);
        let mut better = groups.iter_mut().filter(|_| rank >= MAX_PLACES);
        let beside = better.find_map(|group| {
            let range = group.with(&own).filter(|range| may_join(candidate, *range))?;
            Some((group, range))
        });
        match beside {
            Some((group, range)) => {
                group.range = range;
                group.narrowest = group.narrowest.min(own.narrowest);
                group.others.push(candidate);
            }
            None => groups.push(own),
        }
    }
    groups
}
