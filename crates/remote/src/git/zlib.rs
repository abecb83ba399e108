//! Compressed streams of git.

use std::io::Read;

use flate2::read::ZlibDecoder;

/// Bytes of a commit that are read.
pub(super) const MAX_COMMIT_BYTES: u64 = 1 << 20;

/// Returns the content of a compressed stream, if it is no larger than a commit may be.
pub(super) fn inflate(stream: impl Read) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    ZlibDecoder::new(stream).take(MAX_COMMIT_BYTES).read_to_end(&mut content).ok()?;
    Some(content)
}
