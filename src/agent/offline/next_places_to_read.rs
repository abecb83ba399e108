//! Places to read after those of an offline report: the rest of a function that is cited in part, callees and callers
//! of the first places, and tests that call them.

use super::{candidate_groups::CandidateGroup, read_candidates::code_span};
use crate::agent::offline_driver_trait::OfflineState;
use retriever_report::{DraftReadTarget, MAX_PLACE_LINES};
use retriever_search::{CallNeighbour, CallRelation, Intent, ParsedQuery, PlaceRole, Question};
use retriever_workspace::{LineRange, RepoPath};

/// Number of first primary places whose neighbours are considered.
const MAX_ORIGINS: usize = 3;
/// Least number of lines of a function that is read separately.
const MIN_LINES: u32 = 4;

/// A place that belongs to a primary one, or is its caller or callee.
pub(super) struct NextPlaceToRead<'a> {
    path: &'a RepoPath,
    /// Its lines, as many as one read returns.
    range: LineRange,
    /// The function's name, unless it is a test or told by another name.
    name: Option<&'a str>,
    purpose: String,
}

/// Returns the places to read next, that no place of `cited` overlaps: the rest of the first primary function that is cited in part,
/// and the function that says most about the first primary place that has one: for an answer one that it calls, if there is
/// any. For a change or a fault also a test that calls one; for an answer only if tests are asked for and nothing else is found.
pub(super) fn next_places<'a>(
    question: &Question,
    primary: &[&CandidateGroup<'a>],
    cited: &[&CandidateGroup<'a>],
) -> Vec<NextPlaceToRead<'a>> {
    let is_new = |path: &RepoPath, range: LineRange| {
        let is_cited = |place: &&CandidateGroup<'a>| {
            place.path() == path.as_str() && place.range().overlaps(range)
        };
        range.width() >= MIN_LINES && !cited.iter().any(is_cited)
    };
    let origins = || primary.iter().take(MAX_ORIGINS);
    let first = |relations: &[CallRelation]| {
        let is_wanted =
            |it: &&CallNeighbour| relations.contains(&it.relation) && is_new(&it.path, it.range);
        origins().find_map(|origin| {
            NextPlaceToRead::of_neighbour(origin.neighbours().find(is_wanted)?, origin)
        })
    };
    let is_for_answer = question.intent == Intent::Answer;
    let scope = ParsedQuery::of(question).scope;
    let wants_test =
        !is_for_answer || scope.wants_tests || question.roles.contains(&PlaceRole::Test);
    let code = if is_for_answer {
        first(&[CallRelation::Callee, CallRelation::Constructor])
            .or_else(|| first(&[CallRelation::Caller]))
    } else {
        first(&[CallRelation::Callee, CallRelation::Constructor, CallRelation::Caller])
    };
    let test = first(&[CallRelation::Test]).filter(|_| wants_test);
    let joined = code.into_iter().chain(test).take(if is_for_answer { 1 } else { 2 });
    let mut rests = origins().filter_map(|origin| NextPlaceToRead::rest_of(origin));
    rests.find(|rest| is_new(rest.path, rest.range)).into_iter().chain(joined).collect()
}

impl<'a> NextPlaceToRead<'a> {
    /// Returns the lines of a long function after the cited ones.
    fn rest_of(cited: &CandidateGroup<'a>) -> Option<Self> {
        let declaration = cited.candidate.part_of.as_ref()?;
        let name = code_span(&declaration.name)?;
        let range = first_lines(cited.range().end() + 1, declaration.range.end())?;
        let purpose = format!("see the rest of {name}");
        Some(Self { path: &cited.candidate.file.path, range, name: None, purpose })
    }

    /// Returns `None` for names that a text cannot contain as code.
    fn of_neighbour(neighbour: &'a CallNeighbour, origin: &CandidateGroup<'a>) -> Option<Self> {
        let (name, origin) = (code_span(&neighbour.name)?, code_span(origin.name()?)?);
        let purpose = match neighbour.relation {
            CallRelation::Callee => format!("see {name}, which {origin} calls"),
            CallRelation::Constructor => format!("see {name}, which {origin} makes"),
            CallRelation::Caller => format!("see {name}, which calls {origin}"),
            CallRelation::Test => format!("see {name}, a test that calls {origin}"),
        };
        let range = first_lines(neighbour.range.start(), neighbour.range.end())?;
        let is_named = matches!(neighbour.relation, CallRelation::Callee | CallRelation::Caller);
        let name = is_named.then_some(neighbour.name.as_str());
        Some(Self { path: &neighbour.path, range, name, purpose })
    }

    pub(super) fn path(&self) -> &'a str {
        self.path.as_str()
    }

    pub(super) const fn range(&self) -> LineRange {
        self.range
    }

    /// Returns the lines of a cited place with this caller or callee, if they may be one place.
    pub(super) fn lines_with(&self, cited: &CandidateGroup<'a>) -> Option<LineRange> {
        let is_beside = self.name.is_some() && cited.path() == self.path();
        cited.lines_with(self.range).filter(|_| is_beside)
    }

    /// Makes it a part of a cited place, whose lines are `range` then.
    pub(super) fn join(&self, cited: &mut CandidateGroup<'a>, range: LineRange) {
        if let Some(name) = self.name {
            cited.take_in(name, self.range, range);
        }
    }

    /// Takes the lines of a further place around it that is hardly wider, since only one of them is told.
    pub(super) fn join_further(&mut self, further: &[&CandidateGroup<'a>]) {
        let mut around = further.iter().filter(|place| place.range().covers(self.range));
        if let Some(lines) = around.find_map(|place| self.lines_with(place)) {
            self.range = lines;
        }
    }

    /// Returns the place as a read target if it was read.
    pub(super) fn read_target(&self, state: &OfflineState<'_>) -> Option<DraftReadTarget> {
        let read = &state.ledger.file(self.path)?.read;
        let range = read.longest_within(self.range)?;
        let reference = format!("{}:{range}", self.path());
        Some(DraftReadTarget { reference, purpose: self.purpose.clone(), required: false })
    }
}

/// Returns the lines from `start` to `end`, as many as one read returns.
pub(super) fn first_lines(start: u32, end: u32) -> Option<LineRange> {
    LineRange::new(start, end.min(start.saturating_add(MAX_PLACE_LINES - 1)))
}
