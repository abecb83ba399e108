//! Builds the code graph of a large tree beside a question that is answered without it, so that the next question has it.
//! The build begins when the candidates are known and is given up at the end of the run's time, or some seconds after its
//! answer. What was read by then is kept, so that the next build has less to do.

use std::{
    sync::{Mutex, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use retriever::{Observer, Retriever, RunEvent, workspace::Cancellation};

use super::{build_retriever, interrupts::InterruptSignals};

/// Time for which the program waits for the build after it has printed its answer.
const MAX_WAIT: Duration = Duration::from_secs(10);
/// How often the build is asked whether it has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A build that begins with the run that it observes.
pub(super) struct BackgroundGraphBuild {
    retriever: Retriever,
    cancellation: Cancellation,
    deadline: Instant,
    /// Returns whether the graph is complete.
    build: Mutex<Option<JoinHandle<bool>>>,
}

impl BackgroundGraphBuild {
    /// Prepares the build for a run that begins now. A tree whose graph is kept in memory only gets none.
    pub(super) fn new(retriever: &Retriever) -> Option<Self> {
        retriever.index().folder()?;
        let config = retriever.config();
        let (now, time) = (Instant::now(), config.limits(&config.budget, 0).time);
        let deadline = now.checked_add(time).unwrap_or(now + MAX_WAIT);
        Some(Self {
            retriever: retriever.clone(),
            cancellation: Cancellation::new().with_deadline(deadline),
            deadline,
            build: Mutex::new(None),
        })
    }

    /// Waits for the build, if one was begun, until its time is up or the user interrupts. Returns what the user should know.
    pub(super) fn finish(&self) -> Option<&'static str> {
        let build = self.build.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let deadline = self.deadline.min(Instant::now() + MAX_WAIT);
        if let Ok(runtime) = build_retriever::runtime() {
            runtime.block_on(async {
                let ended = async {
                    while !build.is_finished() && Instant::now() < deadline {
                        tokio::time::sleep(POLL_INTERVAL).await;
                    }
                };
                let interrupted = async {
                    match InterruptSignals::new() {
                        Ok(mut signals) => {
                            signals.next().await;
                        }
                        Err(_) => std::future::pending().await,
                    }
                };
                tokio::select! {
                    () = ended => {}
                    () = interrupted => {}
                }
            });
        }
        self.cancellation.cancel();
        let is_complete = build.join().unwrap_or(false);
        Some(if is_complete {
            "the code graph was made meanwhile; the next question uses it"
        } else {
            "the code graph is not complete yet; the next question goes on with it, and `retriever index` completes it"
        })
    }
}

impl Observer for BackgroundGraphBuild {
    /// Begins the build once the candidates were found without a graph.
    fn on_event(&self, event: &RunEvent) {
        if !matches!(event, RunEvent::ReconFinished { .. }) || self.retriever.index().has_graph() {
            return;
        }
        let (retriever, cancellation) = (self.retriever.clone(), self.cancellation.clone());
        let build = move || retriever.index().refresh(&cancellation, &|_, _| {}).is_ok();
        *self.build.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread::spawn(build));
    }
}
