//! Stores sessions: one file each, in a folder that only the user can read. A file is changed under a lock and replaced as a
//! whole, so that concurrent processes lose no update and a killed process leaves the old file. A file whose content does
//! not match its hash is replaced by an empty session, with a warning. Sessions that end with a connection stay in memory.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use super::Session;
use retriever_search::SessionId;
use retriever_workspace::cache_file_io::{lock_file, replace_file, wait_for_lock};

/// Most sessions of a root; the least recently used are dropped first.
const MAX_SESSIONS: usize = 64;
/// Largest session, in bytes.
const MAX_SESSION_BYTES: usize = 1024 * 1024;
/// Time for which a session is kept after its last use.
const MAX_SESSION_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Longest wait for another process that writes.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
/// First line of a file: its format, and the program version that wrote it.
const HEADER: &str = concat!("retriever session ", env!("RETRIEVER_MAP_VERSION"));
/// Extension of the files.
const EXTENSION: &str = "session";

/// The sessions of one root.
pub(super) struct SessionStore {
    folder: Option<PathBuf>,
    memory: Mutex<BTreeMap<SessionId, Session>>,
    warnings: Mutex<Warnings>,
}

#[derive(Default)]
struct Warnings {
    returned: BTreeSet<String>,
    pending: Vec<String>,
}

impl SessionStore {
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, memory: Mutex::default(), warnings: Mutex::default() }
    }

    pub(super) fn warnings(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.warnings).pending)
    }

    /// Returns the folder of a session; `None` for a session in memory.
    fn folder_of(&self, id: &SessionId) -> Option<&Path> {
        self.folder.as_deref().filter(|_| !id.ends_with_connection())
    }

    /// Returns a session. An unknown one is empty.
    pub(super) fn load(&self, id: &SessionId) -> Session {
        match self.folder_of(id) {
            None => lock(&self.memory).get(id).cloned().unwrap_or_default(),
            Some(folder) => self.read(&file_of(folder, id)),
        }
    }

    /// Changes a session under a lock. If it cannot be stored, the change is lost with a warning.
    pub(super) fn update<T>(&self, id: &SessionId, change: impl FnOnce(&mut Session) -> T) -> T {
        let Some(folder) = self.folder_of(id) else {
            let mut memory = lock(&self.memory);
            let session = memory.entry(id.clone()).or_default();
            let done = change(session);
            // A session that cannot be written stays as it is.
            let _ = bounded(session);
            let used = session.used;
            memory.retain(|_, other| used.saturating_sub(other.used) <= MAX_SESSION_AGE.as_secs());
            if memory.len() > MAX_SESSIONS {
                let oldest =
                    memory.iter().min_by_key(|(other, session)| (*other == id, session.used));
                let oldest = oldest.map(|(id, _)| id.clone());
                oldest.and_then(|id| memory.remove(&id));
            }
            return done;
        };
        let held = lock_file(folder).and_then(|lock| {
            wait_for_lock(LOCK_TIMEOUT, || lock.try_lock())?;
            Ok(lock)
        });
        let path = file_of(folder, id);
        let mut session = self.read(&path);
        let done = change(&mut session);
        let kept = match held {
            Ok(_lock) => write(folder, &path, &mut session).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        if let Err(error) = kept {
            self.warn(format!("the session can't be stored in {}: {error}", folder.display()));
        }
        done
    }

    fn read(&self, path: &Path) -> Session {
        #[expect(clippy::disallowed_methods, reason = "the cache's own file")]
        let text = match fs::read(path) {
            Ok(text) => text,
            // A path that is not a folder is reported when the session is written.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Session::default();
            }
            Err(error) => {
                self.warn(format!("the session in {} can't be read: {error}", path.display()));
                return Session::default();
            }
        };
        parse(&text).unwrap_or_else(|| {
            self.warn(format!("the session in {} is damaged and starts empty", path.display()));
            Session::default()
        })
    }

    fn warn(&self, warning: String) {
        let mut warnings = lock(&self.warnings);
        if warnings.returned.insert(warning.clone()) {
            warnings.pending.push(warning);
        }
    }
}

/// Returns the file of a session. Its name is a hash of the ID, so that no ID can lead out of the folder.
fn file_of(folder: &Path, id: &SessionId) -> PathBuf {
    folder.join(&blake3::hash(id.as_str().as_bytes()).to_hex()[..32]).with_extension(EXTENSION)
}

/// Parses a file: header, hash of the body, body. A session of another program version is empty. Returns `None` if the file
/// is damaged.
fn parse(text: &[u8]) -> Option<Session> {
    let mut parts = text.splitn(3, |byte| *byte == b'\n');
    let (header, hash, body) = (parts.next()?, parts.next()?, parts.next()?);
    if blake3::hash(body).to_hex().as_bytes() != hash {
        return None;
    }
    if header != HEADER.as_bytes() {
        return Some(Session::default());
    }
    serde_json::from_slice(body).ok()
}

/// Drops the oldest answers of a session that is too large, and returns its bytes.
fn bounded(session: &mut Session) -> io::Result<Vec<u8>> {
    let mut body = serde_json::to_vec(session)?;
    while body.len() > MAX_SESSION_BYTES && !session.answers.is_empty() {
        session.answers.drain(..session.answers.len().div_ceil(2));
        body = serde_json::to_vec(session)?;
    }
    Ok(body)
}

/// Writes a session to a new file and renames it to `path`.
#[expect(clippy::disallowed_methods, reason = "the cache's own files")]
fn write(folder: &Path, path: &Path, session: &mut Session) -> io::Result<()> {
    let mut body = bounded(session)?;
    let hash = blake3::hash(&body).to_hex();
    let mut text = format!("{HEADER}\n{hash}\n").into_bytes();
    text.append(&mut body);
    let is_new = !path.exists();
    replace_file(path, &text)?;
    if is_new {
        evict(folder, path);
    }
    Ok(())
}

/// Removes old and surplus sessions. Removal of a file that fails is tried again with the next session.
#[expect(clippy::disallowed_methods, reason = "the cache's own files")]
fn evict(folder: &Path, newest: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut sessions: Vec<(SystemTime, PathBuf)> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|found| found == EXTENSION) && path != newest)
        .filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path)))
        .collect();
    sessions.sort();
    let surplus = (sessions.len() + 1).saturating_sub(MAX_SESSIONS);
    for (at, (used, path)) in sessions.iter().enumerate() {
        let is_old = used.elapsed().is_ok_and(|age| age > MAX_SESSION_AGE);
        if at < surplus || is_old {
            let _ = fs::remove_file(path);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
