//! A segment: token streams and outlines of files over one dictionary.

use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    byte_strings::ByteStrings,
    postings::Postings,
    segment_content_cache::{CachedFileContents, SegmentContentCache},
    segment_loading::SegmentContents,
    words_by_first_letters::{WordsByFirstLetters, folded_letters},
};
use crate::{declarations::FileOutline, words::WordVectorId};
use retriever_workspace::{
    Cancellation, ContentHash, FileStat, FileTraits, cache_file_io::CHECKSUM_BYTES,
};

/// Fewest words for a task.
const MIN_WORDS: usize = 1 << 10;
/// Words between two looks at the cancellation.
const CHECK_INTERVAL: u32 = 1 << 10;
/// Bytes of a content hash that are kept.
const HASH_BYTES: usize = 16;

/// What a file contains for a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum IndexedContentKind {
    /// Text.
    Text,
    /// Text that a program made for programs.
    Minified,
    /// No text, or nothing that could be read.
    Unreadable,
    /// Data: neither text nor path are searched.
    Data,
}

/// What is known of an indexed file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct IndexedFile {
    pub(super) path: String,
    pub(super) stamp: FileStat,
    /// Whether the file may have changed without a change of its stamp.
    pub(super) is_doubtful: bool,
    pub(crate) kind: IndexedContentKind,
    pub(super) traits: FileTraitBits,
    /// Words and line ends.
    pub(crate) length: u32,
    pub(super) hash: ShortHash,
    /// Where its stream starts and ends in the segment, and where the outline behind that ends.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) outline_end: usize,
    /// Its number in the postings of the segment.
    pub(super) number: u32,
    /// The hash of stream and outline.
    pub(super) checksum: [u8; CHECKSUM_BYTES],
}

impl IndexedFile {
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Returns the first bytes of the hash of its content.
    pub(crate) fn content(&self) -> &[u8; HASH_BYTES] {
        &self.hash.0
    }

    /// Returns the traits, without the path kinds.
    pub(crate) fn traits(&self) -> FileTraits {
        self.traits.traits()
    }

    /// Whether the path alone says that it is secondary, see [`FileTraits::is_secondary`].
    pub(crate) fn is_secondary_by_path(&self) -> bool {
        self.traits.is_secondary_by_path()
    }

    /// See [`TextFile::is_script`](retriever_workspace::TextFile::is_script).
    pub(crate) fn is_script(&self) -> bool {
        self.traits.0 & FileTraitBits::SCRIPT != 0
    }

    /// Whether the tokens are those of the content with this hash.
    pub(crate) fn is_of(&self, hash: &ContentHash) -> bool {
        self.kind == IndexedContentKind::Text && self.hash == ShortHash::of(hash)
    }
}

/// The first bytes of a content hash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ShortHash([u8; HASH_BYTES]);

impl ShortHash {
    pub(super) fn of(hash: &ContentHash) -> Self {
        Self(hash.as_bytes().first_chunk().copied().unwrap_or_default())
    }
}

/// The traits of a file in one byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct FileTraitBits(u8);

impl FileTraitBits {
    const TEST: u8 = 1 << 0;
    const SUPPORT: u8 = 1 << 1;
    const GENERATED: u8 = 1 << 2;
    const DOCS_EXAMPLE: u8 = 1 << 3;
    const VENDORED: u8 = 1 << 4;
    /// Unlike the others, being generated can follow from the text; this bit says that it follows from the path.
    const GENERATED_BY_PATH: u8 = 1 << 5;
    /// No trait of the path: a script without an extension.
    const SCRIPT: u8 = 1 << 6;

    /// Returns the bits of `traits`; `by_path` gives those that follow from the path alone.
    pub(super) fn of(traits: &FileTraits, by_path: impl FnOnce() -> FileTraits) -> Self {
        let bits = [
            (traits.test, Self::TEST),
            (traits.support, Self::SUPPORT),
            (traits.generated, Self::GENERATED),
            (traits.docs_example, Self::DOCS_EXAMPLE),
            (traits.vendored, Self::VENDORED),
            (traits.generated && by_path().generated, Self::GENERATED_BY_PATH),
        ];
        Self(bits.iter().filter(|(is_set, _)| *is_set).map(|(_, bit)| bit).sum())
    }

    /// Says that the file is a script without an extension.
    pub(super) fn set_script(&mut self) {
        self.0 |= Self::SCRIPT;
    }

    fn traits(self) -> FileTraits {
        FileTraits {
            test: self.0 & Self::TEST != 0,
            support: self.0 & Self::SUPPORT != 0,
            generated: self.0 & Self::GENERATED != 0,
            docs_example: self.0 & Self::DOCS_EXAMPLE != 0,
            vendored: self.0 & Self::VENDORED != 0,
            ..FileTraits::default()
        }
    }

    fn is_secondary_by_path(self) -> bool {
        self.0 & !(Self::GENERATED | Self::SCRIPT) != 0
    }
}

/// Indexed files.
#[derive(Debug, Default)]
pub(super) struct Segment {
    pub(super) dictionary: ByteStrings,
    pub(super) by_first_letters: OnceLock<WordsByFirstLetters>,
    /// Vectors of the dictionary's words, once they were asked for.
    pub(super) vectors: OnceLock<Vec<WordVectorId>>,
    pub(super) files: Vec<IndexedFile>,
    /// Which files have each word.
    pub(super) postings: Postings,
    /// Their streams and outlines.
    pub(super) contents: SegmentContents,
    /// What was read of the contents.
    pub(super) kept: SegmentContentCache,
    /// The name of its file, once it is stored.
    pub(super) name: OnceLock<String>,
    /// Paths of files that it was made of and that are not among `files`.
    pub(super) gone: Vec<String>,
}

impl Segment {
    /// Returns the token stream and the outline of a file, and keeps them for the next time; none when they can't be read.
    pub(super) fn tokens(&self, file: &IndexedFile) -> Option<FileTokens<'_>> {
        if !self.contents.is_stored() {
            return self.tokens_once(file);
        }
        let read = || Some(self.tokens_once(file)?.bytes.into_owned());
        FileTokens::new(self.kept_of(file)?.contents(read)?, file)
    }

    /// Returns the same without keeping it.
    pub(super) fn tokens_once(&self, file: &IndexedFile) -> Option<FileTokens<'_>> {
        FileTokens::new(self.contents.get(file.start..file.outline_end, file.checksum)?, file)
    }

    /// Returns what a file declares; none when that can't be read.
    pub(super) fn outline(&self, file: &IndexedFile) -> Option<Arc<FileOutline>> {
        let stored = file.outline_end.saturating_sub(file.end);
        self.kept_of(file)?.outline(stored, || self.tokens(file)?.outline())
    }

    fn kept_of(&self, file: &IndexedFile) -> Option<CachedFileContents<'_>> {
        let numbers = self.files.iter().map(|file| file.number as usize + 1);
        self.kept.file(file.number, || numbers.max().unwrap_or_default())
    }

    /// Returns the dictionary's words by their first letters.
    pub(super) fn by_first_letters(&self) -> &WordsByFirstLetters {
        WordsByFirstLetters::of(&self.by_first_letters, &self.dictionary)
    }

    /// Returns the number of a word in lower case.
    pub(super) fn number_of(&self, word: &[u8]) -> Option<u32> {
        let ids = self.by_first_letters().ids(folded_letters(word)).iter();
        ids.copied().find(|id| self.dictionary.get(*id) == word)
    }

    /// Returns the vectors of the dictionary's words, by number; none when that is cancelled.
    pub(super) fn vectors(&self, cancellation: &Cancellation) -> Option<&[WordVectorId]> {
        if let Some(known) = self.vectors.get() {
            return Some(known);
        }
        // Not inside `get_or_init`: the threads of the pool that wait there could not do the work.
        let words = self.dictionary.ids().into_par_iter().with_min_len(MIN_WORDS);
        let vectors = words.map(|id| {
            let is_cancelled = id.is_multiple_of(CHECK_INTERVAL) && cancellation.is_cancelled();
            (!is_cancelled).then(|| WordVectorId::of(self.dictionary.get(id)))
        });
        let vectors = vectors.collect::<Option<Vec<WordVectorId>>>()?;
        Some(self.vectors.get_or_init(|| vectors))
    }

    /// Returns the vectors of the dictionary's words; none are known before [`Segment::vectors`] was called.
    pub(super) fn known_vectors(&self) -> &[WordVectorId] {
        self.vectors.get().map_or(&[], Vec::as_slice)
    }
}

/// The token stream of a file, and its outline behind that.
pub(crate) struct FileTokens<'a> {
    bytes: Cow<'a, [u8]>,
    /// Where the stream ends.
    stream: usize,
}

impl<'a> FileTokens<'a> {
    fn new(bytes: Cow<'a, [u8]>, file: &IndexedFile) -> Option<Self> {
        let stream = file.end.checked_sub(file.start).filter(|end| *end <= bytes.len())?;
        Some(Self { bytes, stream })
    }

    pub(crate) fn stream(&self) -> &[u8] {
        &self.bytes[..self.stream]
    }

    /// The stored form of the outline.
    pub(super) fn stored_outline(&self) -> &[u8] {
        &self.bytes[self.stream..]
    }

    /// Returns what the file declares; none if that can't be understood.
    pub(crate) fn outline(&self) -> Option<FileOutline> {
        FileOutline::decode(self.stored_outline())
    }
}
