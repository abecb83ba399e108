//! Packed files over one vocabulary: made by reading files, and joined to one piece whose frequent words have small numbers.

use std::{cmp::Reverse, sync::OnceLock};

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::{
    declarations::outline::FileOutline,
    index::codec::{Dictionary, Encoder, Item, Items, push},
    words::vectors::VectorId,
};
use retriever_workspace::{
    Cancellation, ContentHash, FileEntry, FileStat, FileTraits, ReadError, RepoPath, Workspace,
};

/// Larger files are data.
const MAX_BYTES: u64 = 1024 * 1024;
/// Fewest files that a thread takes at once.
const LEAST_FILES: usize = 64;
/// Fewest words that a thread takes at once.
const LEAST_WORDS: usize = 1 << 10;
/// Bytes of a content's hash that are kept.
const HASH: usize = 16;

/// What a file holds for a search by words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ContentKind {
    /// Text.
    Text,
    /// Text that a program made for programs.
    Minified,
    /// No text, or nothing that could be read.
    Nothing,
    /// What is not worth a look, its path neither.
    Data,
}

/// What is known of the words of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct IndexedFile {
    pub(crate) path: String,
    pub(crate) stamp: FileStat,
    /// The file may have changed since without another stamp.
    pub(crate) is_doubtful: bool,
    pub(crate) holds: ContentKind,
    traits: u8,
    /// IndexSnapshot and line ends.
    pub(crate) words: u32,
    hash: [u8; HASH],
    start: usize,
    end: usize,
    /// Where the outline ends, which follows the words.
    outline: usize,
}

impl IndexedFile {
    /// The file's traits, without the parts that its path suggests.
    pub(crate) fn traits(&self) -> FileTraits {
        let has = |bit: u8| self.traits & (1 << bit) != 0;
        FileTraits {
            test: has(0),
            support: has(1),
            generated: has(GENERATED),
            docs_example: has(3),
            vendored: has(4),
            ..FileTraits::default()
        }
    }

    /// Whether its path alone says that it is beside the point, see [`FileTraits::is_secondary`].
    pub(crate) fn is_secondary(&self) -> bool {
        self.traits & !(1 << GENERATED) != 0
    }

    /// Whether the packed text is that of the content with this hash.
    pub(crate) fn is_of(&self, hash: &ContentHash) -> bool {
        self.holds == ContentKind::Text && self.hash == short(hash)
    }
}

fn short(hash: &ContentHash) -> [u8; HASH] {
    hash.as_bytes().first_chunk().copied().unwrap_or_default()
}

fn bits(traits: &FileTraits) -> u8 {
    let marks =
        [traits.test, traits.support, traits.generated, traits.docs_example, traits.vendored];
    marks.iter().rev().fold(0, |bits, mark| bits << 1 | u8::from(*mark))
}

/// The bit of a file that a program has made, and that of one whose path says so.
const GENERATED: u8 = 2;
const GENERATED_BY_PATH: u8 = 5;

/// Whether a file pins dependencies: it names everything and explains nothing.
fn is_lock_file(path: &RepoPath) -> bool {
    let name = path.file_name();
    name.ends_with(".lock")
        || name.ends_with("-lock.json")
        || name.ends_with("-lock.yaml")
        || matches!(name, "go.sum" | "npm-shrinkwrap.json")
}

/// Packed files.
#[derive(Debug, Default)]
pub(crate) struct Segment {
    pub(crate) vocabulary: Dictionary,
    /// What the words mean, once somebody has asked.
    pub(crate) senses: OnceLock<Vec<VectorId>>,
    pub(crate) files: Vec<IndexedFile>,
    /// The packed texts, behind `front` bytes of something else.
    pub(crate) bytes: Vec<u8>,
    pub(crate) front: usize,
}

impl Segment {
    pub(crate) fn stream(&self, file: &IndexedFile) -> &[u8] {
        self.streams().get(file.start..file.end).unwrap_or_default()
    }

    /// What each word means, by number.
    pub(crate) fn senses(&self) -> &[VectorId] {
        if let Some(known) = self.senses.get() {
            return known;
        }
        // Not while others are kept waiting: who waits may be a thread of the pool.
        let all = u32::try_from(self.vocabulary.len()).unwrap_or(u32::MAX);
        let words = (0..all).into_par_iter().with_min_len(LEAST_WORDS);
        let senses = words.map(|id| VectorId::of(self.vocabulary.word(id))).collect();
        self.senses.get_or_init(|| senses)
    }

    /// What a file declares.
    pub(crate) fn outline(&self, file: &IndexedFile) -> Option<FileOutline> {
        FileOutline::unpack(self.packed_outline(file))
    }

    fn packed_outline(&self, file: &IndexedFile) -> &[u8] {
        self.streams().get(file.end..file.outline).unwrap_or_default()
    }

    /// All packed texts.
    pub(crate) fn streams(&self) -> &[u8] {
        self.bytes.get(self.front..).unwrap_or_default()
    }
}

/// Reads `entries`, each with how young its stamp is at `now`; when `cancelled` is set some are missing.
pub(crate) fn read(
    workspace: &Workspace,
    entries: &[&FileEntry],
    now: u64,
    cancellation: &Cancellation,
) -> Vec<Segment> {
    let share = entries.len().div_ceil(4 * rayon::current_num_threads().max(1));
    let read = |entries: &[&FileEntry]| {
        let mut packer = Encoder::default();
        let mut piece = Segment::default();
        for entry in entries.iter().take_while(|_| !cancellation.is_cancelled()) {
            let file = file(workspace, entry, now, &mut packer, &mut piece.bytes);
            piece.files.push(file);
        }
        piece.vocabulary = packer.vocabulary;
        piece
    };
    entries.par_chunks(share.max(LEAST_FILES)).map(read).collect()
}

fn file(
    workspace: &Workspace,
    entry: &FileEntry,
    now: u64,
    packer: &mut Encoder,
    streams: &mut Vec<u8>,
) -> IndexedFile {
    let path = &entry.path;
    let stamp = FileStat::of(entry);
    let start = streams.len();
    let mut known = IndexedFile {
        path: path.as_str().to_owned(),
        stamp,
        is_doubtful: stamp.is_racy(now),
        holds: ContentKind::Nothing,
        traits: 0,
        words: 0,
        hash: [0; HASH],
        start,
        end: start,
        outline: start,
    };
    let is_data = entry.size > MAX_BYTES || is_lock_file(path);
    let read = (!is_data).then(|| workspace.read(path));
    match read {
        None => known.holds = ContentKind::Data,
        Some(Ok(file)) if file.is_minified() => known.holds = ContentKind::Minified,
        Some(Ok(file)) => {
            known.holds = ContentKind::Text;
            // Of all traits only this one can follow from a text.
            let by_path = file.traits.generated && workspace.traits(path, "").generated;
            known.traits = bits(&file.traits) | u8::from(by_path) << GENERATED_BY_PATH;
            known.hash = short(&file.hash);
            let (outline, names) = FileOutline::read(&file);
            known.words = packer.pack(file.text(), path.extension(), &names, streams);
            known.end = streams.len();
            *streams = outline.pack(std::mem::take(streams));
            known.outline = streams.len();
        }
        Some(Err(ReadError::Binary(_))) => {}
        // What the system refused may be there the next time.
        Some(Err(_)) => known.is_doubtful = true,
    }
    if known.holds != ContentKind::Text {
        let traits = workspace.traits(path, "");
        known.traits = bits(&traits) | u8::from(traits.generated) << GENERATED_BY_PATH;
    }
    known
}

/// Joins files of several pieces to one piece, and leaves words out that no file has. `files` are sorted by path: a piece's
/// number, and the file.
pub(crate) fn joined(pieces: &[&Segment], files: &[(usize, &IndexedFile)]) -> Segment {
    let counts: Vec<Vec<u32>> = pieces
        .par_iter()
        .enumerate()
        .map(|(at, piece)| {
            let mut counts = vec![0_u32; piece.vocabulary.len()];
            for (_, file) in files.iter().filter(|(of, _)| *of == at) {
                for item in Items::of(piece.stream(file)) {
                    if let Item::Word { id, .. } = item
                        && let Some(count) = counts.get_mut(id as usize)
                    {
                        *count = count.saturating_add(1);
                    }
                }
            }
            counts
        })
        .collect();
    let mut all: FxHashMap<&[u8], u64> = FxHashMap::default();
    for (piece, counts) in pieces.iter().zip(&counts) {
        for (word, count) in piece.vocabulary.iter().zip(counts).filter(|(_, count)| **count > 0) {
            *all.entry(word).or_default() += u64::from(*count);
        }
    }
    let mut sorted: Vec<(Reverse<u64>, &[u8])> =
        all.iter().map(|(word, count)| (Reverse(*count), *word)).collect();
    sorted.par_sort_unstable();
    let mut whole = Segment::default();
    let mut ids: FxHashMap<&[u8], u32> = FxHashMap::default();
    for ((_, word), id) in sorted.iter().zip(0..) {
        whole.vocabulary.push(word);
        ids.insert(word, id);
    }
    let renumbered: Vec<Vec<u32>> = pieces
        .iter()
        .map(|piece| {
            let words = piece.vocabulary.iter();
            words.map(|word| ids.get(word).copied().unwrap_or_default()).collect()
        })
        .collect();
    let streams: Vec<Vec<u8>> = files
        .par_iter()
        .map(|(at, file)| {
            let (piece, ids) = (pieces[*at], &renumbered[*at]);
            let mut stream = Vec::with_capacity(file.end - file.start);
            for item in Items::of(piece.stream(file)) {
                let item = match item {
                    Item::Word { id, goes_on } => {
                        let id = ids.get(id as usize).copied().unwrap_or_default();
                        Item::Word { id, goes_on }
                    }
                    other => other,
                };
                push(&mut stream, item);
            }
            stream
        })
        .collect();
    for ((at, file), stream) in files.iter().zip(streams) {
        let start = whole.bytes.len();
        whole.bytes.extend_from_slice(&stream);
        let end = whole.bytes.len();
        whole.bytes.extend_from_slice(pieces[*at].packed_outline(file));
        let outline = whole.bytes.len();
        whole.files.push(IndexedFile { start, end, outline, ..(*file).clone() });
    }
    whole
}
