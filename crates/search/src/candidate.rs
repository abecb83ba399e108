//! A candidate: a place that may answer a query, with everything that says why.

use std::collections::BTreeSet;

use crate::{
    declarations::Declaration,
    query::{PlaceRole, RequestedPlaceKinds},
    score_parts::{ScorePart, ScoreParts},
};
use retriever_workspace::{FileVersion, LineRange, RepoPath};

/// Most lines of a place with the declarations next to it, and most lines between two of them.
const MAX_JOINED_LINES: u32 = 40;
const MAX_LINES_BETWEEN: u32 = 5;
/// Most width of such a place, as a multiple of its narrowest part, so that no part is lost in it.
const MAX_WIDTH_FACTOR: u32 = 3;

/// The channel that found a candidate first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CandidateSource {
    /// The code graph.
    Graph,
    /// Names and words in the text.
    Lexical,
    /// The path.
    Path,
    /// A line that publishes a name: a route, a command, a registration.
    EntryPoint,
    /// A search for a text that the question quotes.
    Grep,
    /// A path the caller gave.
    Hint,
}

/// A named thing inside a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its own name.
    pub name: String,
    /// Its kind in the language's terms.
    pub kind: String,
    /// The line that names it.
    pub line: u32,
}

/// What the code graph says of a candidate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallGraphFeatures {
    /// Number of incoming edges.
    pub inbound: u32,
    /// Number of outgoing edges.
    pub outbound: u32,
    /// The functions around one of the first candidates that say most about it, best first, and few of each relation.
    pub neighbours: Vec<CallNeighbour>,
}

/// How a function is joined to a candidate by a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallRelation {
    /// The candidate calls it.
    Callee,
    /// The candidate makes objects by it; its name is that of their type.
    Constructor,
    /// It calls the candidate.
    Caller,
    /// It is a test, and calls the candidate.
    Test,
}

/// A function that a candidate calls, or that calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallNeighbour {
    /// How it is joined to the candidate.
    pub relation: CallRelation,
    /// Its own name, or that of the type whose objects it makes.
    pub name: String,
    /// Its file.
    pub path: RepoPath,
    /// Its lines.
    pub range: LineRange,
}

/// A place that may answer a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The file, as it was when the candidate was found.
    pub file: FileVersion,
    /// The lines; `None` when only the file is known.
    pub range: Option<LineRange>,
    /// What is declared there.
    pub symbols: Vec<Symbol>,
    /// The declaration that the lines are a part of, when it is too long to be a place itself.
    pub part_of: Option<Declaration>,
    /// Declarations of the file that stand next to it, fit nearly as well, and have no room of their own.
    pub adjacent: Vec<Candidate>,
    /// The declaration around it.
    pub owner: Option<String>,
    /// The line that stands for it, clipped: number and text. A declaration's own line, else the line of the range that
    /// matches best.
    pub signature: Option<(u32, String)>,
    /// Why it ranks where it ranks.
    pub score: ScoreParts,
    /// The channel that found it first.
    pub source: CandidateSource,
    /// Names of several words in its lines that hold words of the question or related ones, as the code spells them, the heaviest
    /// first.
    pub matching_names: Vec<String>,
    /// What led to it beside its words: `calls save`, `text "not found"`.
    pub provenance: Vec<String>,
    /// Graph features, when there is a graph.
    pub graph: Option<CallGraphFeatures>,
    /// Whether it is a test inside a file that is not one of tests.
    pub in_test: bool,
    /// Roles it may play.
    pub evidence_roles: BTreeSet<PlaceRole>,
    /// The roles among them that its name, its form, its file or its edges show; words in its text are not enough.
    pub shown_roles: BTreeSet<PlaceRole>,
    /// The role with the most evidence; of the requested roles, if it may play one of them.
    pub leading_role: Option<PlaceRole>,
}

impl Candidate {
    /// Returns the lines of the place with the declarations next to it.
    pub fn place_lines(&self) -> Option<LineRange> {
        let adjacent = self.adjacent.iter().filter_map(|other| other.range);
        Some(adjacent.fold(self.range?, LineRange::span))
    }

    /// Whether a declaration of the same file may become part of the place.
    pub(crate) fn can_take_in(&self, other: &Self) -> bool {
        let Some((lines, added)) = self.place_lines().zip(other.range) else { return false };
        let parts = self.adjacent.iter().chain([self, other]).filter_map(|part| part.range);
        let narrowest = parts.map(LineRange::width).min().unwrap_or_default();
        let widest = MAX_JOINED_LINES.min(narrowest.saturating_mul(MAX_WIDTH_FACTOR));
        let (above, below) = if lines < added { (lines, added) } else { (added, lines) };
        let between = below.start().saturating_sub(above.end() + 1);
        self.file.path == other.file.path
            && self.is_test() == other.is_test()
            && !lines.overlaps(added)
            && between <= MAX_LINES_BETWEEN
            && lines.span(added).width() <= widest
    }

    /// Whether the candidate is kept out of a report's primary places unless the question asks for its kind.
    pub fn is_secondary(&self) -> bool {
        self.in_test || self.file.traits.is_secondary()
    }

    /// Whether it is a test, or in a file of tests.
    pub fn is_test(&self) -> bool {
        self.in_test || self.file.traits.test
    }

    /// Whether the candidate is kept out of the primary places of a report on a question of this scope. What the caller points
    /// at is not, whatever kind of file it is.
    pub fn is_excluded(&self, scope: &RequestedPlaceKinds) -> bool {
        let is_hinted = self.score.has_any(&[ScorePart::Hint]);
        let is_excluded = self.in_test && !scope.asks_for_tests()
            || scope.excludes(&self.file.traits) && !is_hinted;
        is_excluded && !self.is_asked_for()
    }

    /// Whether a name that is declared here stands as it is in the question.
    pub fn is_named_whole(&self) -> bool {
        self.score.has_any(&[ScorePart::WholeName])
    }

    /// Whether the query is nothing but the name of this declaration, and means this one if there are several.
    pub(crate) fn is_asked_for(&self) -> bool {
        self.score.has_any(&[ScorePart::AskedFor])
    }
}
