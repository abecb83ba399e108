//! The limits of a computation: operations, bytes, a deadline, and cancellation. Whatever parses, lowers,
//! resolves, ranks or renders repository text takes a [`WorkBudget`], so that no input decides how long it runs or how much
//! it allocates. How large a budget is, is the caller's decision; what recurses counts its own levels.
//!
//! Operations and bytes are counted, so that the same input always ends at the same point. A deadline and a
//! cancellation end the whole work instead: nothing that they cut short may be kept.

use std::{
    cell::Cell,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Operations between two checks of the clock.
const CHECK_INTERVAL: u64 = 4_096;

/// A request to stop, and a deadline. Clones share the request.
#[derive(Clone, Debug, Default)]
pub struct Cancellation {
    requested: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl Cancellation {
    /// Returns a cancellation that is not requested and has no deadline.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the same cancellation with the earlier of its deadline and `deadline`.
    #[must_use]
    pub fn with_deadline(&self, deadline: Instant) -> Self {
        let earliest = self.deadline.map_or(deadline, |own| own.min(deadline));
        Self { requested: Arc::clone(&self.requested), deadline: Some(earliest) }
    }

    /// Requests the end of the work. It cannot be undone.
    pub fn cancel(&self) {
        self.requested.store(true, Ordering::Relaxed);
    }

    /// Whether the work should end: it was requested, or the deadline has passed.
    pub fn is_cancelled(&self) -> bool {
        self.requested.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Errors if the work should end.
    ///
    /// # Errors
    ///
    /// [`WorkBudgetExhausted::Cancelled`].
    pub fn check(&self) -> Result<(), WorkBudgetExhausted> {
        if self.is_cancelled() { Err(WorkBudgetExhausted::Cancelled) } else { Ok(()) }
    }

    /// The time after which the result is not needed.
    pub const fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Time until the deadline; `None` without one.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

/// The limits of a [`WorkBudget`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetLimits {
    /// Operations. The callers of [`WorkBudget::spend`] define what counts as one; each takes about the same time.
    pub operations: u64,
    /// Bytes of memory of the result.
    pub bytes: u64,
}

impl BudgetLimits {
    /// No limit.
    pub const UNLIMITED: Self = Self { operations: u64::MAX, bytes: u64::MAX };
}

/// The limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkBudgetExhausted {
    /// No operation is left.
    #[error("the work exceeds its limit of operations")]
    Operations,
    /// No byte is left.
    #[error("the result exceeds its limit of memory")]
    Bytes,
    /// The work was cancelled, or its deadline has passed.
    #[error("the work was cancelled")]
    Cancelled,
}

/// The rest of the limits of one piece of work on one thread. After one limit is reached, every later call returns the
/// same error, so that a helper that ignores it cannot go on for long.
#[derive(Debug)]
pub struct WorkBudget {
    cancellation: Cancellation,
    operations: Cell<u64>,
    bytes: Cell<u64>,
    until_check: Cell<u64>,
    exhausted: Cell<Option<WorkBudgetExhausted>>,
}

impl WorkBudget {
    /// Returns a budget of `limits` that ends with `cancellation`.
    pub fn new(limits: BudgetLimits, cancellation: &Cancellation) -> Self {
        Self {
            cancellation: cancellation.clone(),
            operations: Cell::new(limits.operations),
            bytes: Cell::new(limits.bytes),
            until_check: Cell::new(CHECK_INTERVAL),
            exhausted: Cell::new(None),
        }
    }

    /// Takes `operations` from the budget.
    ///
    /// # Errors
    ///
    /// [`WorkBudgetExhausted`] when fewer are left, when another limit was reached before, or when the work was cancelled; the
    /// latter is looked at every few thousand operations.
    pub fn spend(&self, operations: u64) -> Result<(), WorkBudgetExhausted> {
        if let Some(reason) = self.exhausted.get() {
            return Err(reason);
        }
        match self.operations.get().checked_sub(operations) {
            Some(left) => self.operations.set(left),
            None => return Err(self.end(WorkBudgetExhausted::Operations)),
        }
        match self.until_check.get().checked_sub(operations) {
            Some(left) => {
                self.until_check.set(left);
                Ok(())
            }
            None => {
                self.until_check.set(CHECK_INTERVAL);
                self.cancellation.check().map_err(|reason| self.end(reason))
            }
        }
    }

    /// Takes `bytes` from the budget.
    ///
    /// # Errors
    ///
    /// [`WorkBudgetExhausted`] when fewer are left or another limit was reached before.
    pub fn allocate(&self, bytes: u64) -> Result<(), WorkBudgetExhausted> {
        if let Some(reason) = self.exhausted.get() {
            return Err(reason);
        }
        match self.bytes.get().checked_sub(bytes) {
            Some(left) => {
                self.bytes.set(left);
                Ok(())
            }
            None => Err(self.end(WorkBudgetExhausted::Bytes)),
        }
    }

    /// The limit that was reached, if one was.
    pub const fn exhausted(&self) -> Option<WorkBudgetExhausted> {
        self.exhausted.get()
    }

    /// The cancellation that the work ends with.
    pub const fn cancellation(&self) -> &Cancellation {
        &self.cancellation
    }

    fn end(&self, reason: WorkBudgetExhausted) -> WorkBudgetExhausted {
        self.exhausted.set(Some(reason));
        reason
    }
}
