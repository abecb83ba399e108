//! The full-text index of a tree at one moment. It is immutable: a refresh makes a new one, which shares segments with
//! the previous one.

use std::{
    sync::{Arc, OnceLock},
    time::{SystemTime, UNIX_EPOCH},
};

use super::{
    file_analysis::FileAnalysis,
    file_text_cache::RecentTexts,
    file_words::FileWords,
    files_with_words::FilesWithWords,
    path_words::PathWords,
    segment::{FileTokens, IndexedFile, Segment},
    segment_builder,
    segment_merger::{JoinedWords, join_contents, join_words},
};
use crate::{declarations::FileOutline, path_statistics::TreeSummary};
use retriever_workspace::{
    Cancellation, ContentHash, ContentHashes, DirectoryWalk, FileStat, FoundFile, LineRange,
    RepoPath, TextFile, Workspace,
};

/// Most segments that a scan goes through; more are joined.
const MAX_SEGMENTS: usize = 6;
/// A snapshot is worth storing when at least so many files, and this share of the tree, differ from what is stored.
const MIN_UNSAVED: usize = 16;
const UNSAVED_SHARE: usize = 32;
/// A stored segment stays as it is while at least this share of it is in use, in percent.
const MIN_USED_PERCENT: usize = 50;

/// The words of the files of a tree.
#[derive(Clone, Debug, Default)]
pub struct FullTextSnapshot {
    segments: Vec<Arc<Segment>>,
    /// Every file, sorted by path.
    files: Vec<Location>,
    /// Files that differ from what is stored, or are stored and gone; `None` when nothing is stored.
    unsaved: Option<usize>,
    /// Those that were read lately; a refresh hands them on.
    texts: Arc<RecentTexts>,
    /// What its paths say, once it was asked for.
    tree: OnceLock<Arc<TreeSummary>>,
    /// Its numbers of the files of that walk; none for a file that it doesn't have.
    numbers: OnceLock<Arc<[Option<usize>]>>,
    path_words: OnceLock<Arc<PathWords>>,
}

/// Where a file is: number of its segment, and number in that.
type Location = (usize, usize);

impl FullTextSnapshot {
    /// Reads every file of `walk`. Files that were not read before the cancellation are missing.
    pub fn read(workspace: &Workspace, walk: &DirectoryWalk, cancellation: &Cancellation) -> Self {
        Self::default().refreshed(workspace, walk, cancellation).unwrap_or_default()
    }

    /// Returns the snapshot of stored segments.
    pub(super) fn of_stored(segments: Vec<Segment>) -> Self {
        Self { unsaved: Some(0), ..Self::of_segments(segments) }
    }

    /// Returns a snapshot of those segments of another tree or machine that are about the files of `hashes`.
    pub(super) fn of_foreign(mut segments: Vec<Segment>, hashes: &ContentHashes<'_>) -> Self {
        for segment in &mut segments {
            segment_builder::confirm(&mut segment.files, hashes);
        }
        Self::of_segments(segments)
    }

    fn of_segments(segments: Vec<Segment>) -> Self {
        let all =
            |(at, segment): (usize, &Segment)| (0..segment.files.len()).map(move |file| (at, file));
        let mut files: Vec<Location> = segments.iter().enumerate().flat_map(all).collect();
        let path = |(segment, file): Location| segments[segment].files[file].path.as_str();
        files.sort_by(|a, b| path(*a).cmp(path(*b)));
        let segments = segments.into_iter().map(Arc::new).collect();
        Self { segments, files, ..Self::default() }
    }

    /// Returns the snapshot of the files of `walk`, or `None` if it is this one. Files that were not read before the
    /// cancellation are missing, and are read by the next refresh.
    pub(super) fn refreshed(
        &self,
        workspace: &Workspace,
        walk: &DirectoryWalk,
        cancellation: &Cancellation,
    ) -> Option<Self> {
        let now = now();
        let Changes { mut unchanged, stale, removed } = self.changes(walk);
        if stale.is_empty() && removed == 0 {
            return None;
        }
        let mut segments = self.segments.clone();
        for segment in segment_builder::build(workspace, &stale, now, cancellation) {
            let at = segments.len();
            unchanged.extend((0..segment.files.len()).map(|file| (at, file)));
            segments.push(Arc::new(segment));
        }
        let mut files = unchanged;
        let path = |(segment, file): Location| segments[segment].files[file].path.as_str();
        files.sort_unstable_by(|a, b| path(*a).cmp(path(*b)));
        let unsaved = self.unsaved.map(|unsaved| unsaved + stale.len() + removed);
        let texts = Arc::clone(&self.texts);
        let refreshed = Self { segments, files, unsaved, texts, ..Self::default() };
        let has_many = refreshed.segments.len() > MAX_SEGMENTS;
        if !has_many {
            return Some(refreshed);
        }
        Some(refreshed.compacted(cancellation).unwrap_or_else(|as_it_was| as_it_was))
    }

    /// Compares the snapshot with the tree.
    fn changes<'w>(&self, walk: &'w DirectoryWalk) -> Changes<'w> {
        let mut known = self.files.iter().copied().peekable();
        let path = |location: &Location| self.file_at(*location).path.as_str();
        let mut unchanged: Vec<Location> = Vec::with_capacity(walk.files.len());
        let mut stale: Vec<&FoundFile> = Vec::new();
        let mut met = 0;
        for entry in &walk.files {
            while known.next_if(|location| path(location) < entry.path.as_str()).is_some() {}
            let location = known.next_if(|location| path(location) == entry.path.as_str());
            met += usize::from(location.is_some());
            let is_current = |location: &Location| {
                let file = self.file_at(*location);
                !file.is_doubtful && file.stamp == FileStat::of(entry)
            };
            match location.filter(is_current) {
                Some(location) => unchanged.push(location),
                None => stale.push(entry),
            }
        }
        Changes { unchanged, stale, removed: self.files.len() - met }
    }

    /// Returns the same files in one segment.
    ///
    /// # Errors
    ///
    /// Returns itself when that is cancelled, or something stored is damaged.
    #[expect(clippy::result_large_err, reason = "either way it is a snapshot")]
    pub(super) fn merged(self, cancellation: &Cancellation) -> Result<Self, Self> {
        let Some(words) = self.joined_words(|_| true, cancellation) else { return Err(self) };
        // What is only in memory can be freed as it is joined.
        let kept = self.segments.iter().any(|it| it.contents.is_stored()).then(|| self.clone());
        let Self { segments, files, unsaved, texts, .. } = self;
        let file = |(at, file): Location| (at, segments[at].files[file].clone());
        let files = files.into_iter().map(file).collect();
        let merged = join_contents(segments, files, words);
        let merged = merged.ok_or_else(|| kept.unwrap_or_default())?;
        Ok(Self { unsaved, texts, ..Self::of_segments(vec![merged]) })
    }

    /// Joins the words of the files in the segments that `is_joined` picks; none if that is cancelled.
    fn joined_words(
        &self,
        is_joined: impl Fn(usize) -> bool,
        cancellation: &Cancellation,
    ) -> Option<JoinedWords> {
        let segments: Vec<&Segment> = self.segments.iter().map(AsRef::as_ref).collect();
        let files: Vec<_> = self.files().filter(|(at, _)| is_joined(*at)).collect();
        join_words(&segments, &files, cancellation)
    }

    /// Returns the same files in at most two segments: the first one as it is stored, if most of it is in use, and one of all
    /// other files.
    ///
    /// # Errors
    ///
    /// As for [`FullTextSnapshot::merged`].
    #[expect(clippy::result_large_err, reason = "either way it is a snapshot")]
    pub(super) fn compacted(self, cancellation: &Cancellation) -> Result<Self, Self> {
        let is_in_first = |(at, _): &(usize, &IndexedFile)| *at == 0;
        let first = self.files().filter(is_in_first);
        let used: usize = first.map(|(_, file)| file.outline_end - file.start).sum();
        let is_kept = |first: &&Arc<Segment>| {
            let is_stored = first.name.get().is_some();
            (is_stored || self.segments.len() == 1)
                && used * 100 >= first.contents.len() * MIN_USED_PERCENT
        };
        let Some(first) = self.segments.first().filter(is_kept).cloned() else {
            return self.merged(cancellation);
        };
        let others = self.files().filter(|file| !is_in_first(file)).count();
        let is_whole = |second: &Arc<Segment>| second.files.len() == others;
        if self.segments.len() <= 2 && self.segments.get(1).is_none_or(is_whole) {
            return Ok(self);
        }
        let Some(words) = self.joined_words(|at| at != 0, cancellation) else { return Err(self) };
        let files = self.files().filter(|file| !is_in_first(file));
        let files = files.map(|(at, file)| (at, file.clone())).collect();
        let Some(second) = join_contents(self.segments.clone(), files, words) else {
            return Err(self);
        };
        let mut numbers = 0..others;
        let place = |location: &Location| match location.0 {
            0 => Some(*location),
            _ => numbers.next().map(|number| (1, number)),
        };
        let files = self.files.iter().filter_map(place).collect();
        Ok(Self { segments: vec![first, Arc::new(second)], files, ..self })
    }

    /// Returns the paths of all files that its segments were made of.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().flat_map(|segment| {
            let files = segment.files.iter().map(|file| &file.path);
            files.chain(&segment.gone).map(String::as_str)
        })
    }

    /// Takes note that it is stored.
    pub(super) fn mark_saved(&mut self) {
        self.unsaved = Some(0);
    }

    /// Returns it as one of which nothing is stored.
    pub(super) fn never_saved(self) -> Self {
        Self { unsaved: None, ..self }
    }

    /// Whether something that it is stored in can't be read.
    pub(super) fn is_damaged(&self) -> bool {
        self.segments.iter().any(|segment| segment.contents.is_damaged())
    }

    /// Whether anything is stored.
    pub(super) fn is_stored(&self) -> bool {
        self.unsaved.is_some()
    }

    /// Whether enough files differ from the stored snapshot.
    pub(super) fn is_worth_saving(&self) -> bool {
        let enough = MIN_UNSAVED.max(self.files.len() / UNSAVED_SHARE);
        self.unsaved.is_none_or(|unsaved| unsaved >= enough)
    }

    /// Returns a file and the number of its segment.
    pub(crate) fn file(&self, path: &RepoPath) -> Option<(usize, &IndexedFile)> {
        self.file_near(path, 0)
    }

    /// Does the same with a guess of the file's number: that in the walk.
    pub(crate) fn file_near(
        &self,
        path: &RepoPath,
        number: usize,
    ) -> Option<(usize, &IndexedFile)> {
        self.file_at_number(self.number_of(path, number)?)
    }

    /// Returns the number of a file; `guess` is a guess of it.
    fn number_of(&self, path: &RepoPath, guess: usize) -> Option<usize> {
        if self.file_at_number(guess).is_some_and(|(_, file)| file.path == path.as_str()) {
            return Some(guess);
        }
        let path_of = |location: &Location| self.file_at(*location).path.as_str();
        self.files.binary_search_by(|location| path_of(location).cmp(path.as_str())).ok()
    }

    /// Returns every file and the number of its segment, by path.
    pub(crate) fn files(&self) -> impl Iterator<Item = (usize, &IndexedFile)> {
        (0..self.files.len()).filter_map(|at| self.file_at_number(at))
    }

    /// Returns the content hash of each of `paths`, which are sorted; none for a file that is not there.
    pub(crate) fn contents_of<'p>(
        &self,
        paths: impl Iterator<Item = &'p str>,
    ) -> Vec<Option<&[u8; 16]>> {
        let mut files = self.files().map(|(_, file)| file).peekable();
        let content = |path: &str| {
            while files.next_if(|file| file.path() < path).is_some() {}
            files.next_if(|file| file.path() == path).map(IndexedFile::content)
        };
        paths.map(content).collect()
    }

    /// Returns every segment.
    pub(super) fn segments(&self) -> impl Iterator<Item = &Segment> {
        self.segments.iter().map(AsRef::as_ref)
    }

    /// Returns every segment that no other snapshot has, to be changed.
    pub(super) fn segments_mut(&mut self) -> impl Iterator<Item = Option<&mut Segment>> {
        self.segments.iter_mut().map(Arc::get_mut)
    }

    /// Returns a segment.
    pub(super) fn segment(&self, at: usize) -> Option<&Segment> {
        self.segments.get(at).map(AsRef::as_ref)
    }

    /// Whether the path of a file alone says that it is secondary; none for an unknown file.
    pub(crate) fn is_secondary(&self, path: &RepoPath) -> Option<bool> {
        self.file(path).map(|(_, file)| file.is_secondary_by_path())
    }

    /// Returns the files that have every word of a text.
    pub(crate) fn files_with_words(&self, text: &str) -> FilesWithWords {
        FilesWithWords::of(self.segments(), text)
    }

    /// Returns a file if it is one of `files`; `number` is a guess of its number.
    pub(crate) fn file_among(
        &self,
        files: &FilesWithWords,
        path: &RepoPath,
        number: usize,
    ) -> Option<&IndexedFile> {
        let (segment, file) = self.file_near(path, number)?;
        files.has(segment, file.number).then_some(file)
    }

    /// Returns what the paths of the walk that this is a snapshot of say of the tree.
    pub(crate) fn tree(&self, files: &[FoundFile]) -> &TreeSummary {
        self.tree.get_or_init(|| Arc::new(TreeSummary::of(files)))
    }

    /// Returns the numbers of the files of the walk that this is a snapshot of.
    pub(crate) fn numbers(&self, files: &[FoundFile]) -> Arc<[Option<usize>]> {
        let number = |(at, file): (usize, &FoundFile)| self.number_of(&file.path, at);
        let numbers = || files.iter().enumerate().map(number).collect();
        let known = self.numbers.get_or_init(numbers);
        // What a cancelled refresh has left out of the snapshot may be gone from the tree by now.
        if known.len() == files.len() { Arc::clone(known) } else { numbers() }
    }

    /// Returns the words of the paths of its files, by their numbers.
    pub(super) fn path_words(&self) -> &PathWords {
        let paths = || self.files.iter().map(|location| self.file_at(*location).path.as_str());
        self.path_words.get_or_init(|| Arc::new(PathWords::of(paths())))
    }

    /// Returns the text of a file, which is read unless an earlier question has read the same content; none if it can't be read.
    pub(crate) fn text(&self, workspace: &Workspace, path: &RepoPath) -> Option<Arc<TextFile>> {
        let known = self.file(path).map(|(_, file)| file);
        // What its stamp says is true of the walk that this is a snapshot of.
        let certain = known.filter(|file| !file.is_doubtful);
        if let Some(text) = certain.and_then(|file| self.texts.get(path, file)) {
            return Some(text);
        }
        let traits = |hash: &ContentHash| Some(known.filter(|file| file.is_of(hash))?.traits());
        let text = Arc::new(workspace.read_with_traits(path, traits).ok()?);
        if certain.is_some_and(|file| file.is_of(&text.hash)) {
            self.texts.put(&text);
        }
        Some(text)
    }

    /// Returns what is noted of some lines of a file about a subject; `make` makes it from the text of the lines alone.
    pub(crate) fn note(
        &self,
        file: &TextFile,
        lines: LineRange,
        about: u32,
        make: impl FnOnce() -> u16,
    ) -> u16 {
        self.texts.note(&(file.path.clone(), file.hash, lines, about), make)
    }

    /// Returns the analysis of a file that is indexed, if an earlier question had need of it.
    pub(crate) fn kept_analysis(
        &self,
        path: &RepoPath,
        (at, indexed): (usize, &IndexedFile),
    ) -> Option<Arc<FileAnalysis>> {
        self.texts.analysis(path, indexed, self.segments.get(at)?)
    }

    /// Returns the analysis of a file that is indexed, of which `file` is the text; none when its tokens can't be read.
    pub(crate) fn analysis(
        &self,
        file: &TextFile,
        (at, indexed): (usize, &IndexedFile),
    ) -> Option<Arc<FileAnalysis>> {
        if let Some(known) = self.kept_analysis(&file.path, (at, indexed)) {
            return Some(known);
        }
        let segment = self.segments.get(at)?;
        let analysis = Arc::new(FileAnalysis::of_tokens(&segment.tokens(indexed)?, segment)?);
        // Without the vectors of its words it is not that of the next question.
        if segment.vectors.get().is_some() {
            self.texts.put_analysis(file, segment, &analysis);
        }
        Some(analysis)
    }

    /// Returns the words of an analysed file, which is in a segment or not indexed.
    pub(crate) fn words_of<'a>(
        &'a self,
        analysis: &'a FileAnalysis,
        segment: Option<usize>,
    ) -> Option<FileWords<'a>> {
        analysis.words(segment.and_then(|at| self.segment(at)))
    }

    /// Returns the outline of the file at a path.
    pub(crate) fn outline_of(&self, path: &RepoPath) -> Option<Arc<FileOutline>> {
        self.outline(self.file(path)?)
    }

    /// Returns the outline of a file.
    pub(crate) fn outline(
        &self,
        (segment, file): (usize, &IndexedFile),
    ) -> Option<Arc<FileOutline>> {
        self.segments.get(segment)?.outline(file)
    }

    /// Returns the tokens and the outline of a file; none when they can't be read.
    pub(crate) fn tokens(&self, (segment, file): (usize, &IndexedFile)) -> Option<FileTokens<'_>> {
        self.segments.get(segment)?.tokens(file)
    }

    /// Returns the file that has a number, and the number of its segment.
    pub(crate) fn file_at_number(&self, at: usize) -> Option<(usize, &IndexedFile)> {
        let (segment, file) = *self.files.get(at)?;
        Some((segment, self.segments.get(segment)?.files.get(file)?))
    }

    fn file_at(&self, (segment, file): Location) -> &IndexedFile {
        &self.segments[segment].files[file]
    }
}

/// Returns nanoseconds since 1970.
fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_nanos()).unwrap_or(u64::MAX)
}

/// How a tree differs from a snapshot.
struct Changes<'w> {
    unchanged: Vec<Location>,
    stale: Vec<&'w FoundFile>,
    /// Number of files that are gone.
    removed: usize,
}
