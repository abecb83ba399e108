//! The one error of the command line: what happened in one line, what to do in the next, and the exit code.

use retriever::{config::ConfigError, workspace::WorkspaceError};

use super::exit::Exit;

/// Why a command gave no answer.
#[derive(Debug)]
pub(crate) struct CommandError {
    /// Whose fault it is.
    pub(crate) kind: Kind,
    /// One line, lowercase, without a full stop.
    pub(crate) message: String,
    /// What to do about it, a line each.
    pub(crate) hints: Vec<String>,
}

/// Whose fault it is; each has its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The command line or its input.
    Usage,
    /// The configuration, the root or the surroundings.
    Setup,
    /// The model.
    Model,
    /// The program.
    Internal,
    /// Nobody's: whoever read stdout has had enough.
    BrokenPipe,
}

impl Kind {
    /// The exit code.
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
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hints: Vec::new() }
    }

    /// Adds what to do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

impl From<ConfigError> for CommandError {
    fn from(error: ConfigError) -> Self {
        let kind =
            if matches!(error, ConfigError::Internal(_)) { Kind::Internal } else { Kind::Setup };
        Self { kind, message: error.to_string(), hints: error.hint().into_iter().collect() }
    }
}

impl From<WorkspaceError> for CommandError {
    fn from(error: WorkspaceError) -> Self {
        Self::new(Kind::Setup, error.to_string()).hint(error.hint())
    }
}

impl From<clap::Error> for CommandError {
    /// Clap's several paragraphs as one line and hints.
    fn from(error: clap::Error) -> Self {
        let text = error.render().to_string();
        let mut paragraphs = text.split("\n\n");
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let message = one_line(paragraphs.next().unwrap_or_default());
        let message = message.strip_prefix("error: ").unwrap_or(&message).to_owned();
        let mut hints: Vec<String> = paragraphs
            .filter_map(|paragraph| Some(one_line(paragraph.trim().strip_prefix("tip: ")?)))
            .collect();
        if hints.is_empty() {
            hints.push("--help behind a verb shows what it takes, with examples".to_owned());
        }
        Self { kind: Kind::Usage, message, hints }
    }
}
