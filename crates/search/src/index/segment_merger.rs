//! Merges files of several segments into one. In the new segment frequent words have small numbers, and every word
//! occurs in some file.

use std::{cmp::Reverse, sync::Arc};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{
    byte_strings::ByteStrings,
    postings::{PostingList, Postings, WordCounts},
    segment::{IndexedFile, Segment},
    segment_loading::SegmentContents,
    token_stream_codec::{TokenStreamDecoder, TokenStreamItem, push},
};
use retriever_workspace::{Cancellation, cache_file_io::checksum};

/// Files whose streams are renumbered at once.
const FILES_AT_ONCE: usize = 1 << 10;
/// Words whose postings are joined by a task.
const WORDS_AT_ONCE: u32 = 1 << 12;

/// What joined segments have beside contents.
pub(super) struct JoinedWords {
    dictionary: ByteStrings,
    postings: Postings,
    new_ids: NewIds,
}

/// Joins the words of `files`, each with the number of its segment, in their order; none if that is cancelled.
pub(super) fn join_words(
    segments: &[&Segment],
    files: &[(usize, &IndexedFile)],
    cancellation: &Cancellation,
) -> Option<JoinedWords> {
    let numbers = FileNumbers::new(segments, files);
    let (dictionary, new_ids) = merged_dictionary(segments, &numbers, cancellation)?;
    let postings = merged_postings(segments, &numbers, &new_ids, cancellation)?;
    Some(JoinedWords { dictionary, postings, new_ids })
}

/// Joins the contents of the same files; none if one can't be read. A segment that nobody else has is freed behind its last file:
/// the contents of a whole tree, twice, are more than everything else that an index takes meanwhile.
pub(super) fn join_contents(
    segments: Vec<Arc<Segment>>,
    files: Vec<(usize, IndexedFile)>,
    words: JoinedWords,
) -> Option<Segment> {
    let JoinedWords { dictionary, postings, new_ids } = words;
    let mut segments: Vec<Option<Arc<Segment>>> = segments.into_iter().map(Some).collect();
    for segment in segments.iter_mut().flatten().filter_map(Arc::get_mut) {
        (segment.dictionary, segment.postings) = Default::default();
    }
    let mut last = vec![0; segments.len()];
    files.iter().enumerate().for_each(|(number, (at, _))| last[*at] = number);
    let mut bytes = Vec::new();
    let mut joined: Vec<IndexedFile> = Vec::with_capacity(files.len());
    let mut files = files.into_iter();
    while !files.as_slice().is_empty() {
        let next: Vec<(usize, IndexedFile)> = files.by_ref().take(FILES_AT_ONCE).collect();
        let renumbered = next.par_iter().map(|(at, file)| {
            RenumberedFile::of(segments.get(*at)?.as_deref()?, file, &new_ids[*at])
        });
        let renumbered: Vec<RenumberedFile> = renumbered.collect::<Option<_>>()?;
        for ((_, file), renumbered) in next.into_iter().zip(renumbered) {
            let start = bytes.len();
            bytes.extend_from_slice(&renumbered.bytes);
            joined.push(IndexedFile {
                start,
                end: start + renumbered.stream,
                outline_end: bytes.len(),
                number: u32::try_from(joined.len()).unwrap_or(u32::MAX),
                checksum: checksum(&renumbered.bytes),
                ..file
            });
        }
        for (segment, last) in segments.iter_mut().zip(&last) {
            segment.take_if(|_| *last < joined.len());
        }
    }
    let contents = SegmentContents::Made(bytes);
    Some(Segment { dictionary, files: joined, postings, contents, ..Segment::default() })
}

/// For each segment, by its own number of a file: the new number, none for a file that is left out.
struct FileNumbers(Vec<Vec<Option<u32>>>);

impl FileNumbers {
    fn new(segments: &[&Segment], files: &[(usize, &IndexedFile)]) -> Self {
        let mut numbers = vec![Vec::new(); segments.len()];
        for ((at, file), new) in files.iter().zip(0..) {
            let (numbers, old): (&mut Vec<_>, _) = (&mut numbers[*at], file.number as usize);
            if numbers.len() <= old {
                numbers.resize(old + 1, None);
            }
            numbers[old] = Some(new);
        }
        Self(numbers)
    }

    fn get(&self, segment: usize, file: u32) -> Option<u32> {
        self.0.get(segment)?.get(file as usize).copied().flatten()
    }
}

/// What is stored of a file, with other numbers for its words.
struct RenumberedFile {
    /// The stream and the outline.
    bytes: Vec<u8>,
    /// Where the stream ends.
    stream: usize,
}

impl RenumberedFile {
    fn of(segment: &Segment, file: &IndexedFile, new_ids: &[Option<u32>]) -> Option<Self> {
        let tokens = segment.tokens_once(file)?;
        let mut bytes = renumbered(tokens.stream(), new_ids);
        let stream = bytes.len();
        bytes.extend_from_slice(tokens.stored_outline());
        Some(Self { bytes, stream })
    }
}

/// For each segment the new number of each of its words, none for a word that is left out.
type NewIds = Vec<Vec<Option<u32>>>;

/// Returns the words of all files that have a new number, most frequent first, and their numbers.
fn merged_dictionary(
    segments: &[&Segment],
    numbers: &FileNumbers,
    cancellation: &Cancellation,
) -> Option<(ByteStrings, NewIds)> {
    let counts: Vec<Vec<u32>> = segments
        .par_iter()
        .enumerate()
        .map(|(at, segment)| total_counts(segment, |file| numbers.get(at, file), cancellation))
        .collect::<Option<_>>()?;
    let mut totals: FxHashMap<&[u8], u64> = FxHashMap::default();
    for (segment, counts) in segments.iter().zip(&counts) {
        let words = segment.dictionary.iter().zip(counts);
        for (word, count) in words.filter(|(_, count)| **count > 0) {
            *totals.entry(word).or_default() += u64::from(*count);
        }
    }
    let mut sorted: Vec<(Reverse<u64>, &[u8])> =
        totals.iter().map(|(word, count)| (Reverse(*count), *word)).collect();
    sorted.par_sort_unstable();
    let mut dictionary = ByteStrings::default();
    // Now the map has the numbers of the words: a second one would be as large.
    let mut ids = totals;
    for ((_, word), id) in sorted.iter().zip(0..) {
        dictionary.push(word);
        ids.insert(word, id);
    }
    drop(sorted);
    let new_id = |word| ids.get(word).map(|id| *id as u32);
    let new_ids = segments.iter().map(|segment| segment.dictionary.iter().map(new_id).collect());
    Some((dictionary, new_ids.collect()))
}

/// Counts how often each word of a segment occurs in the files that have a new number.
fn total_counts(
    segment: &Segment,
    new_number: impl Fn(u32) -> Option<u32>,
    cancellation: &Cancellation,
) -> Option<Vec<u32>> {
    let total = |id: u32| {
        let used = segment.postings.of(id).filter(|(file, _)| new_number(*file).is_some());
        used.fold(0, |total: u32, (_, counts)| total.saturating_add(counts.total()))
    };
    segment
        .dictionary
        .ids()
        .map(|id| Some(total(id)).filter(|_| !cancellation.is_cancelled()))
        .collect()
}

/// Returns the postings of the words with new numbers.
fn merged_postings(
    segments: &[&Segment],
    numbers: &FileNumbers,
    new_ids: &NewIds,
    cancellation: &Cancellation,
) -> Option<Postings> {
    // By the new number of a word: the segments that have it, each with its own number.
    let mut sources: Vec<Source> = Vec::new();
    for (at, ids) in (0..).zip(new_ids) {
        sources.extend((0..).zip(ids).filter_map(|(old, new)| Some(((*new)?, at, old))));
    }
    sources.par_sort_unstable();
    let joined: Vec<ByteStrings> = sources
        .par_chunk_by(|one, other| one.0 / WORDS_AT_ONCE == other.0 / WORDS_AT_ONCE)
        .map(|sources| {
            cancellation.check().ok()?;
            Some(joined_postings(segments, numbers, sources))
        })
        .collect::<Option<_>>()?;
    let mut postings = ByteStrings::default();
    joined.iter().flat_map(ByteStrings::iter).for_each(|list| postings.push(list));
    Some(Postings(postings))
}

/// The new number of a word, a segment that has it, and its number there.
type Source = (u32, u32, u32);

/// Returns the postings of consecutive words from their sources.
fn joined_postings(
    segments: &[&Segment],
    numbers: &FileNumbers,
    sources: &[Source],
) -> ByteStrings {
    let (mut joined, mut list) = (ByteStrings::default(), PostingList::default());
    let mut of_word: Vec<(u32, WordCounts)> = Vec::new();
    for sources in sources.chunk_by(|one, other| one.0 == other.0) {
        for (_, at, old) in sources {
            let at = *at as usize;
            let found = segments[at].postings.of(*old);
            let renumbered = |(file, counts)| Some((numbers.get(at, file)?, counts));
            of_word.extend(found.filter_map(renumbered));
        }
        of_word.sort_unstable_by_key(|(file, _)| *file);
        list.clear();
        of_word.drain(..).for_each(|(file, counts)| list.push(file, counts));
        joined.push(&list.bytes);
    }
    joined
}

fn renumbered(stream: &[u8], new_ids: &[Option<u32>]) -> Vec<u8> {
    let mut renumbered = Vec::with_capacity(stream.len());
    for item in TokenStreamDecoder::of(stream) {
        let item = match item {
            TokenStreamItem::Word { id, continues } => {
                let id = new_ids.get(id as usize).copied().flatten().unwrap_or_default();
                TokenStreamItem::Word { id, continues }
            }
            mark => mark,
        };
        push(&mut renumbered, item);
    }
    renumbered
}
