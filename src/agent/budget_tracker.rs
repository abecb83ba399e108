//! The limits of a run and their use: steps, tool calls, observed tokens, time. Pure arithmetic on the values it is
//! given; it reads no clock.

use std::time::Duration;

use crate::config::RunBudget;
use retriever_report::{ReportRoom, StopReason};

/// Most tokens of one observation.
pub(super) const MAX_OBSERVATION_TOKENS: u64 = 8_000;
/// Least number of tokens for an observation.
const MIN_OBSERVATION_TOKENS: u64 = 120;
/// One file may take this part of the observed tokens: a fifth.
const FILE_SHARE: u64 = 5;
/// Percentage of any limit from which the model is told to finish.
const LOW_BUDGET_PERCENT: u64 = 75;
/// Consecutive steps without progress after which the model is told to finish; after one more the exploration is exhausted.
const MAX_STEPS_WITHOUT_PROGRESS: u32 = 3;
/// Longest time at the end that is reserved for the report.
const MAX_GRACE: Duration = Duration::from_secs(30);
/// Longest time at the end that is reserved for answering without a model that did not report.
const MAX_FALLBACK_RESERVE: Duration = Duration::from_secs(2);

/// Why no further exploring turn can be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunLimit {
    /// The next step is the last; it is reserved for the report.
    Steps,
    /// No tool call is left.
    Calls,
    /// Too few tokens are left for another observation.
    Tokens,
    /// Only the time that is reserved for the report is left.
    Time,
    /// Several steps in a row brought nothing new.
    NoProgress,
}

impl RunLimit {
    /// Returns the reason for a run that this limit ended.
    pub(super) const fn stop_reason(self) -> StopReason {
        match self {
            Self::Steps => StopReason::StepBudget,
            Self::Calls => StopReason::CallBudget,
            Self::Tokens => StopReason::ObservationBudget,
            Self::Time => StopReason::Deadline,
            Self::NoProgress => StopReason::DiminishingReturns,
        }
    }
}

/// Whether a step delivered a line or a path that was not known before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepProgress {
    /// It did.
    New,
    /// It did not.
    None,
}

/// Limits and their use.
#[derive(Clone, Debug)]
pub(super) struct BudgetTracker {
    limits: RunBudget,
    steps: u32,
    calls: u32,
    tokens: u64,
    elapsed: Duration,
    steps_without_progress: u32,
}

impl BudgetTracker {
    pub(super) fn new(limits: RunBudget) -> Self {
        Self {
            limits,
            steps: 0,
            calls: 0,
            tokens: 0,
            elapsed: Duration::ZERO,
            steps_without_progress: 0,
        }
    }

    /// Replaces the limits, for example once the size of the repository is known.
    pub(super) fn set_limits(&mut self, limits: RunBudget) {
        self.limits = limits;
    }

    pub(super) fn limits(&self) -> &RunBudget {
        &self.limits
    }

    /// Returns the steps taken.
    pub(super) fn steps(&self) -> u32 {
        self.steps
    }

    /// Returns the tool calls made.
    pub(super) fn calls(&self) -> u32 {
        self.calls
    }

    /// Counts a step.
    pub(super) fn begin_step(&mut self) {
        self.steps = self.steps.saturating_add(1);
    }

    /// Counts a tool call.
    pub(super) fn begin_call(&mut self) {
        self.calls = self.calls.saturating_add(1);
    }

    /// Sets the tokens observed so far, as counted by the ledger.
    pub(super) fn set_tokens(&mut self, tokens: u64) {
        self.tokens = tokens;
    }

    /// Sets the time since the start of the run.
    pub(super) fn set_elapsed(&mut self, elapsed: Duration) {
        self.elapsed = elapsed;
    }

    /// Records the progress of the step that ends.
    pub(super) fn end_step(&mut self, progress: StepProgress) {
        match progress {
            StepProgress::New => self.steps_without_progress = 0,
            StepProgress::None => {
                self.steps_without_progress = self.steps_without_progress.saturating_add(1);
            }
        }
    }

    pub(super) fn has_step(&self) -> bool {
        self.steps < self.limits.steps
    }

    pub(super) fn has_call(&self) -> bool {
        self.calls < self.limits.calls
    }

    /// Returns the token limit of the next observation, or `None` if too few are left.
    pub(super) fn observation_tokens(&self) -> Option<u64> {
        let left = self.limits.tokens.saturating_sub(self.tokens);
        (left >= MIN_OBSERVATION_TOKENS).then(|| left.min(MAX_OBSERVATION_TOKENS))
    }

    /// Returns the token limit of one file over the whole run.
    pub(super) fn file_tokens(&self) -> u64 {
        file_tokens(&self.limits)
    }

    /// Returns the time after which no model turn may begin; what is left then is for the fallback.
    pub(super) fn model_time(&self) -> Duration {
        let reserve = (self.limits.time / 20).min(MAX_FALLBACK_RESERVE);
        self.limits.time.saturating_sub(reserve)
    }

    /// Returns the time after which only a report is accepted.
    pub(super) fn exploring_time(&self) -> Duration {
        let grace = (self.limits.time / 5).min(MAX_GRACE);
        self.model_time().saturating_sub(grace)
    }

    /// Returns why the next turn must be the report, if it must.
    pub(super) fn exhausted(&self) -> Option<RunLimit> {
        if self.elapsed >= self.exploring_time() {
            Some(RunLimit::Time)
        } else if self.observation_tokens().is_none() {
            Some(RunLimit::Tokens)
        } else if !self.has_call() {
            Some(RunLimit::Calls)
        } else if self.steps.saturating_add(1) >= self.limits.steps {
            Some(RunLimit::Steps)
        } else if self.steps_without_progress > MAX_STEPS_WITHOUT_PROGRESS {
            Some(RunLimit::NoProgress)
        } else {
            None
        }
    }

    /// Whether the model should be asked to finish before it is forced to.
    pub(super) fn is_low(&self) -> bool {
        let is_low = |used: u64, limit: u64| {
            used.saturating_mul(100) >= limit.saturating_mul(LOW_BUDGET_PERCENT)
        };
        self.steps_without_progress >= MAX_STEPS_WITHOUT_PROGRESS
            || is_low(self.steps.into(), self.limits.steps.into())
            || is_low(self.calls.into(), self.limits.calls.into())
            || is_low(self.tokens, self.limits.tokens)
            || is_low(millis(self.elapsed), millis(self.limits.time))
    }

    /// Returns the remaining budget in a few words, for every result.
    pub(super) fn short_status(&self) -> String {
        let RunBudget { steps, calls, tokens, map_tokens, .. } = self.limits;
        format!(
            "left: {} steps, {} calls, {} tokens; room for the report: {} characters",
            steps.saturating_sub(self.steps),
            calls.saturating_sub(self.calls),
            tokens.saturating_sub(self.tokens),
            ReportRoom::of(map_tokens).chars,
        )
    }

    /// Returns the remaining budget as a sentence for the model.
    pub(super) fn status_sentence(&self) -> String {
        let RunBudget { steps, calls, tokens, .. } = self.limits;
        format!(
            "{} of {steps} steps, {} of {calls} tool calls and about {} of {tokens} tokens of tool output are left",
            steps.saturating_sub(self.steps),
            calls.saturating_sub(self.calls),
            tokens.saturating_sub(self.tokens),
        )
    }
}

/// Returns the tokens that one file may take over a whole run.
pub(super) fn file_tokens(limits: &RunBudget) -> u64 {
    (limits.tokens / FILE_SHARE).max(MIN_OBSERVATION_TOKENS)
}

/// Returns whole milliseconds.
pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
