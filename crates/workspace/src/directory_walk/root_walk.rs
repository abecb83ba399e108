//! The walk of one root: each folder is listed once, and its listing shows which ignore files exist.

use std::{
    borrow::Cow,
    ffi::{OsStr, OsString},
    fs::{self, DirEntry},
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{
    SkippedFiles, WalkedFile,
    ignore_rules::{IgnoreFiles, IgnoreRules, IgnoreVerdict, UnusableIgnoreFile},
    walk_tasks::WalkTasks,
    walked_file::FilePlace,
};
use crate::{
    PathEntryKind, RepoPath, Workspace, git_folders::GitFolders, open_file::is_version_control,
    roots::Root, tracked_files::TrackedFiles,
};

/// Most files of one folder in one task.
const FILES_PER_TASK: usize = 256;

/// Counts of a walk on several threads.
#[derive(Default)]
pub(super) struct WalkCounts {
    /// The listed folders on disk, if the caller needs them.
    pub(super) folders: Option<Mutex<Vec<PathBuf>>>,
    secrets: AtomicU64,
    unprintable: AtomicU64,
    unreadable: AtomicU64,
}

impl WalkCounts {
    #[cfg(target_os = "linux")]
    pub(super) fn with_folders() -> Self {
        Self { folders: Some(Mutex::default()), ..Self::default() }
    }

    pub(super) fn skipped(&self) -> SkippedFiles {
        SkippedFiles {
            secrets: self.secrets.load(Ordering::Relaxed),
            unprintable: self.unprintable.load(Ordering::Relaxed),
            unreadable: self.unreadable.load(Ordering::Relaxed),
            ..SkippedFiles::default()
        }
    }
}

/// Returns whether a path is wanted.
pub(super) type PathFilter<'a> = &'a (dyn Fn(&RepoPath) -> bool + Sync);

/// One walk of a root.
pub(super) struct FolderWalk<'a> {
    workspace: &'a Workspace,
    root: &'a Root,
    counts: &'a WalkCounts,
    /// Selects the private files that are counted; all if `None`.
    counts_private: Option<PathFilter<'a>>,
    /// Read at the first path that git ignores.
    tracked: OnceLock<Arc<TrackedFiles>>,
}

/// A folder to list.
struct Folder {
    path: RepoPath,
    /// Rules of the parent folders.
    rules: Option<Arc<IgnoreRules>>,
    /// Whether git ignores it, so that only tracked files in it are walked.
    is_ignored: bool,
}

/// A unit of work of a thread.
enum Task {
    List(Folder),
    Visit(Vec<(RepoPath, FilePlace)>),
}

/// The verdict of the rules on an entry of a folder.
#[derive(PartialEq, Eq)]
enum Admission {
    LeftOut,
    /// The entry is walked; of an ignored folder, only tracked files.
    Seen {
        is_ignored: bool,
    },
}

impl<'a> FolderWalk<'a> {
    pub(super) fn new(workspace: &'a Workspace, root: &'a Root, counts: &'a WalkCounts) -> Self {
        Self { workspace, root, counts, counts_private: None, tracked: OnceLock::new() }
    }

    /// Counts only the private files that `wanted` accepts. The content of a private folder is not known.
    pub(super) fn counting_private(self, wanted: PathFilter<'a>) -> Self {
        Self { counts_private: Some(wanted), ..self }
    }

    /// Walks the files below `scope`, a path without links. A scope that rules exclude was named explicitly, so it is
    /// walked by the rules inside it.
    pub(super) fn run<V>(&self, scope: &RepoPath, visitor: &impl Fn() -> V)
    where
        V: FnMut(&WalkedFile<'_>) -> ControlFlow<()> + Send,
    {
        if let Ok(shown) = self.enter(scope) {
            let hidden = || Folder { path: scope.clone(), rules: None, is_ignored: false };
            self.walk(shown.unwrap_or_else(hidden), visitor);
        }
    }

    /// Walks the files below `scope` unless rules exclude it.
    #[cfg(target_os = "linux")]
    pub(super) fn run_if_shown<V>(&self, scope: &RepoPath, visitor: &impl Fn() -> V)
    where
        V: FnMut(&WalkedFile<'_>) -> ControlFlow<()> + Send,
    {
        if let Ok(Some(shown)) = self.enter(scope) {
            self.walk(shown, visitor);
        }
    }

    /// Returns the visible files and folders directly in `scope`; as for [`FolderWalk::run`], an excluded scope was
    /// named explicitly.
    pub(super) fn entries_of(&self, scope: &RepoPath) -> (Vec<RepoPath>, Vec<RepoPath>) {
        let Ok(shown) = self.enter(scope) else { return Default::default() };
        let hidden = || Folder { path: scope.clone(), rules: None, is_ignored: false };
        let (files, folders) = self.list(&shown.unwrap_or_else(hidden));
        let outer = |path| self.root.outer(path);
        (
            files.into_iter().map(|(path, _)| outer(path)).collect(),
            folders.into_iter().map(|folder| outer(folder.path)).collect(),
        )
    }

    /// Returns `scope` with the rules of its parent folders; `None` when they exclude it. It may be a file.
    fn enter(&self, scope: &RepoPath) -> Result<Option<Folder>, UnusableIgnoreFile> {
        let mut folder = Folder { path: RepoPath::root(), rules: None, is_ignored: false };
        let on_disk = self.on_disk(scope);
        for name in scope.as_str().split('/').filter(|name| !name.is_empty()) {
            let files = self.ignore_files(&folder.path, |_| true);
            folder.rules = self.rules_in(&folder, &files)?;
            let Some(path) = below(&folder.path, name) else { return Ok(None) };
            let is_folder = path != *scope || on_disk.is_dir();
            let kind = if is_folder { PathEntryKind::Folder } else { PathEntryKind::File };
            match self.admission(&folder, Path::new(path.as_str()), kind) {
                Admission::LeftOut => return Ok(None),
                Admission::Seen { is_ignored } => {
                    folder = Folder { path, is_ignored, ..folder };
                }
            }
        }
        Ok(Some(folder))
    }

    fn walk<V>(&self, scope: Folder, visitor: &impl Fn() -> V)
    where
        V: FnMut(&WalkedFile<'_>) -> ControlFlow<()> + Send,
    {
        let on_disk = self.on_disk(&scope.path);
        #[expect(clippy::disallowed_methods, reason = "the scope has been resolved")]
        let first = match fs::symlink_metadata(&on_disk) {
            Ok(facts) if facts.is_dir() => Task::List(scope),
            Ok(facts) if facts.is_file() => {
                Task::Visit(vec![(scope.path, FilePlace::Named(on_disk))])
            }
            _ => return,
        };
        WalkTasks::run(first, || {
            let mut visit = visitor();
            move |task| match task {
                Task::List(folder) => {
                    let (mut files, folders) = self.list(&folder);
                    let mut following: Vec<Task> = folders.into_iter().map(Task::List).collect();
                    while files.len() > FILES_PER_TASK {
                        let others = files.split_off(files.len() - FILES_PER_TASK);
                        following.push(Task::Visit(others));
                    }
                    self.visit(files, &mut visit)?;
                    ControlFlow::Continue(following)
                }
                Task::Visit(files) => {
                    self.visit(files, &mut visit)?;
                    ControlFlow::Continue(Vec::new())
                }
            }
        });
    }

    fn visit(
        &self,
        files: Vec<(RepoPath, FilePlace)>,
        visit: &mut impl FnMut(&WalkedFile<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        files.into_iter().try_for_each(|(path, place)| {
            let path = self.root.outer(path);
            visit(&WalkedFile { path, workspace: self.workspace, place })
        })
    }

    /// Returns the visible files and folders in a folder.
    fn list(&self, folder: &Folder) -> (Vec<(RepoPath, FilePlace)>, Vec<Folder>) {
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        let entries = self.entries(&folder.path);
        let has = |wanted: &str| entries.iter().any(|(name, _)| name == wanted);
        let Ok(rules) = self.rules_in(folder, &self.ignore_files(&folder.path, has)) else {
            return (files, folders);
        };
        let folder = Folder { path: folder.path.clone(), rules, ..*folder };
        for (name, entry) in entries {
            let Ok(kind) = entry.file_type() else {
                count(&self.counts.unreadable);
                continue;
            };
            let kind = match kind {
                kind if kind.is_dir() => PathEntryKind::Folder,
                kind if kind.is_file() => PathEntryKind::File,
                _ => continue,
            };
            let Some((path, is_ignored)) = self.seen_entry(&folder, &name, kind) else { continue };
            match kind {
                PathEntryKind::Folder => {
                    let rules = folder.rules.clone();
                    folders.push(Folder { path, rules, is_ignored });
                }
                PathEntryKind::File => files.push((path, FilePlace::Listed(entry))),
            }
        }
        (files, folders)
    }

    /// Returns the path of an entry, and whether git ignores it; `None` when it is not visible.
    fn seen_entry(
        &self,
        folder: &Folder,
        name: &OsStr,
        kind: PathEntryKind,
    ) -> Option<(RepoPath, bool)> {
        let path = name.to_str().and_then(|name| below(&folder.path, name));
        let relative = match &path {
            Some(path) => Cow::Borrowed(Path::new(path.as_str())),
            None => Cow::Owned(Path::new(folder.path.as_str()).join(name)),
        };
        let Admission::Seen { is_ignored } = self.admission(folder, &relative, kind) else {
            return None;
        };
        let Some(path) = path else {
            count(&self.counts.unprintable);
            return None;
        };
        if name.to_str().is_some_and(is_version_control) {
            return None;
        }
        let secrets = &self.root.secrets;
        let is_secret = match kind {
            PathEntryKind::Folder => secrets.matches_folder(&path),
            PathEntryKind::File => secrets.matches(&path),
        };
        let is_wanted = |path: &RepoPath| {
            let wanted = self.counts_private.filter(|_| kind == PathEntryKind::File);
            wanted.is_none_or(|wanted| wanted(&self.root.outer(path.clone())))
        };
        if is_secret && is_wanted(&path) {
            count(&self.counts.secrets);
        }
        (!is_secret).then_some((path, is_ignored))
    }

    /// Returns the verdict of the rules of `folder` on `path` in it.
    fn admission(&self, folder: &Folder, path: &Path, kind: PathEntryKind) -> Admission {
        if self.root.ignored.matched(path, kind == PathEntryKind::Folder).is_ignore() {
            return Admission::LeftOut;
        }
        let verdict = match &folder.rules {
            Some(rules) => rules.verdict(path, kind),
            None => IgnoreVerdict::Unnamed,
        };
        let begins_with_dot =
            path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        let is_hidden = begins_with_dot && !self.workspace.hidden;
        if verdict == IgnoreVerdict::LeftOut || (is_hidden && verdict != IgnoreVerdict::Kept) {
            return Admission::LeftOut;
        }
        let is_ignored = folder.is_ignored || verdict == IgnoreVerdict::LeftOutByGit;
        if is_ignored && !self.is_tracked(path, kind) {
            return Admission::LeftOut;
        }
        Admission::Seen { is_ignored }
    }

    /// Whether git tracks a file, or anything in a folder.
    fn is_tracked(&self, path: &Path, kind: PathEntryKind) -> bool {
        let root = Path::new(&self.root.path);
        let tracked = self.tracked.get_or_init(|| self.root.tracked.of(root));
        path.to_str().is_some_and(|path| match kind {
            PathEntryKind::Folder => tracked.has_below(path),
            PathEntryKind::File => tracked.has(path),
        })
    }

    /// Lists a folder.
    fn entries(&self, folder: &RepoPath) -> Vec<(OsString, DirEntry)> {
        let on_disk = self.on_disk(folder);
        #[expect(clippy::disallowed_methods, reason = "this is the walk")]
        let listed = fs::read_dir(&on_disk);
        let mut entries = Vec::new();
        match listed {
            Ok(listed) => {
                for entry in listed {
                    match entry {
                        Ok(entry) => entries.push((entry.file_name(), entry)),
                        Err(_) => count(&self.counts.unreadable),
                    }
                }
            }
            Err(_) => count(&self.counts.unreadable),
        }
        if let Some(folders) = &self.counts.folders {
            folders.lock().unwrap_or_else(PoisonError::into_inner).push(on_disk);
        }
        entries
    }

    /// Returns the rules in a folder; unusable ones are counted.
    fn rules_in(
        &self,
        folder: &Folder,
        files: &IgnoreFiles,
    ) -> Result<Option<Arc<IgnoreRules>>, UnusableIgnoreFile> {
        let rules = IgnoreRules::below(folder.rules.as_ref(), folder.path.as_str(), files);
        rules.inspect_err(|_| count(&self.counts.unreadable))
    }

    /// Returns the paths of a folder's ignore files, given which names its listing has.
    fn ignore_files(&self, folder: &RepoPath, has: impl Fn(&str) -> bool) -> IgnoreFiles {
        let on_disk = self.on_disk(folder);
        let in_folder = |name: &str| has(name).then(|| on_disk.join(name));
        let exclude = in_folder(".git").and_then(|git| {
            let is_root = folder.as_str().is_empty();
            let git = if git.is_dir() || !is_root { git } else { GitFolders::of(&on_disk)?.common };
            Some(git.join("info/exclude"))
        });
        IgnoreFiles { paths: [in_folder(".ignore"), in_folder(".gitignore"), exclude] }
    }

    fn on_disk(&self, path: &RepoPath) -> PathBuf {
        match path.as_str() {
            "" => PathBuf::from(&self.root.path),
            path => Path::new(&self.root.path).join(path),
        }
    }
}

/// Returns the path of `name` in a folder, or `None` when it cannot be printed or written in a call.
fn below(folder: &RepoPath, name: &str) -> Option<RepoPath> {
    match folder.as_str() {
        "" => RepoPath::from_walk(name),
        folder => RepoPath::from_walk(&format!("{folder}/{name}")),
    }
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}
