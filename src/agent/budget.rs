//! What a run has spent and what is left: steps, calls, observed tokens, time. Pure arithmetic on the values it is
//! given; it neither reads a clock nor acts on what it finds.

use std::time::Duration;

use crate::config::Budget;

/// Tokens that one observation may take.
const OBSERVATION_TOKENS: u64 = 8_000;
/// An observation that could show fewer tokens than this is not worth a message.
const LEAST_OBSERVATION_TOKENS: u64 = 120;
/// Part of the observed tokens that a single file may take.
const FILE_SHARE: u64 = 5;
/// Share of any budget after which the model is told to come to an end, in percent.
const NUDGE_PERCENT: u64 = 75;
/// Consecutive steps without a new line or path after which the exploration has run dry.
const DRY_STEPS: u32 = 3;

/// A budget, and what is spent of it.
#[derive(Clone, Debug)]
pub(super) struct Spending {
    budget: Budget,
    steps: u32,
    calls: u32,
    tokens: u64,
    elapsed: Duration,
    dry_steps: u32,
}

/// Why no further exploring turn may be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exhausted {
    /// The next step is the last; it is kept for the report.
    Steps,
    /// No calls are left.
    Calls,
    /// No tokens are left that are worth a message.
    Tokens,
    /// The time that is left is the grace for the report.
    Time,
    /// Nothing new has come back for several steps.
    Dry,
}

impl Spending {
    /// Returns an untouched budget.
    pub(super) fn new(budget: Budget) -> Self {
        Self { budget, steps: 0, calls: 0, tokens: 0, elapsed: Duration::ZERO, dry_steps: 0 }
    }

    /// The budget itself.
    pub(super) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Steps taken.
    pub(super) fn steps(&self) -> u32 {
        self.steps
    }

    /// Calls answered.
    pub(super) fn calls(&self) -> u32 {
        self.calls
    }

    /// Counts a step that begins now.
    pub(super) fn begin_step(&mut self) {
        self.steps = self.steps.saturating_add(1);
    }

    /// Counts an answered call.
    pub(super) fn count_call(&mut self) {
        self.calls = self.calls.saturating_add(1);
    }

    /// Whether another call may be run.
    pub(super) fn may_call(&self) -> bool {
        self.calls < self.budget.calls
    }

    /// Takes over the tokens observed so far, as the ledger counts them.
    pub(super) fn observe(&mut self, tokens: u64) {
        self.tokens = tokens;
    }

    /// Takes over the time that has passed.
    pub(super) fn pass(&mut self, elapsed: Duration) {
        self.elapsed = elapsed;
    }

    /// Counts the step that ends as dry or not.
    pub(super) fn end_step(&mut self, news: News) {
        match news {
            News::Something => self.dry_steps = 0,
            News::Nothing => self.dry_steps = self.dry_steps.saturating_add(1),
        }
    }

    /// Tokens that the next observation may take, or `None` when what is left is not worth a message.
    pub(super) fn observation_tokens(&self) -> Option<u64> {
        let left = self.budget.tokens.saturating_sub(self.tokens);
        (left >= LEAST_OBSERVATION_TOKENS).then(|| left.min(OBSERVATION_TOKENS))
    }

    /// Tokens that one file may take over the whole run.
    pub(super) fn file_tokens(&self) -> u64 {
        (self.budget.tokens / FILE_SHARE).max(LEAST_OBSERVATION_TOKENS)
    }

    /// Time at the end of the run that is kept for the report: a fifth, at most 30 seconds.
    pub(super) fn grace(&self) -> Duration {
        (self.budget.time / 5).min(Duration::from_secs(30))
    }

    /// Why the turn that begins must be the report, if it must.
    pub(super) fn exhausted(&self) -> Option<Exhausted> {
        if self.elapsed >= self.budget.time.saturating_sub(self.grace()) {
            Some(Exhausted::Time)
        } else if self.observation_tokens().is_none() {
            Some(Exhausted::Tokens)
        } else if !self.may_call() {
            Some(Exhausted::Calls)
        } else if self.steps.saturating_add(1) >= self.budget.steps {
            Some(Exhausted::Steps)
        } else if self.dry_steps > DRY_STEPS {
            Some(Exhausted::Dry)
        } else {
            None
        }
    }

    /// Whether the model should be told, before it is forced, to come to an end.
    pub(super) fn runs_low(&self) -> bool {
        let share =
            |spent: u64, of: u64| spent.saturating_mul(100) >= of.saturating_mul(NUDGE_PERCENT);
        self.dry_steps >= DRY_STEPS
            || share(self.steps.into(), self.budget.steps.into())
            || share(self.calls.into(), self.budget.calls.into())
            || share(self.tokens, self.budget.tokens)
            || share(
                u64::try_from(self.elapsed.as_millis()).unwrap_or(u64::MAX),
                u64::try_from(self.budget.time.as_millis()).unwrap_or(u64::MAX),
            )
    }

    /// What is left, in words for the model.
    pub(super) fn left(&self) -> String {
        format!(
            "{} of {} steps, {} of {} tool calls and about {} of {} tokens of tool output are left",
            self.budget.steps.saturating_sub(self.steps),
            self.budget.steps,
            self.budget.calls.saturating_sub(self.calls),
            self.budget.calls,
            self.budget.tokens.saturating_sub(self.tokens),
            self.budget.tokens,
        )
    }
}

/// Whether a step brought a line or a path that wasn't known before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    /// It did.
    Something,
    /// It didn't.
    Nothing,
}
