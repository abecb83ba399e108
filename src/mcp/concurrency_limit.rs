//! Limits the calls that run at once and the calls that wait.

use std::{
    num::NonZero,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    thread::available_parallelism,
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::config::ServeConfig;

/// Upper limit of calls at once.
const MAX_CONCURRENCY: u32 = 100_000;

/// Admits a limited number of calls at once, until the server begins to stop.
#[derive(Debug)]
pub(crate) struct ConcurrencyLimit {
    running: Arc<Semaphore>,
    concurrency: u32,
    waiting: AtomicU32,
    max_waiting: u32,
    stopping: CancellationToken,
}

/// Why a call is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AdmissionError {
    /// Too many calls run and wait.
    #[error("the server is busy: {0} calls wait already; try again in a few seconds")]
    Busy(u32),
    /// The server has begun to stop.
    #[error("the server is stopping")]
    Stopping,
}

/// A waiting call; it leaves the queue when its future is dropped.
struct Waiting<'a>(&'a AtomicU32);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl ConcurrencyLimit {
    /// Makes a queue that admits no call once `stopping` is cancelled.
    pub(crate) fn new(config: &ServeConfig, stopping: CancellationToken) -> Self {
        let processors = || available_parallelism().map_or(1, NonZero::get);
        let concurrency = match config.concurrency {
            0 => u32::try_from(processors()).unwrap_or(1),
            calls => calls.min(MAX_CONCURRENCY),
        };
        Self {
            running: Arc::new(Semaphore::new(concurrency as usize)),
            concurrency,
            waiting: AtomicU32::new(0),
            max_waiting: config.queue,
            stopping,
        }
    }

    /// Waits until the call may run, which holds until the permit is dropped.
    pub(crate) async fn enter(&self) -> Result<OwnedSemaphorePermit, AdmissionError> {
        if self.is_stopping() {
            return Err(AdmissionError::Stopping);
        }
        if let Ok(permit) = Arc::clone(&self.running).try_acquire_owned() {
            return Ok(permit);
        }
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let place = Waiting(&self.waiting);
        if before >= self.max_waiting {
            return Err(AdmissionError::Busy(before));
        }
        let permit = tokio::select! {
            permit = Arc::clone(&self.running).acquire_owned() => permit,
            () = self.stopping.cancelled() => return Err(AdmissionError::Stopping),
        };
        drop(place);
        // The semaphore is never closed.
        permit.map_err(|_| AdmissionError::Stopping)
    }

    /// Whether new calls are refused because the server stops.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.is_cancelled()
    }

    /// Waits until no call runs.
    pub(crate) async fn idle(&self) {
        // The semaphore is never closed.
        let _ = self.running.acquire_many(self.concurrency).await;
    }

    /// Returns the numbers of calls that run and that wait.
    pub(crate) fn load(&self) -> (u32, u32) {
        let free = u32::try_from(self.running.available_permits()).unwrap_or(u32::MAX);
        let running = self.concurrency.saturating_sub(free);
        (running, self.waiting.load(Ordering::Relaxed))
    }
}
