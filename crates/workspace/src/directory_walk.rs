//! Walking: every file that a search may see, under the ignore rules of the tree itself. Global ignore files and those
//! above the root are not read, so that the answer is the same on every machine. Links are not followed.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::SystemTime,
};

use ignore::{DirEntry, WalkBuilder, WalkState};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Cancellation, ReadError, RepoPath, Workspace, globs,
    open_file::{ResolvedPath, in_version_control},
    roots::Root,
    text_file,
};

/// Largest ignore file. A folder with a larger one is left out.
const MAX_IGNORE_FILE_BYTES: u64 = 1024 * 1024;
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

/// A file during a parallel walk. Its metadata has not been read.
pub struct WalkedFile<'a> {
    /// The file.
    pub path: RepoPath,
    workspace: &'a Workspace,
    entry: DirEntry,
}

impl WalkedFile<'_> {
    /// Returns the file's size and times. Takes one system call.
    pub fn entry(&self) -> Option<FoundFile> {
        let facts = self.entry.metadata().ok()?;
        Some(FoundFile {
            path: self.path.clone(),
            size: facts.len(),
            modified: facts.modified().unwrap_or(SystemTime::UNIX_EPOCH),
            changed: changed(&facts),
        })
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

#[cfg(unix)]
fn changed(facts: &std::fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;

    let seconds = u64::try_from(facts.ctime()).unwrap_or_default();
    seconds
        .saturating_mul(1_000_000_000)
        .saturating_add(u64::try_from(facts.ctime_nsec()).unwrap_or_default())
}

#[cfg(not(unix))]
fn changed(_: &std::fs::Metadata) -> u64 {
    0
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
        let found = Mutex::new(Vec::new());
        let too_large = AtomicU64::new(0);
        let mut skipped = self.walk_parallel(scope, || {
            let mut collect = self.collect(&found, &too_large);
            let wanted = &wanted;
            move |file: &WalkedFile<'_>| match cancellation.check() {
                Err(_) => ControlFlow::Break(()),
                Ok(()) if wanted(&file.path) => collect(file),
                Ok(()) => ControlFlow::Continue(()),
            }
        });
        skipped.too_large += too_large.into_inner();
        let mut files = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        files.sort_unstable_by(|a: &FoundFile, b| a.path.cmp(&b.path));
        DirectoryWalk { files, skipped }
    }

    /// Returns every file that a search may see, and the folders on disk that were looked into.
    #[cfg(target_os = "linux")]
    pub(crate) fn walk_with_folders(&self) -> (DirectoryWalk, BTreeSet<PathBuf>) {
        let found = Mutex::new(Vec::new());
        let too_large = AtomicU64::new(0);
        let visitor = || self.collect(&found, &too_large);
        let (mut skipped, mut folders) = (SkippedFiles::default(), BTreeSet::new());
        for root in &self.roots {
            let seen = Seen { folders: Some(Mutex::default()), ..Seen::default() };
            skipped.add(&self.walk_seen(root, &RepoPath::root(), &seen, &visitor));
            let seen = seen.folders.map(Mutex::into_inner).and_then(Result::ok);
            folders.extend(seen.into_iter().flatten());
            // Also where its ignore file lets nothing be seen.
            folders.insert(PathBuf::from(&root.path));
        }
        skipped.too_large += too_large.into_inner();
        let mut files = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        files.sort_unstable_by(|a: &FoundFile, b| a.path.cmp(&b.path));
        (DirectoryWalk { files, skipped }, folders)
    }

    /// Returns a file as a walk of the whole tree would: `None` when it is not there, or is left out.
    #[cfg(target_os = "linux")]
    pub(crate) fn walk_one(&self, path: &RepoPath) -> Option<FoundFile> {
        let ResolvedPath { root, inner } = self.resolve(path).ok()?;
        let found = Mutex::new(Vec::new());
        let too_large = AtomicU64::new(0);
        if has_unusable_ignore_file(Path::new(&root.path)) {
            return None;
        }
        let builder = self.builder(root, &RepoPath::root(), Some(&inner));
        let scope = ResolvedPath { root, inner };
        self.run(&builder, &scope, &Seen::default(), &|| self.collect(&found, &too_large));
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.into_iter().find(|file: &FoundFile| file.path == *path)
    }

    /// Keeps the files that are not too large.
    fn collect<'w>(
        &'w self,
        found: &'w Mutex<Vec<FoundFile>>,
        too_large: &'w AtomicU64,
    ) -> impl FnMut(&WalkedFile<'_>) -> ControlFlow<()> + Send {
        move |file| {
            match file.entry() {
                Some(entry) if entry.size > self.max_file_bytes => {
                    too_large.fetch_add(1, Ordering::Relaxed);
                }
                Some(entry) => found.lock().unwrap_or_else(PoisonError::into_inner).push(entry),
                None => {}
            }
            ControlFlow::Continue(())
        }
    }

    /// Walks the files below `scope` on several threads, in no order. `visitor` makes one visitor a thread. When a visitor
    /// breaks, the walk ends soon.
    pub fn walk_parallel<V>(&self, scope: &RepoPath, visitor: impl Fn() -> V) -> SkippedFiles
    where
        V: FnMut(&WalkedFile<'_>) -> ControlFlow<()> + Send,
    {
        let mut skipped = SkippedFiles::default();
        if self.is_above_the_roots(scope) {
            for root in &self.roots {
                skipped.add(&self.walk_root(root, &RepoPath::root(), &visitor));
            }
        } else if let Ok(ResolvedPath { root, inner }) = self.resolve(scope) {
            skipped = self.walk_root(root, &inner, &visitor);
        }
        skipped
    }

    fn walk_root<V>(&self, root: &Root, scope: &RepoPath, visitor: &impl Fn() -> V) -> SkippedFiles
    where
        V: FnMut(&WalkedFile<'_>) -> ControlFlow<()> + Send,
    {
        self.walk_seen(root, scope, &Seen::default(), visitor)
    }

    fn walk_seen<V>(
        &self,
        root: &Root,
        scope: &RepoPath,
        seen: &Seen,
        visitor: &impl Fn() -> V,
    ) -> SkippedFiles
    where
        V: FnMut(&WalkedFile<'_>) -> ControlFlow<()> + Send,
    {
        let is_unusable = |folder: &RepoPath| {
            has_unusable_ignore_file(&Path::new(&root.path).join(folder.as_str()))
        };
        if is_unusable(&RepoPath::root()) || is_unusable(scope) {
            return SkippedFiles { unreadable: 1, ..SkippedFiles::default() };
        }
        // The walk starts at the root, so that ignore files above the scope apply.
        let from_root = self.builder(root, &RepoPath::root(), Some(scope));
        self.run(&from_root, &ResolvedPath { root, inner: Cow::Borrowed(scope) }, seen, visitor);
        if !seen.scope.load(Ordering::Relaxed) {
            // They hide the scope itself. It was asked for by name, so it is walked.
            let from_scope = self.builder(root, scope, None);
            self.run(
                &from_scope,
                &ResolvedPath { root, inner: Cow::Borrowed(scope) },
                seen,
                visitor,
            );
        }
        seen.skipped()
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

    fn builder(&self, root: &Root, from: &RepoPath, towards: Option<&RepoPath>) -> WalkBuilder {
        let mut builder = WalkBuilder::new(Path::new(&root.path).join(from.as_str()));
        builder
            .hidden(!self.hidden)
            .require_git(false)
            .follow_links(false)
            .parents(false)
            .git_global(false)
            .overrides(root.ignored.clone());
        let towards = towards.cloned().unwrap_or_else(|| from.clone());
        let root = root.path.clone();
        builder.filter_entry(move |entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            if is_folder && has_unusable_ignore_file(entry.path()) {
                return false;
            }
            if !is_folder && towards.as_str().is_empty() {
                return !entry.file_name().eq_ignore_ascii_case(".git");
            }
            // Unprintable names pass and are counted later.
            below(&root, entry.path()).is_none_or(|path| {
                let on_the_way = is_within(&path, &towards) || is_within(&towards, &path);
                on_the_way && !in_version_control(&path)
            })
        });
        builder
    }

    fn run<V>(
        &self,
        builder: &WalkBuilder,
        ResolvedPath { root, inner: scope }: &ResolvedPath<'_>,
        seen: &Seen,
        visitor: &impl Fn() -> V,
    ) where
        V: FnMut(&WalkedFile<'_>) -> ControlFlow<()> + Send,
    {
        let scope_on_disk = Path::new(&root.path).join(scope.as_str());
        builder.build_parallel().run(|| {
            let scope_on_disk = &scope_on_disk;
            let mut visit = visitor();
            Box::new(move |entry| {
                let Ok(entry) = entry else {
                    seen.unreadable.fetch_add(1, Ordering::Relaxed);
                    return WalkState::Continue;
                };
                let Some(path) = below(&root.path, entry.path()) else {
                    if entry.path().starts_with(scope_on_disk) {
                        seen.unprintable.fetch_add(1, Ordering::Relaxed);
                    }
                    return WalkState::Skip;
                };
                if path == **scope {
                    seen.scope.store(true, Ordering::Relaxed);
                }
                match entry.file_type() {
                    Some(kind) if kind.is_dir() => {
                        if root.secrets.matches_folder(&path) {
                            seen.secrets.fetch_add(1, Ordering::Relaxed);
                            return WalkState::Skip;
                        }
                        if let Some(folders) = &seen.folders {
                            let folder = entry.path().to_owned();
                            folders.lock().unwrap_or_else(PoisonError::into_inner).push(folder);
                        }
                        WalkState::Continue
                    }
                    Some(kind) if kind.is_file() && is_within(&path, scope) => {
                        if root.secrets.matches(&path) {
                            seen.secrets.fetch_add(1, Ordering::Relaxed);
                            return WalkState::Continue;
                        }
                        let path = root.outer(path);
                        match visit(&WalkedFile { path, workspace: self, entry }) {
                            ControlFlow::Continue(()) => WalkState::Continue,
                            ControlFlow::Break(()) => WalkState::Quit,
                        }
                    }
                    _ => WalkState::Continue,
                }
            })
        });
    }
}

/// Counts of a walk on several threads.
#[derive(Default)]
struct Seen {
    scope: AtomicBool,
    /// The folders on disk that were visited, if the caller wants them.
    folders: Option<Mutex<Vec<PathBuf>>>,
    secrets: AtomicU64,
    unprintable: AtomicU64,
    unreadable: AtomicU64,
}

impl Seen {
    fn skipped(&self) -> SkippedFiles {
        SkippedFiles {
            secrets: self.secrets.load(Ordering::Relaxed),
            unprintable: self.unprintable.load(Ordering::Relaxed),
            unreadable: self.unreadable.load(Ordering::Relaxed),
            ..SkippedFiles::default()
        }
    }
}

/// Whether an ignore file of `folder` can't be given to the walker: it is a device, a pipe or huge, or holds a glob that is
/// nested too deeply to be compiled. A repository can bring such a file, also as a link.
fn has_unusable_ignore_file(folder: &Path) -> bool {
    [".gitignore", ".ignore", ".git/info/exclude"].iter().any(|name| {
        let path = folder.join(name);
        #[expect(clippy::disallowed_methods, reason = "the walker opens it by the same path")]
        let (metadata, read) = (std::fs::metadata(&path), || std::fs::read(&path));
        metadata.is_ok_and(|file| {
            !file.is_dir()
                && (!file.is_file()
                    || file.len() > MAX_IGNORE_FILE_BYTES
                    || read().is_ok_and(|text| {
                        !text.split(|byte| *byte == b'\n').all(globs::is_bounded)
                    }))
        })
    })
}

/// Returns the path below `root`, or `None` when its name can't be printed or written in a call.
pub(crate) fn below(root: &str, path: &Path) -> Option<RepoPath> {
    let rest = path.to_str()?.strip_prefix(root)?;
    if cfg!(windows) {
        return RepoPath::from_walk(rest.replace('\\', "/").trim_start_matches('/'));
    }
    RepoPath::from_walk(rest.strip_prefix('/').unwrap_or(rest))
}

/// Whether `path` is `folder` or lies below it.
fn is_within(path: &RepoPath, folder: &RepoPath) -> bool {
    let (path, folder) = (path.as_str(), folder.as_str());
    match path.strip_prefix(folder) {
        Some(rest) => folder.is_empty() || rest.is_empty() || rest.starts_with('/'),
        None => false,
    }
}
