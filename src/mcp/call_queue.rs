//! How many calls run at once, and how many may wait for their turn.

use std::{
    num::NonZero,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    thread::available_parallelism,
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::config::ServeConfig;

/// Lets calls in, a limited number at once.
#[derive(Debug)]
pub(crate) struct CallQueue {
    running: Arc<Semaphore>,
    concurrency: usize,
    waiting: AtomicU32,
    max_waiting: u32,
}

/// The calls that run and may still come are too many.
#[derive(Debug, thiserror::Error)]
#[error("the server is busy: {0} calls wait already; try again in a few seconds")]
pub(crate) struct Busy(u32);

/// The place of a call in the queue; a client that goes away gives it up.
struct Waiting<'a>(&'a AtomicU32);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl CallQueue {
    pub(crate) fn new(config: &ServeConfig) -> Self {
        let processors = || available_parallelism().map_or(1, NonZero::get);
        let concurrency = match config.concurrency {
            0 => processors(),
            calls => usize::try_from(calls).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS),
        };
        Self {
            running: Arc::new(Semaphore::new(concurrency)),
            concurrency,
            waiting: AtomicU32::new(0),
            max_waiting: config.queue,
        }
    }

    /// Waits for the turn of a call, which lasts until the permit is dropped.
    pub(crate) async fn enter(&self) -> Result<OwnedSemaphorePermit, Busy> {
        if let Ok(permit) = Arc::clone(&self.running).try_acquire_owned() {
            return Ok(permit);
        }
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let place = Waiting(&self.waiting);
        if before >= self.max_waiting {
            return Err(Busy(before));
        }
        let permit = Arc::clone(&self.running).acquire_owned().await;
        drop(place);
        permit.map_err(|_| Busy(before))
    }

    /// Returns the numbers of calls that run and that wait.
    pub(crate) fn load(&self) -> (usize, u32) {
        let running = self.concurrency.saturating_sub(self.running.available_permits());
        (running, self.waiting.load(Ordering::Relaxed))
    }
}
