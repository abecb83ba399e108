//! Finds the workspace's root: the folder that the caller names, else the enclosing git top level, else the current folder.

use std::path::{Path, PathBuf};

use super::environment::Environment;

/// Returns `named`, resolved from the current folder, or the default root.
#[expect(clippy::disallowed_methods, reason = "before there is a workspace to ask")]
pub fn find(environment: &Environment, named: Option<&Path>) -> PathBuf {
    let folder = environment.folder();
    match named {
        Some(named) => folder.join(named),
        // `.git` is a file in worktrees and submodules.
        None => folder
            .ancestors()
            .find(|above| above.join(".git").exists())
            .unwrap_or(folder)
            .to_owned(),
    }
}
