//! Records that are compressed where they lie, since their room counts more than the time to read them: facts by content, and what
//! one working tree has apart from the base.

use std::{cell::RefCell, io};

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use retriever_workspace::cache_file_io::CHECKSUM_BYTES;

use super::StoreError;

/// Bytes that an unpacked record may have, so that a damaged one doesn't fill the memory.
const MAX_BYTES: usize = 1 << 30;

/// Bytes by which the output grows when it is full.
const GROWTH: usize = 1 << 14;

thread_local! {
    // To make a state costs more than to compress a small record.
    static COMPRESS: RefCell<Compress> = RefCell::new(Compress::new(Compression::fast(), false));
    static DECOMPRESS: RefCell<Decompress> = RefCell::new(Decompress::new(false));
}

/// Returns a checksummed record with everything behind its checksum compressed.
pub(super) fn pack(encoded: &[u8]) -> io::Result<Vec<u8>> {
    let (checksum, payload) = encoded.split_at(CHECKSUM_BYTES.min(encoded.len()));
    COMPRESS.with_borrow_mut(|state| {
        state.reset();
        let mut packed = Vec::with_capacity(encoded.len() / 2 + GROWTH);
        packed.extend_from_slice(checksum);
        loop {
            let rest = payload.get(state.total_in() as usize..).unwrap_or_default();
            if state.compress_vec(rest, &mut packed, FlushCompress::Finish)? == Status::StreamEnd {
                packed.shrink_to_fit();
                return Ok(packed);
            }
            packed.reserve(GROWTH);
        }
    })
}

/// Returns the checksummed record that was packed. Whether it fits its checksum is found out by who reads it.
///
/// # Errors
///
/// [`StoreError::Damaged`] when `packed` is no packed record.
pub(super) fn unpack(packed: &[u8]) -> Result<Vec<u8>, StoreError> {
    let (checksum, compressed) = packed.split_at(CHECKSUM_BYTES.min(packed.len()));
    let damaged = || StoreError::Damaged("a record can't be unpacked".to_owned());
    DECOMPRESS.with_borrow_mut(|state| {
        state.reset(false);
        let mut encoded = Vec::with_capacity(packed.len() * 4 + GROWTH);
        encoded.extend_from_slice(checksum);
        loop {
            let (read, length) = (state.total_in() as usize, encoded.len());
            let rest = compressed.get(read..).unwrap_or_default();
            let status = state.decompress_vec(rest, &mut encoded, FlushDecompress::None);
            match status.map_err(|_| damaged())? {
                Status::StreamEnd => return Ok(encoded),
                // The end of the record is missing.
                _ if encoded.len() == length && encoded.capacity() > length => {
                    return Err(damaged());
                }
                _ if encoded.len() > MAX_BYTES => return Err(damaged()),
                _ => encoded.reserve(GROWTH.max(length)),
            }
        }
    })
}
