//! The entry of the library: one `Retriever` per root, any number of questions at once. There is no global state;
//! everything that a question needs is shared behind an `Arc`.

use std::{path::PathBuf, sync::Arc};

use crate::{
    agent::{
        self, AnswerEngine, AskAnswer, AskError, DefaultOfflineDriver, OfflineDriver,
        OpeningContext, Prompts, RunOptions, SharedRootState,
    },
    answer_cache::AnswerCache,
    config::Config,
    cost_receipts::{CostReceipt, CostReceiptLog},
    embedding::{ConfiguredEmbedding, EmbeddingHandle, QuestionVector},
    model::ChatModel,
    open_index::{OpenIndex, open_index},
    tools::{ErasedTool, ToolRegistry},
};
use retriever_graph::indexing::GraphIndex;
use retriever_report::{CodeMap, SUBMIT};
use retriever_search::{
    Embedder, FullTextIndex, FullTextSnapshot, Question, RoleCues, SessionId, SimilarPlaces,
    explore::{
        self, Exploration, ExploreError, ExploreOptions, PlaceContext, PlaceContextError,
        TreeWithGraph,
    },
};
use retriever_workspace::{
    Cancellation, LineRange, RootSpec, UnknownVariant, Workspace, WorkspaceError,
};

/// Answers questions about one repository. Cheap to clone; clones share everything, so many questions may be under way at
/// once:
///
/// ```
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use retriever::{Question, Retriever, RunOptions};
///
/// let retriever = Retriever::builder("src/tools").build()?;
/// let ask = |text: &str| retriever.ask(Question::new(text), RunOptions::default());
/// let (read, glob) = tokio::try_join!(ask("how is a file read?"), ask("how are globs matched?"))?;
/// assert!(read.map.primary.iter().any(|item| item.place.path == "read.rs"));
/// assert!(glob.map.primary.iter().any(|item| item.place.path == "glob.rs"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Retriever {
    shared: Arc<SharedRootState>,
}

impl Retriever {
    /// Starts to build a retriever for the repository at `root`.
    pub fn builder(root: impl Into<PathBuf>) -> RetrieverBuilder {
        RetrieverBuilder {
            roots: vec![RootSpec::new(root)],
            config: Config::default(),
            prompts: Prompts::default(),
            answerer: AnswerEngine::Offline(Arc::new(DefaultOfflineDriver)),
            tools: Vec::new(),
            embedder: None,
            opening: OpeningContext::default(),
            cache: None,
            receipts: None,
        }
    }

    /// Answers `question` with a code map.
    ///
    /// # Errors
    ///
    /// [`AskError`]: no question, or a model that failed when no fallback was wanted. That nothing was found is an
    /// answer, not an error.
    pub async fn ask(
        &self,
        question: Question,
        options: RunOptions,
    ) -> Result<AskAnswer, AskError> {
        let asked = self.shared.receipts.is_some().then(|| question.text.clone());
        let answer = agent::ask(&self.shared, question, options).await?;
        if let Some(asked) = asked {
            self.keep_receipt(asked, answer.map.clone()).await;
        }
        Ok(answer)
    }

    /// Appends the receipt of an answer to the log. A write error does not affect the answer.
    async fn keep_receipt(&self, question: String, map: CodeMap) {
        let shared = Arc::clone(&self.shared);
        let append = move || {
            let receipt = CostReceipt::of(&question, &map, &shared.workspace);
            shared.receipts.as_ref().map(|log| log.append(&receipt))
        };
        let _ = tokio::task::spawn_blocking(append).await;
    }

    /// Returns source sized to `query`: ranked places, the code of the best of them and the calls between them. No model is
    /// asked. Blocks until it is done, so an async caller puts it on a thread that may block.
    ///
    /// ```
    /// use retriever::{Retriever, explore::ExploreOptions};
    ///
    /// let retriever = Retriever::builder("crates/workspace/src").build()?;
    /// let found = retriever.explore("how is a path kept inside the root", &ExploreOptions::default())?;
    /// let best = &found.results[0].place;
    /// let context = retriever.context(&[best.id.clone()], &ExploreOptions::default())?;
    /// assert_eq!(context.places[0].place.path, best.path);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ExploreError`]: no query, one that is too long, or a budget without room. That nothing was found is an answer.
    pub fn explore(
        &self,
        query: &str,
        options: &ExploreOptions,
    ) -> Result<Exploration, ExploreError> {
        self.explore_within(query, options, &Cancellation::new())
    }

    /// Does what [`Retriever::explore`] does, and returns a partial result early when it is cancelled.
    ///
    /// # Errors
    ///
    /// As for [`Retriever::explore`].
    pub fn explore_within(
        &self,
        query: &str,
        options: &ExploreOptions,
        cancellation: &Cancellation,
    ) -> Result<Exploration, ExploreError> {
        explore::check(query, options)?;
        let shared = &self.shared;
        let vector = QuestionVector::new(shared.embedding.as_ref(), query, cancellation);
        shared.prepare_search(Question::new(query));
        Ok(shared.beside_fetch(&vector, || {
            shared.index.ask_on_walk(cancellation, |walk, graph| {
                shared.on_corpus((walk, Some(graph)), Some(&vector), cancellation, |corpus| {
                    // Runs on a thread of the pool. Any other thread would wait whenever the pool takes up a part of
                    // the work and returns its result.
                    rayon::scope(|_| explore::explore(corpus, graph, query, options, cancellation))
                })
            })
        })?)
    }

    /// Returns everything about the places whose IDs, or unique starts of IDs, an exploration of this root has printed (it
    /// need not have been this process), or whose lines are named: `src/main.rs:7`. Blocks until it is done.
    ///
    /// # Errors
    ///
    /// [`PlaceContextError`] when an ID names nothing, or several places.
    pub fn context(
        &self,
        ids: &[String],
        options: &ExploreOptions,
    ) -> Result<PlaceContext, PlaceContextError> {
        self.context_within(ids, options, &Cancellation::new())
    }

    /// Replaces IDs that maps of `session` gave to places, such as `s3`, by their lines.
    pub fn without_session_ids(&self, session: &SessionId, ids: &[String]) -> Vec<String> {
        let known = |id: &String| self.shared.answer_cache.place(session, id);
        ids.iter().map(|id| known(id).unwrap_or_else(|| id.clone())).collect()
    }

    /// Does what [`Retriever::context`] does, until it is cancelled.
    ///
    /// # Errors
    ///
    /// As for [`Retriever::context`], and when it was cancelled.
    pub fn context_within(
        &self,
        ids: &[String],
        options: &ExploreOptions,
        cancellation: &Cancellation,
    ) -> Result<PlaceContext, PlaceContextError> {
        let shared = &self.shared;
        shared.index.ask_on_walk(cancellation, |walk, graph| {
            let tree = TreeWithGraph { workspace: &shared.workspace, walk, graph };
            explore::context(&tree, ids, options, cancellation)
        })?
    }

    /// The code graph that questions are answered from.
    pub fn index(&self) -> &Arc<GraphIndex> {
        &self.shared.index
    }

    /// The words of the files that questions are answered from.
    pub fn full_text(&self) -> &Arc<FullTextIndex> {
        &self.shared.full_text
    }

    /// The user's embedding model with its vectors, if one is configured.
    pub fn embedding(&self) -> Option<&ConfiguredEmbedding> {
        self.shared.embedding.as_ref().map(|embedding| embedding.0.as_ref())
    }

    /// Returns the places among the files of `words` that the user's embedding model finds similar to a question; empty
    /// without a model or vectors.
    pub fn similar_places(
        &self,
        question: &str,
        words: &FullTextSnapshot,
        cancellation: &Cancellation,
    ) -> Option<SimilarPlaces> {
        let embedding = self.shared.embedding.as_ref();
        QuestionVector::new(embedding, question, cancellation).similar_places(words)
    }

    /// The files that questions are answered from.
    pub fn workspace(&self) -> &Arc<Workspace> {
        &self.shared.workspace
    }

    /// Returns lines of a file as they are on disk now, for [`retriever_report::render::Snippets`].
    pub fn code(&self, path: &str, range: LineRange) -> Option<Vec<String>> {
        let workspace = self.workspace();
        let file = workspace.read(&workspace.normalize(path).ok()?).ok()?;
        Some(file.lines(range).map(|(_, line)| line.to_owned()).collect())
    }

    /// Returns problems that did not prevent an answer, one sentence each. Each is returned once.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.shared.index.warnings();
        warnings.extend(self.shared.answer_cache.warnings());
        warnings.extend(self.embedding().into_iter().flat_map(ConfiguredEmbedding::warnings));
        warnings
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.shared.config
    }

    /// The tools of the model, without the report.
    pub fn tools(&self) -> &Arc<ToolRegistry> {
        &self.shared.registry
    }
}

/// Why a retriever cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RetrieverBuildError {
    /// The root cannot be used, or a configured glob is not valid.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// A configured role does not exist.
    #[error("in [roles]: {0}")]
    Role(#[from] UnknownVariant),
    /// A tool has the name of the report tool.
    #[error("a tool can't be named {SUBMIT}")]
    ReservedTool,
}

/// Builds a [`Retriever`].
pub struct RetrieverBuilder {
    roots: Vec<RootSpec>,
    config: Config,
    prompts: Prompts,
    answerer: AnswerEngine,
    tools: Vec<Box<dyn ErasedTool>>,
    embedder: Option<Arc<dyn Embedder>>,
    opening: OpeningContext,
    cache: Option<PathBuf>,
    receipts: Option<CostReceiptLog>,
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

    /// Sets the model. Without one the built-in [`DefaultOfflineDriver`] answers.
    #[must_use]
    pub fn model(mut self, model: Arc<dyn ChatModel>) -> Self {
        self.answerer = AnswerEngine::Model(model);
        self
    }

    /// Sets the embedding model: places that it finds similar to a question become candidates, and their scores rise.
    #[must_use]
    pub fn embedder(mut self, embedder: Option<Arc<dyn Embedder>>) -> Self {
        self.embedder = embedder;
        self
    }

    /// Sets the program that answers without a model.
    #[must_use]
    pub fn offline_driver(mut self, driver: Arc<dyn OfflineDriver>) -> Self {
        self.answerer = AnswerEngine::Offline(driver);
        self
    }

    /// Adds a tool, or replaces the one of the same name. Lines that its observations show count as evidence.
    ///
    /// ```
    /// use retriever::{
    ///     Retriever,
    ///     evidence_ledger::{FileVersion, EvidenceSource},
    ///     tools::{ObservationExcerpt, Tool, ToolContext, ToolError, ToolObservation, ToolOutcome, ToolOutput},
    /// };
    /// use schemars::JsonSchema;
    /// use serde::{Deserialize, Serialize};
    ///
    /// /// The first line of a file: what its author says it is for.
    /// #[derive(Deserialize, JsonSchema)]
    /// struct HeadlineOf {
    ///     /// Path of the file
    ///     file: String,
    /// }
    ///
    /// #[derive(Serialize, JsonSchema)]
    /// struct Headline {
    ///     line: String,
    ///     #[serde(skip)]
    ///     version: Option<FileVersion>,
    /// }
    ///
    /// impl ToolOutput for Headline {
    ///     fn observation(&self) -> ToolObservation {
    ///         let mut shown = ToolObservation::sentence(ToolOutcome::Found, "the first line");
    ///         shown.source = EvidenceSource::Read;
    ///         let lines = vec![(1, self.line.clone())];
    ///         shown.excerpts.extend(self.version.clone().map(|file| ObservationExcerpt::new(file, lines)));
    ///         shown
    ///     }
    /// }
    ///
    /// struct Headlines;
    ///
    /// impl Tool for Headlines {
    ///     const NAME: &'static str = "headline";
    ///     type Arguments = HeadlineOf;
    ///     type Output = Headline;
    ///
    ///     fn run(&self, context: &ToolContext, asked: HeadlineOf) -> Result<Headline, ToolError> {
    ///         let workspace = &context.workspace;
    ///         let told = |error: &dyn std::fmt::Display| ToolError::Model(error.to_string());
    ///         let path = workspace.normalize(&asked.file).map_err(|error| told(&error))?;
    ///         let file = workspace.read(&path).map_err(|error| told(&error))?;
    ///         let line = file.line(1).unwrap_or_default().to_owned();
    ///         Ok(Headline { line, version: Some(FileVersion::of(&file)) })
    ///     }
    /// }
    ///
    /// let retriever = Retriever::builder(".").tool(Headlines).build()?;
    /// assert!(retriever.tools().specs().iter().any(|spec| spec.name == "headline"));
    /// # Ok::<(), retriever::RetrieverBuildError>(())
    /// ```
    #[must_use]
    pub fn tool(mut self, tool: impl ErasedTool + 'static) -> Self {
        self.tools.push(Box::new(tool));
        self
    }

    /// Sets the opening of conversations.
    #[must_use]
    pub fn opening(mut self, opening: OpeningContext) -> Self {
        self.opening = opening;
        self
    }

    /// Opens these folders as one workspace, in place of the root: the first part of every path is the name of a
    /// folder.
    #[must_use]
    pub fn roots(mut self, roots: Vec<RootSpec>) -> Self {
        self.roots = roots;
        self
    }

    /// Stores the code graph and sessions in `folder`, beside those of other roots. Without a folder the graph is built
    /// in memory when it is needed, and sessions last as long as the retriever.
    #[must_use]
    pub fn cache(mut self, folder: Option<PathBuf>) -> Self {
        self.cache = folder;
        self
    }

    /// Keeps a receipt of each answer in a log in `folder`; without one none is kept.
    #[must_use]
    pub fn receipts(mut self, folder: Option<PathBuf>) -> Self {
        self.receipts = folder.map(CostReceiptLog::new);
        self
    }

    /// Opens the root.
    ///
    /// # Errors
    ///
    /// [`RetrieverBuildError`] when the root can't be used, or the configuration has a glob that is none or an unknown role,
    /// or a tool has a name that is taken.
    pub fn build(self) -> Result<Retriever, RetrieverBuildError> {
        if self.tools.iter().any(|tool| tool.name().eq_ignore_ascii_case(SUBMIT)) {
            return Err(RetrieverBuildError::ReservedTool);
        }
        let workspace =
            Workspace::open_roots(&self.roots, &self.config.workspace, &self.config.traits)?;
        let workspace = Arc::new(workspace);
        let OpenIndex { index, full_text, .. } =
            open_index(self.cache.as_deref(), Arc::clone(&workspace), &self.config.index);
        let answer_cache = AnswerCache::new(index.folder().map(|folder| folder.join("sessions")));
        let embedding = self.embedder.map(|embedder| {
            EmbeddingHandle(Arc::new(ConfiguredEmbedding::new(index.folder(), embedder)))
        });
        let full_text = Arc::new(full_text);
        let index = Arc::new(index);
        let registry = ToolRegistry::configured(&index, &self.config.graph);
        let added_tools = self.tools.iter().map(|tool| tool.name().to_ascii_lowercase()).collect();
        let registry = self.tools.into_iter().fold(registry, ToolRegistry::with_boxed);
        let shared = SharedRootState {
            workspace,
            registry: Arc::new(registry),
            index,
            full_text,
            embedding,
            answerer: self.answerer,
            prompts: self.prompts,
            cues: RoleCues::with(&self.config.roles)?,
            opening: self.opening,
            answer_cache,
            receipts: self.receipts,
            added_tools,
            config: self.config,
        };
        Ok(Retriever { shared: Arc::new(shared) })
    }
}
