//! Reads git's own files: the commit of a repository, its ancestors, and its remote. They are read without git and as
//! untrusted data: everything is bounded, and what cannot be parsed is left out.

mod commit_id;
mod commit_parents;
mod git_pack;
mod git_remote_url;
mod git_repository;
mod zlib;

pub(crate) use self::commit_id::is_commit_id;
use self::commit_parents::GitCommitReader;
pub(crate) use self::git_remote_url::normalize;
pub use self::git_repository::GitRepository;
