//! A call that asks no model and reads many files: it runs on a thread that may block, within the time of a run, and ends when
//! its client goes away.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::retriever::Retriever;
use retriever_workspace::Cancellation;

/// Longest time of a call that asks no model.
const MAX_CALL_TIME: Duration = Duration::from_secs(60 * 60);
/// Time that a call has to return what it has found when its time is up.
const RETURN_TIME: Duration = Duration::from_secs(1);

/// The limits of a call that asks no model: the time of a run, and the client's cancellation.
pub(crate) struct CallLimits {
    pub(crate) cancellation: Cancellation,
    time: Duration,
}

impl CallLimits {
    pub(crate) fn of(retriever: &Retriever) -> Self {
        let time = retriever.config().budget.resolve(0).time.min(MAX_CALL_TIME);
        let cancellation = Cancellation::new().with_deadline(Instant::now() + time);
        Self { cancellation, time }
    }

    /// Waits until the call has to have returned, and returns the sentence that says so.
    pub(super) async fn up(&self) -> String {
        tokio::time::sleep(self.time + RETURN_TIME).await;
        format!(
            "the time of the call is up ({} s); a larger budget.timeout_s allows more, and `retriever index` builds the code \
             graph beforehand",
            self.time.as_secs()
        )
    }
}

/// Cancels a call whose answer nobody waits for any more.
struct CancelOnDrop<'a>(&'a Cancellation);

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Runs `call` on a thread that may block. A call that is cancelled by `client` or out of time is not waited for, and one whose
/// future is dropped is cancelled.
pub(crate) async fn run<T: Send + 'static>(
    client: &CancellationToken,
    limits: &CallLimits,
    call: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let _end = CancelOnDrop(&limits.cancellation);
    let result = tokio::select! {
        result = tokio::task::spawn_blocking(call) => result.map_err(|error| error.to_string()),
        () = client.cancelled() => Err("the call was cancelled".to_owned()),
        problem = limits.up() => Err(problem),
    };
    result.flatten()
}
