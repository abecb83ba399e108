//! Compressed streams of git.

use std::io::Read;

use flate2::read::ZlibDecoder;

/// Size limit of a commit, in bytes.
pub(super) const MAX_COMMIT_BYTES: u64 = 1 << 20;

/// Returns the content of a compressed stream, if it is within the size limit of a commit.
pub(super) fn inflate(stream: impl Read) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    ZlibDecoder::new(stream).take(MAX_COMMIT_BYTES + 1).read_to_end(&mut content).ok()?;
    (content.len() as u64 <= MAX_COMMIT_BYTES).then_some(content)
}
