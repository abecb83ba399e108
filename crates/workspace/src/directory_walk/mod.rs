//! Walking: every file that a search may see, under the ignore rules of the tree itself. What git tracks is not ignored by
//! git's own ignore files. Global ignore files and those above the root are not read, so that the answer is the same on every
//! machine. Links are not followed.

mod checkout_changes;
mod folder_walk;
mod ignore_rules;
mod walk_tasks;

use std::{
    borrow::Cow,
    collections::BTreeSet,
    fs::{DirEntry, Metadata},
    io,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::SystemTime,
};

use schemars::JsonSchema;
use serde::Serialize;

use self::folder_walk::{FolderWalk, WalkCounts};
use crate::{
    Cancellation, ReadError, RepoPath, Workspace,
    open_file::{ResolvedPath, in_version_control},
    roots::Root,
    text_file,
};

/// Largest tree, in entries, whose skipped files are counted: counting walks the whole tree once more.
const MAX_COUNTED_ENTRIES: usize = 8_000;

/// A file that a walk found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// The file.
    pub path: RepoPath,
    /// Its size in bytes.
    pub size: u64,
    /// When it was last written.
    pub modified: SystemTime,
    /// When its content, name or owner last changed, in nanoseconds since 1970; 0 where the system doesn't say.
    pub changed: u64,
}

/// The files below a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirectoryWalk {
    /// Sorted by path.
    pub files: Vec<FoundFile>,
    /// What was left out.
    pub skipped: SkippedFiles,
}

/// Numbers of files that a search did not look at, by reason. What isn't counted is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkippedFiles {
    /// Left out by an ignore file or a configured glob; only counted when asked for.
    pub ignored: u64,
    /// Hidden; only counted when asked for.
    pub hidden: u64,
    /// On the deny list of secrets.
    pub secrets: u64,
    /// No text.
    pub binary: u64,
    /// Larger than the limit.
    pub too_large: u64,
    /// The name is not UTF-8, or holds control characters.
    pub unprintable: u64,
    /// The system refused.
    pub unreadable: u64,
    /// Ignored and hidden files were left out and not counted, since the tree is too large for a second look.
    pub uncounted: bool,
}

impl SkippedFiles {
    /// Returns the counts in words, `3 hidden, 12 ignored`, or nothing when all are 0.
    pub fn describe(&self) -> String {
        [
            (self.ignored, "ignored"),
            (self.hidden, "hidden"),
            (self.secrets, "private"),
            (self.binary, "binary"),
            (self.too_large, "too large"),
            (self.unprintable, "with unprintable names"),
            (self.unreadable, "unreadable"),
        ]
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .chain(self.uncounted.then(|| "ignored and hidden ones (not counted)".to_owned()))
        .collect::<Vec<_>>()
        .join(", ")
    }

    /// Counts a file that could not be read.
    pub fn count(&mut self, error: &ReadError) {
        match error {
            ReadError::Secret(_) => self.secrets += 1,
            ReadError::Binary(_) => self.binary += 1,
            ReadError::TooLarge { .. } => self.too_large += 1,
            _ => self.unreadable += 1,
        }
    }

    /// Adds the counts of `other`.
    pub fn add(&mut self, other: &Self) {
        self.ignored += other.ignored;
        self.hidden += other.hidden;
        self.secrets += other.secrets;
        self.binary += other.binary;
        self.too_large += other.too_large;
        self.unprintable += other.unprintable;
        self.unreadable += other.unreadable;
        self.uncounted |= other.uncounted;
    }
}

impl FoundFile {
    fn new(path: RepoPath, facts: &Metadata) -> Self {
        Self {
            path,
            size: facts.len(),
            modified: facts.modified().unwrap_or(SystemTime::UNIX_EPOCH),
            changed: changed(facts),
        }
    }
}

#[cfg(unix)]
fn changed(facts: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;

    let seconds = u64::try_from(facts.ctime()).unwrap_or_default();
    seconds
        .saturating_mul(1_000_000_000)
        .saturating_add(u64::try_from(facts.ctime_nsec()).unwrap_or_default())
}

#[cfg(not(unix))]
fn changed(_: &Metadata) -> u64 {
    0
}

/// A file during a parallel walk. Its metadata has not been read.
pub struct WalkedFile<'a> {
    /// The file.
    pub path: RepoPath,
    workspace: &'a Workspace,
    place: FilePlace,
}

/// How a walk came to a file.
enum FilePlace {
    /// By listing its folder.
    Listed(DirEntry),
    /// It was asked for.
    Named(PathBuf),
}

impl FilePlace {
    /// Reads the metadata, links not followed.
    #[expect(clippy::disallowed_methods, reason = "the walk has found it")]
    fn metadata(&self) -> io::Result<Metadata> {
        match self {
            // The system looks for the name in the open folder, and not along the whole path.
            Self::Listed(entry) => entry.metadata(),
            Self::Named(path) => std::fs::symlink_metadata(path),
        }
    }
}

impl WalkedFile<'_> {
    /// Returns the file's size and times. Takes one system call.
    pub fn entry(&self) -> Option<FoundFile> {
        Some(FoundFile::new(self.path.clone(), &self.place.metadata().ok()?))
    }

    /// Loads the file into `buffer` and returns its bytes in a form that can be searched as UTF-8.
    ///
    /// # Errors
    ///
    /// [`ReadError`], also for a binary file.
    pub fn bytes<'b>(&self, buffer: &'b mut Vec<u8>) -> Result<Cow<'b, [u8]>, ReadError> {
        self.workspace.load_walked(&self.path, buffer)?;
        Ok(text_file::searchable(buffer))
    }
}

impl Workspace {
    /// Returns every file below `scope` (a folder, or one file) that a search may see.
    pub fn walk(&self, scope: &RepoPath) -> DirectoryWalk {
        self.walk_filtered(scope, &Cancellation::new(), |_| true)
    }

    /// Does as [`Workspace::walk`] for files whose path is `wanted`. The metadata of others is not read. A walk that is
    /// cancelled returns what it has found.
    pub fn walk_filtered(
        &self,
        scope: &RepoPath,
        cancellation: &Cancellation,
        wanted: impl Fn(&RepoPath) -> bool + Sync,
    ) -> DirectoryWalk {
        let found = FoundFiles::default();
        let skipped = self.walk_parallel(scope, || {
            let (mut collector, wanted) = (found.collector(self.max_file_bytes), &wanted);
            move |file: &WalkedFile<'_>| {
                if cancellation.check().is_err() {
                    return ControlFlow::Break(());
                }
                if wanted(&file.path) {
                    collector.add(file);
                }
                ControlFlow::Continue(())
            }
        });
        found.walk(skipped)
    }

    /// Returns every file that a search may see, and the folders on disk that were looked into.
    #[cfg(target_os = "linux")]
    pub(crate) fn walk_with_folders(&self) -> (DirectoryWalk, BTreeSet<PathBuf>) {
        let found = FoundFiles::default();
        let (mut skipped, mut folders) = (SkippedFiles::default(), BTreeSet::new());
        for root in &self.roots {
            let counts = WalkCounts::with_folders();
            FolderWalk::new(self, root, &counts)
                .run(&RepoPath::root(), &|| found.visitor(self.max_file_bytes));
            skipped.add(&counts.skipped());
            let visited = counts.folders.map(Mutex::into_inner).and_then(Result::ok);
            folders.extend(visited.into_iter().flatten());
            // Also where its ignore file lets nothing be seen.
            folders.insert(PathBuf::from(&root.path));
        }
        (found.walk(skipped), folders)
    }

    /// Returns a file as a walk of the whole tree would: `None` when it is not there, or is left out.
    #[cfg(target_os = "linux")]
    pub(crate) fn walk_one(&self, path: &RepoPath) -> Option<FoundFile> {
        let ResolvedPath { root, inner } = self.resolve(path).ok()?;
        let (found, counts) = (FoundFiles::default(), WalkCounts::default());
        FolderWalk::new(self, root, &counts)
            .run_if_shown(&inner, &|| found.visitor(self.max_file_bytes));
        let files = found.walk(counts.skipped()).files;
        files.into_iter().find(|file| file.path == *path)
    }

    /// Walks the files below `scope` on several threads, in no order. `visitor` makes one visitor a thread. When a visitor
    /// breaks, the walk ends soon.
    pub fn walk_parallel<V>(&self, scope: &RepoPath, visitor: impl Fn() -> V) -> SkippedFiles
    where
        V: FnMut(&WalkedFile<'_>) -> ControlFlow<()> + Send,
    {
        let mut skipped = SkippedFiles::default();
        let mut walk = |root: &Root, scope: &RepoPath| {
            let counts = WalkCounts::default();
            FolderWalk::new(self, root, &counts).run(scope, &visitor);
            skipped.add(&counts.skipped());
        };
        if self.is_above_the_roots(scope) {
            self.roots.iter().for_each(|root| walk(root, &RepoPath::root()));
        } else if let Ok(ResolvedPath { root, inner }) = self.resolve(scope) {
            walk(root, &inner);
        }
        skipped
    }

    /// Counts the files below `scope` that a walk leaves out as hidden or ignored, given the number of files that it visited.
    /// A tree of more than 8,000 entries is not counted.
    pub fn count_skipped(&self, scope: &RepoPath, visited: u64) -> SkippedFiles {
        let uncounted = SkippedFiles { uncounted: true, ..SkippedFiles::default() };
        if visited >= MAX_COUNTED_ENTRIES as u64 {
            return uncounted;
        }
        let places = if self.is_above_the_roots(scope) {
            let whole = |root| ResolvedPath { root, inner: Cow::Owned(RepoPath::root()) };
            self.roots.iter().map(whole).collect()
        } else {
            Vec::from_iter(self.resolve(scope))
        };
        let (mut entries, mut all, mut hidden) = (0, 0, 0);
        for ResolvedPath { root, inner: scope } in &places {
            walkdir::WalkDir::new(Path::new(&root.path).join(scope.as_str()))
                .follow_links(false)
                .into_iter()
                .filter_entry(|entry| {
                    below(&root.path, entry.path()).is_some_and(|path| {
                        !in_version_control(&path) && !root.secrets.matches_folder(&path)
                    })
                })
                .take(MAX_COUNTED_ENTRIES - entries)
                .inspect(|_| entries += 1)
                .flatten()
                .filter(|entry| entry.file_type().is_file())
                .filter_map(|entry| below(&root.path, entry.path()))
                .filter(|path| !root.secrets.matches(path))
                .for_each(|path| {
                    all += 1;
                    let inner = path.as_str().get(scope.as_str().len()..).unwrap_or_default();
                    let is_hidden = inner.split('/').any(|part| part.starts_with('.'));
                    hidden += u64::from(!self.hidden && is_hidden);
                });
        }
        if entries == MAX_COUNTED_ENTRIES {
            return uncounted;
        }
        SkippedFiles {
            hidden,
            ignored: u64::saturating_sub(all, hidden + visited),
            ..SkippedFiles::default()
        }
    }
}

/// The files that the threads of a walk have found.
#[derive(Default)]
struct FoundFiles {
    files: Mutex<Vec<FoundFile>>,
    too_large: AtomicU64,
}

impl FoundFiles {
    fn collector(&self, max_bytes: u64) -> FileCollector<'_> {
        FileCollector { files: Vec::new(), max_bytes, all: self }
    }

    /// Returns a visitor that keeps every file that is not too large.
    #[cfg(target_os = "linux")]
    fn visitor(&self, max_bytes: u64) -> impl FnMut(&WalkedFile<'_>) -> ControlFlow<()> + Send {
        let mut collector = self.collector(max_bytes);
        move |file| {
            collector.add(file);
            ControlFlow::Continue(())
        }
    }

    fn walk(self, mut skipped: SkippedFiles) -> DirectoryWalk {
        skipped.too_large += self.too_large.into_inner();
        let mut files = self.files.into_inner().unwrap_or_else(PoisonError::into_inner);
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        DirectoryWalk { files, skipped }
    }
}

/// One thread's part of the files; it hands them in when the walk ends.
struct FileCollector<'a> {
    files: Vec<FoundFile>,
    max_bytes: u64,
    all: &'a FoundFiles,
}

impl FileCollector<'_> {
    /// Keeps a file, unless it is too large.
    fn add(&mut self, file: &WalkedFile<'_>) {
        match file.entry() {
            Some(entry) if entry.size > self.max_bytes => {
                self.all.too_large.fetch_add(1, Ordering::Relaxed);
            }
            entry => self.files.extend(entry),
        }
    }
}

impl Drop for FileCollector<'_> {
    fn drop(&mut self) {
        self.all.files.lock().unwrap_or_else(PoisonError::into_inner).append(&mut self.files);
    }
}

/// Returns the path below `root`, or `None` when its name can't be printed or written in a call.
pub(crate) fn below(root: &str, path: &Path) -> Option<RepoPath> {
    let rest = path.to_str()?.strip_prefix(root)?;
    if cfg!(windows) {
        return RepoPath::from_walk(rest.replace('\\', "/").trim_start_matches('/'));
    }
    RepoPath::from_walk(rest.strip_prefix('/').unwrap_or(rest))
}
