//! The words of paths, as token streams over one dictionary: no question reads a path letter by letter.

use std::sync::OnceLock;

use super::{
    byte_strings::ByteStrings, token_stream_codec::TokenStreamEncoder,
    words_by_first_letters::WordsByFirstLetters,
};
use crate::declarations::DeclaredNames;
use retriever_workspace::base_name;

/// The words of the names of files and of their folders.
#[derive(Debug, Default)]
pub(super) struct PathWords {
    pub(super) dictionary: ByteStrings,
    by_first_letters: OnceLock<WordsByFirstLetters>,
    /// Token streams by file.
    names: ByteStrings,
    /// By file: the number of its folder.
    folder_of: Vec<u32>,
    /// Token streams by folder.
    folders: ByteStrings,
}

impl PathWords {
    /// Reads paths, which are sorted. The place of each is its number.
    pub(super) fn of<'p>(paths: impl Iterator<Item = &'p str>) -> Self {
        let mut words = Self::default();
        let (mut encoder, names) = (TokenStreamEncoder::default(), DeclaredNames::unknown(""));
        let mut stream = Vec::new();
        let mut push = |streams: &mut ByteStrings, text: &str| {
            stream.clear();
            encoder.encode(text, "", &names, &mut stream);
            streams.push(&stream);
        };
        let mut last = None;
        for path in paths {
            let (folder, stem) = parts(path);
            push(&mut words.names, stem);
            // Neighbours are in one folder.
            if last.replace(folder) != Some(folder) {
                push(&mut words.folders, folder);
            }
            words.folder_of.push(words.folders.ids().end - 1);
        }
        words.dictionary = encoder.dictionary;
        words
    }

    /// Returns the words of the dictionary by their first letters.
    pub(super) fn by_first_letters(&self) -> &WordsByFirstLetters {
        WordsByFirstLetters::of(&self.by_first_letters, &self.dictionary)
    }

    /// Returns the tokens of the name of a file, without what stands behind its first point.
    pub(super) fn name(&self, file: usize) -> &[u8] {
        self.names.get(u32::try_from(file).unwrap_or(u32::MAX))
    }

    /// Returns the number of the folder of a file. A folder may have several.
    pub(super) fn folder_of(&self, file: usize) -> u32 {
        self.folder_of.get(file).copied().unwrap_or(u32::MAX)
    }

    /// Returns the tokens of the path of a folder.
    pub(super) fn folder(&self, folder: u32) -> &[u8] {
        self.folders.get(folder)
    }
}

/// Returns the folder of a path, and the file's name up to its first dot.
pub(crate) fn parts(path: &str) -> (&str, &str) {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    (folder, base_name(name))
}
