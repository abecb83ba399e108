//! The words of every file, packed: what a survey needs of a whole tree without reading it again. A [`TokenIndex`] keeps them in
//! step with the tree, shares them among the questions of a process and, given a folder, with the next process. What a kept
//! file can't vouch for is read from the tree, so that the words are always those that reading everything anew gives.

pub(crate) mod codec;
pub(crate) mod decoded_text;
mod file;
pub(crate) mod segment;
pub(crate) mod term_matcher;
pub(crate) mod term_scanner;
pub(crate) mod tokenizer;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

pub(crate) use crate::index::segment::IndexedFile;
use crate::index::{codec::Items, segment::Segment};
use crate::{declarations::outline::FileOutline, words};
use retriever_workspace::{
    Cancellation, ContentHash, FileEntry, FileStat, FileTraits, RepoPath, Walk, Workspace,
};

/// Most pieces that a scan goes through; more are joined.
const MOST_PIECES: usize = 6;
/// Files that every process reads for itself before one writes them down: at least so many, and this part of the tree.
const LEAST_UNSAVED: usize = 16;
const PART_UNSAVED: usize = 32;

/// The words of the files of a tree, as they were at one moment.
#[derive(Clone, Debug, Default)]
pub struct IndexSnapshot {
    pieces: Vec<Arc<Segment>>,
    /// Segment and place in it of every file, sorted by path.
    files: Vec<(usize, usize)>,
    /// Files that are not kept as they are here, or are kept and gone; `None` when nothing is kept.
    unsaved: Option<usize>,
}

impl IndexSnapshot {
    /// Reads every file of `walk`; some are missing when `cancelled` is set meanwhile.
    pub fn read(workspace: &Workspace, walk: &Walk, cancellation: &Cancellation) -> Self {
        Self::default().refreshed(workspace, walk, cancellation).unwrap_or_default()
    }

    /// Every stem that some file holds, with the number of files that do, by stem.
    pub fn vocabulary(&self) -> BTreeMap<String, u32> {
        let mut found: BTreeMap<String, u32> = BTreeMap::new();
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        let stems: Vec<Vec<usize>> = self
            .pieces
            .iter()
            .map(|piece| {
                let stems = piece.vocabulary.iter().map(|word| {
                    let next = numbers.len();
                    let stem = words::stem(&String::from_utf8_lossy(word));
                    *numbers.entry(stem).or_insert(next)
                });
                stems.collect()
            })
            .collect();
        let mut counts = vec![(0_u32, usize::MAX); numbers.len()];
        for (number, (piece, file)) in self.all().enumerate() {
            for item in Items::of(self.pieces[piece].stream(file)) {
                let codec::Item::Word { id, .. } = item else { continue };
                let stem = stems[piece].get(id as usize);
                let Some((count, last)) = stem.and_then(|stem| counts.get_mut(*stem)) else {
                    continue;
                };
                *count += u32::from(std::mem::replace(last, number) != number);
            }
        }
        for (stem, number) in numbers {
            let (count, _) = counts[number];
            if count > 0 {
                found.insert(stem, count);
            }
        }
        found
    }

    /// What is known of a file, with the piece that has it. `at` is where it is likely to stand: its place in the walk.
    pub(crate) fn file(&self, path: &RepoPath, at: usize) -> Option<(usize, &IndexedFile)> {
        let is_it = |at: usize| self.at(at).is_some_and(|(_, file)| file.path == path.as_str());
        if is_it(at) {
            return self.at(at);
        }
        let of = |place: &(usize, usize)| self.pieces[place.0].files[place.1].path.as_str();
        let at = self.files.binary_search_by(|place| of(place).cmp(path.as_str())).ok()?;
        self.at(at)
    }

    /// Whether the path of a file alone says that it is beside the point of the program; none when the file isn't known.
    pub(crate) fn is_secondary(&self, path: &RepoPath) -> Option<bool> {
        self.file(path, 0).map(|(_, file)| file.is_secondary())
    }

    /// The traits of the file at `path`, without the parts that its path suggests, when its content has this hash.
    pub(crate) fn marks_of(&self, path: &RepoPath, hash: &ContentHash) -> Option<FileTraits> {
        let (_, file) = self.file(path, 0)?;
        file.is_of(hash).then(|| file.traits())
    }

    /// The outline of the file at `path`; none when there is none that can be read.
    pub(crate) fn outline_of(&self, path: &RepoPath) -> Option<FileOutline> {
        self.outline(self.file(path, 0)?)
    }

    /// The outline of a file; none when there is none that can be read.
    pub(crate) fn outline(&self, (piece, file): (usize, &IndexedFile)) -> Option<FileOutline> {
        self.pieces.get(piece)?.outline(file)
    }

    fn at(&self, at: usize) -> Option<(usize, &IndexedFile)> {
        let (piece, file) = *self.files.get(at)?;
        Some((piece, self.pieces.get(piece)?.files.get(file)?))
    }

    fn all(&self) -> impl Iterator<Item = (usize, &IndexedFile)> {
        (0..self.files.len()).filter_map(|at| self.at(at))
    }

    /// Returns the words of the files of `walk`, or `None` when they are these.
    fn refreshed(
        &self,
        workspace: &Workspace,
        walk: &Walk,
        cancellation: &Cancellation,
    ) -> Option<Self> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
        let mut known = self.files.iter().copied().peekable();
        let path = |place: &(usize, usize)| self.pieces[place.0].files[place.1].path.as_str();
        let mut files: Vec<(usize, usize)> = Vec::with_capacity(walk.files.len());
        let mut stale: Vec<&FileEntry> = Vec::new();
        let mut met = 0;
        for entry in &walk.files {
            while known.next_if(|place| path(place) < entry.path.as_str()).is_some() {}
            let place = known.next_if(|place| path(place) == entry.path.as_str());
            met += usize::from(place.is_some());
            let is_current = |place: &(usize, usize)| {
                let file = &self.pieces[place.0].files[place.1];
                !file.is_doubtful && file.stamp == FileStat::of(entry)
            };
            match place.filter(is_current) {
                Some(place) => files.push(place),
                None => stale.push(entry),
            }
        }
        let gone = self.files.len() - met;
        if stale.is_empty() && gone == 0 {
            return None;
        }
        let mut pieces = self.pieces.clone();
        for piece in segment::read(workspace, &stale, now, cancellation) {
            let at = pieces.len();
            files.extend((0..piece.files.len()).map(|file| (at, file)));
            pieces.push(Arc::new(piece));
        }
        let path = |(piece, file): (usize, usize)| pieces[piece].files[file].path.as_str();
        files.sort_unstable_by(|a, b| path(*a).cmp(path(*b)));
        let unsaved = self.unsaved.map(|unsaved| unsaved + stale.len() + gone);
        let words = Self { pieces, files, unsaved };
        Some(if words.pieces.len() > MOST_PIECES { words.joined() } else { words })
    }

    /// The same in one piece.
    fn joined(&self) -> Self {
        let pieces: Vec<&Segment> = self.pieces.iter().map(AsRef::as_ref).collect();
        let files: Vec<(usize, &IndexedFile)> = self.all().collect();
        let whole = segment::joined(&pieces, &files);
        Self {
            files: (0..whole.files.len()).map(|file| (0, file)).collect(),
            pieces: vec![Arc::new(whole)],
            unsaved: self.unsaved,
        }
    }

    /// Whether it is one piece without anything that is gone.
    fn is_whole(&self) -> bool {
        matches!(self.pieces.as_slice(), [piece] if piece.files.len() == self.files.len())
    }

    fn is_worth_saving(&self) -> bool {
        self.unsaved
            .is_none_or(|unsaved| unsaved >= LEAST_UNSAVED.max(self.files.len() / PART_UNSAVED))
    }
}

/// The words of one workspace, shared by all questions about it.
#[derive(Debug, Default)]
pub struct TokenIndex {
    folder: Option<PathBuf>,
    kept: Mutex<Option<Arc<IndexSnapshot>>>,
}

impl TokenIndex {
    /// Returns the lexicon that is kept in `folder`, which belongs to the workspace; without one it lasts as long as the value.
    pub fn new(folder: Option<&Path>) -> Self {
        Self { folder: folder.map(|folder| folder.join("words")), kept: Mutex::default() }
    }

    /// Returns the words of the files of `walk`, which is one of the whole of `workspace`. Only what differs from what is known
    /// is read; some files are missing when `cancelled` is set meanwhile.
    pub fn snapshot(
        &self,
        workspace: &Workspace,
        walk: &Walk,
        cancellation: &Cancellation,
    ) -> Arc<IndexSnapshot> {
        let mut kept = lock(&self.kept);
        let known = kept.take().unwrap_or_else(|| self.load(workspace));
        let Some(words) = known.refreshed(workspace, walk, cancellation) else {
            return Arc::clone(kept.insert(known));
        };
        if cancellation.is_cancelled() {
            *kept = Some(known);
            return Arc::new(words);
        }
        let mut words = Arc::new(words);
        // A file that has become a secret leaves no trace.
        let is_secret = |(_, file): (usize, &IndexedFile)| {
            let path = workspace.normalize(&file.path);
            path.is_ok_and(|path| words.file(&path, 0).is_none() && workspace.is_secret(&path))
        };
        let tells = known.unsaved.is_some() && known.all().any(is_secret);
        if words.is_worth_saving() || tells {
            words = self.save(workspace, &words);
        }
        Arc::clone(kept.insert(words))
    }

    /// Reads what is kept, ahead of the question that needs it.
    pub fn prepare(&self, workspace: &Workspace) {
        lock(&self.kept).get_or_insert_with(|| self.load(workspace));
    }

    fn load(&self, workspace: &Workspace) -> Arc<IndexSnapshot> {
        let folder = self.folder.as_deref();
        Arc::new(folder.and_then(|folder| file::load(folder, workspace)).unwrap_or_default())
    }

    /// Forgets what is kept.
    pub fn forget(&self) {
        *lock(&self.kept) = None;
        if let Some(folder) = &self.folder {
            file::forget(folder);
        }
    }

    /// The bytes that are kept for the next process.
    pub fn bytes(&self) -> u64 {
        self.folder.as_deref().map_or(0, file::bytes)
    }

    /// What can't be written costs the next process its time, and nobody an answer.
    fn save(&self, workspace: &Workspace, words: &Arc<IndexSnapshot>) -> Arc<IndexSnapshot> {
        let Some(folder) = &self.folder else { return Arc::clone(words) };
        let mut whole = if words.is_whole() { words.as_ref().clone() } else { words.joined() };
        if file::save(folder, workspace, &whole).is_ok() {
            whole.unsaved = Some(0);
        }
        Arc::new(whole)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
