//! Answers one question: cached answer, candidates, exploration, fallback, and the figures of the map.

use std::{collections::BTreeSet, sync::Arc, time::Instant};

use retriever_report::{
    CodeGraphUse, CodeMap, MapLimits, MapSizeStats, MapStatus, ReasonCode, ReportAuthor, RunReason,
    StopReason, TokenUsage, evidence_ledger::EvidenceLedger,
};
use retriever_search::Question;
use retriever_workspace::TextFile;

use super::{
    AnswerEngine, AskAnswer, AskError, ModelFailurePolicy, OpeningContext, RunOptions,
    SharedRootState,
    budget_tracker::millis,
    cached_answer_reuse::{self, AnswerReuse},
    candidates_of_question::{FoundCandidates, find_candidates, find_flow},
    model_driver::{ModelDriver, TurnLoopOutcome},
    offline::{self, CandidateReadPolicy, OfflineOutcome},
    opening_messages::{OpeningMessages, open},
    report_check::{CheckedReport, ReportChecker},
    run_events::{Observer, RunEvent},
    run_limits::RunContext,
    run_options::{MAX_HINT_BYTES, MAX_HINTS, MAX_QUESTION_BYTES},
    run_state::RunState,
    structures_of_shown_files::CachedFileStructures,
    tool_dispatch::ToolCallHistory,
};
use crate::{
    answer_cache::{CacheLookup, PendingCacheEntry},
    model::{ChatModel, ModelError},
};

struct SilentObserver;

impl Observer for SilentObserver {
    fn on_event(&self, _: &RunEvent) {}
}

/// Answers one question.
pub(crate) async fn ask(
    shared: &Arc<SharedRootState>,
    question: Question,
    options: RunOptions,
) -> Result<AskAnswer, AskError> {
    check(&question)?;
    // The size of the repository, which scales the limits of calls and tokens, is not known yet.
    let limits = shared.config.limits(&options.budget, 0);
    let started = options.started.unwrap_or_else(Instant::now);
    let context = RunContext::new(limits, options.cancel.clone(), started);
    let forward_interrupt = context.forward_interrupt();
    tokio::select! {
        // An interrupt must reach blocking work before the run goes on.
        biased;
        never = forward_interrupt => match never {},
        answer = answer(shared, &question, options, context) => answer,
    }
}

fn check(question: &Question) -> Result<(), AskError> {
    if question.text.trim().is_empty() {
        return Err(AskError::EmptyQuestion);
    }
    if question.text.len() > MAX_QUESTION_BYTES {
        return Err(AskError::LongQuestion(question.text.len()));
    }
    let number = question.hints.len();
    let bytes = question.hints.iter().map(String::len).sum();
    if number > MAX_HINTS || bytes > MAX_HINT_BYTES {
        return Err(AskError::ManyHints { number, bytes });
    }
    Ok(())
}

async fn answer(
    shared: &Arc<SharedRootState>,
    question: &Question,
    options: RunOptions,
    context: RunContext,
) -> Result<AskAnswer, AskError> {
    let observer: Arc<dyn Observer> =
        options.observer.clone().unwrap_or_else(|| Arc::new(SilentObserver));
    observer.on_event(&RunEvent::RunStarted {
        question: question.text.clone(),
        author: shared.answerer.author(),
        model: shared.answerer.model_name(),
    });
    let entry =
        match cached_answer_reuse::look_up(shared, question, &options.budget, &context).await {
            Some(CacheLookup::Hit(map)) => {
                return Ok(cached(shared, question, *map, &context, observer.as_ref()).await);
            }
            Some(CacheLookup::Miss(entry)) => Some(entry),
            None => None,
        };
    let FoundCandidates { mut candidates, flow, graph } =
        find_candidates(shared, question, &context).await?;
    if shared.opening == OpeningContext::Bare {
        candidates.candidates.clear();
    }
    let mut run = RunState {
        shared,
        question,
        candidates: &candidates,
        flow,
        observer: observer.as_ref(),
        context,
        ledger: EvidenceLedger::new(),
        ledger_when_asked: Arc::default(),
        history: ToolCallHistory::default(),
        structures: CachedFileStructures::default(),
        usage: TokenUsage::default(),
        first_draft: None,
        tool_error: None,
    };
    run.context.set_limits(shared.config.limits(&options.budget, candidates.files_seen));
    let packet = open(&mut run);
    let explored = explore(&mut run, &packet, options.fallback).await?;
    Ok(finish(run, explored, (entry, graph)).await)
}

/// Returns a cached answer.
async fn cached(
    shared: &Arc<SharedRootState>,
    question: &Question,
    map: CodeMap,
    context: &RunContext,
    observer: &dyn Observer,
) -> AskAnswer {
    let mut map = cached_answer_reuse::reuse(map, question);
    let ledger = cached_answer_reuse::ledger_of(shared, &map).await;
    map.meta.elapsed_ms = millis(context.elapsed());
    map.set_report_tokens();
    observer.on_event(&RunEvent::map_returned(&map));
    observer.on_event(&RunEvent::run_finished(&map, 0, density(shared, &map).await));
    let notes = Vec::new();
    AskAnswer { map, model_error: None, tool_error: None, notes, ledger, first_draft: None }
}

/// The map of an exploration or of its fallback.
struct Explored {
    map: CodeMap,
    stop: StopReason,
    error: Option<ModelError>,
    /// What was refused in a report of which nothing held.
    refused: BTreeSet<ReasonCode>,
}

/// Explores with the model or the offline driver, and falls back if that leaves no map.
async fn explore(
    run: &mut RunState<'_>,
    packet: &str,
    policy: ModelFailurePolicy,
) -> Result<Explored, AskError> {
    let mut refused = BTreeSet::new();
    let (stop, map, error) = match &run.shared.answerer {
        AnswerEngine::Model(model) => {
            let outcome = explore_with_model(model.as_ref(), run, packet).await;
            let TurnLoopOutcome { stop, best, mut error } = outcome;
            let map = match best {
                Some(CheckedReport { map: Some(map), .. }) => Some(map),
                best => {
                    refused = best.iter().flat_map(CheckedReport::rejections).collect();
                    None
                }
            };
            let was_ended = [StopReason::Interrupted, StopReason::ToolError].contains(&stop);
            if map.is_none() && error.is_none() && !was_ended {
                error = Some(ModelError::NoReport { refused: refused.clone() });
            }
            if let (Some(error), None, ModelFailurePolicy::Refuse) = (&error, &map, policy) {
                return Err(AskError::Model(error.clone()));
            }
            (stop, map, error)
        }
        AnswerEngine::Offline(driver) => {
            let checker = checker(run, ReportAuthor::Offline, MapStatus::Complete);
            let OfflineOutcome { stop, map } =
                offline::explore(driver.as_ref(), run, &checker).await;
            (stop, map, None)
        }
    };
    Ok(match map {
        Some(map) => Explored { map, stop, error, refused },
        None => {
            // An accepted report always leaves a map.
            let stop = if stop == StopReason::Submitted { StopReason::NoReport } else { stop };
            Explored { map: fall_back(run).await, stop, error, refused }
        }
    })
}

async fn explore_with_model(
    model: &dyn ChatModel,
    run: &mut RunState<'_>,
    packet: &str,
) -> TurnLoopOutcome {
    let opening = OpeningMessages {
        prompts: &run.shared.prompts,
        registry: &run.shared.registry,
        question: run.question,
        packet,
        budget: run.context.budget.limits(),
    };
    let conversation = opening.conversation();
    let checker = checker(run, ReportAuthor::Model, MapStatus::Complete);
    ModelDriver::new(model, run, checker, conversation).explore().await
}

/// Answers from what was found when the model gave no report, or the offline driver was ended early, within what is left of the
/// run's limits.
async fn fall_back(run: &mut RunState<'_>) -> CodeMap {
    let (author, reading) = match run.shared.answerer {
        AnswerEngine::Model(_) => {
            run.flow = find_flow(run).await;
            (ReportAuthor::Fallback, CandidateReadPolicy::Candidates)
        }
        // The driver has read what it could.
        AnswerEngine::Offline(_) => (ReportAuthor::Offline, CandidateReadPolicy::Nothing),
    };
    let checker = checker(run, author, MapStatus::Fallback);
    offline::fall_back(run, &checker, reading).await
}

fn checker(run: &RunState<'_>, author: ReportAuthor, status: MapStatus) -> ReportChecker {
    let limit = run.context.budget.limits().map_tokens;
    let max_tokens = cached_answer_reuse::max_map_tokens(limit, run.question.session.as_ref());
    ReportChecker { author, status, limits: MapLimits { max_tokens, ..MapLimits::default() } }
}

/// Completes the map with the figures of the run and stores it in its session.
async fn finish(
    run: RunState<'_>,
    explored: Explored,
    (entry, graph): (Option<PendingCacheEntry>, CodeGraphUse),
) -> AskAnswer {
    let Explored { mut map, stop, error, refused } = explored;
    let shared = run.shared;
    let meta = &mut map.meta;
    meta.model = shared.answerer.model_name();
    meta.graph = graph;
    meta.stop_reason = stop;
    meta.steps = run.context.budget.steps();
    meta.tool_calls = run.context.budget.calls();
    meta.observed_tokens = run.ledger.tokens();
    meta.usage = (run.usage != TokenUsage::default()).then_some(run.usage);
    meta.cost = shared.config.model.prices.cost_of(&run.usage);
    let embedding_failed = shared.embedding.as_ref().is_some_and(|it| it.0.is_paused());
    let failures = [
        error.as_ref().map(ModelError::reason),
        embedding_failed.then_some(RunReason::EmbeddingFailed),
        run.tool_error.as_ref().map(|_| RunReason::ToolFailed),
    ];
    let failures = failures.iter().flatten().map(ToString::to_string);
    for code in failures.chain(refused.iter().map(ToString::to_string)) {
        if !meta.reasons.contains(&code) {
            meta.reasons.push(code);
        }
    }
    if let Some(entry) = entry {
        let is_reusable =
            map.status == MapStatus::Complete && error.is_none() && run.tool_error.is_none();
        let reusable = if is_reusable { AnswerReuse::Yes } else { AnswerReuse::No };
        map = cached_answer_reuse::store(entry, &run, map, reusable, graph).await;
    }
    map.meta.elapsed_ms = millis(run.context.elapsed());
    map.set_report_tokens();
    let density = density(shared, &map).await;
    run.observer.on_event(&RunEvent::map_returned(&map));
    run.observer.on_event(&RunEvent::run_finished(&map, run.history.redundant, density));
    let notes = run.candidates.notes.clone();
    let RunState { ledger, first_draft, tool_error, .. } = run;
    AskAnswer { map, model_error: error, tool_error, notes, ledger, first_draft }
}

/// Measures the map against the files that it cites. Files that can no longer be read are left out.
async fn density(shared: &Arc<SharedRootState>, map: &CodeMap) -> MapSizeStats {
    let workspace = Arc::clone(&shared.workspace);
    let paths: Vec<String> = map.paths().into_iter().map(str::to_owned).collect();
    let read = move || {
        let file = |path: String| workspace.read(&workspace.normalize(&path).ok()?).ok();
        paths.into_iter().filter_map(file).collect::<Vec<_>>()
    };
    let files = tokio::task::spawn_blocking(read).await.unwrap_or_default();
    MapSizeStats::of(map, files.iter().map(TextFile::text))
}
