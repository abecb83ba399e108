//! Records that are compressed where they lie, since their room counts more than the time to read them: facts by content, and what
//! one working tree has apart from the base.

use std::io::{self, Read, Write};

use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use retriever_workspace::cache_file_io::SEAL_BYTES;

use super::StoreError;

/// Bytes that an unpacked record may have, so that a damaged one doesn't fill the memory.
const MAX_BYTES: u64 = 1 << 30;

/// Returns a sealed record with everything behind its seal compressed.
pub(super) fn pack(sealed: &[u8]) -> io::Result<Vec<u8>> {
    let (seal, payload) = sealed.split_at(SEAL_BYTES.min(sealed.len()));
    let mut encoder = DeflateEncoder::new(seal.to_vec(), Compression::fast());
    encoder.write_all(payload)?;
    encoder.finish()
}

/// Returns the sealed record that was packed. Whether it fits its seal is found out by who reads it.
///
/// # Errors
///
/// [`StoreError::Damaged`] when `packed` is no packed record.
pub(super) fn unpack(packed: &[u8]) -> Result<Vec<u8>, StoreError> {
    let (seal, compressed) = packed.split_at(SEAL_BYTES.min(packed.len()));
    let mut sealed = seal.to_vec();
    let unpacked = DeflateDecoder::new(compressed).take(MAX_BYTES).read_to_end(&mut sealed);
    unpacked.map_err(|_| StoreError::Damaged("a record can't be unpacked".to_owned()))?;
    Ok(sealed)
}
