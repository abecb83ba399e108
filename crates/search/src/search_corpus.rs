//! What is searched: a tree as it was at one moment, in all the forms that are known of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, VariantArray};

use crate::{embedding::SimilarPlaces, index::FullTextSnapshot, role_vocabulary::RoleCues};
use retriever_graph::Graph;
use retriever_workspace::{DirectoryWalk, UnknownVariant, Workspace};

/// A tree at one moment. Walk, index and graph belong together when they come from one
/// [`GraphIndex::ask_on_walk`](retriever_graph::indexing::GraphIndex::ask_on_walk).
#[derive(Clone, Copy)]
pub struct SearchCorpus<'a> {
    /// The files.
    pub workspace: &'a Workspace,
    /// The files that a search may see: a walk of the whole workspace.
    pub walk: &'a DirectoryWalk,
    /// Their words.
    pub index: &'a FullTextSnapshot,
    /// Their code graph, if there is one.
    pub graph: Option<&'a Graph>,
    /// Words and forms of roles.
    pub role_cues: &'a RoleCues,
    /// What is similar to the question, if the user has a model that tells.
    pub similar: Option<&'a SimilarPlaces>,
}

/// The size class of a repository. Budgets grow with it.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<RepositorySizeTier>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RepositorySizeTier {
    /// Fewer than 500 files.
    Small,
    /// Fewer than 5,000.
    Medium,
    /// Fewer than 15,000.
    Large,
    /// More.
    Huge,
}

impl RepositorySizeTier {
    /// Returns the class of a repository with this many files.
    pub const fn of(files: usize) -> Self {
        match files {
            0..500 => Self::Small,
            500..5_000 => Self::Medium,
            5_000..15_000 => Self::Large,
            _ => Self::Huge,
        }
    }
}
