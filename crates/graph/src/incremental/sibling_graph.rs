//! The first graph of a working tree: a copy of that of another working tree of the same repository. The refresh that follows
//! reads every file, since times say nothing about another tree, and extracts and resolves only what differs.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use retriever_workspace::{Cancellation, storage};

use super::file_record;
use crate::store::{self, Store, StoreError, Table};

/// File beside a graph that says which repository its root belongs to.
const REPOSITORY: &str = "repository";

/// Copies the latest graph below `cache` of another working tree of `repository` to `folder`, if there is one and `folder`
/// holds none. What fails is left undone: then the graph is made anew.
///
/// # Errors
///
/// [`StoreError::Cancelled`].
pub(super) fn copy_to(
    folder: &Path,
    cache: &Path,
    repository: &Path,
    cancellation: &Cancellation,
) -> Result<(), StoreError> {
    let Ok(lock) = storage::lock_file(folder) else { return Ok(()) };
    if lock.try_lock().is_err() || store::size_on_disk(folder).is_some() {
        return Ok(());
    }
    for sibling in siblings(cache, folder, repository.as_os_str().as_encoded_bytes()) {
        cancellation.check()?;
        if copy(&sibling, folder, cancellation).is_ok() {
            return Ok(());
        }
        drop(fs::remove_file(folder.join(store::UNFINISHED)));
    }
    Ok(cancellation.check()?)
}

/// Notes that the graph in `folder` is of a working tree of `repository`, so that others can begin with it.
///
/// # Errors
///
/// Those of the file system.
#[expect(clippy::disallowed_methods, reason = "the cache is no part of the workspace")]
pub(super) fn note(folder: &Path, repository: &Path) -> io::Result<()> {
    let (path, repository) = (folder.join(REPOSITORY), repository.as_os_str().as_encoded_bytes());
    if fs::read(&path).is_ok_and(|known| known == repository) {
        return Ok(());
    }
    storage::replace_file(&path, repository)
}

/// Returns the folders of other working trees of a repository, the one that was written last first.
#[expect(clippy::disallowed_methods, reason = "the cache is no part of the workspace")]
fn siblings(cache: &Path, own: &Path, repository: &[u8]) -> Vec<PathBuf> {
    let mut found: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in fs::read_dir(cache).into_iter().flatten().flatten() {
        let folder = entry.path();
        let is_sibling = folder != own
            && fs::read(folder.join(REPOSITORY)).is_ok_and(|known| known == repository);
        if is_sibling && let Some(written) = store::written(&folder) {
            found.push((written, folder));
        }
    }
    found.sort_unstable();
    found.into_iter().rev().map(|(_, folder)| folder).collect()
}

/// Copies a graph. One with edges that a SCIP index brought is another root's alone.
fn copy(from: &Path, to: &Path, cancellation: &Cancellation) -> Result<(), StoreError> {
    let source = Store::open_known(from)?;
    if !source.all(Table::Overlays)?.is_empty() {
        return Err(StoreError::Unusable("it has imported edges".to_owned()));
    }
    source.copy_to(to, cancellation, |copy| {
        copy.begin_write()?;
        for (path, mut file) in file_record::read_all(copy)? {
            cancellation.check()?;
            file.is_young = true;
            file_record::write(copy, &path, &file)?;
        }
        copy.commit()
    })
}
