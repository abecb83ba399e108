//! Opens one file: through the root's directory capability, never by an absolute path, and only regular files up to the
//! size limit that are not on the deny list. The target of a link is checked like the link itself.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    io::{self, Read},
};

use cap_std::fs::{File, OpenOptions};

use crate::{
    ContentHash, FileTraits, PathKind, RepoPath, TextFile, Workspace, file_traits,
    roots::Root,
    text_file::{self, HEAD_BYTES},
};

/// Size from which files are checked for binary content before they are read as a whole.
const LARGE_BYTES: u64 = 64 * 1024;

/// The current state of a file, for checking evidence that was delivered earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileState {
    /// It is a regular file with this content.
    Current(ContentHash),
    /// It does not exist, is not a regular file, or cannot be read.
    Missing,
    /// The path leads out of the root.
    Outside,
}

/// What exists at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathEntryKind {
    /// A folder.
    Folder,
    /// Anything else. [`Workspace::read`] tells whether it can be read.
    File,
}

/// Why a file cannot be read; each message is a sentence about the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The path does not exist.
    #[error("{0} does not exist")]
    Missing(RepoPath),
    /// It is a folder.
    #[error("{0} is a folder")]
    Folder(RepoPath),
    /// The path leads out of the root, by a link or a folder that is a link.
    #[error("{0} leads outside the workspace root")]
    Outside(RepoPath),
    /// It is on the deny list of secrets, or part of the version control's own data.
    #[error("{0} is kept private: it may hold secrets")]
    Secret(RepoPath),
    /// It is a pipe, a socket or a device.
    #[error("{0} is not a regular file")]
    NotRegular(RepoPath),
    /// It is larger than the limit.
    #[error("{path} has {size} bytes, more than the limit of {limit}")]
    TooLarge {
        /// The file.
        path: RepoPath,
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// It is not text.
    #[error("{0} is a binary file")]
    Binary(RepoPath),
    /// The system returned an error.
    #[error("{0} can't be read: {1}")]
    Unreadable(RepoPath, String),
}

impl ReadError {
    /// Returns what the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Missing(_) => "find it with glob",
            Self::Folder(_) => "list it with glob, or read a file in it",
            Self::Outside(_) | Self::Secret(_) => {
                "it can't be read in any way; look for the code that uses it"
            }
            Self::NotRegular(_) | Self::Binary(_) => "there is no text to read in it",
            Self::TooLarge { .. } => "raise workspace.max_file_bytes to read it",
            Self::Unreadable(..) => "check its permissions",
        }
    }
}

/// A path below one root.
pub(super) struct ResolvedPath<'a> {
    pub(super) root: &'a Root,
    pub(super) inner: Cow<'a, RepoPath>,
}

impl Workspace {
    /// Reads a text file; a link inside the root is followed.
    ///
    /// # Errors
    ///
    /// [`ReadError`].
    pub fn read(&self, path: &RepoPath) -> Result<TextFile, ReadError> {
        self.read_with_traits(path, |_| None)
    }

    /// Does the same as [`Workspace::read`]; `known` may return the traits for a content hash. The kinds that the path
    /// suggests are always computed.
    pub fn read_with_traits(
        &self,
        path: &RepoPath,
        known: impl FnOnce(&ContentHash) -> Option<FileTraits>,
    ) -> Result<TextFile, ReadError> {
        let bytes = self.bytes(path)?;
        if text_file::is_binary(&bytes) {
            return Err(ReadError::Binary(path.clone()));
        }
        Ok(TextFile::new(path.clone(), bytes, |path, hash, head| match known(hash) {
            Some(traits) => FileTraits { path_kinds: self.path_kinds(path), ..traits },
            None => self.traits(path, head),
        }))
    }

    /// Returns the hash of a text file that a walk found, and its text if `is_wanted` returns true for the hash, since
    /// decoding takes longer than reading. No link is followed.
    ///
    /// # Errors
    ///
    /// [`ReadError`].
    pub fn read_walked(
        &self,
        path: &RepoPath,
        is_wanted: impl FnOnce(&ContentHash) -> bool,
    ) -> Result<(Option<String>, ContentHash), ReadError> {
        let (mut file, size) = self.open_regular(path, &self.unresolved(path)?)?;
        let mut bytes = Vec::new();
        self.fill(path, &mut file, size, &mut bytes)?;
        if text_file::is_binary(&bytes) {
            return Err(ReadError::Binary(path.clone()));
        }
        let hash = ContentHash::of(&bytes);
        Ok((is_wanted(&hash).then(|| text_file::decode(bytes).text), hash))
    }

    /// Returns the current state of a file.
    pub fn file_state(&self, path: &RepoPath) -> FileState {
        match self.bytes(path) {
            Ok(bytes) => FileState::Current(ContentHash::of(&bytes)),
            Err(ReadError::Outside(_)) => FileState::Outside,
            Err(_) => FileState::Missing,
        }
    }

    /// Returns what exists at `path`; a link is followed.
    ///
    /// # Errors
    ///
    /// [`ReadError`] when there is nothing that may be read or listed.
    pub fn kind(&self, path: &RepoPath) -> Result<PathEntryKind, ReadError> {
        if self.is_above_the_roots(path) {
            return Ok(PathEntryKind::Folder);
        }
        let ResolvedPath { root, inner } = self.resolve(path)?;
        let facts = root.dir.metadata(on_disk(&inner)).map_err(|error| read_error(path, &error))?;
        Ok(if facts.is_dir() { PathEntryKind::Folder } else { PathEntryKind::File })
    }

    /// Reads a file that a walk found into `buffer`. No link is followed, and a binary file is an error.
    pub(super) fn load_walked(
        &self,
        path: &RepoPath,
        buffer: &mut Vec<u8>,
    ) -> Result<(), ReadError> {
        buffer.clear();
        let (root, inner) = self.root_of(path).ok_or_else(|| ReadError::Missing(path.clone()))?;
        let (mut file, size) = self.open_regular(path, &ResolvedPath { root, inner })?;
        if size > LARGE_BYTES {
            // The first bytes show whether a large file is binary, without reading the rest.
            file.by_ref()
                .take(HEAD_BYTES as u64)
                .read_to_end(buffer)
                .map_err(|error| read_error(path, &error))?;
            if text_file::is_binary(buffer) {
                return Err(ReadError::Binary(path.clone()));
            }
        }
        self.fill(path, &mut file, size, buffer)?;
        if text_file::is_binary(buffer) {
            return Err(ReadError::Binary(path.clone()));
        }
        Ok(())
    }

    fn bytes(&self, path: &RepoPath) -> Result<Vec<u8>, ReadError> {
        let resolved = self.resolve(path)?;
        let (mut file, size) = self.open_regular(path, &resolved)?;
        let mut bytes = Vec::new();
        self.fill(path, &mut file, size, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads the rest of `file`, whose size was `size` when it was opened, up to the size limit. The file may grow
    /// during the read.
    fn fill(
        &self,
        path: &RepoPath,
        file: &mut File,
        size: u64,
        bytes: &mut Vec<u8>,
    ) -> Result<(), ReadError> {
        let most = usize::try_from(self.max_file_bytes.saturating_add(1)).unwrap_or(usize::MAX);
        let mut filled = bytes.len();
        // One byte more than expected, so that the end is found without another read.
        bytes.resize(usize::try_from(size).unwrap_or(most).saturating_add(1).min(most), 0);
        while filled < bytes.len() {
            match file.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(read_error(path, &error)),
            }
            if filled == bytes.len() {
                bytes.resize(filled.saturating_mul(2).min(most), 0);
            }
        }
        bytes.truncate(filled);
        if filled as u64 > self.max_file_bytes {
            return Err(self.too_large(path, filled as u64));
        }
        Ok(())
    }

    /// Whether `path` is the parent of all roots of a workspace that has several.
    pub(super) fn is_above_the_roots(&self, path: &RepoPath) -> bool {
        *path == RepoPath::root() && self.root_of(path).is_none()
    }

    /// Returns the target of `path` with every link followed.
    pub(super) fn resolve<'a>(&'a self, path: &'a RepoPath) -> Result<ResolvedPath<'a>, ReadError> {
        let ResolvedPath { root, inner } = self.unresolved(path)?;
        let resolved =
            root.dir.canonicalize(on_disk(&inner)).map_err(|error| read_error(path, &error))?;
        let resolved = resolved
            .to_str()
            .and_then(|resolved| RepoPath::parse(resolved, "").ok())
            .ok_or_else(|| ReadError::Outside(path.clone()))?;
        refuse_private(path, root, &resolved)?;
        Ok(ResolvedPath { root, inner: Cow::Owned(resolved) })
    }

    /// Returns the root of `path` and the path inside it, without following links.
    fn unresolved<'a>(&'a self, path: &'a RepoPath) -> Result<ResolvedPath<'a>, ReadError> {
        if self.is_above_the_roots(path) {
            return Err(ReadError::Folder(path.clone()));
        }
        let (root, inner) = self.root_of(path).ok_or_else(|| ReadError::Missing(path.clone()))?;
        refuse_private(path, root, &inner)?;
        Ok(ResolvedPath { root, inner })
    }

    fn path_kinds(&self, path: &RepoPath) -> BTreeSet<PathKind> {
        self.root_of(path).map(|(_, inner)| file_traits::path_kinds(&inner)).unwrap_or_default()
    }

    /// Opens a regular file up to the size limit, and returns it with its size.
    fn open_regular(
        &self,
        asked: &RepoPath,
        ResolvedPath { root, inner }: &ResolvedPath<'_>,
    ) -> Result<(File, u64), ReadError> {
        let mut options = OpenOptions::new();
        options.read(true);
        no_waiting(&mut options);
        let file = root
            .dir
            .open_with(on_disk(inner), &options)
            .map_err(|error| read_error(asked, &error))?;
        let facts = file.metadata().map_err(|error| read_error(asked, &error))?;
        if facts.is_dir() {
            return Err(ReadError::Folder(asked.clone()));
        }
        if !facts.is_file() {
            return Err(ReadError::NotRegular(asked.clone()));
        }
        if facts.len() > self.max_file_bytes {
            return Err(self.too_large(asked, facts.len()));
        }
        Ok((file, facts.len()))
    }

    fn too_large(&self, path: &RepoPath, size: u64) -> ReadError {
        ReadError::TooLarge { path: path.clone(), size, limit: self.max_file_bytes }
    }
}

fn refuse_private(asked: &RepoPath, root: &Root, inner: &RepoPath) -> Result<(), ReadError> {
    if root.secrets.matches(inner) || in_version_control(inner) {
        return Err(ReadError::Secret(asked.clone()));
    }
    Ok(())
}

/// Folders of version control systems, which have history and configuration but no source.
const VERSION_CONTROL: [&str; 5] = [".git", ".hg", ".svn", ".jj", ".bzr"];

/// Whether a part of the path is the folder of a version control system.
pub(super) fn in_version_control(path: &RepoPath) -> bool {
    path.as_str().split('/').any(is_version_control)
}

/// Whether a folder of this name is that of a version control system.
pub(super) fn is_version_control(name: &str) -> bool {
    VERSION_CONTROL.iter().any(|folder| name.eq_ignore_ascii_case(folder))
}

fn on_disk(path: &RepoPath) -> &str {
    if path.as_str().is_empty() { "." } else { path.as_str() }
}

/// Opening a pipe must not wait for a writer, and a link in place of the file is not followed.
#[cfg(unix)]
fn no_waiting(options: &mut OpenOptions) {
    use cap_std::fs::OpenOptionsExt;
    use rustix::fs::OFlags;

    let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY;
    options.custom_flags(flags.bits().cast_signed());
}

#[cfg(not(unix))]
fn no_waiting(_: &mut OpenOptions) {}

fn read_error(path: &RepoPath, error: &io::Error) -> ReadError {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadError::Missing(path.clone()),
        // When the directory capability refuses a path, the error has no system code.
        io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
            ReadError::Outside(path.clone())
        }
        io::ErrorKind::IsADirectory => ReadError::Folder(path.clone()),
        _ if is_no_device(error) => ReadError::NotRegular(path.clone()),
        _ => ReadError::Unreadable(path.clone(), error.to_string()),
    }
}

/// Whether the error comes from opening a socket.
#[cfg(unix)]
fn is_no_device(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error())
}

#[cfg(not(unix))]
fn is_no_device(_: &io::Error) -> bool {
    false
}
