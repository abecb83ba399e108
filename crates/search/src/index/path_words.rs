//! The words of paths, as token streams over one dictionary: no question reads a path letter by letter.

use super::{dictionary::SegmentDictionary, token_stream_codec::TokenStreamEncoder};
use crate::declarations::DeclaredNames;

/// The words of the names of files and of their folders.
#[derive(Debug, Default)]
pub(super) struct PathWords {
    pub(super) dictionary: SegmentDictionary,
    /// By file.
    names: Streams,
    /// By file: the number of its folder.
    folder_of: Vec<u32>,
    folders: Streams,
}

/// Token streams, one behind the other.
#[derive(Debug, Default)]
struct Streams {
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Streams {
    fn get(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied());
        let range = start.zip(self.ends.get(at)).map(|(start, end)| start..*end);
        range.and_then(|range| self.bytes.get(range)).unwrap_or_default()
    }

    fn push(&mut self, encoder: &mut TokenStreamEncoder, text: &str) {
        encoder.encode(text, "", &DeclaredNames::unknown(""), &mut self.bytes);
        self.ends.push(self.bytes.len());
    }
}

impl PathWords {
    /// Reads paths, which are sorted. The place of each is its number.
    pub(super) fn of<'p>(paths: impl Iterator<Item = &'p str>) -> Self {
        let mut words = Self::default();
        let mut encoder = TokenStreamEncoder::default();
        let mut last = None;
        for path in paths {
            let (folder, stem) = parts(path);
            words.names.push(&mut encoder, stem);
            // Neighbours are in one folder.
            if last.replace(folder) != Some(folder) {
                words.folders.push(&mut encoder, folder);
            }
            let folder = words.folders.ends.len() - 1;
            words.folder_of.push(u32::try_from(folder).unwrap_or(u32::MAX));
        }
        words.dictionary = encoder.dictionary;
        words
    }

    /// Returns the tokens of the name of a file, without what stands behind its first point.
    pub(super) fn name(&self, file: usize) -> &[u8] {
        self.names.get(file)
    }

    /// Returns the number of the folder of a file. A folder may have several.
    pub(super) fn folder_of(&self, file: usize) -> usize {
        self.folder_of.get(file).map_or(usize::MAX, |folder| *folder as usize)
    }

    /// Returns the tokens of the path of a folder.
    pub(super) fn folder(&self, folder: usize) -> &[u8] {
        self.folders.get(folder)
    }
}

/// Returns the folder of a path, and the name of the file as far as its first point.
pub(crate) fn parts(path: &str) -> (&str, &str) {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    (folder, name.split('.').find(|part| !part.is_empty()).unwrap_or(name))
}
