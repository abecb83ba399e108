//! The records of names: which files have nodes of a name.

use super::{
    StoreError,
    checksummed_record::{FileKey, payload, take},
};

/// The names of one bucket: name, file, number of nodes. Sorted.
pub(crate) type NameTableBucket = Vec<(String, FileKey, u32)>;

/// An encoded [`NameTableBucket`]. Questions go through all of its names, and own none of them.
#[derive(Debug, Default)]
pub(super) struct ChecksummedNameRecord {
    encoded: Vec<u8>,
    /// Where the first name starts.
    start: usize,
    names: usize,
}

impl ChecksummedNameRecord {
    pub(super) fn new(encoded: Vec<u8>) -> Result<Self, StoreError> {
        let (names, rest): (usize, &[u8]) = take(payload(&encoded)?)?;
        let start = encoded.len() - rest.len();
        Ok(Self { encoded, start, names })
    }

    /// Returns name, file and number of nodes; ends with the error of what can't be decoded.
    pub(super) fn entries(&self) -> impl Iterator<Item = Result<(&str, FileKey, u32), StoreError>> {
        let mut rest = self.encoded.get(self.start..);
        (0..self.names).map_while(move |_| {
            let entry = take(rest?);
            rest = entry.as_ref().ok().map(|(_, rest)| *rest);
            Some(entry.map(|(entry, _)| entry))
        })
    }
}
