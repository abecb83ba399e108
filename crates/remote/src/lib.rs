//! Graphs, words and facts of a repository that one machine has made and others fetch.
//!
//! A publisher writes *objects*, each named by the hash of its bytes, and at last a *manifest* for a commit, which names
//! the objects. A reader takes the manifest of its commit, or of the nearest published one before it. What it fetches has to
//! fit its hash; what doesn't is refused, said once, and made on this machine. What graphs, words and facts are is
//! known by the caller alone: here they are bytes.
#![deny(missing_docs)]

mod blocking_runtime;
mod fetch_published_index;
mod git;
mod hashed_object;
mod index_manifest;
mod object_store_credentials;
mod prune_remote;
mod publish_commit;
mod remote_error;
mod remote_location;
mod remote_repository;
mod remote_timeout;

pub use blocking_runtime::{BlockingRuntime, UnfinishedRequest};
pub use fetch_published_index::{PortableGraphStream, RemoteReader};
pub use git::GitRepository;
pub use object_store_credentials::ObjectStoreCredentials;
pub use prune_remote::PruneOutcome;
pub use publish_commit::{CommitToPublish, PublishedCommit};
pub use remote_error::RemoteError;
pub use remote_location::can_be_written;
pub use remote_repository::{RemoteIndex, RemoteOptions};

/// Returns the name that a repository's address has in every spelling; `None` for no address.
pub fn repository_name(address: &str) -> Option<String> {
    git::normalize(address)
}
