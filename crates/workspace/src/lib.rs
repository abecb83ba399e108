//! The root of a repository as a capability: every file is opened, walked and decoded through a [`Workspace`], which keeps
//! paths inside the root, applies ignore rules and never gives out secrets. Also what every crate above shares: line ranges,
//! budgets and cancellation, truncation and escaping of text, the token estimate.
//!
//! ```
//! use retriever_workspace::{RepoPath, TraitConfig, Workspace, WorkspaceConfig};
//!
//! let (files, traits) = (WorkspaceConfig::default(), TraitConfig::default());
//! let workspace = Workspace::open("src".as_ref(), &files, &traits)?;
//! for entry in workspace.walk(&RepoPath::root()).files {
//!     let file = workspace.read(&entry.path)?;
//!     println!("{}: {} lines, test: {}", entry.path, file.line_count(), file.traits.test);
//! }
//! assert!(workspace.normalize("../outside").is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod budget;
mod config;
mod escape;
mod file_stat;
mod file_version;
mod globs;
mod lines;
mod open;
mod path;
mod secret_files;
mod secret_values;
pub mod storage;
mod suggestions;
mod text;
mod tokens;
mod traits;
mod truncate;
mod unknown_variant;
mod walk;

use std::{fmt, path::Path};

use cap_std::{ambient_authority, fs::Dir};
use ignore::overrides::{Override, OverrideBuilder};

pub use budget::{Budget, Cancellation, Exhausted, Level, Limits};
pub use config::{TraitConfig, WorkspaceConfig};
pub use escape::{escape_control, escape_for_model};
pub use file_stat::FileStat;
pub use file_version::FileVersion;
pub use globs::{GlobError, PathGlobs};
pub use lines::{LineRange, LineSet};
pub use open::{EntryKind, FileState, ReadError};
pub use path::{PathError, RepoPath};
pub use text::{Encoding, TextFile};
pub use tokens::estimate_tokens;
pub use traits::{FileTraits, PathKind};
pub use truncate::{truncate, truncate_line, truncate_line_around};
pub use unknown_variant::UnknownVariant;
pub use walk::{FileEntry, Skipped, Walk, WalkedFile};

use secret_files::Secrets;
use traits::TraitTable;

/// A BLAKE3 hash of a file's whole content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Returns the hash of `content`.
    pub fn of(content: &[u8]) -> Self {
        Self(*blake3::hash(content).as_bytes())
    }

    /// The hash itself, for stores.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "ContentHash({:02x}{:02x}{:02x}{:02x})",
            self.0[0], self.0[1], self.0[2], self.0[3]
        )
    }
}

/// A repository root, opened once; every path below it is resolved through it.
#[derive(Debug)]
pub struct Workspace {
    root: String,
    /// The root as the caller wrote it, if that differs: paths below it are accepted, too.
    spelled: Option<String>,
    dir: Dir,
    ignored: Override,
    secrets: Secrets,
    traits: TraitTable,
    hidden: bool,
    max_file_bytes: u64,
}

impl Workspace {
    /// Opens the folder `root`.
    ///
    /// # Errors
    ///
    /// [`WorkspaceError`] when `root` is no folder that can be read, or a configured glob can't be used.
    pub fn open(
        root: &Path,
        files: &WorkspaceConfig,
        traits: &TraitConfig,
    ) -> Result<Self, WorkspaceError> {
        let shown = || root.display().to_string();
        #[expect(clippy::disallowed_methods, reason = "the only place that resolves the root")]
        let resolved = root.canonicalize().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => WorkspaceError::NotThere(shown()),
            std::io::ErrorKind::NotADirectory => WorkspaceError::NotFolder(shown()),
            _ => WorkspaceError::NotReadable(shown(), error),
        })?;
        let name = resolved.to_str().ok_or_else(|| WorkspaceError::NotUtf8(shown()))?.to_owned();
        let dir = Dir::open_ambient_dir(&resolved, ambient_authority())
            .and_then(|dir| dir.entries().map(|_| dir))
            .map_err(|error| match error.kind() {
                std::io::ErrorKind::NotADirectory => WorkspaceError::NotFolder(shown()),
                _ => WorkspaceError::NotReadable(shown(), error),
            })?;
        Ok(Self {
            spelled: root.to_str().filter(|spelled| *spelled != name).map(str::to_owned),
            ignored: ignore_globs(&resolved, &files.ignore)?,
            root: name,
            dir,
            secrets: Secrets::new(&files.secrets)
                .map_err(|error| WorkspaceError::BadGlob("workspace.secrets", error))?,
            traits: TraitTable::new(traits)?,
            hidden: files.hidden,
            max_file_bytes: files.max_file_bytes,
        })
    }

    /// The root's absolute path.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// Returns the normal form of a path that a person or a model wrote. It need not exist.
    ///
    /// # Errors
    ///
    /// As for [`RepoPath::parse`].
    pub fn normalize(&self, raw: &str) -> Result<RepoPath, PathError> {
        RepoPath::parse(raw, &self.root).or_else(|error| match &self.spelled {
            Some(spelled) if spelled.starts_with('/') => RepoPath::parse(raw, spelled),
            _ => Err(error),
        })
    }

    /// Returns the traits of a file by its path and `head`, the first lines of its text (may be empty).
    pub fn traits(&self, path: &RepoPath, head: &str) -> FileTraits {
        self.traits.of(path, head)
    }

    /// Hash of the configuration of traits.
    pub const fn traits_config_hash(&self) -> &ContentHash {
        &self.traits.config_hash
    }

    /// Whether the file is on the deny list of secrets.
    pub fn is_secret(&self, path: &RepoPath) -> bool {
        self.secrets.matches(path)
    }
}

/// Compiles the configured globs as overrides: negated, since a plain override would exclude every other file.
fn ignore_globs(root: &Path, globs: &[String]) -> Result<Override, WorkspaceError> {
    let bad = |glob: &str, reason: String| {
        WorkspaceError::BadGlob("workspace.ignore", GlobError { glob: glob.to_owned(), reason })
    };
    let mut builder = OverrideBuilder::new(root);
    for glob in globs {
        if glob.starts_with('!') {
            return Err(bad(glob, "an ignored path can't be brought back with \"!\"".to_owned()));
        }
        builder.add(&format!("!{glob}")).map_err(|error| bad(glob, error.to_string()))?;
    }
    builder.build().map_err(|error| bad(&globs.join(", "), error.to_string()))
}

/// Why a workspace can't be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkspaceError {
    /// The root does not exist.
    #[error("the workspace root {0} does not exist")]
    NotThere(String),
    /// The root is a file.
    #[error("the workspace root {0} is not a folder")]
    NotFolder(String),
    /// It can't be opened or listed.
    #[error("the workspace root {0} can't be read: {1}")]
    NotReadable(String, #[source] std::io::Error),
    /// Its absolute path is not UTF-8.
    #[error("the path of the workspace root {0} is not UTF-8")]
    NotUtf8(String),
    /// A glob of the configuration key can't be used.
    #[error("{0} holds a glob that can't be used: {1}")]
    BadGlob(&'static str, #[source] GlobError),
}

impl WorkspaceError {
    /// Returns what to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotThere(_) => "check the spelling of --root, or run from inside the repository",
            Self::NotFolder(_) => "give --root the folder that holds the file",
            Self::NotReadable(..) => "check the folder's permissions, or give another --root",
            Self::NotUtf8(_) => "rename the folder, or reach it through a link with a UTF-8 name",
            Self::BadGlob(..) => {
                "write globs such as \"target/**\", \"*.{min,bundle}.js\" or \"docs/*.md\""
            }
        }
    }
}
