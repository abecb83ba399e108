//! Joins files of several segments to one, whose frequent words have small numbers and which has no word without a file.

use std::cmp::Reverse;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{
    dictionary::Dictionary,
    segment::{IndexedFile, Segment},
    token_stream_codec::{TokenStreamDecoder, TokenStreamItem, push},
};
use retriever_workspace::Cancellation;

/// Joins `files`, each with the number of its segment, in their order; none if that is cancelled.
pub(super) fn merge(
    segments: &[&Segment],
    files: &[(usize, &IndexedFile)],
    cancellation: &Cancellation,
) -> Option<Segment> {
    let (dictionary, new_ids) = merged_dictionary(segments, files, cancellation)?;
    let streams: Vec<Vec<u8>> = files
        .par_iter()
        .map(|(at, file)| {
            let stream = segments[*at].stream(file);
            (!cancellation.is_cancelled()).then(|| renumbered(stream, &new_ids[*at]))
        })
        .collect::<Option<_>>()?;
    let mut merged = Segment { dictionary, ..Segment::default() };
    for ((at, file), stream) in files.iter().zip(streams) {
        let start = merged.bytes.len();
        merged.bytes.extend_from_slice(&stream);
        let end = merged.bytes.len();
        merged.bytes.extend_from_slice(segments[*at].encoded_outline(file));
        let outline_end = merged.bytes.len();
        merged.files.push(IndexedFile { start, end, outline_end, ..(*file).clone() });
    }
    Some(merged)
}

/// Returns the words of `files`, most frequent first, and for each segment the new number of each of its words.
fn merged_dictionary(
    segments: &[&Segment],
    files: &[(usize, &IndexedFile)],
    cancellation: &Cancellation,
) -> Option<(Dictionary, Vec<Vec<u32>>)> {
    let counts: Vec<Vec<u32>> = segments
        .par_iter()
        .enumerate()
        .map(|(at, segment)| {
            let own = files.iter().filter(|(of, _)| *of == at).map(|(_, file)| *file);
            word_counts(segment, own, cancellation)
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
    let mut dictionary = Dictionary::default();
    let mut ids: FxHashMap<&[u8], u32> = FxHashMap::default();
    for ((_, word), id) in sorted.iter().zip(0..) {
        dictionary.push(word);
        ids.insert(word, id);
    }
    let new_id = |word| ids.get(word).copied().unwrap_or_default();
    let new_ids = segments.iter().map(|segment| segment.dictionary.iter().map(new_id).collect());
    Some((dictionary, new_ids.collect()))
}

/// Counts how often each word of a segment occurs in `files`.
fn word_counts<'a>(
    segment: &Segment,
    files: impl Iterator<Item = &'a IndexedFile>,
    cancellation: &Cancellation,
) -> Option<Vec<u32>> {
    let mut counts = vec![0_u32; segment.dictionary.len()];
    for file in files {
        cancellation.check().ok()?;
        for item in TokenStreamDecoder::of(segment.stream(file)) {
            if let TokenStreamItem::Word { id, .. } = item
                && let Some(count) = counts.get_mut(id as usize)
            {
                *count = count.saturating_add(1);
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
