//! Texts that questions have read, for the next ones. Which content a file has now is said by the snapshot that asks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::segment::IndexedFile;
use retriever_workspace::{RepoPath, TextFile};

/// Bytes of texts in one of the two generations.
const MAX_BYTES: usize = 16 << 20;
/// Bytes that a text takes beside its letters: for itself and for each line.
const TEXT_BYTES: usize = 512;
const LINE_BYTES: usize = 8;

/// Texts by path, of a bounded size. What was not asked for while as many others came is forgotten.
#[derive(Debug, Default)]
pub(super) struct RecentTexts(Mutex<Generations>);

#[derive(Debug, Default)]
struct Generations {
    young: FxHashMap<RepoPath, Arc<TextFile>>,
    /// Bytes of the young ones.
    bytes: usize,
    old: FxHashMap<RepoPath, Arc<TextFile>>,
}

impl RecentTexts {
    /// Returns the text of a file that has the content of `indexed`.
    pub(super) fn get(&self, path: &RepoPath, indexed: &IndexedFile) -> Option<Arc<TextFile>> {
        let mut texts = self.lock();
        let known = texts.young.get(path).cloned();
        let known = known.or_else(|| {
            let found = texts.old.remove(path)?;
            texts.put(&found);
            Some(found)
        });
        known.filter(|text| indexed.is_of(&text.hash))
    }

    /// Keeps a text that was read.
    pub(super) fn put(&self, text: &Arc<TextFile>) {
        self.lock().put(text);
    }

    fn lock(&self) -> MutexGuard<'_, Generations> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Generations {
    fn put(&mut self, text: &Arc<TextFile>) {
        let bytes = size_of(text);
        if self.bytes + bytes > MAX_BYTES {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        if bytes <= MAX_BYTES {
            let replaced = self.young.insert(text.path.clone(), Arc::clone(text));
            self.bytes = self.bytes + bytes - replaced.map_or(0, |text| size_of(&text));
        }
    }
}

fn size_of(text: &TextFile) -> usize {
    text.text().len() + text.line_count() as usize * LINE_BYTES + TEXT_BYTES
}
