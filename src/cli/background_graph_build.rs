//! Builds the code graph of a large tree while a question is answered without it, for the next question. The build
//! starts when the candidates are known. Facts of files are stored as they are read, so a build that is stopped while
//! it reads continues at the next question. Resolution starts from the beginning each time, so the program waits longer
//! for it. If one such wait was in vain, it leaves the graph to `retriever index`.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use retriever::{
    Observer, Retriever, RunEvent,
    indexing::{GraphIndex, UnfinishedBuild},
    workspace::Cancellation,
};

use super::{async_runtime, interrupts::interrupted};

/// Longest wait for files to be read, after the answer is printed.
const MAX_READING_WAIT: Duration = Duration::from_secs(10);
/// Longest wait for the graph, once all files are read.
const MAX_JOINING_WAIT: Duration = Duration::from_secs(60);
/// A build that is stopped this long after the last file was read takes too long for a question.
const LONG_JOINING: Duration = Duration::from_secs(10);
/// Interval at which the end of the build is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A build that begins with the run that it observes.
pub(super) struct BackgroundGraphBuild {
    retriever: Retriever,
    cancellation: Cancellation,
    deadline: Instant,
    state: Mutex<BuildState>,
}

enum BuildState {
    NotBegun,
    /// An earlier build was too long for a question.
    LeftToIndex,
    Running(RunningBuild),
}

struct RunningBuild {
    /// Returns whether the graph is complete.
    thread: JoinHandle<bool>,
    reading: Arc<Reading>,
}

/// Progress of reading files.
#[derive(Default)]
struct Reading {
    read: AtomicUsize,
    files: AtomicUsize,
    /// When the last file was read.
    ended: Mutex<Option<Instant>>,
}

impl BackgroundGraphBuild {
    /// Prepares the build for a run that starts now. Returns `None` if the graph of the tree is not stored.
    pub(super) fn new(retriever: &Retriever) -> Option<Self> {
        retriever.index().folder()?;
        let config = retriever.config();
        let (now, time) = (Instant::now(), config.limits(&config.budget, 0).time);
        let deadline = now.checked_add(time).unwrap_or(now + MAX_JOINING_WAIT);
        Some(Self {
            retriever: retriever.clone(),
            cancellation: Cancellation::new().with_deadline(deadline),
            deadline,
            state: Mutex::new(BuildState::NotBegun),
        })
    }

    /// Waits for the build, if one was started, until its time is up or the user interrupts. Returns a message for the
    /// user.
    pub(super) fn finish(&self) -> Option<String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let build = match std::mem::replace(&mut *state, BuildState::NotBegun) {
            BuildState::NotBegun => return None,
            BuildState::LeftToIndex => return Some(left_to_index()),
            BuildState::Running(build) => build,
        };
        drop(state);
        if let Ok(runtime) = async_runtime::runtime() {
            runtime.block_on(async {
                tokio::select! {
                    () = build.ended(self.deadline) => {}
                    () = interrupted() => {}
                }
            });
        }
        self.cancellation.cancel();
        if build.thread.join().unwrap_or(false) {
            return Some(
                "the code graph was built meanwhile; the next question uses it".to_owned(),
            );
        }
        let unfinished = build.reading.unfinished();
        self.retriever.index().note_unfinished(unfinished);
        let UnfinishedBuild { read, files, is_long } = unfinished;
        Some(if is_long {
            left_to_index()
        } else {
            format!(
                "the code graph is not complete yet: {read} of {files} files are read; the next question continues, `retriever index` completes it"
            )
        })
    }
}

fn left_to_index() -> String {
    "building the code graph of this tree takes longer than a question waits; run `retriever index` once"
        .to_owned()
}

impl RunningBuild {
    fn begin(retriever: &Retriever, cancellation: &Cancellation) -> Self {
        let reading = Arc::new(Reading::default());
        let (retriever, cancellation) = (retriever.clone(), cancellation.clone());
        let progress = Arc::clone(&reading);
        let build = move || {
            let show = |read, files| progress.advance(read, files);
            retriever.index().refresh(&cancellation, &show).is_ok()
        };
        Self { thread: thread::spawn(build), reading }
    }

    /// Waits until the build has ended or the deadline has passed.
    async fn ended(&self, deadline: Instant) {
        let began = Instant::now();
        while !self.thread.is_finished() && Instant::now() < deadline {
            let patience = match self.reading.ended() {
                Some(read) => read.max(began) + MAX_JOINING_WAIT,
                None => began + MAX_READING_WAIT,
            };
            if Instant::now() >= patience {
                return;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
}

impl Reading {
    fn advance(&self, read: usize, files: usize) {
        // Files are read on several threads, so calls come in any order.
        self.read.fetch_max(read, Ordering::Relaxed);
        self.files.store(files, Ordering::Relaxed);
        if read == files {
            *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
    }

    fn ended(&self) -> Option<Instant> {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unfinished(&self) -> UnfinishedBuild {
        UnfinishedBuild {
            read: self.read.load(Ordering::Relaxed),
            files: self.files.load(Ordering::Relaxed),
            is_long: self.ended().is_some_and(|ended| ended.elapsed() >= LONG_JOINING),
        }
    }
}

impl Observer for BackgroundGraphBuild {
    /// Begins the build once the candidates were found without a graph.
    fn on_event(&self, event: &RunEvent) {
        let index: &GraphIndex = self.retriever.index();
        if !matches!(event, RunEvent::ReconFinished { .. }) || index.has_graph() {
            return;
        }
        let begun = match index.unfinished() {
            Some(UnfinishedBuild { is_long: true, .. }) => BuildState::LeftToIndex,
            _ => BuildState::Running(RunningBuild::begin(&self.retriever, &self.cancellation)),
        };
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = begun;
    }
}
