//! Use of the answer cache: the key of a question, the dependencies of a run's answer, and which answers may be reused.

use std::sync::Arc;

use strum::VariantArray;

use super::{
    OpeningContext, SharedRootState, cached_answer_dependencies::CallDependencies, prompts::Prompt,
    run_limits::RunContext, run_state::RunState,
};
use crate::{
    answer_cache::{AnswerDependencies, CacheLookup, PendingCacheEntry, TreeAccess},
    config::BudgetConfig,
};
use retriever_report::{
    CodeGraphUse, CodeMap, Place,
    evidence_ledger::{EvidenceLedger, EvidenceSource, FileVersion},
};
use retriever_search::{Question, SessionId};
use retriever_workspace::{Workspace, truncate_line};

/// Tokens of a map that are reserved for session IDs and figures.
const RESERVED_TOKENS: u64 = 90;

/// Looks up the answer of `question` in its session. Returns `None` without a session.
pub(super) async fn look_up(
    shared: &Arc<SharedRootState>,
    question: &Question,
    budget: &BudgetConfig,
    context: &RunContext,
) -> Option<CacheLookup> {
    let session = question.session.clone()?;
    let key = key(shared, question, budget);
    let (shared, cancellation) = (Arc::clone(shared), context.cancellation().clone());
    let look_up = move || {
        let graph =
            if shared.index.has_graph() { CodeGraphUse::Used } else { CodeGraphUse::NotBuilt };
        shared.answer_cache.look_up(&shared.index, session, (key, graph), &cancellation)
    };
    // After a panic in the cache the question is answered without it.
    tokio::task::spawn_blocking(look_up).await.ok()
}

/// Returns a cached map as the answer to `question`.
pub(super) fn reuse(mut map: CodeMap, question: &Question) -> CodeMap {
    // Reuse has no cost.
    (map.meta.usage, map.meta.cost) = (None, None);
    map.question.clone_from(&question.text);
    map.set_report_tokens();
    map
}

/// Returns a ledger of the lines of a cached map, read from disk. The look-up found them unchanged just before.
pub(super) async fn ledger_of(shared: &Arc<SharedRootState>, map: &CodeMap) -> EvidenceLedger {
    let workspace = Arc::clone(&shared.workspace);
    let places: Vec<Place> = map.places().cloned().collect();
    let deliver = move || {
        let mut ledger = EvidenceLedger::new();
        for place in &places {
            deliver_place(&workspace, place, &mut ledger);
        }
        ledger
    };
    tokio::task::spawn_blocking(deliver).await.unwrap_or_default()
}

fn deliver_place(workspace: &Workspace, place: &Place, ledger: &mut EvidenceLedger) {
    let path = workspace.normalize(&place.path).ok();
    let file = path.and_then(|path| workspace.read(&path).ok());
    let (Some(file), Some(range)) = (file, place.range()) else { return };
    let lines: Vec<(u32, String)> =
        file.lines(range).map(|(number, line)| (number, truncate_line(line))).collect();
    ledger.record_delivery(&FileVersion::of(&file), EvidenceSource::Read, &lines);
}

/// Whether an answer may be reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerReuse {
    Yes,
    /// The run ended early or its model failed; another run may do better.
    No,
}

/// Stores the answer in its session. Returns the map with session IDs.
pub(super) async fn store(
    entry: PendingCacheEntry,
    run: &RunState<'_>,
    mut map: CodeMap,
    reusable: AnswerReuse,
    graph: CodeGraphUse,
) -> CodeMap {
    let shared = Arc::clone(run.shared);
    let dependencies = dependencies(run, reusable, graph);
    let max_tokens = run.context.budget.limits().map_tokens;
    let cancellation = run.context.cancellation().clone();
    let unchanged = map.clone();
    let stored = tokio::task::spawn_blocking(move || {
        let SharedRootState { answer_cache, index, .. } = shared.as_ref();
        let tree = TreeAccess { index: index.as_ref(), cancellation: &cancellation };
        answer_cache.store(tree, entry, &mut map, &dependencies, max_tokens);
        map
    });
    stored.await.unwrap_or(unchanged)
}

fn dependencies(
    run: &RunState<'_>,
    reusable: AnswerReuse,
    graph: CodeGraphUse,
) -> AnswerDependencies {
    let CallDependencies { texts, tools, asks_everywhere } = &run.history.texts;
    // The inputs of an added tool, and publications of others, are unknown.
    let calls_added_tool = tools.iter().any(|tool| run.shared.added_tools.contains(tool));
    let is_kept_in_files = !calls_added_tool && !asks_everywhere;
    let mut names = texts.clone();
    names.extend(run.ledger.places().iter().map(|place| place.path.as_str().to_owned()));
    AnswerDependencies {
        files: run
            .ledger
            .files()
            .map(|file| (file.version.path.clone(), file.version.hash))
            .collect(),
        names,
        reusable: reusable == AnswerReuse::Yes && is_kept_in_files,
        graph,
    }
}

/// Returns the token limit of a map; in a session it leaves space for IDs.
pub(super) fn max_map_tokens(limit: u64, session: Option<&SessionId>) -> u64 {
    match session {
        Some(_) => limit.saturating_sub(RESERVED_TOKENS).max(limit / 2),
        None => limit,
    }
}

/// Returns a hash of everything that the answer depends on except for the files. It is hashed because the configuration
/// contains secrets.
fn key(shared: &SharedRootState, question: &Question, budget: &BudgetConfig) -> String {
    let prompts: Vec<&str> =
        Prompt::VARIANTS.iter().map(|prompt| shared.prompts.text(*prompt)).collect();
    let mut roles = question.roles.clone();
    roles.sort_unstable();
    roles.dedup();
    let everything = serde_json::json!({
        "program": env!("RETRIEVER_MAP_VERSION"),
        "root": shared.workspace.identity(),
        "author": shared.answerer.author(),
        "model": shared.answerer.model_name(),
        "config": shared.config,
        "ceiling": format!("{:?}", shared.config.ceiling),
        "budget": budget,
        "prompts": prompts,
        "tools": shared.registry.specs(),
        "packet": shared.opening == OpeningContext::Candidates,
        "question": normalized(&question.text),
        "intent": question.intent,
        "roles": roles,
        "hints": question.hints,
    });
    blake3::hash(everything.to_string().as_bytes()).to_hex().to_string()
}

/// Returns the question without surplus spaces and final punctuation. Case is kept, since names depend on it.
fn normalized(question: &str) -> String {
    let words: Vec<&str> = question.split_whitespace().collect();
    words.join(" ").trim_end_matches(['?', '.', '!', ' ']).to_owned()
}
