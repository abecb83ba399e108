//! Reads and replaces the files of host agents. A file is replaced as a whole, by a rename; its permissions stay, and
//! symbolic links are followed.
#![expect(clippy::disallowed_methods, reason = "these files lie outside of any workspace")]

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Size limit of a file. The largest one seen in use, a state file, has 2 MB.
const LARGEST: u64 = 64 << 20;

/// Returns the contents, or `None` if there is no such file.
///
/// # Errors
///
/// Errors if the file cannot be read, is not a regular file, is larger than 64 MiB or is not UTF-8.
pub(crate) fn read(path: &Path) -> io::Result<Option<String>> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    if metadata.len() > LARGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 64 MiB"));
    }
    fs::read_to_string(path).map(Some)
}

/// Replaces or creates a file, and returns the folders that were created, outermost first.
///
/// # Errors
///
/// Errors if the file does not hold `before` any more, or nothing can be written.
pub(crate) fn replace(path: &Path, before: Option<&str>, after: &str) -> io::Result<Vec<PathBuf>> {
    let target = resolved(path);
    let folder = target.parent().unwrap_or_else(|| Path::new("."));
    let made = make_folders(folder)?;
    let mut file = tempfile::Builder::new().prefix(".retriever-").tempfile_in(folder)?;
    file.write_all(after.as_bytes())?;
    file.as_file().sync_all()?;
    if let Ok(metadata) = fs::metadata(&target) {
        file.as_file().set_permissions(metadata.permissions())?;
    } else {
        readable_by_all(file.as_file())?;
    }
    unchanged(path, before)?;
    file.persist(&target).map_err(|error| error.error)?;
    Ok(made)
}

/// Removes a file that holds `before`.
///
/// # Errors
///
/// Errors if the file does not hold `before` any more, or can't be removed.
pub(crate) fn remove(path: &Path, before: &str) -> io::Result<()> {
    unchanged(path, Some(before))?;
    fs::remove_file(path)
}

/// Removes a folder if it is empty, and returns whether it is gone.
pub(crate) fn remove_empty(folder: &Path) -> bool {
    fs::remove_dir(folder).is_ok() || !exists(folder)
}

/// Returns whether the path exists.
pub(crate) fn exists(path: &Path) -> bool {
    fs::metadata(path).is_ok()
}

/// Returns the path with symbolic links resolved, so that two names of one file are equal.
pub(crate) fn resolved(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn unchanged(path: &Path, before: Option<&str>) -> io::Result<()> {
    if read(path)?.as_deref() == before {
        return Ok(());
    }
    Err(io::Error::other("it was changed by another program meanwhile"))
}

fn make_folders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut missing: Vec<_> =
        folder.ancestors().take_while(|folder| !exists(folder)).map(Path::to_owned).collect();
    missing.reverse();
    fs::create_dir_all(folder)?;
    Ok(missing)
}

#[cfg(unix)]
fn readable_by_all(file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable_by_all(_: &fs::File) -> io::Result<()> {
    Ok(())
}
