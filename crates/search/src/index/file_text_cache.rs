//! Keeps the texts that questions have read, with their analyses and notes on their lines, for later questions. The
//! snapshot that asks says which content a file has now.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::{
    file_analysis::FileAnalysis,
    segment::{IndexedFile, Segment},
};
use crate::bounded_memo::{BoundedMemo, Generations, KeptValue};
use retriever_workspace::{ContentHash, LineRange, RepoPath, TextFile};

/// Bytes in one of the two generations.
const MAX_BYTES: usize = 32 << 20;
/// Bytes that a text takes beside its letters: for itself and for each line.
const TEXT_BYTES: usize = 512;
const LINE_BYTES: usize = 8;

/// Texts by path.
#[derive(Debug)]
pub(super) struct RecentTexts {
    texts: Mutex<Generations<RepoPath, RecentText>>,
    notes: BoundedMemo<NoteSubject, u16>,
}

/// The lines of a file with a content, and what is noted of them.
pub(super) type NoteSubject = (RepoPath, ContentHash, LineRange, u32);

#[derive(Clone, Debug)]
struct RecentText {
    text: Arc<TextFile>,
    /// With the segment that its words are in.
    analysis: Option<(Weak<Segment>, Arc<FileAnalysis>)>,
}

impl KeptValue for RecentText {
    fn bytes(&self) -> usize {
        let text = &self.text;
        let analysis = self.analysis.as_ref().map_or(0, |(_, analysis)| analysis.bytes());
        text.text().len() + text.line_count() as usize * LINE_BYTES + TEXT_BYTES + analysis
    }
}

impl Default for RecentTexts {
    fn default() -> Self {
        Self { texts: Mutex::new(Generations::new(MAX_BYTES)), notes: BoundedMemo::default() }
    }
}

impl RecentTexts {
    /// Returns the text of a file that has the content of `indexed`.
    pub(super) fn get(&self, path: &RepoPath, indexed: &IndexedFile) -> Option<Arc<TextFile>> {
        let mut texts = self.lock();
        let known = texts.get(path)?;
        indexed.is_of(&known.text.hash).then_some(known.text)
    }

    /// Keeps a text that was read.
    pub(super) fn put(&self, text: &Arc<TextFile>) {
        let known = RecentText { text: Arc::clone(text), analysis: None };
        self.lock().put(text.path.clone(), known);
    }

    /// Returns the analysis of the file at a path if it has the content of `indexed`, whose words are in `segment`.
    pub(super) fn analysis(
        &self,
        path: &RepoPath,
        indexed: &IndexedFile,
        segment: &Arc<Segment>,
    ) -> Option<Arc<FileAnalysis>> {
        let mut texts = self.lock();
        let known = texts.get(path).filter(|known| indexed.is_of(&known.text.hash))?;
        let (of, analysis) = known.analysis?;
        (of.as_ptr() == Arc::as_ptr(segment)).then_some(analysis)
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
        if let Some(known) = known {
            let analysis = Some((Arc::downgrade(segment), Arc::clone(analysis)));
            texts.put(file.path.clone(), RecentText { analysis, ..known });
        }
    }

    /// Returns the note on a subject, which `make` makes unless it is kept.
    pub(super) fn note(&self, subject: &NoteSubject, make: impl FnOnce() -> u16) -> u16 {
        self.notes.get(subject, make)
    }

    fn lock(&self) -> MutexGuard<'_, Generations<RepoPath, RecentText>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
