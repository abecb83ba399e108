//! The state of a run, from its candidates to its map. It is shared by the exploration with a model and the fallback, so that
//! both use the same limits and the same evidence.

use std::sync::Arc;

use super::{
    SharedRootState,
    conversation::ParsedToolCall,
    run_events::Observer,
    run_limits::RunContext,
    structures_of_shown_files::CachedFileStructures,
    tool_dispatch::{RETURN_TIME, StepToolResults, ToolCallHistory, ToolDispatcher},
};
use retriever_report::{ReportDraft, TokenUsage, evidence_ledger::EvidenceLedger};
use retriever_search::{CallFlowPlace, CandidateSet, Question};
use retriever_workspace::Cancellation;

/// The state of a run.
pub(super) struct RunState<'a> {
    pub(super) shared: &'a Arc<SharedRootState>,
    pub(super) question: &'a Question,
    pub(super) candidates: &'a CandidateSet,
    /// The calls between the candidates; with a model empty until it falls back.
    pub(super) flow: Vec<CallFlowPlace>,
    pub(super) observer: &'a dyn Observer,
    pub(super) context: RunContext,
    pub(super) ledger: EvidenceLedger,
    /// The ledger at the last request to the model. Its answer cannot use later lines.
    pub(super) ledger_when_asked: Arc<EvidenceLedger>,
    pub(super) history: ToolCallHistory,
    pub(super) structures: CachedFileStructures,
    pub(super) usage: TokenUsage,
    /// The first report as it was submitted.
    pub(super) first_draft: Option<ReportDraft>,
    /// The failure of a tool that ended the run.
    pub(super) tool_error: Option<String>,
}

impl RunState<'_> {
    /// Runs tool calls of the current step and returns their results in order.
    pub(super) async fn call_tools(
        &mut self,
        calls: &[ParsedToolCall],
        cancellation: Cancellation,
    ) -> StepToolResults {
        let mut dispatcher = ToolDispatcher {
            registry: &self.shared.registry,
            workspace: &self.shared.workspace,
            observer: self.observer,
            cancellation,
            step: self.context.budget.steps(),
            ledger: &mut self.ledger,
            budget: &mut self.context.budget,
            history: &mut self.history,
            wants_tests: self.candidates.query.scope.wants_tests,
            time_left: RETURN_TIME,
        };
        let results = dispatcher.run(calls).await;
        self.context.budget.end_step(results.progress);
        if self.tool_error.is_none() {
            self.tool_error.clone_from(&results.fatal);
        }
        results
    }
}
