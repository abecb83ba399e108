//! Walks the roots of a workspace: all files below a folder, on one thread or several.

use std::{
    collections::BTreeSet,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{
    Cancellation, RepoPath, Workspace,
    directory_walk::{
        root_walk::{FolderWalk, WalkCounts},
        skipped_files::SkippedFiles,
        walked_file::{FoundFile, WalkedFile},
    },
    open_file::ResolvedPath,
    roots::Root,
};

/// The files below a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirectoryWalk {
    /// Sorted by path.
    pub files: Vec<FoundFile>,
    /// The skipped files.
    pub skipped: SkippedFiles,
}

/// The files that the threads of a walk found.
#[derive(Default)]
struct FoundFiles {
    files: Mutex<Vec<FoundFile>>,
    too_large: AtomicU64,
}

impl FoundFiles {
    fn collector(&self, max_bytes: u64) -> FileCollector<'_> {
        FileCollector { files: Vec::new(), max_bytes, all: self }
    }

    /// Returns a visitor that collects every file that is not too large, until the walk is cancelled.
    #[cfg(target_os = "linux")]
    pub(super) fn visitor(
        &self,
        max_bytes: u64,
        cancellation: &Cancellation,
    ) -> impl FnMut(&WalkedFile<'_>) -> ControlFlow<()> + Send {
        let mut collector = self.collector(max_bytes);
        move |file| {
            if cancellation.is_cancelled() {
                return ControlFlow::Break(());
            }
            collector.add(file);
            ControlFlow::Continue(())
        }
    }

    pub(super) fn walk(self, mut skipped: SkippedFiles) -> DirectoryWalk {
        skipped.too_large += self.too_large.into_inner();
        let mut files = self.files.into_inner().unwrap_or_else(PoisonError::into_inner);
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        DirectoryWalk { files, skipped }
    }
}

/// The files of one thread; they are added to the walk's when it is dropped.
struct FileCollector<'a> {
    files: Vec<FoundFile>,
    max_bytes: u64,
    all: &'a FoundFiles,
}

impl FileCollector<'_> {
    /// Adds a file, unless it is too large.
    pub(super) fn add(&mut self, file: &WalkedFile<'_>) {
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

impl Workspace {
    /// Returns every file below `scope` (a folder, or one file) that a search may see.
    pub fn walk(&self, scope: &RepoPath) -> DirectoryWalk {
        self.walk_filtered(scope, &Cancellation::new(), |_| true)
    }

    /// Does the same as [`Workspace::walk`] for files whose path is `wanted`. The metadata of other files is not read.
    /// A cancelled walk returns the files that it found.
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

    /// Returns the files and the folders directly in a folder that a search may see, sorted.
    pub fn list_folder(&self, folder: &RepoPath) -> (Vec<RepoPath>, Vec<RepoPath>) {
        if self.is_above_the_roots(folder) {
            let root = |root: &Root| root.outer(RepoPath::root());
            return (Vec::new(), self.roots.iter().map(root).collect());
        }
        let Ok(ResolvedPath { root, inner }) = self.resolve(folder) else {
            return Default::default();
        };
        let counts = WalkCounts::default();
        let (mut files, mut folders) = FolderWalk::new(self, root, &counts).entries_of(&inner);
        files.sort_unstable();
        folders.sort_unstable();
        (files, folders)
    }

    /// Returns every file that a search may see, and the walked folders on disk. A cancelled walk returns what it
    /// found.
    #[cfg(target_os = "linux")]
    pub(crate) fn walk_with_folders(
        &self,
        cancellation: &Cancellation,
    ) -> (DirectoryWalk, BTreeSet<PathBuf>) {
        let found = FoundFiles::default();
        let (mut skipped, mut folders) = (SkippedFiles::default(), BTreeSet::new());
        for root in &self.roots {
            let counts = WalkCounts::with_folders();
            FolderWalk::new(self, root, &counts)
                .run(&RepoPath::root(), &|| found.visitor(self.max_file_bytes, cancellation));
            skipped.add(&counts.skipped());
            let visited = counts.folders.map(Mutex::into_inner).and_then(Result::ok);
            folders.extend(visited.into_iter().flatten());
            // The root counts even if its ignore file excludes everything.
            folders.insert(PathBuf::from(&root.path));
        }
        (found.walk(skipped), folders)
    }

    /// Returns a file as a walk of the whole tree would: `None` when it does not exist or is excluded.
    #[cfg(target_os = "linux")]
    pub(crate) fn walk_one(&self, path: &RepoPath) -> Option<FoundFile> {
        let ResolvedPath { root, inner } = self.resolve(path).ok()?;
        let (found, counts) = (FoundFiles::default(), WalkCounts::default());
        let whole = Cancellation::new();
        FolderWalk::new(self, root, &counts)
            .run_if_shown(&inner, &|| found.visitor(self.max_file_bytes, &whole));
        let files = found.walk(counts.skipped()).files;
        files.into_iter().find(|file| file.path == *path)
    }

    /// Walks the files below `scope` on several threads, in no order. `visitor` makes one visitor per thread. When a
    /// visitor breaks, the walk ends soon.
    pub fn walk_parallel<V>(&self, scope: &RepoPath, visitor: impl Fn() -> V) -> SkippedFiles
    where
        V: FnMut(&WalkedFile<'_>) -> ControlFlow<()> + Send,
    {
        self.walk_matching(scope, &|_| true, visitor)
    }

    /// Does the same as [`Workspace::walk_parallel`], and counts only the private files whose path is `wanted`.
    /// Visitors see all other files.
    pub fn walk_matching<V>(
        &self,
        scope: &RepoPath,
        wanted: &(dyn Fn(&RepoPath) -> bool + Sync),
        visitor: impl Fn() -> V,
    ) -> SkippedFiles
    where
        V: FnMut(&WalkedFile<'_>) -> ControlFlow<()> + Send,
    {
        let mut skipped = SkippedFiles::default();
        let mut walk = |root: &Root, scope: &RepoPath| {
            let counts = WalkCounts::default();
            FolderWalk::new(self, root, &counts).counting_private(wanted).run(scope, &visitor);
            skipped.add(&counts.skipped());
        };
        if self.is_above_the_roots(scope) {
            self.roots.iter().for_each(|root| walk(root, &RepoPath::root()));
        } else if let Ok(ResolvedPath { root, inner }) = self.resolve(scope) {
            walk(root, &inner);
        }
        skipped
    }
}

/// Returns the path below `root`, or `None` when its name cannot be printed or written in a call.
pub(crate) fn below(root: &str, path: &Path) -> Option<RepoPath> {
    let rest = path.to_str()?.strip_prefix(root)?;
    if cfg!(windows) {
        return RepoPath::from_walk(rest.replace('\\', "/").trim_start_matches('/'));
    }
    RepoPath::from_walk(rest.strip_prefix('/').unwrap_or(rest))
}
