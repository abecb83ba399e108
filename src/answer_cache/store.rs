//! Sessions between questions: a file each in a folder that only the user may look into, changed under one lock and replaced
//! as a whole, so that processes side by side lose nothing and a killed one leaves what was there. A file that doesn't
//! carry its own hash is left behind with one warning.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use super::Session;
use retriever_search::SessionId;
use retriever_workspace::storage::{lock_file, replace_file, wait_for_lock};

/// Most sessions of a root; the least recently used go first.
const MOST_SESSIONS: usize = 64;
/// Largest session, in bytes.
const MOST_BYTES: usize = 1024 * 1024;
/// How long a session is kept after its last use.
const SESSION_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// How long one process waits for another one that writes.
const PATIENCE: Duration = Duration::from_secs(5);
/// First line of a file: what it is and who wrote it.
const HEAD: &str = concat!("retriever session ", env!("RETRIEVER_MAP_VERSION"));
const EXTENSION: &str = "session";

/// Where sessions are.
pub(super) struct Store {
    folder: Option<PathBuf>,
    memory: Mutex<BTreeMap<SessionId, Session>>,
    warnings: Mutex<Warnings>,
}

#[derive(Default)]
struct Warnings {
    told: BTreeSet<String>,
    waiting: Vec<String>,
}

impl Store {
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, memory: Mutex::default(), warnings: Mutex::default() }
    }

    pub(super) fn warnings(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.warnings).waiting)
    }

    /// Returns a session as it is now; an unknown one is empty.
    pub(super) fn load(&self, id: &SessionId) -> Session {
        match &self.folder {
            None => lock(&self.memory).get(id).cloned().unwrap_or_default(),
            Some(folder) => self.read(&file(folder, id)),
        }
    }

    /// Changes a session while nobody else does. What can't be kept costs the session its memory and not the answer.
    pub(super) fn update<T>(&self, id: &SessionId, change: impl FnOnce(&mut Session) -> T) -> T {
        let Some(folder) = &self.folder else {
            let mut memory = lock(&self.memory);
            let done = change(memory.entry(id.clone()).or_default());
            if memory.len() > MOST_SESSIONS {
                let oldest =
                    memory.iter().min_by_key(|(other, session)| (*other == id, session.used));
                let oldest = oldest.map(|(id, _)| id.clone());
                oldest.and_then(|id| memory.remove(&id));
            }
            return done;
        };
        let held = lock_file(folder).and_then(|lock| {
            wait_for_lock(PATIENCE, || lock.try_lock())?;
            Ok(lock)
        });
        let path = file(folder, id);
        let mut session = self.read(&path);
        let done = change(&mut session);
        let kept = match held {
            Ok(_lock) => write(folder, &path, &mut session).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        if let Err(error) = kept {
            self.warn(format!("the session can't be kept in {}: {error}", folder.display()));
        }
        done
    }

    fn read(&self, path: &Path) -> Session {
        #[expect(clippy::disallowed_methods, reason = "the cache's own file")]
        let text = match fs::read(path) {
            Ok(text) => text,
            // A folder that is none is told when the session is written.
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
            self.warn(format!("the session in {} is damaged and begins anew", path.display()));
            Session::default()
        })
    }

    fn warn(&self, warning: String) {
        let mut warnings = lock(&self.warnings);
        if warnings.told.insert(warning.clone()) {
            warnings.waiting.push(warning);
        }
    }
}

/// A session's file. The name is the hash of the ID, whatever the caller wrote.
fn file(folder: &Path, id: &SessionId) -> PathBuf {
    folder.join(&blake3::hash(id.as_str().as_bytes()).to_hex()[..32]).with_extension(EXTENSION)
}

/// Reads a file's text: its head, the hash of the rest, and the rest. Another program version's session is an empty one;
/// `None` is damage.
fn parse(text: &[u8]) -> Option<Session> {
    let mut parts = text.splitn(3, |byte| *byte == b'\n');
    let (head, hash, rest) = (parts.next()?, parts.next()?, parts.next()?);
    if blake3::hash(rest).to_hex().as_bytes() != hash {
        return None;
    }
    if head != HEAD.as_bytes() {
        return Some(Session::default());
    }
    serde_json::from_slice(rest).ok()
}

/// Writes a session beside its file and puts it in the file's place.
#[expect(clippy::disallowed_methods, reason = "the cache's own files")]
fn write(folder: &Path, path: &Path, session: &mut Session) -> io::Result<()> {
    let mut body = serde_json::to_vec(session)?;
    while body.len() > MOST_BYTES && !session.reports.is_empty() {
        session.reports.drain(..session.reports.len().div_ceil(2));
        body = serde_json::to_vec(session)?;
    }
    let hash = blake3::hash(&body).to_hex();
    let mut text = format!("{HEAD}\n{hash}\n").into_bytes();
    text.append(&mut body);
    let is_new = !path.exists();
    replace_file(path, &text)?;
    if is_new {
        tidy(folder, path);
    }
    Ok(())
}

/// Removes sessions that are old, or too many. What can't be removed now is tried again with the next session.
#[expect(clippy::disallowed_methods, reason = "the cache's own files")]
fn tidy(folder: &Path, newest: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut sessions: Vec<(SystemTime, PathBuf)> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|found| found == EXTENSION) && path != newest)
        .filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path)))
        .collect();
    sessions.sort();
    let many = (sessions.len() + 1).saturating_sub(MOST_SESSIONS);
    for (at, (used, path)) in sessions.iter().enumerate() {
        let is_old = used.elapsed().is_ok_and(|age| age > SESSION_AGE);
        if at < many || is_old {
            let _ = fs::remove_file(path);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
