//! The state that all questions of one root share.

use std::{collections::BTreeSet, sync::Arc};

use super::{offline_driver_trait::OfflineDriver, prompts::Prompts, run_options::OpeningContext};
use crate::{
    answer_cache::AnswerCache,
    config::Config,
    cost_receipts::CostReceiptLog,
    embedding::{EmbeddingHandle, QuestionVector},
    model::ChatModel,
    tools::ToolRegistry,
};
use retriever_graph::{Graph, indexing::GraphIndex};
use retriever_report::ReportAuthor;
use retriever_search::{FullTextIndex, Question, RoleCues, SearchCorpus};
use retriever_workspace::{Cancellation, DirectoryWalk, Workspace};

/// The state that all questions of one root share.
pub(crate) struct SharedRootState {
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) index: Arc<GraphIndex>,
    pub(crate) full_text: Arc<FullTextIndex>,
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
    /// Runs `search` on the files of a walk, their graph if there is one, and the places that the embedding model finds
    /// similar.
    pub(crate) fn on_corpus<T>(
        &self,
        (walk, graph): (&Arc<DirectoryWalk>, Option<&Graph>),
        vector: Option<&QuestionVector<'_>>,
        cancellation: &Cancellation,
        search: impl FnOnce(&SearchCorpus<'_>) -> T,
    ) -> T {
        let Self { workspace, full_text, cues, .. } = self;
        let snapshot = full_text.snapshot(workspace, walk, cancellation);
        let similar = vector.and_then(|vector| vector.similar_places(&snapshot));
        let corpus = SearchCorpus {
            workspace,
            walk,
            index: &snapshot,
            graph,
            role_cues: cues,
            similar: similar.as_ref(),
        };
        let found = search(&corpus);
        if let Some(vector) = vector {
            vector.refresh(workspace, &snapshot);
        }
        found
    }

    /// Runs `ask` while another thread requests the vector of the question, if there is an embedding model.
    pub(crate) fn beside_fetch<T>(
        &self,
        vector: &QuestionVector<'_>,
        ask: impl FnOnce() -> T,
    ) -> T {
        std::thread::scope(|threads| {
            if self.embedding.is_some() {
                threads.spawn(|| vector.fetch().is_some());
            }
            ask()
        })
    }

    /// Starts to load what the search for `question` needs, while other threads walk the tree. Nothing waits for it: a
    /// search that starts earlier loads the rest itself, and a cancelled question ends without it.
    pub(crate) fn prepare_search(self: &Arc<Self>, question: Question) {
        if self.full_text.is_loaded() {
            return;
        }
        let shared = Arc::clone(self);
        let prepare =
            move || retriever_search::prepare(&shared.workspace, &shared.full_text, &question);
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
