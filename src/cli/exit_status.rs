//! Exit codes. They are part of the contract with callers.

use std::process::ExitCode;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The answer was printed. A map of low confidence is an answer.
    Done,
    /// `grep` or `glob` found nothing.
    NoMatch,
    /// The command line or its input is invalid.
    Usage,
    /// The configuration or the root can't be used, a check of `doctor` failed, or `index` could keep nothing.
    Setup,
    /// The model failed, and `--no-fallback` or `--fail-on-fallback` was given.
    Model,
    /// An internal error.
    Internal,
    /// Ctrl-C; a partial map was printed.
    Interrupted,
    /// SIGTERM; a partial map was printed.
    Terminated,
}

impl Exit {
    /// Returns the exit code of the process.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::NoMatch => 1,
            Self::Usage => 2,
            Self::Setup => 3,
            Self::Model => 4,
            Self::Internal => 5,
            Self::Interrupted => 130,
            Self::Terminated => 143,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
