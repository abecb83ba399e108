//! Byte strings by number, stored one after another: the lower-case words of a dictionary, lists of postings, token
//! streams.

use super::grouped::range_of;

/// Strings by number.
#[derive(Clone, Debug, Default)]
pub(super) struct ByteStrings {
    /// All strings, one behind the other.
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<u32>,
}

impl ByteStrings {
    /// Returns the strings of a stored form; none when the ends don't fit the bytes.
    pub(super) fn from_parts(bytes: Vec<u8>, ends: impl Iterator<Item = u32>) -> Option<Self> {
        let ends: Vec<u32> = ends.collect();
        let fits = ends.is_sorted() && ends.last().is_none_or(|end| *end as usize <= bytes.len());
        fits.then_some(Self { bytes, ends })
    }

    /// Adds a string; its number is the length before.
    pub(super) fn push(&mut self, string: &[u8]) {
        self.bytes.extend_from_slice(string);
        self.ends.push(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
    }

    /// Returns all strings, one behind the other.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns where each string ends.
    pub(super) fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// Returns the number of strings.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the numbers of all strings.
    pub(super) fn ids(&self) -> std::ops::Range<u32> {
        0..u32::try_from(self.len()).unwrap_or(u32::MAX)
    }

    /// Returns a string; that of an unknown number is empty.
    pub(super) fn get(&self, id: u32) -> &[u8] {
        let range = range_of(&self.ends, id);
        range.and_then(|range| self.bytes.get(range)).unwrap_or_default()
    }

    /// Returns all strings, by number.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        let between = |(start, end): (&u32, &u32)| {
            self.bytes.get(*start as usize..*end as usize).unwrap_or_default()
        };
        starts.zip(&self.ends).map(between)
    }
}
