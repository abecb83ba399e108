//! Why a remote cannot be used.

use super::blocking_runtime::UnfinishedRequest;

/// Why a remote cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// The address is not valid.
    #[error("{address} can't be used as a remote: {reason}")]
    Address {
        /// The address, without credentials.
        address: String,
        /// The reason.
        reason: String,
    },
    /// The repository has no name.
    #[error("the repository has no remote address in git's configuration, so it has no name")]
    NoRepository,
    /// The workspace has several roots.
    #[error(
        "only the index of one repository can be published, and the workspace has several roots"
    )]
    SeveralRoots,
    /// The root is not the top of its working tree.
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
    /// The remote did not answer in time.
    #[error("it answers too slowly or not at all")]
    Slow,
    /// The caller cancelled the work.
    #[error("the work was cancelled")]
    Cancelled,
    /// An object does not match its hash or format.
    #[error("{0}")]
    Refused(String),
    /// The remote cannot be reached, or refuses the request.
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
        // Every error of the chain contains the address.
        let mut cause: &dyn std::error::Error = &error;
        while let Some(deeper) = cause.source() {
            cause = deeper;
        }
        Self::Failed(cause.to_string())
    }
}
