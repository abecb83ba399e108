//! Finds the roots of a workspace: the folders that the caller names, else those of the configuration, else the enclosing git
//! top level, else the current folder.

use std::path::{Path, PathBuf};

use retriever_workspace::{RootConfig, RootSpec};

use super::process_environment::ProcessEnvironment;

/// Returns the folders of `named`, resolved from the current folder. If there are none, returns the `configured` ones,
/// unless the current folder is in another repository; else the enclosing repository, or the current folder.
pub fn find(
    environment: &ProcessEnvironment,
    named: &[PathBuf],
    configured: &[RootConfig],
) -> Vec<RootSpec> {
    let folder = environment.folder();
    if !named.is_empty() {
        return named.iter().map(|named| RootSpec::new(folder.join(named))).collect();
    }
    let is_inside = |root: &RootConfig| canonical(folder).starts_with(canonical(&root.path));
    let repository = enclosing_repository(folder);
    if !configured.is_empty() && (repository.is_none() || configured.iter().any(is_inside)) {
        let spec = |root: &RootConfig| RootSpec {
            name: root.name.clone(),
            ..RootSpec::new(folder.join(&root.path))
        };
        return configured.iter().map(spec).collect();
    }
    vec![RootSpec::new(repository.unwrap_or(folder))]
}

/// Returns the path without links and `..`; unchanged if the folder does not exist.
#[expect(clippy::disallowed_methods, reason = "no workspace is open yet")]
fn canonical(folder: impl AsRef<Path>) -> PathBuf {
    let folder = folder.as_ref();
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

#[expect(clippy::disallowed_methods, reason = "no workspace is open yet")]
fn enclosing_repository(folder: &Path) -> Option<&Path> {
    // `.git` is a file in worktrees and submodules.
    folder.ancestors().find(|above| above.join(".git").exists())
}
