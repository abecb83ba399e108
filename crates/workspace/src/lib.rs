//! The root of a repository, or of several, as a capability: every file is opened, walked and decoded through a
//! [`Workspace`], which keeps paths inside the root, applies ignore rules and never gives out secrets. Also what every
//! crate above shares: line ranges, budgets and cancellation, truncation and escaping of text, the token estimate.
//!
//! ```
//! use retriever_workspace::{RepoPath, FileTraitsConfig, Workspace, WorkspaceConfig};
//!
//! let (files, traits) = (WorkspaceConfig::default(), FileTraitsConfig::default());
//! let workspace = Workspace::open("src".as_ref(), &files, &traits)?;
//! for entry in workspace.walk(&RepoPath::root()).files {
//!     let file = workspace.read(&entry.path)?;
//!     println!("{}: {} lines, test: {}", entry.path, file.line_count(), file.traits.test);
//! }
//! assert!(workspace.normalize("../outside").is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod cache_file_io;
pub mod cache_folders;
mod cancellable_once;
mod content_hash;
mod content_hashes;
mod directory_walk;
mod file_stat;
mod file_traits;
mod file_version;
mod git_folders;
mod globs;
mod hyperlink;
mod line_ranges;
mod line_truncation;
mod loopback_host;
mod open_file;
mod path_suggestions;
mod repo_path;
mod roots;
mod secret_files;
mod secret_values;
mod text_escaping;
mod text_file;
mod token_estimate;
mod tracked_files;
mod unknown_value_message;
#[cfg(target_os = "linux")]
mod watched_tree;
mod work_budget;
mod workspace_config;

pub use self::content_hash::ContentHash;

use std::path::{Path, PathBuf};

use file_traits::FileTraitTable;
use roots::Root;

pub use cancellable_once::CancellableOnce;
pub use content_hashes::ContentHashes;
pub use directory_walk::{DirectoryWalk, FoundFile, SkippedFiles, WalkedFile};
pub use file_stat::FileStat;
pub use file_traits::{FileTraits, PathKind, is_lock_file, is_secondary};
pub use file_version::FileVersion;
pub use git_folders::GitFolders;
pub use globs::{GlobError, PathGlobs};
pub use hyperlink::{PlaceLinkBuilder, link_to_place};
pub use line_ranges::{LineRange, LineSet};
pub use line_truncation::{clip, truncate, truncate_line, truncate_line_around};
pub use loopback_host::is_loopback_host;
pub use open_file::{FileState, PathEntryKind, ReadError};
pub use repo_path::{PathError, RepoPath, base_name, is_within, shared_folders};
pub use roots::RootSpec;
pub use secret_values::mask_secret_values;
pub use text_escaping::{changes_display, escape_control, escape_for_model, escape_to_one_line};
pub use text_file::{TextEncoding, TextFile};
pub use token_estimate::estimate_tokens;
pub use unknown_value_message::UnknownVariant;
#[cfg(target_os = "linux")]
pub use watched_tree::WatchedTree;
pub use work_budget::{BudgetLimits, Cancellation, WorkBudget, WorkBudgetExhausted};
pub use workspace_config::{FileTraitsConfig, RootConfig, WorkspaceConfig};

/// One or more folders, opened once; every path below them is resolved through it.
#[derive(Debug)]
pub struct Workspace {
    roots: Vec<Root>,
    traits: FileTraitTable,
    hidden: bool,
    max_file_bytes: u64,
}

impl Workspace {
    /// Opens the folder `root`.
    ///
    /// # Errors
    ///
    /// [`WorkspaceError`] when `root` is not a readable folder, or a configured glob is not valid.
    pub fn open(
        root: &Path,
        files: &WorkspaceConfig,
        traits: &FileTraitsConfig,
    ) -> Result<Self, WorkspaceError> {
        Self::open_roots(&[RootSpec::new(root)], files, traits)
    }

    /// Opens several folders as one workspace: the first part of every path is the name of a folder. A single folder has no
    /// name, and its paths start at it.
    ///
    /// # Errors
    ///
    /// As for [`Workspace::open`], and when there is no folder, two have one name, or one lies in another.
    pub fn open_roots(
        roots: &[RootSpec],
        files: &WorkspaceConfig,
        traits: &FileTraitsConfig,
    ) -> Result<Self, WorkspaceError> {
        Ok(Self {
            roots: roots::open(roots, files)?,
            traits: FileTraitTable::new(traits)?,
            hidden: files.hidden,
            max_file_bytes: files.max_file_bytes,
        })
    }

    /// Returns the name of each folder, empty when there is only one, and its absolute path.
    pub fn roots(&self) -> impl Iterator<Item = (&str, &str)> {
        self.roots.iter().map(|root| (root.name.as_str(), root.path.as_str()))
    }

    /// The absolute path of the only folder; empty when there are several.
    pub fn root(&self) -> &str {
        match self.roots.as_slice() {
            [root] => &root.path,
            _ => "",
        }
    }

    /// Returns the absolute path of a path, for users and their programs. It need not exist.
    pub fn absolute_path(&self, path: &RepoPath) -> Option<PathBuf> {
        let (root, inner) = self.root_of(path)?;
        Some(Path::new(&root.path).join(inner.as_str()))
    }

    /// Returns a key for caches: it is equal for two workspaces exactly when their folders and names are. For a single
    /// folder it is the folder's path.
    pub fn identity(&self) -> String {
        let named = |(name, path): (&str, &str)| format!("{path}\n{name}");
        match self.roots.as_slice() {
            [root] => root.path.clone(),
            _ => self.roots().map(named).collect::<Vec<_>>().join("\n"),
        }
    }

    /// Returns the normal form of a path as a user or a model wrote it. It need not exist. Absolute paths below a
    /// folder of the workspace are accepted.
    ///
    /// # Errors
    ///
    /// As for [`RepoPath::parse`].
    pub fn normalize(&self, raw: &str) -> Result<RepoPath, PathError> {
        RepoPath::parse(raw, "")
            .or_else(|error| self.roots.iter().find_map(|root| root.normalize(raw)).ok_or(error))
    }

    /// Returns the traits of a file by its path and `head`, the first lines of its text (may be empty).
    pub fn traits(&self, path: &RepoPath, head: &str) -> FileTraits {
        match self.root_of(path) {
            Some((_, inner)) => self.traits.of(&inner, head),
            None => FileTraits::default(),
        }
    }

    /// Hash of the configuration of traits.
    pub const fn traits_config_hash(&self) -> &ContentHash {
        &self.traits.config_hash
    }

    /// Whether the file is on the deny list of secrets.
    pub fn is_secret(&self, path: &RepoPath) -> bool {
        self.root_of(path).is_some_and(|(root, inner)| root.secrets.matches(&inner))
    }
}

/// Why a workspace cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkspaceError {
    /// The root does not exist.
    #[error("the workspace root {0} does not exist")]
    NotFound(String),
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
    /// There is no folder to open.
    #[error("a workspace needs a root")]
    NoRoot,
    /// Two roots have one name, or the name can't be the first part of a path.
    #[error("{0:?} can't be the name of a root: {1}")]
    BadName(String, &'static str),
    /// The first root is the same as the second, or lies in it.
    #[error("the workspace root {0} lies in the root {1}")]
    Nested(String, String),
}

impl WorkspaceError {
    /// Returns what the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotFound(_) => "check the spelling of --root, or run from inside the repository",
            Self::NotFolder(_) => "give --root the folder that holds the file",
            Self::NotReadable(..) => "check the folder's permissions, or give another --root",
            Self::NotUtf8(_) => "rename the folder, or reach it through a link with a UTF-8 name",
            Self::BadGlob(..) => {
                "write globs such as \"target/**\", \"*.{min,bundle}.js\" or \"docs/*.md\""
            }
            Self::NoRoot => "name one with --root",
            Self::BadName(..) => "give each of [[workspace.roots]] a short name of its own",
            Self::Nested(..) => "name only the outer one: it has the files of the other",
        }
    }
}
