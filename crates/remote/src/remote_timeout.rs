//! The time limit of a remote. A transfer that stalls or is slow is given up, since this machine can do the work itself.

use std::{
    future::Future,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use super::error::RemoteError;

/// Time between two looks at the progress.
const INTERVAL: Duration = Duration::from_millis(20);
/// Bytes a second below which a remote counts as slow, once the patience has passed.
const MIN_BYTES_PER_SECOND: u64 = 1_000_000;
/// Bytes that an answer counts as, beside those of its body: many small answers are no slow remote.
const ANSWER_BYTES: usize = 64 << 10;

/// The bytes that have arrived, and since when.
pub(crate) struct RemoteTimeout {
    limit: Duration,
    started: Instant,
    /// Milliseconds after the start at which something arrived.
    latest: AtomicU64,
    bytes: AtomicU64,
}

impl RemoteTimeout {
    /// Starts to wait. Without a byte for `limit`, or with too few of them, the remote is given up.
    pub(crate) fn new(limit: Duration) -> Self {
        Self { limit, started: Instant::now(), latest: AtomicU64::new(0), bytes: AtomicU64::new(0) }
    }

    /// Takes note of an answer, whose body may follow.
    pub(crate) fn note_answer(&self) {
        self.note(ANSWER_BYTES);
    }

    /// Takes note of bytes that arrived.
    pub(crate) fn note(&self, bytes: usize) {
        self.latest.fetch_max(self.elapsed_ms(), Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Returns what `work` returns.
    ///
    /// # Errors
    ///
    /// [`RemoteError::Slow`] when the patience ends first, and the errors of `work`.
    pub(crate) async fn wait<T>(
        &self,
        work: impl Future<Output = Result<T, RemoteError>>,
    ) -> Result<T, RemoteError> {
        let given_up = async {
            while !self.is_over() {
                tokio::time::sleep(INTERVAL).await;
            }
        };
        tokio::select! {
            biased;
            done = work => done,
            () = given_up => Err(RemoteError::Slow),
        }
    }

    fn is_over(&self) -> bool {
        let limit = u64::try_from(self.limit.as_millis()).unwrap_or(u64::MAX);
        let elapsed = self.elapsed_ms();
        if elapsed.saturating_sub(self.latest.load(Ordering::Relaxed)) >= limit {
            return true;
        }
        let expected = elapsed.saturating_sub(limit).saturating_mul(MIN_BYTES_PER_SECOND / 1_000);
        self.bytes.load(Ordering::Relaxed) < expected
    }

    fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
