//! Files that the user names on the command line for what a run writes: its events, its recording, its page.

use std::{
    fs::{File, OpenOptions},
    path::Path,
};

use super::command_error::{CommandError, CommandErrorKind};

/// Creates or empties a file that only its owner can read: it will hold the repository's text. A pipe or a device keeps its
/// permissions.
///
/// # Errors
///
/// Errors if the file can't be written.
pub(super) fn create(path: &Path) -> Result<File, CommandError> {
    let file = open(path, File::options().create(true).truncate(true))?;
    make_private(&file);
    Ok(file)
}

/// Creates a file that only its owner can read, where there is none.
///
/// # Errors
///
/// Errors if there is a file, or it can't be written.
pub(super) fn create_new(path: &Path) -> Result<File, CommandError> {
    open(path, File::options().create_new(true))
}

fn open(path: &Path, options: &mut OpenOptions) -> Result<File, CommandError> {
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.open(path).map_err(|error| {
        CommandError::new(
            CommandErrorKind::Usage,
            format!("cannot write {}: {error}", path.display()),
        )
        .hint("give the path of a file that can be written")
    })
}

/// Removes the permissions of others from an existing file. Some file systems have none.
#[cfg(unix)]
fn make_private(file: &File) {
    use std::os::unix::fs::PermissionsExt;
    if file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        let _ = file.set_permissions(std::fs::Permissions::from_mode(0o600));
    }
}

#[cfg(not(unix))]
fn make_private(_: &File) {}
