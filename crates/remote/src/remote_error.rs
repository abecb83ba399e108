//! Why a remote can't be used.

use super::blocking_runtime::UnfinishedRequest;

/// Why a remote can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// It has no such address.
    #[error("{address} can't be used as a remote: {reason}")]
    Address {
        /// The address, without credentials.
        address: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The repository has no name.
    #[error("the repository has no remote address in git's configuration, so it has no name")]
    NoRepository,
    /// Several roots make one index, and what is published is of one repository.
    #[error(
        "only the index of one repository can be published, and the workspace has several roots"
    )]
    SeveralRoots,
    /// The root lies in a working tree.
    #[error(
        "the root is a folder inside a git working tree, and only the index of the whole tree can be published"
    )]
    BelowWorkingTree,
    /// The root is in no working tree.
    #[error("the root is not a git working tree")]
    NoWorkingTree,
    /// There is no commit to publish.
    #[error("git has no commit checked out")]
    NoCommit,
    /// It did not answer in time.
    #[error("it does not answer, or too slowly")]
    Slow,
    /// The caller cancelled the work.
    #[error("the work was cancelled")]
    Cancelled,
    /// What it gave can't be trusted.
    #[error("{0}")]
    Refused(String),
    /// It can't be reached, or refuses.
    #[error("{0}")]
    Failed(String),
}

impl RemoteError {
    pub(crate) fn refused(reason: &str) -> Self {
        Self::Refused(reason.to_owned())
    }
}

impl From<UnfinishedRequest> for RemoteError {
    fn from(unfinished: UnfinishedRequest) -> Self {
        match unfinished {
            UnfinishedRequest::Cancelled => Self::Cancelled,
            UnfinishedRequest::EndedEarly => Self::Failed(unfinished.to_string()),
        }
    }
}

impl From<object_store::Error> for RemoteError {
    fn from(error: object_store::Error) -> Self {
        // The chain of causes has the address in every link.
        let mut cause: &dyn std::error::Error = &error;
        while let Some(deeper) = cause.source() {
            cause = deeper;
        }
        Self::Failed(cause.to_string())
    }
}
