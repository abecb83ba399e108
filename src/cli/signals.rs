//! Ctrl-C and SIGTERM as a stream of exit codes.

#[cfg(unix)]
use std::io;

use super::{error::CommandError, exit::Exit};

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
    pub(crate) fn new() -> Result<Self, CommandError> {
        use super::error::Kind;
        use tokio::signal::unix::{SignalKind, signal};
        let deaf = |error: io::Error| {
            CommandError::new(Kind::Internal, format!("cannot listen for signals: {error}"))
        };
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).map_err(deaf)?,
            terminate: signal(SignalKind::terminate()).map_err(deaf)?,
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
    pub(crate) fn new() -> Result<Self, CommandError> {
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

/// Ends the program at once.
#[expect(clippy::exit, reason = "whoever interrupts twice wants no more cleaning up")]
pub(crate) fn leave(exit: Exit) -> ! {
    std::process::exit(i32::from(exit.code()))
}
