//! A walk of the tree that the system's file events keep up to date, so that a server answers without walking. An
//! answer is never older than its question: the walk waits for the events of everything that was written before. If
//! events may say too little, the tree is walked again.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use notify::{
    Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher,
    event::{AccessKind, AccessMode},
};

use crate::{Cancellation, DirectoryWalk, GitFolders, RepoPath, Workspace, directory_walk::below};

/// How long events of what was just written may take.
const PATIENCE: Duration = Duration::from_millis(500);
/// Consecutive questions that may wait for events that do not come.
const MAX_MISSES: u32 = 3;
/// The tree is walked at least this often, in case of writes without events, as to mapped memory, or through a hard link elsewhere.
const VERIFICATION: Duration = Duration::from_secs(60);
/// Changed files from which on a walk is as fast as looking at each.
const MAX_CHANGED: usize = 100;
/// Changed paths from which on they are not told apart until the next question.
const MAX_PENDING: usize = 10_000;
/// Walks after which folders that keep coming are left to the next question.
const MAX_WALKS: usize = 5;
/// Names of ignore files.
const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", "exclude"];
/// The file of git that says what is tracked, and so not ignored.
const INDEX: &str = "index";
/// Filesystems whose writes all come from this machine: ext, xfs, btrfs, tmpfs, overlayfs, f2fs, zfs.
const LOCAL: [u64; 7] =
    [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0x794C_7630, 0xF2F5_2010, 0x2FC1_2FC1];

/// The files of a workspace, as of each question.
pub struct WatchedTree {
    /// The start of the path of files outside of the workspace. The event of one shows that all earlier events have come.
    marker: String,
    events: Arc<Events>,
    state: Mutex<State>,
}

struct State {
    /// `None` once watching has failed: then every question walks.
    watcher: Option<RecommendedWatcher>,
    folders: BTreeSet<PathBuf>,
    /// The device of the roots.
    device: Option<u64>,
    known: Option<(Arc<DirectoryWalk>, Instant)>,
    last_marker: u64,
    /// Questions in a row whose events did not come in time.
    misses: u32,
}

#[derive(Default)]
struct Events {
    pending: Mutex<Pending>,
    arrived: Condvar,
}

/// What has happened since the last question.
#[derive(Default)]
struct Pending {
    changed: BTreeSet<PathBuf>,
    /// Events were lost.
    is_unsure: bool,
    marker: u64,
}

impl WatchedTree {
    /// Watches the roots of `workspace` from the first question on. `markers` is a folder outside of it, which is made and
    /// holds a file for the time of a question. `None` where the system or the filesystem does not report all writes.
    pub fn new(workspace: &Workspace, markers: &Path) -> Option<Self> {
        let is_local = |path: &Path| {
            let kind = rustix::fs::statfs(path).ok()?.f_type;
            u64::try_from(kind).ok().filter(|kind| LOCAL.contains(kind))
        };
        let devices: BTreeSet<u64> = workspace
            .roots()
            .filter_map(|(_, root)| is_local(Path::new(root)).and_then(|_| device(Path::new(root))))
            .collect();
        fs::create_dir_all(markers).ok()?;
        is_local(markers)?;
        let events = Arc::new(Events::default());
        // Nobody else's files begin like this.
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let name = format!("{}-{}-", std::process::id(), started.as_nanos());
        let marker = markers.join(name).to_str()?.to_owned();
        let (sink, own, folder) = (Arc::clone(&events), marker.clone(), markers.to_owned());
        let watcher = notify::recommended_watcher(move |event| sink.note(&folder, &own, event));
        let mut watcher = watcher.ok()?;
        watcher.watch(markers, RecursiveMode::NonRecursive).ok()?;
        let state = State {
            watcher: (devices.len() == 1).then_some(watcher),
            folders: BTreeSet::new(),
            device: devices.first().copied(),
            known: None,
            last_marker: 0,
            misses: 0,
        };
        Some(Self { marker, events, state: Mutex::new(state) })
    }

    /// Returns what a walk of the whole tree returns now: the same value as before when nothing has changed. A walk that is
    /// cancelled returns what it has found.
    pub fn walk(&self, workspace: &Workspace, cancellation: &Cancellation) -> Arc<DirectoryWalk> {
        let whole = || Arc::new(workspace.walk_filtered(&RepoPath::root(), cancellation, |_| true));
        let mut state = lock(&self.state);
        if state.watcher.is_none() {
            return whole();
        }
        if !self.all_events_have_come(&mut state) {
            state.misses += 1;
            if state.misses > MAX_MISSES {
                *state = State { watcher: None, folders: BTreeSet::new(), known: None, ..*state };
            }
            return whole();
        }
        state.misses = 0;
        let (changed, is_unsure) = {
            let mut pending = lock(&self.events.pending);
            (std::mem::take(&mut pending.changed), std::mem::take(&mut pending.is_unsure))
        };
        if is_unsure {
            state.forget(|_| true);
        }
        let is_old = |(_, walked): &(Arc<DirectoryWalk>, Instant)| walked.elapsed() > VERIFICATION;
        let stays = state.known.take_if(|known| !is_unsure && !is_old(&*known));
        let patched = stays.and_then(|(walk, walked)| {
            Some((patch(workspace, walk, &changed, &state.folders)?, walked))
        });
        let known = patched.unwrap_or_else(|| {
            // Folders that came, went or were replaced are watched anew.
            state.forget(|folder| folder.ancestors().any(|above| changed.contains(above)));
            state.walk(workspace, cancellation)
        });
        let walk = Arc::clone(&known.0);
        state.known = Some(known);
        walk
    }

    /// Creates a file and waits for its event. Events come in the order of the changes.
    fn all_events_have_come(&self, state: &mut State) -> bool {
        state.last_marker += 1;
        let marker = format!("{}{}", self.marker, state.last_marker);
        #[expect(clippy::disallowed_methods, reason = "the folder is the program's own")]
        let made = fs::File::create(&marker);
        let until = Instant::now() + PATIENCE;
        let mut pending = lock(&self.events.pending);
        while made.is_ok() && pending.marker < state.last_marker {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = self.events.arrived.wait_timeout(pending, left);
            (pending, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        let has_come = pending.marker >= state.last_marker;
        drop(pending);
        let _ = fs::remove_file(marker);
        has_come
    }
}

impl State {
    /// Walks the tree and watches every folder of it. What comes while a folder is not watched yet is seen by the walk after.
    fn walk(
        &mut self,
        workspace: &Workspace,
        cancellation: &Cancellation,
    ) -> (Arc<DirectoryWalk>, Instant) {
        let walked = Instant::now();
        // What was walked then is not kept.
        let long_ago = walked.checked_sub(VERIFICATION * 2).unwrap_or(walked);
        for _ in 1..MAX_WALKS {
            let (walk, mut folders) = workspace.walk_with_folders(cancellation);
            if cancellation.is_cancelled() {
                return (Arc::new(walk), long_ago);
            }
            folders.extend(git_folders(workspace, &folders));
            self.forget(|folder| !folders.contains(folder));
            let new: Vec<PathBuf> = folders.difference(&self.folders).cloned().collect();
            if new.is_empty() || !new.iter().all(|folder| self.watch(folder)) {
                return (Arc::new(walk), walked);
            }
        }
        // They still come.
        let walk = workspace.walk_filtered(&RepoPath::root(), cancellation, |_| true);
        (Arc::new(walk), long_ago)
    }

    /// Watches a folder. A vanished folder counts as an event; any other failure ends all watching.
    fn watch(&mut self, folder: &Path) -> bool {
        let Some(watcher) = &mut self.watcher else { return false };
        let Some(device) = device(folder) else { return true };
        let watched = watcher.watch(folder, RecursiveMode::NonRecursive);
        let is_gone = |error: &notify::Error| matches!(error.kind, notify::ErrorKind::PathNotFound);
        if Some(device) != self.device || watched.as_ref().is_err_and(|error| !is_gone(error)) {
            (self.watcher, self.folders) = (None, BTreeSet::new());
            return false;
        }
        if watched.is_ok() {
            self.folders.insert(folder.to_owned());
        }
        true
    }

    /// Stops to watch folders.
    fn forget(&mut self, is_one: impl Fn(&Path) -> bool) {
        let Some(watcher) = &mut self.watcher else { return };
        self.folders.retain(|folder| {
            let stays = !is_one(folder);
            if !stays {
                // The system has forgotten those that are gone.
                let _ = watcher.unwatch(folder);
            }
            stays
        });
    }
}

impl Events {
    fn note(&self, markers: &Path, own: &str, event: notify::Result<Event>) {
        let mut pending = lock(&self.pending);
        let Ok(event) = event else {
            pending.is_unsure = true;
            return;
        };
        pending.is_unsure |= event.need_rescan();
        let is_read = match event.kind {
            EventKind::Access(access) => access != AccessKind::Close(AccessMode::Write),
            _ => false,
        };
        for path in event.paths.into_iter().filter(|_| !is_read) {
            if !path.starts_with(markers) {
                pending.add(path);
            } else if let Some(number) = path.to_str().and_then(|it| it.strip_prefix(own)) {
                pending.marker = pending.marker.max(number.parse().unwrap_or_default());
                self.arrived.notify_all();
            }
        }
    }
}

impl Pending {
    fn add(&mut self, path: PathBuf) {
        if self.changed.len() >= MAX_PENDING {
            self.is_unsure = true;
            self.changed.clear();
        }
        if !self.is_unsure {
            self.changed.insert(path);
        }
    }
}

/// Returns `walk` with the files that have changed as they are now; `None` when more than files may have changed.
fn patch(
    workspace: &Workspace,
    mut walk: Arc<DirectoryWalk>,
    changed: &BTreeSet<PathBuf>,
    folders: &BTreeSet<PathBuf>,
) -> Option<Arc<DirectoryWalk>> {
    if changed.len() > MAX_CHANGED {
        return None;
    }
    for path in changed {
        let name = path.file_name()?.to_str()?;
        let is_folder = folders.contains(path) || path.is_dir();
        let is_index =
            name == INDEX && path.parent().is_some_and(|folder| folder.ends_with(".git"));
        if is_folder || is_index || name == ".git" || IGNORE_FILES.contains(&name) {
            return None;
        }
        let path = workspace.on_disk(path)?;
        let place = walk.files.binary_search_by(|file| file.path.cmp(&path));
        match (place, workspace.walk_one(&path)) {
            (Ok(place), Some(file)) if walk.files[place] == file => {}
            (Ok(place), Some(file)) => Arc::make_mut(&mut walk).files[place] = file,
            (Ok(place), None) => drop(Arc::make_mut(&mut walk).files.remove(place)),
            (Err(place), Some(file)) => Arc::make_mut(&mut walk).files.insert(place, file),
            (Err(_), None) => {}
        }
    }
    Some(walk)
}

/// The folders of git in which more ignore rules are, or may come to be, and those of the roots with what is tracked. Those of a
/// linked working tree are outside of it.
fn git_folders(workspace: &Workspace, folders: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let of_roots = workspace.roots().filter_map(|(_, root)| GitFolders::of(Path::new(root)));
    let (own, common): (Vec<PathBuf>, Vec<PathBuf>) =
        of_roots.map(|git| (git.own, git.common)).unzip();
    let git = folders.iter().map(|folder| folder.join(".git")).chain(common);
    let git = git.filter(|git| git.is_dir());
    let of_rules =
        |git: PathBuf| Some(git.join("info")).filter(|info| info.is_dir()).unwrap_or(git);
    git.map(of_rules).chain(own).collect()
}

#[expect(clippy::disallowed_methods, reason = "what is watched was found by a walk")]
fn device(folder: &Path) -> Option<u64> {
    fs::metadata(folder).ok().map(|folder| folder.dev())
}

impl Workspace {
    /// Returns the path of the workspace that is this one on disk.
    fn on_disk(&self, path: &Path) -> Option<RepoPath> {
        let root = self.roots.iter().find(|root| path.starts_with(&root.path))?;
        Some(root.outer(below(&root.path, path)?))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
