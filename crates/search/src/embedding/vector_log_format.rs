//! The stored form of vectors: a header, then a checksummed record for each file. Records are only appended; of two
//! records of one file the later one counts. A half-written record of a killed process ends the log.
//!
//! Record: its length in 32 bits, a checksum, and the payload: path, content hash and number of rows, then the rows,
//! then the bytes of their vectors. Numbers are little-endian.

use serde::{Deserialize, Serialize};

use super::quantised_vector::QuantisedVector;
use retriever_workspace::{
    LineRange,
    cache_file_io::{CHECKSUM_BYTES, add_checksum},
};

const MAGIC: &[u8] = b"retriever vectors 1\n";
const LENGTH_BYTES: usize = 4;
/// First line, number of lines, scale, key.
pub(super) const ROW_BYTES: usize = 4 + 4 + 4 + KEY_BYTES;
const KEY_BYTES: usize = 16;
/// Bytes of the header.
pub(super) const HEADER_BYTES: usize = MAGIC.len() + KEY_BYTES + 4;

/// The first bytes of a BLAKE3 hash: of a text, of a file's content, or of a model's identity.
pub(super) type VectorContentKey = [u8; KEY_BYTES];

/// Returns the key of some bytes.
pub(super) fn key_of(bytes: &[u8]) -> VectorContentKey {
    blake3::hash(bytes).as_bytes().first_chunk().copied().unwrap_or_default()
}

/// What a record begins with.
#[derive(Serialize, Deserialize)]
pub(super) struct VectorRecordHeader<'a> {
    pub(super) path: &'a str,
    pub(super) content: VectorContentKey,
    pub(super) rows: usize,
}

/// The vector of one text.
#[derive(Clone, Debug)]
pub(super) struct VectorRow {
    pub(super) range: LineRange,
    pub(super) key: VectorContentKey,
    pub(super) vector: QuantisedVector,
}

/// Returns the header of a log of vectors of one model.
pub(super) fn header(identity: &VectorContentKey, dimensions: usize) -> Vec<u8> {
    let dimensions = u32::try_from(dimensions).unwrap_or(u32::MAX);
    [MAGIC, identity, &dimensions.to_le_bytes()].concat()
}

/// Returns the dimensions of a log; none if it is of another model or version.
pub(super) fn dimensions_of(log: &[u8], identity: &VectorContentKey) -> Option<usize> {
    let rest = log.strip_prefix(MAGIC)?.strip_prefix(identity)?;
    read_u32(rest, 0).map(|dimensions| dimensions as usize)
}

/// Returns the record of a file. Rows are those of one content.
pub(super) fn record(path: &str, content: VectorContentKey, rows: &[VectorRow]) -> Vec<u8> {
    let head = VectorRecordHeader { path, content, rows: rows.len() };
    // Writing to memory does not fail.
    let mut payload = postcard::to_stdvec(&head).unwrap_or_default();
    for VectorRow { range, key, vector } in rows {
        payload.extend(range.start().to_le_bytes());
        payload.extend((range.end() - range.start()).to_le_bytes());
        payload.extend(vector.scale.to_le_bytes());
        payload.extend(key);
    }
    for row in rows {
        payload.extend(row.vector.bytes.iter().map(|byte| byte.cast_unsigned()));
    }
    let encoded = add_checksum(&payload);
    let length = u32::try_from(encoded.len()).unwrap_or(u32::MAX);
    [length.to_le_bytes().as_slice(), &encoded].concat()
}

/// Returns the checksummed record at an offset, and where the next one begins; none where the log ends.
pub(super) fn record_at(log: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let length = read_u32(log, at)? as usize;
    let start = at + LENGTH_BYTES;
    let end = start.checked_add(length)?;
    (length > CHECKSUM_BYTES).then_some(())?;
    Some((log.get(start..end)?, end))
}

/// Reads a number of 32 bits.
pub(super) fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}
