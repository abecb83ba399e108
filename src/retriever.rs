//! The library's front door: one `Retriever` a root, any number of questions at once. No global state; everything a
//! question needs is shared behind an `Arc`.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    agent::{self, Answer, AskError, OfflineModel, Prompts, RunOptions, Shared},
    config::Config,
    index::Index,
    model::ChatModel,
    question::Question,
    recon::RoleCues,
    tools::Registry,
    vocabulary::UnknownWord,
    workspace::{Workspace, WorkspaceError},
};

/// Answers questions about one repository. Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Retriever {
    shared: Arc<Shared>,
}

impl Retriever {
    /// Starts to build a retriever for the repository at `root`.
    pub fn builder(root: impl Into<PathBuf>) -> RetrieverBuilder {
        RetrieverBuilder {
            root: root.into(),
            config: Config::default(),
            prompts: Prompts::default(),
            model: None,
            cache: None,
        }
    }

    /// Answers `question` with a code map.
    ///
    /// # Errors
    ///
    /// [`AskError`]: no question, or a model that failed when no fallback was wanted. That nothing was found is an
    /// answer, not an error.
    pub async fn ask(&self, question: Question, options: RunOptions) -> Result<Answer, AskError> {
        agent::ask(&self.shared, question, options).await
    }

    /// The code graph that questions are answered from.
    pub fn index(&self) -> &Arc<Index> {
        &self.shared.index
    }

    /// The files that questions are answered from.
    pub fn workspace(&self) -> &Arc<Workspace> {
        &self.shared.workspace
    }
}

/// Why there is no retriever.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The root can't be used, or a configured glob is not one.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// A configured role is not one.
    #[error("in [roles]: {0}")]
    Role(#[from] UnknownWord),
}

/// What a [`Retriever`] is built from.
pub struct RetrieverBuilder {
    root: PathBuf,
    config: Config,
    prompts: Prompts,
    model: Option<Arc<dyn ChatModel>>,
    cache: Option<PathBuf>,
}

impl RetrieverBuilder {
    /// Replaces the default configuration.
    #[must_use]
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// Replaces prompts.
    #[must_use]
    pub fn prompts(mut self, prompts: Prompts) -> Self {
        self.prompts = prompts;
        self
    }

    /// Sets the model; without one the built-in offline driver answers.
    #[must_use]
    pub fn model(mut self, model: Arc<dyn ChatModel>) -> Self {
        self.model = Some(model);
        self
    }

    /// Keeps the code graph in `folder`, beside those of other roots; without one it is made in memory, when it is needed.
    #[must_use]
    pub fn cache(mut self, folder: Option<PathBuf>) -> Self {
        self.cache = folder;
        self
    }

    /// Opens the root.
    ///
    /// # Errors
    ///
    /// [`BuildError`] when the root can't be used, or the configuration has a glob that is none or an unknown role.
    pub fn build(self) -> Result<Retriever, BuildError> {
        let root: &Path = &self.root;
        let workspace =
            Arc::new(Workspace::open(root, &self.config.workspace, &self.config.traits)?);
        let folder = self.cache.map(|cache| Index::folder_in(&cache, &workspace));
        let index = Arc::new(Index::new(Arc::clone(&workspace), folder));
        let shared = Shared {
            workspace,
            registry: Arc::new(Registry::with_graph(Arc::clone(&index))),
            index,
            model: self.model.unwrap_or_else(|| Arc::new(OfflineModel::new())),
            prompts: self.prompts,
            cues: RoleCues::with(&self.config.roles)?,
            config: self.config,
        };
        Ok(Retriever { shared: Arc::new(shared) })
    }
}
