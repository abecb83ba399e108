//! What is worth reading after the places of an offline report: what the first of them call, what calls them, and the tests
//! that do.

use super::delivered_candidate::{DeliveredCandidate, MAX_READ_LINES, code_span};
use crate::agent::offline_driver::OfflineState;
use retriever_report::DraftReadTarget;
use retriever_search::{CallNeighbour, CallRelation, Intent};
use retriever_workspace::LineRange;

/// First primary places whose neighbours are considered.
const MAX_ORIGINS: usize = 3;
/// Lines from which on a function is worth a read of its own.
const MIN_LINES: u32 = 4;

/// A place that is joined to a primary one by a call.
pub(super) struct NextPlace<'a> {
    neighbour: &'a CallNeighbour,
    /// Its lines, as many as are read at once.
    range: LineRange,
    /// The names of the place and of the primary one, as code.
    names: (String, String),
}

/// Returns the place to read next, that no place of `cited` overlaps: the function that says most about the first primary place
/// that has one, else a test that calls one. For a change or a fault both.
pub(super) fn next_places<'a>(
    intent: Intent,
    primary: &[&DeliveredCandidate<'a>],
    cited: &[&DeliveredCandidate<'a>],
) -> Vec<NextPlace<'a>> {
    let is_new = |neighbour: &CallNeighbour| {
        neighbour.range.width() >= MIN_LINES
            && !cited.iter().any(|place| {
                place.path() == neighbour.path.as_str() && place.range().overlaps(neighbour.range)
            })
    };
    let best = |origin: &&DeliveredCandidate<'a>, is_test: bool| {
        let mut neighbours = origin.neighbours();
        let found =
            neighbours.find(|it| (it.relation == CallRelation::Test) == is_test && is_new(it))?;
        NextPlace::new(found, origin)
    };
    let origins = || primary.iter().take(MAX_ORIGINS);
    let first = |is_test| origins().find_map(|origin| best(origin, is_test));
    let places = first(false).into_iter().chain(first(true));
    places.take(if intent == Intent::Answer { 1 } else { 2 }).collect()
}

impl<'a> NextPlace<'a> {
    /// Returns none for names that a text cannot hold as code.
    fn new(neighbour: &'a CallNeighbour, origin: &DeliveredCandidate<'a>) -> Option<Self> {
        let names = (code_span(&neighbour.name)?, code_span(origin.name()?)?);
        let start = neighbour.range.start();
        let end = neighbour.range.end().min(start.saturating_add(MAX_READ_LINES - 1));
        Some(Self { neighbour, range: LineRange::new(start, end)?, names })
    }

    pub(super) fn path(&self) -> &'a str {
        self.neighbour.path.as_str()
    }

    pub(super) const fn range(&self) -> LineRange {
        self.range
    }

    /// Returns the place as a read target if it was read.
    pub(super) fn read_target(&self, state: &OfflineState<'_>) -> Option<DraftReadTarget> {
        let read = &state.ledger.file(&self.neighbour.path)?.read;
        let range = read.longest_within(self.range)?;
        let (name, origin) = &self.names;
        let purpose = match self.neighbour.relation {
            CallRelation::Callee => format!("see {name}, which {origin} calls"),
            CallRelation::Caller => format!("see {name}, which calls {origin}"),
            CallRelation::Test => format!("see {name}, a test that calls {origin}"),
        };
        let reference = format!("{}:{range}", self.path());
        Some(DraftReadTarget { reference, purpose, required: false })
    }
}
