//! Objects: compressed bytes that are named by their hash.

use std::io::{Read, Write};

use flate2::{Compression, read::ZlibDecoder, write::ZlibEncoder};
use serde::{Deserialize, Serialize};

use super::remote_error::RemoteError;

/// Size limit of an object, compressed or not, in bytes.
pub(crate) const MAX_BYTES: u64 = 2 << 30;
/// Bytes that one stored byte may become, so that a small object does not fill the memory. Parts of an index become about two, the most of
/// one of a project in TypeScript three (27 parts).
const MAX_RATIO: u64 = 32;
/// Bytes that any object may become.
const SMALL: u64 = 1 << 20;

/// Whether an object may have a content of so many bytes.
const fn may_become(stored: u64, content: u64) -> bool {
    content <= MAX_BYTES && content <= SMALL.saturating_add(stored.saturating_mul(MAX_RATIO))
}

/// The name of an object, and its sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct RemoteObjectId {
    hash: [u8; 32],
    /// Compressed size.
    pub(crate) bytes: u64,
    /// Size of the content.
    content_bytes: u64,
}

impl RemoteObjectId {
    /// Returns the name of an object's file.
    pub(crate) fn name(&self) -> String {
        blake3::Hash::from_bytes(self.hash).to_hex().to_string()
    }

    /// Returns the content of an object.
    ///
    /// # Errors
    ///
    /// [`RemoteError::Refused`] when `stored` is not this object.
    pub(crate) fn content(&self, stored: &[u8]) -> Result<Vec<u8>, RemoteError> {
        if blake3::hash(stored).as_bytes() != &self.hash {
            return Err(RemoteError::refused("an object does not match its hash"));
        }
        if !may_become(stored.len() as u64, self.content_bytes) {
            return Err(RemoteError::refused("an object is longer than it may be"));
        }
        // The sizes come from a manifest, which is untrusted.
        let expected = usize::try_from(self.content_bytes).unwrap_or(usize::MAX);
        let mut content = Vec::with_capacity(expected.min(stored.len().saturating_mul(4)));
        let read = ZlibDecoder::new(stored).take(self.content_bytes + 1).read_to_end(&mut content);
        if read.is_err() || content.len() as u64 != self.content_bytes {
            return Err(RemoteError::refused("an object can't be unpacked"));
        }
        Ok(content)
    }
}

/// Returns the object of a content.
pub(crate) fn pack(content: &[u8]) -> Result<(RemoteObjectId, Vec<u8>), RemoteError> {
    let failed = |error: std::io::Error| RemoteError::Failed(error.to_string());
    let compressed = |level| {
        let mut encoder = ZlibEncoder::new(Vec::new(), level);
        encoder.write_all(content)?;
        encoder.finish()
    };
    let is_readable = |stored: &[u8]| may_become(stored.len() as u64, content.len() as u64);
    let mut stored = compressed(Compression::fast()).map_err(failed)?;
    if !is_readable(&stored) {
        stored = compressed(Compression::none()).map_err(failed)?;
    }
    if !is_readable(&stored) {
        return Err(RemoteError::Failed("a part of the index is longer than it may be".to_owned()));
    }
    let hash = *blake3::hash(&stored).as_bytes();
    let id =
        RemoteObjectId { hash, bytes: stored.len() as u64, content_bytes: content.len() as u64 };
    Ok((id, stored))
}
