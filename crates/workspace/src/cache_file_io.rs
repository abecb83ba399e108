//! Files in the program's own cache folders, which several processes share: a lock per folder, files that are replaced
//! as a whole, and records with a checksum. The caller decides what the files contain, and when they are
//! written.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    hash::Hasher,
    io::{self, Write},
    path::Path,
    thread,
    time::{Duration, Instant},
};

use rustc_hash::FxHasher;

/// Bytes of the checksum in front of a record.
pub const CHECKSUM_BYTES: usize = 8;

/// Interval between attempts to take a lock.
const LOCK_INTERVAL: Duration = Duration::from_millis(5);

/// Creates a folder that only its owner may read; an existing folder stays unchanged.
///
/// # Errors
///
/// Errors of the file system.
pub fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Opens the lock file of `folder`. Creates the folder, readable by its owner only, and the file when they are missing.
///
/// # Errors
///
/// Errors of the file system.
pub fn lock_file(folder: &Path) -> io::Result<File> {
    create_private_folder(folder)?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    options.open(folder.join("lock"))
}

/// Repeats `attempt`, which tries to take a lock, until it succeeds or `patience` has passed.
///
/// # Errors
///
/// [`io::ErrorKind::WouldBlock`] when another process kept the lock, or the error of `attempt`.
pub fn wait_for_lock(
    patience: Duration,
    mut attempt: impl FnMut() -> Result<(), TryLockError>,
) -> io::Result<()> {
    let started = Instant::now();
    loop {
        match attempt() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if started.elapsed() < patience => {
                thread::sleep(LOCK_INTERVAL);
            }
            Err(TryLockError::WouldBlock) => {
                let reason = "another process has it open";
                return Err(io::Error::new(io::ErrorKind::WouldBlock, reason));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Replaces the content of the file at `path` as a whole: readers see either the old content or the new one, also after
/// a crash. Only the owner may read the file. The caller holds the lock of the folder.
///
/// # Errors
///
/// Errors of the file system; the file is then as it was.
pub fn replace_file(path: &Path, content: &[u8]) -> io::Result<()> {
    replace_file_by_parts(path, &[content])
}

/// Does the same as [`replace_file`]; the new content is the concatenation of `parts`.
///
/// # Errors
///
/// As for [`replace_file`].
pub fn replace_file_by_parts(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"));
    };
    let mut unfinished = name.to_owned();
    unfinished.push(".new");
    // A process that was killed may have left one.
    match fs::remove_file(folder.join(&unfinished)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file =
        tempfile::Builder::new().prefix(&unfinished).rand_bytes(0).tempfile_in(folder)?;
    for part in parts {
        file.write_all(part)?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Reads `len` bytes of a file from `offset`. Threads that share the file do not interfere.
///
/// # Errors
///
/// Errors of the file system, and [`io::ErrorKind::UnexpectedEof`] when the file is shorter.
pub fn read_at(file: &File, offset: u64, len: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; len];
    #[cfg(unix)]
    std::os::unix::fs::FileExt::read_exact_at(file, &mut bytes, offset)?;
    #[cfg(windows)]
    {
        let mut done = 0;
        while done < len {
            let at = offset + done as u64;
            match std::os::windows::fs::FileExt::seek_read(file, &mut bytes[done..], at)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => done += read,
            }
        }
    }
    Ok(bytes)
}

/// Links a file that never changes to a new name. On a file system without links it is copied.
///
/// # Errors
///
/// Errors of the file system.
pub fn share_file(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(_) => copy_file(from, to),
        Ok(()) => Ok(()),
    }
}

/// Copies a file as a whole: a process that is killed leaves no partial file at `to`.
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let mut unfinished = to.as_os_str().to_owned();
    unfinished.push(".new");
    let unfinished = Path::new(&unfinished);
    let copied = fs::copy(from, unfinished).and_then(|_| fs::rename(unfinished, to));
    if copied.is_err() {
        drop(fs::remove_file(unfinished));
    }
    copied
}

/// Returns a checksum of `bytes`, which detects damage. It does not protect against forgery.
pub fn checksum(bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish().to_le_bytes()
}

/// Returns `payload` behind its checksum.
pub fn add_checksum(payload: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::with_capacity(CHECKSUM_BYTES + payload.len());
    encoded.extend_from_slice(&checksum(payload));
    encoded.extend_from_slice(payload);
    encoded
}

/// Returns the payload of a record that [`add_checksum`] made; `None` when it is damaged.
pub fn strip_checksum(encoded: &[u8]) -> Option<&[u8]> {
    let (hash, payload) = encoded.split_at_checked(CHECKSUM_BYTES)?;
    (checksum(payload) == *hash).then_some(payload)
}
