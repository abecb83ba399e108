//! Which folder is the workspace's root when nobody says: the enclosing git top level, else the current folder. Opening
//! it is the workspace's business.

use std::path::{Path, PathBuf};

use super::environment::Environment;

/// Returns the root: `named`, from the current folder, or what is found.
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
