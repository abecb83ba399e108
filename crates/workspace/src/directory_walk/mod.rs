//! Walking: every file that a search may see, under the ignore rules of the tree itself. Files that git tracks are not
//! excluded by git's ignore files. Global ignore files and those above the root are not read, so that the result is the
//! same on every machine. Links are not followed.

mod checkout_changes;
mod count_skipped_files;
mod ignore_rules;
mod root_walk;
mod skipped_files;
mod walk_tasks;
mod walked_file;
mod workspace_walk;

pub(crate) use self::workspace_walk::below;

pub use self::{
    skipped_files::SkippedFiles,
    walked_file::{FoundFile, WalkedFile},
    workspace_walk::DirectoryWalk,
};
