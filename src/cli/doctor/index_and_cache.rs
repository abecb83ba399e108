//! The stored index of the root, and the cache: its size, its limit and its permissions.

use std::{path::Path, sync::Arc};

use indicatif::DecimalBytes;
use retriever::{
    config::LoadedConfig,
    workspace::{Workspace, cache_folders},
};

use super::super::{command_context::CommandContext, index};
use super::Check;

/// Returns the state of the root's index. An unusable index is not a failure, since it is built again.
pub(super) fn index(
    context: &CommandContext<'_>,
    loaded: &LoadedConfig,
    workspace: &Arc<Workspace>,
) -> Check {
    let status = index::open(context, loaded, workspace).index.status();
    let detail = match (&status.store, &status.problem) {
        (None, _) => "kept nowhere, since there is no cache folder".to_owned(),
        (_, Some(problem)) => format!("can't be used ({problem}); the next use rebuilds it"),
        (Some(_), None) if status.bytes == 0 => "none yet; the first use makes it".to_owned(),
        (Some(_), None) => format!(
            "files: {}, definitions: {}, to read again: {}, {}",
            status.files,
            status.nodes,
            status.stale + status.gone,
            DecimalBytes(status.bytes)
        ),
    };
    Check::passed("index", detail)
}

/// Checks that the cache is readable, and by its owner only. Before the first use there is no cache.
pub(super) fn cache(context: &CommandContext<'_>, loaded: &LoadedConfig) -> Option<Check> {
    let folder = context.cache(loaded)?;
    let report = match cache_folders::list(&folder, loaded.config.index.max_cache_bytes()) {
        Ok(report) => report,
        Err(error) => {
            let detail = format!("{} can't be read: {error}", folder.display());
            return Some(Check::failed("cache", detail, "check the permissions of the folder"));
        }
    };
    let bytes = DecimalBytes(report.bytes.saturating_add(report.shared_bytes));
    let detail = format!("{}, roots: {}, {bytes}", folder.display(), report.entries.len());
    Some(match is_private(&folder) {
        true => Check::passed("cache", detail),
        false => Check::failed(
            "cache",
            format!("{detail}; others on this machine may read it"),
            format!("chmod 700 {}", folder.display()),
        ),
    })
}

/// Returns whether only the owner has access to a folder; true for a folder that does not exist.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "the cache lies outside of any workspace")]
fn is_private(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(folder).map_or(true, |metadata| metadata.permissions().mode() & 0o077 == 0)
}

/// Returns true: the folders of a user are private on other systems.
#[cfg(not(unix))]
fn is_private(_folder: &Path) -> bool {
    true
}
