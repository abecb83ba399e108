//! What a run knows and has spent, from the survey to the map. Only data: [`super::explore`] and [`super::submission`] act on
//! it.

use tokio_util::sync::CancellationToken;

use super::{Shared, dispatch::Memory, event::Observer};
use retriever_report::{Usage, ledger::Ledger};
use retriever_search::{CandidateSet, Question};

/// Everything that a run knows and has spent. It outlives one exploration: when the model fails, the fallback goes on
/// with the same ledger.
pub(super) struct Run<'a> {
    pub(super) shared: &'a Shared,
    pub(super) question: &'a Question,
    pub(super) survey: &'a CandidateSet,
    pub(super) observer: &'a dyn Observer,
    pub(super) cancel: &'a CancellationToken,
    pub(super) ledger: Ledger,
    pub(super) memory: Memory,
    pub(super) usage: Usage,
    pub(super) steps: u32,
    pub(super) calls: u32,
}
