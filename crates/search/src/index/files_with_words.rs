//! Which files have every word of a text, wherever the words stand: the files in which the text may stand.

use super::segment::Segment;
use crate::words;

/// The files of a snapshot that have every word of a text: the numbers of each segment's, in order.
pub(crate) struct FilesWithWords(Vec<Vec<u32>>);

impl FilesWithWords {
    /// Looks for the words of `text`, which are whole words of a file as the index splits them.
    pub(super) fn of<'a>(segments: impl Iterator<Item = &'a Segment>, text: &str) -> Self {
        let mut wanted: Vec<Vec<u8>> = Vec::new();
        words::split_identifier(text.as_bytes(), |word| wanted.push(word.to_ascii_lowercase()));
        Self(segments.map(|segment| files_of(segment, &wanted)).collect())
    }

    /// Whether a file with this number in this segment is one of them.
    pub(super) fn has(&self, segment: usize, file: u32) -> bool {
        self.0.get(segment).is_some_and(|files| files.binary_search(&file).is_ok())
    }
}

/// Returns the files of a segment that have all words; none for no words.
fn files_of(segment: &Segment, words: &[Vec<u8>]) -> Vec<u32> {
    let postings =
        words.iter().map(|word| segment.number_of(word).map(|id| segment.postings.of(id)));
    let Some(mut postings) = postings.collect::<Option<Vec<_>>>() else { return Vec::new() };
    postings.sort_by_key(|postings| postings.bytes_left());
    let mut postings = postings.into_iter();
    let rarest = postings.next().into_iter().flatten();
    let mut files: Vec<u32> = rarest.map(|(file, _)| file).collect();
    for postings in postings {
        let mut others = postings.map(|(file, _)| file).peekable();
        files.retain(|file| {
            while others.next_if(|other| other < file).is_some() {}
            others.peek() == Some(file)
        });
    }
    files
}
