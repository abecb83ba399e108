//! A value that one thread computes while others wait. Cancellation ends the wait of each thread separately.

use std::{
    fmt,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crate::Cancellation;

/// Interval at which a waiting thread checks its cancellation.
const POLL: Duration = Duration::from_millis(20);

/// A cell that is set once. Unlike [`std::sync::OnceLock`] it stays empty when the work is cancelled, and a thread that
/// waits for another one can be cancelled, too.
pub struct CancellableOnce<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

enum State<T> {
    Empty,
    /// A thread computes it.
    Underway,
    Done(T),
}

impl<T: Clone> CancellableOnce<T> {
    /// Returns an empty cell.
    pub const fn new() -> Self {
        Self { state: Mutex::new(State::Empty), changed: Condvar::new() }
    }

    /// Returns the value, if it is set.
    pub fn get(&self) -> Option<T> {
        match &*self.lock() {
            State::Done(value) => Some(value.clone()),
            State::Empty | State::Underway => None,
        }
    }

    /// Returns the value; if it is not set, `work` computes it. Returns `None` and stores nothing if the work is
    /// cancelled.
    pub fn get_or_init(&self, cancellation: &Cancellation, work: impl FnOnce() -> T) -> Option<T> {
        let mut state = self.lock();
        loop {
            match &*state {
                State::Done(value) => return Some(value.clone()),
                State::Empty => break,
                State::Underway if cancellation.is_cancelled() => return None,
                State::Underway => {
                    let waited = self.changed.wait_timeout(state, POLL);
                    (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
        *state = State::Underway;
        drop(state);
        let mut turn = Turn { once: self, end: State::Empty };
        let value = work();
        if cancellation.is_cancelled() {
            return None;
        }
        turn.end = State::Done(value.clone());
        Some(value)
    }
}

impl<T> CancellableOnce<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Clone> Default for CancellableOnce<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for CancellableOnce<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancellableOnce").finish_non_exhaustive()
    }
}

/// The right to set a cell. Dropping it sets the state of the cell to `end`, so that a panic leaves the cell empty.
struct Turn<'a, T> {
    once: &'a CancellableOnce<T>,
    end: State<T>,
}

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        *self.once.lock() = std::mem::replace(&mut self.end, State::Empty);
        self.once.changed.notify_all();
    }
}
