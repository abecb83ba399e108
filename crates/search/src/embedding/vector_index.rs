//! The vectors of one workspace, shared by all its searches and kept in step with its files.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use rayon::prelude::*;
use serde::Serialize;

use super::{
    Embedder, EmbeddingError, QuantisedVector, SimilarPlaces, VectorSnapshot,
    embedded_texts::{self, texts_of},
    vector_log_format::{self, VectorContentKey, VectorRow, key_of},
    vector_log_writer::VectorLogWriter,
};
use crate::index::{FullTextSnapshot, IndexedContentKind, IndexedFile};
use retriever_workspace::{Cancellation, LineRange, Workspace, cache_file_io::lock_file};

/// Name of the folder beside the graph, and of the file in it.
const FOLDER: &str = "vectors";
const LOG: &str = "log";
/// Files that are embedded between two appends; what a killed process loses.
const FILES_AT_ONCE: usize = 16;
/// Vectors of a workspace. Files beyond get none.
const MAX_VECTORS: usize = 300_000;

/// Keeps the vectors of a workspace.
pub struct VectorIndex {
    folder: Option<PathBuf>,
    embedder: Arc<dyn Embedder>,
    identity: VectorContentKey,
    state: Mutex<State>,
    /// Held by who makes vectors.
    making: Mutex<()>,
}

#[derive(Default)]
struct State {
    snapshot: Arc<VectorSnapshot>,
    /// The file that it was read from; another process may have written since.
    stamp: Option<LogStamp>,
}

/// How many vectors there are of the files as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct VectorCount {
    /// Vectors of files that are as they were when these were made.
    pub vectors: usize,
    /// Files that have all their vectors.
    pub files: usize,
    /// Files that lack theirs.
    pub missing: usize,
}

impl VectorIndex {
    /// Returns the vectors that are stored in `folder`, which belongs to the workspace; without a folder they are lost with the
    /// value. Nothing is read or made yet.
    pub fn new(folder: Option<&Path>, embedder: Arc<dyn Embedder>) -> Self {
        let identity = format!("{} {}", embedded_texts::VERSION, embedder.identity());
        Self {
            folder: folder.map(|folder| folder.join(FOLDER)),
            embedder,
            identity: key_of(identity.as_bytes()),
            state: Mutex::default(),
            making: Mutex::new(()),
        }
    }

    /// Returns what makes the vectors.
    pub fn embedder(&self) -> &Arc<dyn Embedder> {
        &self.embedder
    }

    /// Returns the vectors as they are stored now.
    pub fn snapshot(&self) -> Arc<VectorSnapshot> {
        let mut state = self.lock();
        if let Some(path) = self.log_path() {
            let stamp = LogStamp::of(&path);
            if stamp != state.stamp {
                let log = stamp.and_then(|_| read(&path)).unwrap_or_default();
                *state = State { snapshot: Arc::new(self.parse(log)), stamp };
            }
        }
        Arc::clone(&state.snapshot)
    }

    /// Compares a question with the files of `words`. None when there are no vectors to compare with.
    pub fn similar_places(
        &self,
        question: &[f32],
        words: &FullTextSnapshot,
        cancellation: &Cancellation,
    ) -> Option<SimilarPlaces> {
        SimilarPlaces::of(&QuantisedVector::of(question), &self.snapshot(), words, cancellation)
    }

    /// Returns how many vectors there are of the files of `words`.
    pub fn count(&self, words: &FullTextSnapshot) -> VectorCount {
        let snapshot = self.snapshot();
        let mut count = VectorCount::default();
        for (_, file) in embedded_files(words) {
            match snapshot.file(file.path()).filter(|known| known.content == *file.content()) {
                Some(known) => {
                    count.files += 1;
                    count.vectors += known.count;
                }
                None => count.missing += 1,
            }
        }
        count
    }

    /// Makes the vectors that the files of `words` lack, and tells `progress` how many of those files are done. What is there of
    /// other files stays until it is half of all. One thread of one process does this at a time.
    ///
    /// # Errors
    ///
    /// [`EmbeddingError`]; what was made before is stored.
    pub fn refresh(
        &self,
        workspace: &Workspace,
        words: &FullTextSnapshot,
        progress: &dyn Fn(usize, usize),
        cancellation: &Cancellation,
    ) -> Result<(), EmbeddingError> {
        let Ok(_turn) = self.making.try_lock() else { return Ok(()) };
        let _lock = self.folder.as_deref().map(lock).transpose()?;
        let known = self.snapshot();
        let mut writer = self.writer(workspace, words, &known)?;
        let is_missing = |(_, file): &(usize, &IndexedFile)| {
            known.file(file.path()).is_none_or(|known| known.content != *file.content())
        };
        let missing: Vec<_> = embedded_files(words).filter(is_missing).collect();
        let mut vectors = known.len();
        for (at, files) in missing.chunks(FILES_AT_ONCE).enumerate() {
            progress(at * FILES_AT_ONCE, missing.len());
            if cancellation.is_cancelled() {
                return Err(EmbeddingError::Cancelled);
            }
            if vectors >= MAX_VECTORS {
                break;
            }
            let read = files.par_iter().with_max_len(1);
            let read = read.filter_map(|file| PendingFile::read(workspace, words, *file, &known));
            let mut pending: Vec<PendingFile> = read.collect();
            self.embed(&mut pending, cancellation)?;
            vectors += pending.iter().map(|file| file.texts.len()).sum::<usize>();
            if let Some(dimensions) = dimensions(&pending)? {
                let records: Vec<Vec<u8>> = pending.iter().map(PendingFile::record).collect();
                writer.append(&records.concat(), dimensions)?;
            }
        }
        progress(missing.len(), missing.len());
        match writer.into_memory() {
            Some(log) => self.lock().snapshot = Arc::new(self.parse(log)),
            // A log of the same length may have been replaced within one step of the file system's clock.
            None => *self.lock() = State::default(),
        }
        Ok(())
    }

    /// Removes what is stored and what is in memory.
    pub fn clear(&self) {
        *self.lock() = State::default();
        if let Some(path) = self.log_path() {
            // What can't be removed is continued.
            drop(fs::remove_file(path));
        }
    }

    /// Returns the size of what is stored, in bytes.
    pub fn stored_bytes(&self) -> u64 {
        self.log_path().and_then(|path| LogStamp::of(&path)).map_or(0, |stamp| stamp.bytes)
    }

    /// Returns the log to append to. One that can't be continued, or that has a file which has become a secret, begins anew
    /// with what is of use.
    fn writer(
        &self,
        workspace: &Workspace,
        words: &FullTextSnapshot,
        known: &VectorSnapshot,
    ) -> Result<VectorLogWriter, EmbeddingError> {
        let paths = || known.files().iter().map(|file| known.path(file));
        let is_there: Vec<bool> = words.contents_of(paths()).iter().map(Option::is_some).collect();
        let is_secret =
            |path: &str| workspace.normalize(path).is_ok_and(|path| workspace.is_secret(&path));
        let holds_secret =
            paths().zip(&is_there).any(|(path, is_there)| !is_there && is_secret(path));
        let path = self.log_path();
        if known.can_be_continued() && !holds_secret {
            return Ok(VectorLogWriter::continued(path, known)?);
        }
        let kept = known.files().iter().zip(is_there).filter(|(_, is_there)| *is_there);
        let records: Vec<&[u8]> = kept.map(|(file, _)| known.record(file)).collect();
        // Damage may be in the header, too.
        let dimensions = if records.is_empty() { 0 } else { known.dimensions() };
        Ok(VectorLogWriter::anew(path, self.identity, &records.concat(), dimensions)?)
    }

    /// Embeds the texts that have no vector yet, a batch at a time.
    fn embed(
        &self,
        pending: &mut [PendingFile],
        cancellation: &Cancellation,
    ) -> Result<(), EmbeddingError> {
        let mut open: Vec<&mut PendingText> = pending
            .iter_mut()
            .flat_map(|file| &mut file.texts)
            .filter(|text| text.vector.is_none())
            .collect();
        for batch in open.chunks_mut(self.embedder.batch().max(1)) {
            let texts: Vec<String> = batch.iter().map(|text| text.text.clone()).collect();
            let vectors = self.embedder.embed(&texts, cancellation)?;
            if vectors.len() != texts.len() {
                let (got, wanted) = (vectors.len(), texts.len());
                return Err(EmbeddingError::Shape {
                    got: format!("{got} vectors"),
                    wanted: wanted.to_string(),
                });
            }
            for (text, vector) in batch.iter_mut().zip(vectors) {
                text.vector = Some(QuantisedVector::of(&vector));
            }
        }
        Ok(())
    }

    fn parse(&self, log: Vec<u8>) -> VectorSnapshot {
        VectorSnapshot::parse(log, &self.identity)
    }

    fn log_path(&self) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(LOG))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for VectorIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VectorIndex").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// A file of which texts may lack their vectors.
struct PendingFile {
    path: String,
    content: VectorContentKey,
    texts: Vec<PendingText>,
}

struct PendingText {
    range: LineRange,
    key: VectorContentKey,
    text: String,
    vector: Option<QuantisedVector>,
}

impl PendingFile {
    /// Reads a file. Texts that it had before have their vectors. None if it has changed since it was indexed.
    fn read(
        workspace: &Workspace,
        words: &FullTextSnapshot,
        indexed: (usize, &IndexedFile),
        known: &VectorSnapshot,
    ) -> Option<Self> {
        let path = workspace.normalize(indexed.1.path()).ok()?;
        let file = words.text(workspace, &path)?;
        indexed.1.is_of(&file.hash).then_some(())?;
        let outline = words.outline(indexed)?;
        let before = known.file(path.as_str());
        let before = before.map_or_else(Vec::new, |before| known.text_rows(before));
        let texts = texts_of(&file, &outline).into_iter().map(|text| {
            let key = key_of(text.text.as_bytes());
            let vector = before.iter().find(|row| row.key == key).map(|row| row.vector.clone());
            PendingText { range: text.range, key, text: text.text, vector }
        });
        Some(Self {
            path: path.as_str().to_owned(),
            content: *indexed.1.content(),
            texts: texts.collect(),
        })
    }

    fn record(&self) -> Vec<u8> {
        let row = |text: &PendingText| {
            let vector = text.vector.clone()?;
            Some(VectorRow { range: text.range, key: text.key, vector })
        };
        let rows: Vec<VectorRow> = self.texts.iter().filter_map(row).collect();
        vector_log_format::record(&self.path, self.content, &rows)
    }
}

/// Returns the dimensions of the vectors of some files; `None` if there are no vectors or they differ in it.
fn dimensions(pending: &[PendingFile]) -> Result<Option<usize>, EmbeddingError> {
    let vectors =
        pending.iter().flat_map(|file| &file.texts).filter_map(|text| text.vector.as_ref());
    let mut all = vectors.map(QuantisedVector::dimensions);
    let Some(first) = all.next() else { return Ok(None) };
    match all.find(|other| *other != first) {
        Some(other) => Err(EmbeddingError::Shape {
            got: format!("{other} numbers"),
            wanted: format!("{first} numbers"),
        }),
        None => Ok(Some(first)),
    }
}

/// Returns the files that have vectors: text that people have written here.
fn embedded_files(words: &FullTextSnapshot) -> impl Iterator<Item = (usize, &IndexedFile)> {
    words.files().filter(|(_, file)| {
        let traits = file.traits();
        file.kind == IndexedContentKind::Text && !traits.generated && !traits.vendored
    })
}

/// Takes the lock of the folder; held until the file is closed.
fn lock(folder: &Path) -> Result<fs::File, EmbeddingError> {
    let file = lock_file(folder)?;
    let is_taken = |_| EmbeddingError::Store("another process is making them".to_owned());
    file.try_lock().map_err(is_taken)?;
    Ok(file)
}

/// What tells one log from the next: an append changes its length, a replacement its inode.
#[derive(Clone, Copy, PartialEq, Eq)]
struct LogStamp {
    bytes: u64,
    written: Option<SystemTime>,
    inode: u64,
}

impl LogStamp {
    #[expect(clippy::disallowed_methods, reason = "the cache's own file")]
    fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(&metadata);
        #[cfg(not(unix))]
        let inode = 0;
        Some(Self { bytes: metadata.len(), written: metadata.modified().ok(), inode })
    }
}

#[expect(clippy::disallowed_methods, reason = "the cache's own file")]
fn read(path: &Path) -> Option<Vec<u8>> {
    fs::read(path).ok()
}
