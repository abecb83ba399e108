//! A cell that threads wait for can be left by each of them.

use std::sync::{
    Barrier,
    atomic::{AtomicUsize, Ordering},
};

use pretty_assertions::assert_eq;
use retriever_workspace::{CancellableOnce, Cancellation};

#[test]
fn cancelled_work_is_not_kept() {
    let once = CancellableOnce::new();
    let cancelled = Cancellation::new();
    let work = || {
        cancelled.cancel();
        1
    };
    assert_eq!(once.get_or_init(&cancelled, work), None);
    assert_eq!(once.get(), None);
    assert_eq!(once.get_or_init(&Cancellation::new(), || 2), Some(2));
    assert_eq!(once.get_or_init(&Cancellation::new(), || 3), Some(2));
}

#[test]
fn a_thread_that_waits_can_be_cancelled() {
    let (once, begun, end) = (CancellableOnce::new(), Barrier::new(2), Barrier::new(2));
    std::thread::scope(|threads| {
        let worker = threads.spawn(|| {
            once.get_or_init(&Cancellation::new(), || {
                begun.wait();
                end.wait();
                1
            })
        });
        begun.wait();
        let cancelled = Cancellation::new();
        cancelled.cancel();
        assert_eq!(once.get_or_init(&cancelled, || 2), None);
        end.wait();
        assert_eq!(worker.join().unwrap(), Some(1));
    });
}

#[test]
fn many_threads_do_the_work_once() {
    let (once, done) = (CancellableOnce::new(), AtomicUsize::new(0));
    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| {
                let work = || done.fetch_add(1, Ordering::Relaxed);
                assert_eq!(once.get_or_init(&Cancellation::new(), work), Some(0));
            });
        }
    });
    assert_eq!(done.into_inner(), 1);
}
