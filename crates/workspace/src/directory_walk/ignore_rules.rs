//! The ignore files of a folder and its parents, with git's meaning: among files of one name, the nearest one with a
//! rule for a path decides; `.ignore` has precedence over `.gitignore`, and that over `.git/info/exclude`.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

use crate::{PathEntryKind, globs};

/// Size limit of an ignore file, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// What ignore files say about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IgnoreVerdict {
    /// No rule matches.
    Unnamed,
    /// A rule includes it, even if it is hidden.
    Kept,
    /// A rule excludes it.
    LeftOut,
    /// A rule of a file that git reads excludes it; tracked files are still walked.
    LeftOutByGit,
}

/// The existing ignore files of a folder.
#[derive(Debug, Default)]
pub(super) struct IgnoreFiles {
    /// By precedence: `.ignore`, `.gitignore`, `.git/info/exclude`.
    pub(super) paths: [Option<PathBuf>; 3],
}

/// An ignore file that cannot be used: a device, a pipe, a huge file, or a glob that is nested too deeply to be
/// compiled. Files that it would exclude must not be shown, so
/// its folder is skipped.
#[derive(Debug)]
pub(super) struct UnusableIgnoreFile;

/// The rules for the files of a folder.
#[derive(Debug)]
pub(super) struct IgnoreRules {
    above: Option<Arc<Self>>,
    /// By precedence.
    files: [Gitignore; 3],
}

impl IgnoreRules {
    /// Returns the rules in `folder`, a path below the root: those of `above` and of its own `files`.
    pub(super) fn below(
        above: Option<&Arc<Self>>,
        folder: &str,
        files: &IgnoreFiles,
    ) -> Result<Option<Arc<Self>>, UnusableIgnoreFile> {
        let matcher = |path: &Option<PathBuf>| match path {
            Some(path) => matcher(folder, path),
            None => Ok(Gitignore::empty()),
        };
        let [ignore, git, exclude] = &files.paths;
        let files = [matcher(ignore)?, matcher(git)?, matcher(exclude)?];
        if files.iter().all(Gitignore::is_empty) {
            return Ok(above.cloned());
        }
        Ok(Some(Arc::new(Self { above: above.cloned(), files })))
    }

    /// Returns the verdict of the rules on `path`, which starts at the root.
    pub(super) fn verdict(&self, path: &Path, kind: PathEntryKind) -> IgnoreVerdict {
        let is_folder = kind == PathEntryKind::Folder;
        for place in 0..self.files.len() {
            let mut rules = Some(self);
            while let Some(here) = rules {
                match here.files[place].matched(path, is_folder) {
                    Match::None => rules = here.above.as_deref(),
                    Match::Whitelist(_) => return IgnoreVerdict::Kept,
                    Match::Ignore(_) if place == 0 => return IgnoreVerdict::LeftOut,
                    Match::Ignore(_) => return IgnoreVerdict::LeftOutByGit,
                }
            }
        }
        IgnoreVerdict::Unnamed
    }
}

/// Compiles the globs of one file; a missing file has none.
fn matcher(folder: &str, path: &Path) -> Result<Gitignore, UnusableIgnoreFile> {
    let Some(bytes) = read(path)? else { return Ok(Gitignore::empty()) };
    if !bytes.split(|byte| *byte == b'\n').all(globs::is_bounded) {
        return Err(UnusableIgnoreFile);
    }
    let mut builder = GitignoreBuilder::new(folder);
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    for line in bytes.split(|byte| *byte == b'\n') {
        let Ok(line) = std::str::from_utf8(line) else { break };
        // A line that is not a valid glob is ignored, as in git.
        let _ = builder.add_line(None, line.strip_suffix('\r').unwrap_or(line));
    }
    Ok(builder.build().unwrap_or_else(|_| Gitignore::empty()))
}

/// Returns the bytes of an ignore file; `None` when there is none that may be read. A link is none: it could lead out of the
/// root, and git follows no linked ignore file either (since 2.32).
#[expect(clippy::disallowed_methods, reason = "ignore files say what belongs to the workspace")]
fn read(path: &Path) -> Result<Option<Vec<u8>>, UnusableIgnoreFile> {
    let Ok(file) = fs::symlink_metadata(path) else { return Ok(None) };
    if file.is_dir() || file.is_symlink() {
        return Ok(None);
    }
    if !file.is_file() || file.len() > MAX_BYTES {
        return Err(UnusableIgnoreFile);
    }
    let mut bytes = Vec::new();
    let read = open(path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes));
    Ok(read.is_ok().then_some(bytes))
}

/// Opens a file that may have been exchanged since it was looked at: a pipe must not wait for a writer, and no link is followed.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<fs::File> {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;

    let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY;
    fs::OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

#[cfg(not(unix))]
#[expect(clippy::disallowed_methods, reason = "ignore files say what belongs to the workspace")]
fn open(path: &Path) -> io::Result<fs::File> {
    fs::File::open(path)
}
