//! The measured systems of an eval, run in this process: the retriever, the baselines, and the model's first report
//! before validation. None of them sees a label.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use futures::future::{BoxFuture, FutureExt};
use retriever::{
    AskAnswer, OpeningContext, Prompts, Question, Retriever, RetrieverBuilder, RunOptions,
    config::Config,
    model::ChatModel,
    report,
    search::{self, Embedder, RoleCues, SearchCorpus},
    workspace::{Cancellation, RepoPath},
};
use retriever_eval::{
    self as eval, AnswerFailure, CitedPlace, EvalRequest, EvalResponse, EvaluatedSystem,
    EvaluatedSystemAnswer, EvaluatedSystemRunner, SuiteProblemKind,
};

use super::{cassettes::CassetteFolder, grep_only_driver::GrepDriver};

/// Configuration and model that all systems share.
pub(super) struct InProcessAnswerer {
    config: Config,
    prompts: Prompts,
    /// `None` is the offline driver.
    model: Option<Arc<dyn ChatModel>>,
    embedder: Option<Arc<dyn Embedder>>,
    cassettes: CassetteFolder,
    key: String,
    /// The checkout of the last search, kept because a suite has many searches of each.
    searched: Mutex<Option<(PathBuf, Retriever)>>,
}

impl InProcessAnswerer {
    pub(super) fn new(
        config: Config,
        prompts: Prompts,
        model: Option<Arc<dyn ChatModel>>,
        cassettes: CassetteFolder,
    ) -> Self {
        let name = model.as_ref().map(|model| model.name());
        let identity = format!("{config:?} {prompts:?} {name:?} {cassettes:?} {}", program_hash());
        let key = blake3::hash(identity.as_bytes()).to_hex().to_string();
        let searched = Mutex::new(None);
        Self { config, prompts, model, embedder: None, cassettes, key, searched }
    }

    /// Searches with the vectors of an embedding model.
    pub(super) fn with_embedder(mut self, embedder: Option<Arc<dyn Embedder>>) -> Self {
        if let Some(embedder) = &embedder {
            let identity = format!("{} {}", self.key, embedder.identity());
            self.key = blake3::hash(identity.as_bytes()).to_hex().to_string();
        }
        self.embedder = embedder;
        self
    }

    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    /// Name of the model in reports.
    pub(super) fn model_name(&self) -> &str {
        match (&self.cassettes, &self.model) {
            (CassetteFolder::Replay(_), _) => "replayed",
            (_, Some(model)) => model.name(),
            (_, None) => "offline",
        }
    }

    pub(super) fn has_model(&self) -> bool {
        self.model.is_some()
    }

    pub(super) fn open(
        &self,
        checkout: &Path,
        model: Option<Arc<dyn ChatModel>>,
        opening: OpeningContext,
    ) -> Result<Retriever, AnswerFailure> {
        let builder = self.builder(checkout).opening(opening);
        let builder = match model {
            Some(model) => builder.model(model),
            None => builder,
        };
        let retriever = builder.build().map_err(failed)?;
        if let Some(embedding) = retriever.embedding() {
            let (workspace, never) = (retriever.workspace(), Cancellation::new());
            let walk = Arc::new(workspace.walk(&RepoPath::root()));
            let words = retriever.full_text().snapshot(workspace, &walk, &never);
            let vectors = embedding.vectors();
            vectors.refresh(workspace, &words, &|_, _| (), &never).map_err(failed)?;
        }
        Ok(retriever)
    }

    /// Returns the retriever of a search, and whether it was opened for this search.
    pub(super) fn open_for_search(
        &self,
        checkout: &Path,
    ) -> Result<(Retriever, bool), AnswerFailure> {
        let mut searched = self.searched.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, retriever)) = searched.as_ref().filter(|(folder, _)| folder == checkout) {
            return Ok((retriever.clone(), false));
        }
        let retriever = self.open(checkout, None, OpeningContext::Candidates)?;
        *searched = Some((checkout.to_owned(), retriever.clone()));
        Ok((retriever, true))
    }

    fn builder(&self, checkout: &Path) -> RetrieverBuilder {
        Retriever::builder(checkout)
            .config(self.config.clone())
            .prompts(self.prompts.clone())
            .embedder(self.embedder.clone())
    }

    async fn answer_all(&self, request: EvalRequest<'_>) -> Result<EvalResponse, AnswerFailure> {
        let mut response = EvalResponse::default();
        // The baseline that runs its own model conversation has its own cassette.
        let (bare, main): (BTreeSet<_>, BTreeSet<_>) =
            request.systems.iter().partition(|system| **system == EvaluatedSystem::GrepOnly);
        for (system, systems) in
            [(EvaluatedSystem::Retriever, main), (EvaluatedSystem::GrepOnly, bare)]
        {
            if systems.is_empty() {
                continue;
            }
            let asks = systems.iter().any(|system| *system != EvaluatedSystem::Bm25);
            let path = asks.then(|| self.cassettes.path(&request, system)).flatten();
            let model = self
                .cassettes
                .open(self.model.as_ref(), path)
                .map_err(|message| AnswerFailure { kind: SuiteProblemKind::Cassette, message })?;
            let run = Run {
                answerer: self,
                checkout: request.checkout,
                question: request.question.clone(),
                model: model.model(),
            };
            let own = if request.is_search {
                run.search(&systems).await?
            } else {
                run.retriever(&systems).await?
            };
            response.answers.extend(own);
            response.answers.extend(run.bm25(&systems).await?);
            response.answers.extend(run.grep_only(&systems).await?);
            let problem = model.problem();
            let problem =
                problem.map(|message| AnswerFailure { kind: SuiteProblemKind::Cassette, message });
            response.problems.extend(problem);
        }
        response.answers.sort_by_key(|answered| answered.system);
        Ok(response)
    }
}

impl EvaluatedSystemRunner for InProcessAnswerer {
    fn key(&self) -> &str {
        &self.key
    }

    fn answer<'a>(
        &'a self,
        request: EvalRequest<'a>,
    ) -> BoxFuture<'a, Result<EvalResponse, AnswerFailure>> {
        self.answer_all(request).boxed()
    }
}

/// One question about one checkout.
struct Run<'a> {
    answerer: &'a InProcessAnswerer,
    checkout: &'a Path,
    question: Question,
    model: Option<Arc<dyn ChatModel>>,
}

impl Run<'_> {
    /// Answers as the retriever, and as its model's first report. One run gives both answers.
    async fn retriever(
        &self,
        systems: &BTreeSet<EvaluatedSystem>,
    ) -> Result<Vec<EvaluatedSystemAnswer>, AnswerFailure> {
        if systems.is_disjoint(&[EvaluatedSystem::Retriever, EvaluatedSystem::NoValidator].into()) {
            return Ok(Vec::new());
        }
        let retriever =
            self.answerer.open(self.checkout, self.model.clone(), OpeningContext::Candidates)?;
        let answer = self.ask(&retriever).await?;
        let mut answers = Vec::new();
        if systems.contains(&EvaluatedSystem::NoValidator) {
            let answer = eval::ScorableAnswer {
                places: submitted_places(&answer, retriever.workspace().root()),
                delivered: Some(eval::ScorableAnswer::delivered_in(&answer.ledger)),
                elapsed_ms: Some(answer.map.meta.elapsed_ms),
                ..eval::ScorableAnswer::default()
            };
            answers.push(EvaluatedSystemAnswer {
                system: EvaluatedSystem::NoValidator,
                answer,
                model_error: None,
            });
        }
        if systems.contains(&EvaluatedSystem::Retriever) {
            let ranked = self.ranked_places(&retriever).await?;
            answers.push(scored(EvaluatedSystem::Retriever, answer, ranked));
        }
        Ok(answers)
    }

    /// Answers a search by ranking, without a map. The time of the first search of a checkout includes what a new
    /// process loads.
    async fn search(
        &self,
        systems: &BTreeSet<EvaluatedSystem>,
    ) -> Result<Vec<EvaluatedSystemAnswer>, AnswerFailure> {
        if !systems.contains(&EvaluatedSystem::Retriever) {
            return Ok(Vec::new());
        }
        let opened = Instant::now();
        let (retriever, is_new) = self.answerer.open_for_search(self.checkout)?;
        if is_new {
            self.ranked_places(&retriever).await?;
        }
        let elapsed = opened.elapsed();
        let started = Instant::now();
        let ranked = self.ranked_places(&retriever).await?;
        let answer = eval::ScorableAnswer {
            ranked: Some(ranked),
            elapsed_ms: is_new.then(|| u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)),
            search_ms: Some(started.elapsed().as_secs_f64() * 1_000.0),
            ..eval::ScorableAnswer::default()
        };
        Ok(vec![EvaluatedSystemAnswer {
            system: EvaluatedSystem::Retriever,
            answer,
            model_error: None,
        }])
    }

    async fn bm25(
        &self,
        systems: &BTreeSet<EvaluatedSystem>,
    ) -> Result<Vec<EvaluatedSystemAnswer>, AnswerFailure> {
        if !systems.contains(&EvaluatedSystem::Bm25) {
            return Ok(Vec::new());
        }
        let retriever = self.answerer.open(self.checkout, None, OpeningContext::Candidates)?;
        let (workspace, text) = (Arc::clone(retriever.workspace()), self.question.text.clone());
        let answer = blocking(move || eval::bm25(&workspace, &text)).await?;
        Ok(vec![EvaluatedSystemAnswer { system: EvaluatedSystem::Bm25, answer, model_error: None }])
    }

    async fn grep_only(
        &self,
        systems: &BTreeSet<EvaluatedSystem>,
    ) -> Result<Vec<EvaluatedSystemAnswer>, AnswerFailure> {
        if !systems.contains(&EvaluatedSystem::GrepOnly) {
            return Ok(Vec::new());
        }
        let builder = self.answerer.builder(self.checkout).opening(OpeningContext::Bare);
        let builder = match &self.model {
            Some(model) => builder.model(Arc::clone(model)),
            None => builder.offline_driver(Arc::new(GrepDriver)),
        };
        let retriever = builder.build().map_err(failed)?;
        let answer = self.ask(&retriever).await?;
        // This system has no ranking: its places are in the order of the map.
        let ranked = eval::ScorableAnswer::places_of(&answer.map);
        Ok(vec![scored(EvaluatedSystem::GrepOnly, answer, ranked)])
    }

    async fn ask(&self, retriever: &Retriever) -> Result<AskAnswer, AnswerFailure> {
        let budget = self.answerer.config.budget.clone();
        let options = RunOptions { budget, ..RunOptions::default() };
        retriever.ask(self.question.clone(), options).await.map_err(failed)
    }

    /// Returns the ranked candidates, best first.
    async fn ranked_places(&self, retriever: &Retriever) -> Result<Vec<CitedPlace>, AnswerFailure> {
        let cues = RoleCues::with(&self.answerer.config.roles).map_err(failed)?;
        let (index, full_text) = (Arc::clone(retriever.index()), Arc::clone(retriever.full_text()));
        let (retriever, question) = (retriever.clone(), self.question.clone());
        blocking(move || {
            let never = Cancellation::new();
            let set = index.ask_on_walk_if_quick(&never, |walk, graph| {
                let workspace = index.workspace();
                let snapshot = full_text.snapshot(workspace, walk, &never);
                let similar = retriever.similar_places(&question.text, &snapshot, &never);
                let corpus = SearchCorpus {
                    workspace,
                    walk,
                    index: &snapshot,
                    graph,
                    role_cues: &cues,
                    similar: similar.as_ref(),
                };
                search::find_candidates(&corpus, &question, &never)
            });
            let candidates = set.candidates.into_iter();
            candidates
                .map(|candidate| CitedPlace {
                    path: candidate.file.path.to_string(),
                    range: candidate.place_lines(),
                })
                .collect()
        })
        .await
    }
}

/// Returns the places of the first report as it was submitted; empty without a report.
fn submitted_places(answer: &AskAnswer, root: &str) -> Vec<CitedPlace> {
    let Some(draft) = &answer.first_draft else { return Vec::new() };
    let places = report::claimed_places(draft, &answer.ledger, root).into_iter();
    places.map(|(path, range)| CitedPlace { path, range }).collect()
}

fn scored(
    system: EvaluatedSystem,
    answer: AskAnswer,
    ranked: Vec<CitedPlace>,
) -> EvaluatedSystemAnswer {
    let model_error = answer.model_error.map(|error| error.to_string());
    let answer = eval::ScorableAnswer {
        ranked: Some(ranked),
        places: eval::ScorableAnswer::places_of(&answer.map),
        delivered: Some(eval::ScorableAnswer::delivered_in(&answer.ledger)),
        elapsed_ms: Some(answer.map.meta.elapsed_ms),
        search_ms: None,
        map: Some(answer.map),
    };
    EvaluatedSystemAnswer { system, answer, model_error }
}

pub(super) fn failed(error: impl std::fmt::Display) -> AnswerFailure {
    AnswerFailure { kind: SuiteProblemKind::Failed, message: error.to_string() }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, AnswerFailure> {
    tokio::task::spawn_blocking(work).await.map_err(failed)
}

/// Returns a hash of the running program, so that results of another build are not reused. Empty when the program
/// cannot be read.
#[expect(clippy::disallowed_methods, reason = "the program reads itself, not a workspace")]
fn program_hash() -> String {
    let bytes = std::env::current_exe().and_then(std::fs::read);
    bytes.map(|bytes| blake3::hash(&bytes).to_hex().to_string()).unwrap_or_default()
}
