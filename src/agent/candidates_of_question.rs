//! Searches a repository for a question: the candidates, and the calls between them.

use std::sync::Arc;

use retriever_report::CodeGraphUse;
use retriever_search::{CallFlowPlace, CandidateSet, Question, SearchCorpus, explore};

use super::{
    AnswerEngine, AskError, OpeningContext, SharedRootState, run_limits::RunContext,
    run_state::RunState,
};
use crate::embedding::QuestionVector;

/// The candidates of a question, and what the search used.
pub(super) struct FoundCandidates {
    pub(super) candidates: CandidateSet,
    /// The calls between the candidates. Empty for a run with a model, which follows calls itself.
    pub(super) flow: Vec<CallFlowPlace>,
    /// Whether the code graph was used.
    pub(super) graph: CodeGraphUse,
}

/// Finds the candidates of the question.
pub(super) async fn find_candidates(
    shared: &Arc<SharedRootState>,
    question: &Question,
    context: &RunContext,
) -> Result<FoundCandidates, AskError> {
    let cancellation = context.model_cancellation();
    let (shared, question) = (Arc::clone(shared), question.clone());
    let find = move || {
        let vector = QuestionVector::new(shared.embedding.as_ref(), &question.text, &cancellation);
        let tells_flow = matches!(shared.answerer, AnswerEngine::Offline(_))
            && shared.opening != OpeningContext::Bare;
        shared.prepare_search(question.clone());
        let find = |corpus: &SearchCorpus<'_>| {
            let candidates = retriever_search::find_candidates(corpus, &question, &cancellation);
            let flow = if tells_flow {
                explore::find_flow(corpus, &candidates, &cancellation)
            } else {
                Vec::new()
            };
            let graph =
                if corpus.graph.is_some() { CodeGraphUse::Used } else { CodeGraphUse::NotBuilt };
            FoundCandidates { candidates, flow, graph }
        };
        shared.beside_fetch(&vector, || {
            shared.index.ask_on_walk_if_quick(&cancellation, |walk, graph| {
                shared.on_corpus((walk, graph), Some(&vector), &cancellation, find)
            })
        })
    };
    let found = tokio::task::spawn_blocking(find).await;
    found.map_err(|error| AskError::Internal(format!("candidate search failed: {error}")))
}

/// Finds the calls between the candidates of a run, for the fallback of a model; empty when the run is cancelled or out
/// of time.
pub(super) async fn find_flow(run: &RunState<'_>) -> Vec<CallFlowPlace> {
    if run.candidates.candidates.is_empty() {
        return Vec::new();
    }
    let cancellation = run.context.cancellation().clone();
    let (shared, candidates) = (Arc::clone(run.shared), run.candidates.clone());
    let find = move || {
        let find =
            |corpus: &SearchCorpus<'_>| explore::find_flow(corpus, &candidates, &cancellation);
        shared.index.ask_on_walk_if_quick(&cancellation, |walk, graph| {
            shared.on_corpus((walk, graph), None, &cancellation, find)
        })
    };
    tokio::task::spawn_blocking(find).await.unwrap_or_default()
}
