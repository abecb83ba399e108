//! The state that all questions of one root share.

use std::{collections::BTreeSet, sync::Arc};

use super::{offline_driver::OfflineDriver, prompts::Prompts, run_options::OpeningContext};
use crate::{
    answer_cache::AnswerCache, config::Config, cost_receipts::CostReceiptLog,
    embedding::EmbeddingHandle, model::ChatModel, tools::ToolRegistry,
};
use retriever_graph::index::GraphIndex;
use retriever_report::ReportAuthor;
use retriever_search::{FullTextIndex, RoleCues};
use retriever_workspace::Workspace;

/// What all questions of one root share.
pub(crate) struct RootState {
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) index: Arc<GraphIndex>,
    pub(crate) token_index: Arc<FullTextIndex>,
    /// The user's embedding model, if there is one.
    pub(crate) embedding: Option<EmbeddingHandle>,
    pub(crate) registry: Arc<ToolRegistry>,
    pub(crate) answerer: AnswerEngine,
    pub(crate) prompts: Prompts,
    pub(crate) config: Config,
    pub(crate) cues: RoleCues,
    pub(crate) opening: OpeningContext,
    pub(crate) answer_cache: AnswerCache,
    pub(crate) receipts: Option<CostReceiptLog>,
    /// Names of the caller's own tools, in lower case.
    pub(crate) added_tools: BTreeSet<String>,
}

/// What answers questions.
#[derive(Clone)]
pub(crate) enum AnswerEngine {
    /// A language model.
    Model(Arc<dyn ChatModel>),
    /// A program.
    Offline(Arc<dyn OfflineDriver>),
}

impl AnswerEngine {
    pub(crate) fn author(&self) -> ReportAuthor {
        match self {
            Self::Model(_) => ReportAuthor::Model,
            Self::Offline(_) => ReportAuthor::Offline,
        }
    }

    /// Returns the name of the model, if there is one.
    pub(crate) fn model_name(&self) -> Option<String> {
        match self {
            Self::Model(model) => Some(model.name().to_owned()),
            Self::Offline(_) => None,
        }
    }
}
