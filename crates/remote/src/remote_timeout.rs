//! The time limit of a remote, shared by all reads of a run. Waiting adds to a debt, and received bytes reduce it: a
//! remote that stalls, or is slower than building the index on this machine, is given up before it has cost more than
//! the limit.

use std::{
    future::Future,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::remote_error::RemoteError;

/// Interval at which progress is checked.
const INTERVAL: Duration = Duration::from_millis(10);
/// Bytes that pay for a millisecond: about what two cores build of an index in that time.
const BYTES_PER_MS: usize = 3_000;
/// Bytes that an answer counts for besides its body, so that many small answers do not look like a slow remote.
const ANSWER_BYTES: usize = 128 << 10;

/// The debt of the remote.
pub(crate) struct RemoteTimeout {
    limit: Duration,
    account: Mutex<Account>,
}

struct Account {
    debt: Duration,
    /// Time of the last update of the debt.
    since: Instant,
    /// Requests that are being waited for.
    waiting: u32,
}

impl RemoteTimeout {
    /// Returns the account of a remote whose debt may reach `limit`.
    pub(crate) fn new(limit: Duration) -> Self {
        let account = Account { debt: Duration::ZERO, since: Instant::now(), waiting: 0 };
        Self { limit, account: Mutex::new(account) }
    }

    /// Records an answer, whose body may follow.
    pub(crate) fn note_answer(&self) {
        self.note(ANSWER_BYTES);
    }

    /// Records received bytes.
    pub(crate) fn note(&self, bytes: usize) {
        let paid = Duration::from_micros((bytes * 1_000 / BYTES_PER_MS) as u64);
        let mut account = self.account();
        account.debt = account.debt.saturating_sub(paid);
    }

    /// Returns the result of `work`.
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

    /// Returns the account, updated to now.
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

/// A caller that waits. Only the time of waiting adds to the debt.
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

/// Returns the result of `work`.
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
