//! What the caller of a question sets, and what it gets back.

use std::{sync::Arc, time::Instant};

use tokio_util::sync::CancellationToken;

use super::run_events::Observer;
use crate::{config::BudgetConfig, model::ModelError};
use retriever_report::{CodeMap, ReportDraft, evidence_ledger::EvidenceLedger};

/// Longest question, in bytes: a pasted log fits, a pasted repository does not.
pub(super) const MAX_QUESTION_BYTES: usize = 64 * 1024;
/// Most hints. All of them are shown to the model.
pub(super) const MAX_HINTS: usize = 64;
/// Most bytes of all hints together.
pub(super) const MAX_HINT_BYTES: usize = 4 * 1024;

/// The limits of one run, and its observer.
///
/// ```
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::{Arc, atomic::{AtomicU32, Ordering}};
/// use retriever::{RunEvent, Observer, Question, Retriever, RunOptions, config::{BudgetConfig, EffortPreset}};
///
/// #[derive(Default)]
/// struct Steps(AtomicU32);
///
/// impl Observer for Steps {
///     fn on_event(&self, event: &RunEvent) {
///         if let RunEvent::StepStarted { step, .. } = event {
///             self.0.store(*step, Ordering::Relaxed);
///         }
///     }
/// }
///
/// let steps = Arc::new(Steps::default());
/// let options = RunOptions {
///     budget: BudgetConfig { effort: EffortPreset::Quick, ..BudgetConfig::default() },
///     observer: Some(steps.clone()),
///     ..RunOptions::default()
/// };
/// // Cancelling ends the run early, with a map of what was delivered until then.
/// let cancel = options.cancel.clone();
/// let retriever = Retriever::builder("src/tools").build()?;
/// let answer = retriever.ask(Question::new("how is a file read?"), options).await?;
/// assert_eq!(answer.map.meta.steps, steps.0.load(Ordering::Relaxed));
/// # drop(cancel);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct RunOptions {
    /// The limits of the run.
    pub budget: BudgetConfig,
    /// Cancelling it ends the run with a map of what was delivered so far.
    pub cancel: CancellationToken,
    /// Receives every event.
    pub observer: Option<Arc<dyn Observer>>,
    /// What to do when the model fails.
    pub fallback: ModelFailurePolicy,
    /// When the time of the run began; `None` for now.
    pub started: Option<Instant>,
}

/// What the conversation with a model opens with, beside the question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpeningContext {
    /// The candidate packet.
    #[default]
    Candidates,
    /// Nothing, so that the effect of the packet can be measured.
    Bare,
}

/// What to do when the model fails, or submits no report that holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelFailurePolicy {
    /// Answer without the model; the map says so.
    #[default]
    Allow,
    /// Fail.
    Refuse,
}

/// The answer to a question.
#[derive(Clone, Debug)]
pub struct AskAnswer {
    /// The map.
    pub map: CodeMap,
    /// The model's failure, if the map was made without it or from an earlier report of it.
    pub model_error: Option<ModelError>,
    /// The failure of a tool that ended the run.
    pub tool_error: Option<String>,
    /// What the caller should know of the search for candidates: a hint that names no file, a code graph that is not there
    /// yet. None for a cached answer.
    pub notes: Vec<String>,
    /// What was delivered; it contains every line of the map. For a cached answer only those lines.
    pub ledger: EvidenceLedger,
    /// The first report, before validation; `None` without one, and for a cached answer.
    pub first_draft: Option<ReportDraft>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The question is empty.
    #[error("the question is empty")]
    EmptyQuestion,
    /// The question is too long.
    #[error("the question has {0} bytes; at most {MAX_QUESTION_BYTES} are taken")]
    LongQuestion(usize),
    /// There are too many hints, or they are too long.
    #[error(
        "the question has {number} hints of {bytes} bytes; at most {MAX_HINTS} of {MAX_HINT_BYTES} bytes together are taken"
    )]
    ManyHints {
        /// How many there are.
        number: usize,
        /// Their bytes together.
        bytes: usize,
    },
    /// The model failed, and the caller refuses a fallback.
    #[error("the model failed: {0}")]
    Model(#[source] ModelError),
    /// A defect of the program.
    #[error("internal error: {0}")]
    Internal(String),
}
