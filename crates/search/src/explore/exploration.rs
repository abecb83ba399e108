//! What `explore` and `context` say, as types: the JSON is these, and the text is rendered from them. Every line of code
//! that is printed belongs to a section.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, VariantArray};

use crate::{query::PlaceRole, search_corpus::RepositorySizeTier};
use retriever_workspace::UnknownVariant;

/// Version of the JSON; raised when a field changes its meaning.
pub const VERSION: u32 = 1;

/// Code sized to a query: ranked places, the source of the best of them, and the way calls take between them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Exploration {
    /// Version of this form.
    pub version: u32,
    /// The query; a long one is cut.
    pub query: String,
    /// Size class of the repository, which the ceilings depend on.
    pub tier: RepositorySizeTier,
    /// Ranked places, best first.
    pub results: Vec<RankedPlace>,
    /// Source of the best places, best file first.
    pub files: Vec<RenderedFile>,
    /// The way that calls take between the symbols in question; empty when they don't call each other.
    pub flow: Vec<CallFlowStep>,
    /// Whether something that is relevant was left out for want of room.
    pub truncated: bool,
    /// What the caller should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What is known of a place without its source.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PlaceSummary {
    /// Its name for `context`.
    pub id: String,
    /// The file.
    pub path: String,
    /// First line, from 1.
    pub start: u32,
    /// Last line, inclusive.
    pub end: u32,
    /// What it is, in the language's or the graph's terms.
    pub kind: String,
    /// Its name, with the type it belongs to.
    pub name: String,
    /// The line that declares it.
    pub signature: String,
    /// The first line of its comment.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub doc: String,
    /// How much there is around it: hints at what `context` would bring.
    #[serde(rename = "hints")]
    pub relations: RelationCounts,
    /// Some of that.
    #[serde(default, skip_serializing_if = "RelatedPlaces::is_empty")]
    pub related: RelatedPlaces,
}

/// A ranked place; the best have something related.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RankedPlace {
    /// The place. Its lines include the declarations next to it.
    #[serde(flatten)]
    pub place: PlaceSummary,
    /// Points for how well it fits. The order of places is settled after them, by file, so that a later place may have more.
    pub score: f64,
    /// What the score is made of.
    pub score_parts: BTreeMap<String, f64>,
    /// Roles it may play.
    pub roles: Vec<PlaceRole>,
    /// Declarations on its lines that fit nearly as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adjacent: Vec<RelatedDefinition>,
}

/// How much there is around a place, so that a reader knows what `context` would bring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RelationCounts {
    /// Functions that call it.
    pub callers: u32,
    /// Functions that it calls.
    pub callees: u32,
    /// Interchangeable definitions: other implementers of its interface, others registered in the same table.
    pub siblings: u32,
    /// What implements or extends it.
    pub implementers: u32,
}

/// Callers and callees of a place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RelatedPlaces {
    /// What calls it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub callers: Vec<RelatedDefinition>,
    /// What it calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub callees: Vec<RelatedDefinition>,
    /// Interchangeable definitions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub siblings: Vec<RelatedDefinition>,
    /// What implements or extends it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub implementers: Vec<RelatedDefinition>,
}

impl RelatedPlaces {
    /// Whether nothing is related.
    pub fn is_empty(&self) -> bool {
        self.lists().iter().all(|(_, list)| list.is_empty())
    }

    /// The lists with what they are called.
    pub(super) fn lists(&self) -> [(&'static str, &Vec<RelatedDefinition>); 4] {
        [
            ("called by", &self.callers),
            ("calls", &self.callees),
            ("alternative to", &self.siblings),
            ("implemented by", &self.implementers),
        ]
    }
}

/// A definition that is related to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RelatedDefinition {
    /// Its name for `context`.
    pub id: String,
    /// Its name, with the type it belongs to.
    pub name: String,
    /// The line that declares it.
    pub signature: String,
    /// Its file.
    pub path: String,
    /// The line that names it.
    pub line: u32,
}

/// How a file is rendered.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<FileRenderMode>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileRenderMode {
    /// From its first line to its last.
    Full,
    /// The parts that matter.
    Clusters,
    /// Signatures only.
    Skeleton,
}

/// What is printed of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RenderedFile {
    /// The file.
    pub path: String,
    /// How it is rendered.
    pub mode: FileRenderMode,
    /// Its printed lines, in order.
    pub sections: Vec<SourceExcerpt>,
    /// What the printed lines are of, most relevant first.
    pub places: Vec<PrintedDeclaration>,
}

/// Consecutive lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourceExcerpt {
    /// First line, from 1.
    pub start: u32,
    /// Last line, inclusive.
    pub end: u32,
    /// The lines, without numbers.
    pub source: String,
}

/// A declaration that is printed, whole or in part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PrintedDeclaration {
    /// Its name for `context`, which has what isn't printed here.
    pub id: String,
    /// What it is.
    pub kind: String,
    /// Its name, with the type it belongs to.
    pub name: String,
    /// Its first line.
    pub start: u32,
    /// Its last line.
    pub end: u32,
    /// Whether only a part of it is printed.
    pub cut: bool,
}

/// One step of the flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CallFlowStep {
    /// The function.
    pub name: String,
    /// Its file.
    pub path: String,
    /// The line that names it.
    pub line: u32,
    /// How the step before leads here; what is chosen at run time says so.
    pub via: String,
}

/// Everything about places that were asked for by ID.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PlaceContext {
    /// Version of this form.
    pub version: u32,
    /// The places, in the order they were asked for.
    pub places: Vec<PlaceInContext>,
    /// Whether source was left out for want of room.
    pub truncated: bool,
}

/// Everything about one place.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "PlaceDetail")]
pub struct PlaceInContext {
    /// The place, with its full ID.
    #[serde(flatten)]
    pub place: PlaceSummary,
    /// Its source.
    pub sections: Vec<SourceExcerpt>,
}
