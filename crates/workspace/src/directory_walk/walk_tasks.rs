//! The threads of a walk and their queue of tasks. The newest task is done first, so that few folders are partly done
//! at a time.

use std::{
    ops::ControlFlow,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

/// Most threads of a walk; locks of the system make more of them useless.
const MAX_THREADS: usize = 12;

/// Waiting tasks, and the number of busy threads.
pub(super) struct WalkTasks<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    waiting: Vec<T>,
    /// Threads that run a task.
    busy: usize,
    /// Threads that wait for a task.
    idle: usize,
    is_over: bool,
}

impl<T: Send> WalkTasks<T> {
    /// Runs `first` and the tasks that follow from it on several threads. `worker` makes the worker of a thread, which
    /// runs a task and returns the following ones; when one breaks, the others end soon.
    pub(super) fn run<W>(first: T, worker: impl Fn() -> W)
    where
        W: FnMut(T) -> ControlFlow<(), Vec<T>> + Send,
    {
        let state = State { waiting: vec![first], busy: 0, idle: 0, is_over: false };
        let tasks = Self { state: Mutex::new(state), changed: Condvar::new() };
        let threads = thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
        let others: Vec<W> = (1..threads).map(|_| worker()).collect();
        thread::scope(|scope| {
            for other in others {
                scope.spawn(|| tasks.work(other));
            }
            tasks.work(worker());
        });
    }

    fn work(&self, mut worker: impl FnMut(T) -> ControlFlow<(), Vec<T>>) {
        while let Some((task, mut turn)) = self.next() {
            match worker(task) {
                ControlFlow::Continue(following) => turn.following = following,
                ControlFlow::Break(()) => turn.is_last = true,
            }
        }
    }

    /// Returns the next task; `None` when there is none left.
    fn next(&self) -> Option<(T, Turn<'_, T>)> {
        let mut state = self.lock();
        while !state.is_over {
            if let Some(task) = state.waiting.pop() {
                state.busy += 1;
                return Some((task, Turn { tasks: self, following: Vec::new(), is_last: false }));
            }
            if state.busy == 0 {
                break;
            }
            state.idle += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
        None
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A task that is running.
struct Turn<'a, T: Send> {
    tasks: &'a WalkTasks<T>,
    /// The tasks that follow from it.
    following: Vec<T>,
    /// Whether the walk ends with it.
    is_last: bool,
}

impl<T: Send> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        let mut state = self.tasks.lock();
        state.busy -= 1;
        state.waiting.append(&mut self.following);
        // A panic of a worker ends the walk and continues in the caller.
        state.is_over |= self.is_last || thread::panicking();
        let is_done = state.is_over || (state.busy == 0 && state.waiting.is_empty());
        if state.idle > 0 && (is_done || !state.waiting.is_empty()) {
            self.tasks.changed.notify_all();
        }
    }
}
