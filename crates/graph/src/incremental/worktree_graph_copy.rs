//! The first graph of a working tree: a copy of that of another working tree of the same repository, over the same base. The
//! refresh that follows reads every file, since times say nothing about another tree, and extracts and resolves only what
//! differs.

use std::{fs, path::Path};

use retriever_workspace::{Cancellation, cache_file_io, cache_folders};

use super::indexed_file_record;
use crate::store::{self, GraphStore, StoreError, StoreTable};

/// Copies the latest graph of another working tree of `repository` to `folder`, if there is one and `folder` holds none. What
/// fails is left undone: then the graph is made anew.
///
/// # Errors
///
/// [`StoreError::Cancelled`].
pub(super) fn copy_to(
    folder: &Path,
    repository: &Path,
    cancellation: &Cancellation,
) -> Result<(), StoreError> {
    let Ok(lock) = cache_file_io::lock_file(folder) else { return Ok(()) };
    if lock.try_lock().is_err() || store::size_on_disk(folder).is_some() {
        return Ok(());
    }
    for sibling in cache_folders::siblings(folder, repository) {
        cancellation.check()?;
        if copy(&sibling, folder, cancellation).is_ok() {
            return Ok(());
        }
        drop(fs::remove_file(folder.join(store::UNFINISHED)));
    }
    Ok(cancellation.check()?)
}

/// Copies a graph. One with edges that a SCIP index brought is another root's alone.
fn copy(from: &Path, to: &Path, cancellation: &Cancellation) -> Result<(), StoreError> {
    let source = GraphStore::open_known(from)?;
    if !source.all(StoreTable::Overlays)?.is_empty() {
        return Err(StoreError::Unusable("it has imported edges".to_owned()));
    }
    source.copy_to(to, cancellation, |copy| {
        copy.begin_write()?;
        for (path, mut file) in indexed_file_record::read_all(copy)? {
            cancellation.check()?;
            file.is_young = true;
            indexed_file_record::write(copy, &path, &file)?;
        }
        copy.commit()
    })
}
