//! What all questions of one root share.

use std::{collections::BTreeSet, sync::Arc};

use super::{offline_driver::OfflineDriver, options::Opening, prompts::Prompts};
use crate::{
    answer_cache::AnswerCache, config::Config, model::ChatModel, receipts::ReceiptLog,
    tools::Registry,
};
use retriever_graph::index::Index;
use retriever_report::Author;
use retriever_search::{RoleCues, TokenIndex};
use retriever_workspace::Workspace;

/// What all questions of one root share.
pub(crate) struct RootState {
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) index: Arc<Index>,
    pub(crate) token_index: Arc<TokenIndex>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) answerer: Answerer,
    pub(crate) prompts: Prompts,
    pub(crate) config: Config,
    pub(crate) cues: RoleCues,
    pub(crate) opening: Opening,
    pub(crate) answer_cache: AnswerCache,
    pub(crate) receipts: Option<ReceiptLog>,
    /// Names of the caller's own tools, in lower case.
    pub(crate) added_tools: BTreeSet<String>,
}

/// What answers questions.
#[derive(Clone)]
pub(crate) enum Answerer {
    /// A language model.
    Model(Arc<dyn ChatModel>),
    /// A program.
    Offline(Arc<dyn OfflineDriver>),
}

impl Answerer {
    pub(crate) fn author(&self) -> Author {
        match self {
            Self::Model(_) => Author::Model,
            Self::Offline(_) => Author::Offline,
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
