//! The state that all questions of one root share.

use std::{collections::BTreeSet, sync::Arc};

use super::{offline_driver::OfflineDriver, prompts::Prompts, run_options::OpeningContext};
use crate::{
    answer_cache::AnswerCache, config::Config, cost_receipts::CostReceiptLog,
    embedding::EmbeddingHandle, model::ChatModel, tools::ToolRegistry,
};
use retriever_graph::indexing::GraphIndex;
use retriever_report::ReportAuthor;
use retriever_search::{FullTextIndex, Question, RoleCues};
use retriever_workspace::Workspace;

/// What all questions of one root share.
pub(crate) struct SharedRootState {
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

impl SharedRootState {
    /// Starts to load what the search for `question` needs, while others look at the tree. Nobody waits for it: a search that
    /// comes before it is done loads what is missing, and a question that is cancelled ends without it.
    pub(crate) fn prepare_search(self: &Arc<Self>, question: Question) {
        if self.token_index.is_loaded() {
            return;
        }
        let shared = Arc::clone(self);
        let prepare =
            move || retriever_search::prepare(&shared.workspace, &shared.token_index, &question);
        // Without another thread the search loads everything itself.
        let _ = std::thread::Builder::new().name("prepare".to_owned()).spawn(prepare);
    }
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
