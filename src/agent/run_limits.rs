//! The limits of one run, set when the question arrives and used by all of its parts: candidate search, model turns,
//! tools and the fallback. A run has one clock, one cancellation and one budget.

use std::{
    convert::Infallible,
    future::Future,
    time::{Duration, Instant},
};

use tokio_util::sync::CancellationToken;

use super::{budget_tracker::BudgetTracker, turn_state_machine::RunStatus};
use crate::config::RunBudget;
use retriever_workspace::Cancellation;

/// A time limit that is never reached, for budgets beyond what the clock can represent.
const FOREVER: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// The limits of a run, and their use.
pub(super) struct RunContext {
    started: Instant,
    interrupt: CancellationToken,
    cancellation: Cancellation,
    pub(super) budget: BudgetTracker,
}

impl RunContext {
    /// Starts a run whose time counts from `started`. `interrupt` is the caller's request to end it early.
    pub(super) fn new(limits: RunBudget, interrupt: CancellationToken, started: Instant) -> Self {
        let limits = RunBudget { time: limits.time.min(FOREVER), ..limits };
        Self {
            started,
            interrupt,
            cancellation: Cancellation::new().with_deadline(started + limits.time),
            budget: BudgetTracker::new(limits),
        }
    }

    /// Replaces the limits, except for the time, which is already running.
    pub(super) fn set_limits(&mut self, limits: RunBudget) {
        let time = self.budget.limits().time;
        self.budget.set_limits(RunBudget { time, ..limits });
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Returns the time from which only a report is accepted.
    pub(super) fn exploring_deadline(&self) -> Instant {
        self.started + self.budget.exploring_time()
    }

    /// Returns the time after which no answer of the model is accepted.
    pub(super) fn model_deadline(&self) -> Instant {
        self.started + self.budget.model_time()
    }

    /// Returns the cancellation for work that blocks: it ends with the run's deadline, or when the caller interrupts.
    pub(super) fn cancellation(&self) -> &Cancellation {
        &self.cancellation
    }

    /// Returns the cancellation for the calls of a model: they end while there is time for its report.
    pub(super) fn exploring_cancellation(&self) -> Cancellation {
        self.cancellation.with_deadline(self.exploring_deadline())
    }

    /// Returns the cancellation for work that ends before the fallback's time.
    pub(super) fn model_cancellation(&self) -> Cancellation {
        self.cancellation.with_deadline(self.model_deadline())
    }

    /// Whether the run was interrupted or its time is up.
    pub(super) fn is_over(&self) -> bool {
        self.is_interrupted() || self.cancellation.is_cancelled()
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.is_cancelled()
    }

    /// Waits for the caller's interrupt.
    pub(super) async fn interrupted(&self) {
        self.interrupt.cancelled().await;
    }

    /// Returns a future that passes the caller's interrupt on to blocking work. It never completes; poll it together
    /// with the run.
    pub(super) fn forward_interrupt(&self) -> impl Future<Output = Infallible> + use<> {
        let (interrupt, cancellation) = (self.interrupt.clone(), self.cancellation.clone());
        async move {
            interrupt.cancelled().await;
            cancellation.cancel();
            std::future::pending().await
        }
    }

    /// Returns the state of all limits now.
    pub(super) fn status(&mut self) -> RunStatus {
        self.budget.set_elapsed(self.elapsed());
        RunStatus {
            interrupted: self.is_interrupted(),
            time_is_up: Instant::now() >= self.model_deadline(),
            has_step: self.budget.has_step(),
            exhausted: self.budget.exhausted(),
            is_low: self.budget.is_low(),
        }
    }
}
