//! The interface of programs that answer in place of a model.

use serde_json::Value;

use retriever_report::{ReportDraft, evidence_ledger::EvidenceLedger};
use retriever_search::{CallFlowPlace, Candidate, NoAnswerReason, Question};

/// A deterministic program that answers questions in place of a model.
pub trait OfflineDriver: Send + Sync {
    /// Returns the tool calls of the next round, by name and arguments; empty if the report is due.
    fn calls(&self, state: &OfflineState<'_>) -> Vec<(&'static str, Value)>;

    /// Returns the report.
    fn report(&self, state: &OfflineState<'_>) -> ReportDraft;
}

/// The input of an [`OfflineDriver`].
#[derive(Clone, Copy)]
pub struct OfflineState<'a> {
    /// The question.
    pub question: &'a Question,
    /// The ranked candidates.
    pub candidates: &'a [Candidate],
    /// Why the repository may not have what the question asks for.
    pub no_answer: Option<&'a NoAnswerReason>,
    /// The calls between the candidates.
    pub flow: &'a [CallFlowPlace],
    /// The delivered lines.
    pub ledger: &'a EvidenceLedger,
    /// Number of the round, from 1.
    pub round: u32,
    /// References whose reasons the validator cut in the previous report on this state.
    pub refused: &'a [String],
}
