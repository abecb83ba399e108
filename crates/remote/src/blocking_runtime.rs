//! A runtime for blocking threads: requests run on its own thread, and a caller stops waiting when its work is
//! cancelled.

use std::{
    fmt,
    future::Future,
    io,
    sync::mpsc::{self, RecvTimeoutError},
    time::Duration,
};

use retriever_workspace::Cancellation;
use tokio::{
    runtime::{Builder, Runtime},
    task::JoinHandle,
};

/// Interval at which cancellation is checked.
pub(crate) const POLL: Duration = Duration::from_millis(20);

/// A runtime with one thread. The calling thread may belong to another runtime, whose tasks must not block.
pub struct BlockingRuntime(Option<Runtime>);

/// Why a request has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnfinishedRequest {
    /// The work was cancelled.
    #[error("the work was cancelled")]
    Cancelled,
    /// The request panicked.
    #[error("the work ended early")]
    EndedEarly,
}

impl BlockingRuntime {
    /// Starts a runtime whose thread has this name.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn new(name: &str) -> io::Result<Self> {
        let runtime =
            Builder::new_multi_thread().worker_threads(1).thread_name(name).enable_all().build();
        runtime.map(|runtime| Self(Some(runtime)))
    }

    /// Runs `work` on the runtime's thread and waits for it.
    ///
    /// # Errors
    ///
    /// [`UnfinishedRequest`]; then the work was stopped.
    pub fn run<T: Send + 'static>(
        &self,
        cancellation: &Cancellation,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, UnfinishedRequest> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let task = self.spawn(async move {
            // An error means that the caller has stopped waiting.
            let _ = sender.send(work.await);
        });
        loop {
            match receiver.recv_timeout(POLL) {
                Ok(done) => return Ok(done),
                Err(RecvTimeoutError::Timeout) if !cancellation.is_cancelled() => {}
                Err(RecvTimeoutError::Timeout) => {
                    task.inspect(JoinHandle::abort);
                    return Err(UnfinishedRequest::Cancelled);
                }
                Err(RecvTimeoutError::Disconnected) => return Err(UnfinishedRequest::EndedEarly),
            }
        }
    }

    /// Runs `work` on the runtime's thread.
    pub(crate) fn spawn(
        &self,
        work: impl Future<Output = ()> + Send + 'static,
    ) -> Option<JoinHandle<()>> {
        self.0.as_ref().map(|runtime| runtime.spawn(work))
    }
}

impl Drop for BlockingRuntime {
    fn drop(&mut self) {
        // Does not wait for requests that hang. The last owner may be a task of another runtime, which must not block.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for BlockingRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockingRuntime").finish_non_exhaustive()
    }
}
