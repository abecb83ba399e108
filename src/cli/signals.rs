//! Ctrl-C and SIGTERM as a stream of exit codes.

use std::io;

use super::exit::Exit;

/// Signals that ask the program to end. Once listened to, they no longer end it by themselves.
pub(crate) struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Starts to listen. Needs a runtime.
    pub(crate) fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) -> Exit {
        tokio::select! {
            _ = self.interrupt.recv() => Exit::Interrupted,
            _ = self.terminate.recv() => Exit::Terminated,
        }
    }
}

#[cfg(not(unix))]
impl Signals {
    /// Starts to listen. Needs a runtime.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) -> Exit {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Exit::Interrupted,
            Err(_) => std::future::pending().await,
        }
    }
}
