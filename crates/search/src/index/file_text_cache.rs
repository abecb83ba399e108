//! Texts that questions have read, their analyses, and notes on their lines, for the next ones. Which content a file has now is said
//! by the snapshot that asks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use rustc_hash::FxHashMap;

use super::{
    file_analysis::FileAnalysis,
    segment::{IndexedFile, Segment},
};
use crate::kept_memo::KeptMemo;
use retriever_workspace::{ContentHash, LineRange, RepoPath, TextFile};

/// Bytes in one of the two generations.
const MAX_BYTES: usize = 32 << 20;
/// Bytes that a text takes beside its letters: for itself and for each line.
const TEXT_BYTES: usize = 512;
const LINE_BYTES: usize = 8;

/// Texts by path, of a bounded size. What was not asked for while as many others came is forgotten.
#[derive(Debug, Default)]
pub(super) struct RecentTexts {
    texts: Mutex<Generations>,
    notes: KeptMemo<NoteSubject, u16>,
}

/// The lines of a file with a content, and what is noted of them.
pub(super) type NoteSubject = (RepoPath, ContentHash, LineRange, u32);

#[derive(Debug, Default)]
struct Generations {
    young: FxHashMap<RepoPath, RecentText>,
    /// Bytes of the young ones.
    bytes: usize,
    old: FxHashMap<RepoPath, RecentText>,
}

#[derive(Clone, Debug)]
struct RecentText {
    text: Arc<TextFile>,
    /// With the segment that its words are in.
    analysis: Option<(Weak<Segment>, Arc<FileAnalysis>)>,
}

impl RecentText {
    fn bytes(&self) -> usize {
        let text = &self.text;
        let analysis = self.analysis.as_ref().map_or(0, |(_, analysis)| analysis.bytes());
        text.text().len() + text.line_count() as usize * LINE_BYTES + TEXT_BYTES + analysis
    }
}

impl RecentTexts {
    /// Returns the text of a file that has the content of `indexed`.
    pub(super) fn get(&self, path: &RepoPath, indexed: &IndexedFile) -> Option<Arc<TextFile>> {
        let mut texts = self.lock();
        let known = texts.get(path)?;
        indexed.is_of(&known.text.hash).then(|| Arc::clone(&known.text))
    }

    /// Keeps a text that was read.
    pub(super) fn put(&self, text: &Arc<TextFile>) {
        self.lock().put(RecentText { text: Arc::clone(text), analysis: None });
    }

    /// Returns the analysis of `file`, whose words are in `segment`.
    pub(super) fn analysis(
        &self,
        file: &TextFile,
        segment: &Arc<Segment>,
    ) -> Option<Arc<FileAnalysis>> {
        let mut texts = self.lock();
        let known = texts.get(&file.path).filter(|known| known.text.hash == file.hash)?;
        let (of, analysis) = known.analysis.as_ref()?;
        (of.as_ptr() == Arc::as_ptr(segment)).then(|| Arc::clone(analysis))
    }

    /// Keeps the analysis of a file whose text is kept.
    pub(super) fn put_analysis(
        &self,
        file: &TextFile,
        segment: &Arc<Segment>,
        analysis: &Arc<FileAnalysis>,
    ) {
        let mut texts = self.lock();
        let known = texts.get(&file.path).filter(|known| known.text.hash == file.hash);
        if let Some(text) = known.map(|known| Arc::clone(&known.text)) {
            let analysis = Some((Arc::downgrade(segment), Arc::clone(analysis)));
            texts.put(RecentText { text, analysis });
        }
    }

    /// Returns the note on a subject, which `make` makes unless it is kept.
    pub(super) fn note(&self, subject: &NoteSubject, make: impl FnOnce() -> u16) -> u16 {
        self.notes.get(subject, make)
    }

    fn lock(&self) -> MutexGuard<'_, Generations> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Generations {
    fn get(&mut self, path: &RepoPath) -> Option<&RecentText> {
        if let Some(old) = self.old.remove(path) {
            self.put(old);
        }
        self.young.get(path)
    }

    fn put(&mut self, text: RecentText) {
        let bytes = text.bytes();
        if self.bytes + bytes > MAX_BYTES {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        if bytes <= MAX_BYTES {
            let replaced = self.young.insert(text.text.path.clone(), text);
            self.bytes = self.bytes + bytes - replaced.map_or(0, |text| text.bytes());
        }
    }
}
