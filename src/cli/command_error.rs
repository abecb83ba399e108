//! The error type of the command line: a message, hints and an exit code.

use retriever::{config::ConfigError, workspace::WorkspaceError};

use super::exit_status::Exit;

/// An error that ends a verb.
#[derive(Debug)]
pub(crate) struct CommandError {
    /// The cause, which decides the exit code.
    pub(crate) kind: CommandErrorKind,
    /// One line, lowercase, without a full stop.
    pub(crate) message: String,
    /// What the user can do, one line each.
    pub(crate) hints: Vec<String>,
}

/// The cause of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandErrorKind {
    /// The command line or its input.
    Usage,
    /// The configuration, the root or the environment.
    Setup,
    /// The model.
    Model,
    /// The program.
    Internal,
    /// The reader of stdout closed it; nothing is printed and the exit code is 0.
    BrokenPipe,
}

impl CommandErrorKind {
    /// Returns the exit code of this cause.
    pub(crate) const fn exit(self) -> Exit {
        match self {
            Self::Usage => Exit::Usage,
            Self::Setup => Exit::Setup,
            Self::Model => Exit::Model,
            Self::Internal => Exit::Internal,
            Self::BrokenPipe => Exit::Done,
        }
    }
}

impl CommandError {
    /// Returns an error without hints.
    pub(crate) fn new(kind: CommandErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hints: Vec::new() }
    }

    /// Adds a hint.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

impl From<ConfigError> for CommandError {
    fn from(error: ConfigError) -> Self {
        let kind = if matches!(error, ConfigError::Internal(_)) {
            CommandErrorKind::Internal
        } else {
            CommandErrorKind::Setup
        };
        Self { kind, message: error.to_string(), hints: error.hint().into_iter().collect() }
    }
}

impl From<WorkspaceError> for CommandError {
    fn from(error: WorkspaceError) -> Self {
        Self::new(CommandErrorKind::Setup, error.to_string()).hint(error.hint())
    }
}
