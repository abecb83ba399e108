//! A call that needs no model and reads many files: it runs on a blocking thread, within the time of a run, and is
//! cancelled when its client cancels it or drops its future.

use std::time::{Duration, Instant};

use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;

use crate::retriever::Retriever;
use retriever_workspace::Cancellation;

/// Longest time of a call that asks no model.
const MAX_CALL_TIME: Duration = Duration::from_secs(60 * 60);
/// Time for a call to return its partial result after its time is up.
const RETURN_TIME: Duration = Duration::from_secs(1);

/// The limits of a call that asks no model: the time of a run, and the client's cancellation.
pub(crate) struct BlockingCallLimits {
    pub(crate) cancellation: Cancellation,
    time: Duration,
}

impl BlockingCallLimits {
    pub(crate) fn of(retriever: &Retriever) -> Self {
        let config = retriever.config();
        let time = config.limits(&config.budget, 0).time.min(MAX_CALL_TIME);
        let cancellation = Cancellation::new().with_deadline(Instant::now() + time);
        Self { cancellation, time }
    }

    /// Waits until the call must return.
    pub(super) async fn up(&self) -> InterruptedCall {
        tokio::time::sleep(self.time + RETURN_TIME).await;
        InterruptedCall::OutOfTime(self.time)
    }
}

/// Why a call has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InterruptedCall {
    #[error(
        "the time of the call is up ({} s); a larger budget.timeout_s allows more, and `retriever index` builds the code graph \
         beforehand",
        .0.as_secs()
    )]
    OutOfTime(Duration),
    #[error("the call was cancelled")]
    Cancelled,
    /// The text of the panic is on the server's stderr, since it may hold paths and text of files.
    #[error("internal error; the server's stderr says more")]
    Panicked,
}

/// Admission of a call to the server's queue. It is held as long as the thread works, even if no client waits.
pub(crate) type ConcurrencyPermit = Option<OwnedSemaphorePermit>;

/// Cancels a call when its client disconnects.
struct CancelOnDrop<'a>(&'a Cancellation);

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Runs `call` on a blocking thread. A call that `client` cancelled or whose time is up is not waited for; dropping the
/// future cancels the call.
pub(crate) async fn run<T: Send + 'static>(
    client: &CancellationToken,
    limits: &BlockingCallLimits,
    turn: ConcurrencyPermit,
    call: impl FnOnce() -> T + Send + 'static,
) -> Result<T, InterruptedCall> {
    let _end = CancelOnDrop(&limits.cancellation);
    let working = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        call()
    });
    tokio::select! {
        result = working => result.map_err(|_| InterruptedCall::Panicked),
        () = client.cancelled() => Err(InterruptedCall::Cancelled),
        interrupted = limits.up() => Err(interrupted),
    }
}
