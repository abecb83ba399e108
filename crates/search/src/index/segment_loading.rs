//! The token streams and outlines of a segment: in memory if they were just made, else in the stored file. A search
//! reads those of a few hundred files, so a stored segment is not loaded as a whole.

use std::{
    borrow::Cow,
    fs::{self, File},
    ops::Range,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
};

use retriever_workspace::cache_file_io::{CHECKSUM_BYTES, checksum, read_at};

/// Streams and outlines, one behind the other.
#[derive(Debug)]
pub(super) enum SegmentContents {
    Made(Vec<u8>),
    Stored(StoredContents),
}

/// Contents in a file.
#[derive(Debug)]
pub(super) struct StoredContents {
    pub(super) path: PathBuf,
    pub(super) file: File,
    /// Where they begin.
    pub(super) start: u64,
    pub(super) len: usize,
    /// Something could not be read, or was not what had been written.
    pub(super) is_damaged: AtomicBool,
}

impl Default for SegmentContents {
    fn default() -> Self {
        Self::Made(Vec::new())
    }
}

impl SegmentContents {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Made(bytes) => bytes.len(),
            Self::Stored(stored) => stored.len,
        }
    }

    /// Returns a range, whose checksum is `expected`; none when it can't be read or is damaged. Then the file is removed, so that the
    /// next process makes the segment anew, as this one does.
    pub(super) fn get(
        &self,
        range: Range<usize>,
        expected: [u8; CHECKSUM_BYTES],
    ) -> Option<Cow<'_, [u8]>> {
        let stored = match self {
            Self::Made(bytes) => return bytes.get(range).map(Cow::Borrowed),
            Self::Stored(stored) => stored,
        };
        let bytes = stored.read(range).filter(|bytes| checksum(bytes) == expected);
        if bytes.is_none() && !stored.is_damaged.swap(true, Ordering::Relaxed) {
            drop(fs::remove_file(&stored.path));
        }
        bytes.map(Cow::Owned)
    }

    /// Returns all contents without checking hashes; `None` when they can't be read.
    pub(super) fn all(&self) -> Option<Cow<'_, [u8]>> {
        match self {
            Self::Made(bytes) => Some(Cow::Borrowed(bytes)),
            Self::Stored(stored) => stored.read(0..stored.len).map(Cow::Owned),
        }
    }

    pub(super) fn is_stored(&self) -> bool {
        matches!(self, Self::Stored(_))
    }

    pub(super) fn is_damaged(&self) -> bool {
        matches!(self, Self::Stored(stored) if stored.is_damaged.load(Ordering::Relaxed))
    }
}

impl StoredContents {
    fn read(&self, range: Range<usize>) -> Option<Vec<u8>> {
        let len = range.end.checked_sub(range.start).filter(|_| range.end <= self.len)?;
        read_at(&self.file, self.start + range.start as u64, len).ok()
    }
}
