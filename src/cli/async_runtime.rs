//! The runtime that questions run on: the only place where a verb becomes asynchronous.

use super::command_error::{CommandError, CommandErrorKind};

/// Starts the runtime that questions run on.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, CommandError> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| {
        CommandError::new(CommandErrorKind::Internal, format!("cannot start the runtime: {error}"))
    })
}
