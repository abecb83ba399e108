//! The time limit of a remote, one for everything that a run reads from it. Waiting makes a debt, and what arrives pays it off: a
//! remote that stalls, or that is slower than this machine's own work, is given up before it has cost more than the limit.

use std::{
    future::Future,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::remote_error::RemoteError;

/// Time between two looks at the progress.
const INTERVAL: Duration = Duration::from_millis(10);
/// Bytes that pay for a millisecond: two cores take about that long to make as much of an index themselves.
const BYTES_PER_MS: usize = 3_000;
/// Bytes that an answer counts as, beside those of its body: many small answers are no slow remote.
const ANSWER_BYTES: usize = 128 << 10;

/// What the remote owes.
pub(crate) struct RemoteTimeout {
    limit: Duration,
    account: Mutex<Account>,
}

struct Account {
    debt: Duration,
    /// When the debt was last made up.
    since: Instant,
    /// Requests that somebody waits for.
    waiting: u32,
}

impl RemoteTimeout {
    /// Returns the account of a remote that may owe `limit`.
    pub(crate) fn new(limit: Duration) -> Self {
        let account = Account { debt: Duration::ZERO, since: Instant::now(), waiting: 0 };
        Self { limit, account: Mutex::new(account) }
    }

    /// Takes note of an answer, whose body may follow.
    pub(crate) fn note_answer(&self) {
        self.note(ANSWER_BYTES);
    }

    /// Takes note of bytes that arrived.
    pub(crate) fn note(&self, bytes: usize) {
        let paid = Duration::from_micros((bytes * 1_000 / BYTES_PER_MS) as u64);
        let mut account = self.account();
        account.debt = account.debt.saturating_sub(paid);
    }

    /// Returns what `work` returns.
    ///
    /// # Errors
    ///
    /// [`RemoteError::Slow`] when the remote owes too much first, and the errors of `work`.
    pub(crate) async fn wait<T>(
        &self,
        work: impl Future<Output = Result<T, RemoteError>>,
    ) -> Result<T, RemoteError> {
        let _waiting = Waiting::new(self);
        let given_up = async {
            while self.account().debt < self.limit {
                tokio::time::sleep(INTERVAL).await;
            }
        };
        tokio::select! {
            biased;
            done = work => done,
            () = given_up => Err(RemoteError::Slow),
        }
    }

    /// The account as it is now.
    fn account(&self) -> MutexGuard<'_, Account> {
        let mut account = self.account.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if account.waiting > 0 {
            let waited = now.saturating_duration_since(account.since);
            account.debt += waited;
        }
        account.since = now;
        account
    }
}

/// Somebody who waits. Time in which nobody does makes no debt.
struct Waiting<'t>(&'t RemoteTimeout);

impl<'t> Waiting<'t> {
    fn new(timeout: &'t RemoteTimeout) -> Self {
        timeout.account().waiting += 1;
        Self(timeout)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.account().waiting -= 1;
    }
}

/// Returns what `work` returns.
///
/// # Errors
///
/// [`RemoteError::Slow`] when it takes too long.
pub(super) async fn in_time<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, object_store::Error>>,
) -> Result<T, RemoteError> {
    match tokio::time::timeout(limit, work).await {
        Ok(done) => Ok(done?),
        Err(_) => Err(RemoteError::Slow),
    }
}
