//! Ctrl-C and SIGTERM as a stream of exit codes.

#[cfg(unix)]
use std::io;

use super::{command_error::CommandError, exit_status::Exit};

/// Signals that ask the program to end. Listening replaces their default action, which is to end the process.
pub(crate) struct InterruptSignals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl InterruptSignals {
    /// Starts to listen. Must be called within a runtime.
    pub(crate) fn new() -> Result<Self, CommandError> {
        use super::command_error::CommandErrorKind;
        use tokio::signal::unix::{SignalKind, signal};
        let failed = |error: io::Error| {
            CommandError::new(
                CommandErrorKind::Internal,
                format!("cannot listen for signals: {error}"),
            )
        };
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).map_err(failed)?,
            terminate: signal(SignalKind::terminate()).map_err(failed)?,
        })
    }

    /// Waits for the next signal.
    pub(crate) async fn next(&mut self) -> Exit {
        tokio::select! {
            _ = self.interrupt.recv() => Exit::Interrupted,
            _ = self.terminate.recv() => Exit::Terminated,
        }
    }
}

#[cfg(not(unix))]
impl InterruptSignals {
    /// Starts to listen. Must be called within a runtime.
    pub(crate) fn new() -> Result<Self, CommandError> {
        Ok(Self {})
    }

    /// Waits for the next signal.
    pub(crate) async fn next(&mut self) -> Exit {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Exit::Interrupted,
            Err(_) => std::future::pending().await,
        }
    }
}

/// Waits for the first signal; waits for ever if signals cannot be listened to.
pub(crate) async fn interrupted() {
    match InterruptSignals::new() {
        Ok(mut signals) => {
            signals.next().await;
        }
        Err(_) => std::future::pending().await,
    }
}

/// Ends the program without cleaning up.
#[expect(clippy::exit, reason = "the second interrupt ends the program without cleaning up")]
pub(crate) fn exit_now(exit: Exit) -> ! {
    std::process::exit(i32::from(exit.code()))
}
