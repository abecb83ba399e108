//! Keeps what questions have read and decoded of a stored segment for later questions, which look into the same files
//! again and again.

use std::{
    borrow::Cow,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::declarations::FileOutline;

/// Bytes that are kept of a segment, about. What they leave no room for is read each time.
const MAX_BYTES: usize = 32 << 20;
/// Bytes that a decoded outline takes for one of its stored form.
const DECODED: usize = 4;

/// Contents of files, by their numbers.
#[derive(Debug, Default)]
pub(super) struct SegmentContentCache {
    files: OnceLock<Vec<Slot>>,
    bytes: AtomicUsize,
}

/// What is kept of a file.
#[derive(Debug, Default)]
struct Slot {
    bytes: OnceLock<Box<[u8]>>,
    outline: OnceLock<Arc<FileOutline>>,
}

/// A file, and the room that is left for all.
pub(super) struct CachedFileContents<'a> {
    slot: &'a Slot,
    bytes: &'a AtomicUsize,
}

impl SegmentContentCache {
    /// Returns what is kept of the file with a number. `count` is asked once, for the number behind the last one.
    pub(super) fn file(
        &self,
        number: u32,
        count: impl FnOnce() -> usize,
    ) -> Option<CachedFileContents<'_>> {
        let empty = || std::iter::repeat_with(Slot::default).take(count()).collect();
        let slot = self.files.get_or_init(empty).get(number as usize)?;
        Some(CachedFileContents { slot, bytes: &self.bytes })
    }
}

impl<'a> CachedFileContents<'a> {
    /// Returns the contents, which `read` reads unless they are kept.
    pub(super) fn contents(self, read: impl FnOnce() -> Option<Vec<u8>>) -> Option<Cow<'a, [u8]>> {
        if let Some(bytes) = self.slot.bytes.get() {
            return Some(Cow::Borrowed(bytes));
        }
        let bytes = read()?;
        if !self.has_room_for(bytes.len()) {
            return Some(Cow::Owned(bytes));
        }
        let (len, mut is_own) = (bytes.len(), false);
        let kept = self.slot.bytes.get_or_init(|| {
            is_own = true;
            bytes.into_boxed_slice()
        });
        if !is_own {
            self.give_back(len);
        }
        Some(Cow::Borrowed(kept))
    }

    /// Returns the outline, whose stored form has so many bytes. `decode` gives it unless it is kept.
    pub(super) fn outline(
        self,
        stored: usize,
        decode: impl FnOnce() -> Option<FileOutline>,
    ) -> Option<Arc<FileOutline>> {
        if let Some(outline) = self.slot.outline.get() {
            return Some(Arc::clone(outline));
        }
        let outline = Arc::new(decode()?);
        let room = stored * DECODED;
        if self.has_room_for(room) && self.slot.outline.set(Arc::clone(&outline)).is_err() {
            self.give_back(room);
        }
        Some(outline)
    }

    /// Gives back the room for what another thread was first to keep.
    fn give_back(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Takes the room for so many bytes, if it is left.
    fn has_room_for(&self, bytes: usize) -> bool {
        let with = |kept: usize| kept.checked_add(bytes).filter(|sum| *sum <= MAX_BYTES);
        self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, with).is_ok()
    }
}
