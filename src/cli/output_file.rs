//! Files that the user names on the command line for what a run writes: its events, its recording, its page.

use std::{fs::File, path::Path};

use super::error::{CommandError, CommandErrorKind};

/// Creates or empties a file that only its owner can read: it will hold the repository's text. A pipe or a device keeps its
/// permissions.
///
/// # Errors
///
/// Errors if the file can't be written.
pub(super) fn create(path: &Path) -> Result<File, CommandError> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).map_err(|error| {
        CommandError::new(
            CommandErrorKind::Usage,
            format!("cannot write {}: {error}", path.display()),
        )
        .hint("give the path of a file that can be written")
    })?;
    make_private(&file);
    Ok(file)
}

/// Takes the permissions of others from a file that was there before. Some file systems have none to take.
#[cfg(unix)]
fn make_private(file: &File) {
    use std::os::unix::fs::PermissionsExt;
    if file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        let _ = file.set_permissions(std::fs::Permissions::from_mode(0o600));
    }
}

#[cfg(not(unix))]
fn make_private(_: &File) {}
