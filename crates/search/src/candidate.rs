//! The candidate: a place that may matter, with everything that says why.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, VariantArray};

use crate::query::question::Role;
use retriever_workspace::{FileVersion, LineRange, RepoPath, UnknownVariant};

/// The channel that found a candidate first.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<CandidateSource>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CandidateSource {
    /// The code graph.
    Graph,
    /// Names and words in the text.
    Lexical,
    /// The path.
    Path,
    /// A conventional surface: route, page, command, handler.
    #[serde(rename = "surface")]
    #[strum(serialize = "surface")]
    EntryPoint,
    /// A bounded search.
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

/// The parts of a score, each in points; the score is their sum.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoreParts(pub Vec<(&'static str, f64)>);

impl ScoreParts {
    /// Adds a part; zero is left out.
    pub fn add(&mut self, feature: &'static str, points: f64) {
        if points != 0.0 {
            self.0.push((feature, points));
        }
    }

    /// Returns the sum.
    pub fn total(&self) -> f64 {
        self.0.iter().map(|(_, points)| points).sum()
    }
}

/// What the code graph says of a candidate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphFeatures {
    /// How well the root that led here matches the question.
    pub root_match_score: f64,
    /// Edges between the root and here.
    pub distance_from_root: u32,
    /// Edges that come in.
    pub inbound: u32,
    /// Edges that go out.
    pub outbound: u32,
    /// Kinds of these edges.
    pub edge_kinds: BTreeSet<String>,
    /// Other candidates among the first that it calls.
    pub calls: Vec<Call>,
}

/// A call of one candidate that ends in another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The file of the other.
    pub path: RepoPath,
    /// The line that names it.
    pub line: u32,
    /// The function between the two, when there is one.
    pub via: Option<String>,
}

/// A place that may matter.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The file, as it was when the candidate was found.
    pub file: FileVersion,
    /// The lines; `None` when only the file is known.
    pub range: Option<LineRange>,
    /// What is declared there.
    pub symbols: Vec<Symbol>,
    /// The declaration's own line as printed in the packet, clipped: number and text.
    pub signature: Option<(u32, String)>,
    /// Why it ranks where it ranks.
    pub score: ScoreParts,
    /// Share of what the question's words are worth that stands here, in them or in words related to them: 0 to 1.
    pub matched: f64,
    /// The channel that found it first.
    pub source: CandidateSource,
    /// What each channel matched, in words: `name "refresh_token"`.
    pub provenance: Vec<String>,
    /// Graph features, when there is a graph.
    pub graph: Option<GraphFeatures>,
    /// Whether it is a test that stands beside the code, in a file that is none.
    pub in_test: bool,
    /// Cost of reading it.
    pub estimated_tokens: u32,
    /// Roles it may play.
    pub evidence_roles: BTreeSet<Role>,
    /// The role among them that most speaks for; of those that were asked for when it may play one.
    pub leading_role: Option<Role>,
}

impl Candidate {
    /// Whether it is kept out of what is primary unless the question asks for its kind.
    pub fn is_secondary(&self) -> bool {
        self.in_test || self.file.traits.is_secondary()
    }
}
