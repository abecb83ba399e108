//! Joins files of several segments to one, whose frequent words have small numbers and which has no word without a file.

use std::cmp::Reverse;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{
    dictionary::SegmentDictionary,
    segment::{IndexedFile, Segment},
    segment_loading::SegmentContents,
    token_stream_codec::{TokenStreamDecoder, TokenStreamItem, push},
    word_counts::{self, WordCountsDecoder},
};
use retriever_workspace::{Cancellation, cache_file_io::seal_of};

/// Files whose streams are renumbered at once.
const FILES_AT_ONCE: usize = 1 << 10;

/// Joins `files`, each with the number of its segment, in their order; none if that is cancelled, or a file can't be read.
pub(super) fn merge(
    segments: &[&Segment],
    files: &[(usize, &IndexedFile)],
    cancellation: &Cancellation,
) -> Option<Segment> {
    let (dictionary, new_ids) = merged_dictionary(segments, files, cancellation)?;
    let size = files.iter().map(|(_, file)| file.outline_end - file.start).sum();
    let mut bytes = Vec::with_capacity(size);
    let (mut counts, mut merged) = (Vec::new(), Vec::new());
    for files in files.chunks(FILES_AT_ONCE) {
        let renumbered: Vec<RenumberedFile> = files
            .par_iter()
            .map(|(at, file)| {
                cancellation.check().ok()?;
                RenumberedFile::of(segments[*at], file, &new_ids[*at])
            })
            .collect::<Option<_>>()?;
        for ((_, file), renumbered) in files.iter().zip(renumbered) {
            let (start, counts_start) = (bytes.len(), counts.len());
            bytes.extend_from_slice(&renumbered.bytes);
            counts.extend_from_slice(&renumbered.counts);
            merged.push(IndexedFile {
                start,
                end: start + renumbered.stream,
                outline_end: bytes.len(),
                counts: (counts_start, counts.len()),
                seal: seal_of(&renumbered.bytes),
                ..(*file).clone()
            });
        }
    }
    let contents = SegmentContents::Made(bytes);
    Some(Segment { dictionary, files: merged, counts, contents, ..Segment::default() })
}

/// What is stored of a file, with other numbers for its words.
struct RenumberedFile {
    /// The stream and the outline.
    bytes: Vec<u8>,
    /// Where the stream ends.
    stream: usize,
    counts: Vec<u8>,
}

impl RenumberedFile {
    fn of(segment: &Segment, file: &IndexedFile, new_ids: &[u32]) -> Option<Self> {
        let tokens = segment.tokens(file)?;
        let mut bytes = renumbered(tokens.stream(), new_ids);
        let stream = bytes.len();
        bytes.extend_from_slice(tokens.stored_outline());
        let counts = word_counts::renumbered(segment.word_counts(file), new_ids);
        Some(Self { bytes, stream, counts })
    }
}

/// Returns the words of `files`, most frequent first, and for each segment the new number of each of its words.
fn merged_dictionary(
    segments: &[&Segment],
    files: &[(usize, &IndexedFile)],
    cancellation: &Cancellation,
) -> Option<(SegmentDictionary, Vec<Vec<u32>>)> {
    let counts: Vec<Vec<u32>> = segments
        .par_iter()
        .enumerate()
        .map(|(at, segment)| {
            let own = files.iter().filter(|(of, _)| *of == at).map(|(_, file)| *file);
            total_counts(segment, own, cancellation)
        })
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
    let mut dictionary = SegmentDictionary::default();
    // Now the map has the numbers of the words: a second one would be as large.
    let mut ids = totals;
    for ((_, word), id) in sorted.iter().zip(0..) {
        dictionary.push(word);
        ids.insert(word, id);
    }
    drop(sorted);
    let new_id = |word| ids.get(word).map_or(0, |id| *id as u32);
    let new_ids = segments.iter().map(|segment| segment.dictionary.iter().map(new_id).collect());
    Some((dictionary, new_ids.collect()))
}

/// Counts how often each word of a segment occurs in `files`.
fn total_counts<'a>(
    segment: &Segment,
    files: impl Iterator<Item = &'a IndexedFile>,
    cancellation: &Cancellation,
) -> Option<Vec<u32>> {
    let mut counts = vec![0_u32; segment.dictionary.len()];
    for file in files {
        cancellation.check().ok()?;
        for (id, found) in WordCountsDecoder::of(segment.word_counts(file)) {
            if let Some(count) = counts.get_mut(id as usize) {
                *count = count.saturating_add(found.total());
            }
        }
    }
    Some(counts)
}

fn renumbered(stream: &[u8], new_ids: &[u32]) -> Vec<u8> {
    let mut renumbered = Vec::with_capacity(stream.len());
    for item in TokenStreamDecoder::of(stream) {
        let item = match item {
            TokenStreamItem::Word { id, continues } => {
                let id = new_ids.get(id as usize).copied().unwrap_or_default();
                TokenStreamItem::Word { id, continues }
            }
            mark => mark,
        };
        push(&mut renumbered, item);
    }
    renumbered
}
