//! Why a store cannot be read or written.

use std::io;

use retriever_workspace::WorkBudgetExhausted;
use rusqlite::ErrorCode;

/// SQLite's extended code for a file that is too short.
const SHORT_READ: i32 = 522;

/// Why a store can't be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StoreError {
    /// Its content can't be trusted; it has to be created anew.
    #[error("{0}")]
    Damaged(String),
    /// It may be sound, but it can't be used: no space, no permission, another process that holds it.
    #[error("{0}")]
    Unusable(String),
    /// A file of the workspace has changed since the tree was scanned. The store is as it was.
    #[error("files change while they are read")]
    Changed,
    /// The work on it was cancelled, or its deadline has passed.
    #[error("the work was cancelled")]
    Cancelled,
}

impl From<WorkBudgetExhausted> for StoreError {
    fn from(_: WorkBudgetExhausted) -> Self {
        Self::Cancelled
    }
}

impl StoreError {
    /// The error for records that contradict each other.
    pub(crate) fn inconsistent() -> Self {
        Self::Damaged("records don't fit together".to_owned())
    }
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        Self::Unusable(error.to_string())
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let text = error.to_string();
        if is_damage(&error) { Self::Damaged(text) } else { Self::Unusable(text) }
    }
}

/// Whether an error says that the content of a database can't be trusted. Any other may pass: no space, no permission, too
/// many open files, another process that holds it.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    let is_short = error.sqlite_error().is_some_and(|error| error.extended_code == SHORT_READ);
    is_short
        || matches!(
            error.sqlite_error_code(),
            // SQLite's general error stands for "no such table", among others: another schema.
            None | Some(
                ErrorCode::DatabaseCorrupt
                    | ErrorCode::NotADatabase
                    | ErrorCode::Unknown
                    | ErrorCode::ConstraintViolation
                    | ErrorCode::TypeMismatch
            )
        )
}
