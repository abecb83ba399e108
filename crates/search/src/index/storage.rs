//! The stored form of a snapshot: one file beside the graph, read as a whole and replaced as a whole. Readers never see a
//! part of one, and a killed writer leaves the one before. It begins with the version of the code that wrote it and with
//! hashes; one that does not fit is not used.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use serde::{Deserialize, Serialize};

use super::{
    dictionary::Dictionary,
    segment::{IndexedFile, Segment},
    snapshot::IndexSnapshot,
};
use crate::words::VectorId;
use retriever_workspace::{
    Cancellation, FileStat, Workspace,
    storage::{SEAL_BYTES, lock_file, replace_file, seal_of},
};

const MAGIC: &[u8] = concat!("retriever words ", env!("RETRIEVER_WORDS_VERSION"), "\n").as_bytes();

/// Returns the version of the code that makes the words. Those of another version are of no use.
pub fn version() -> &'static str {
    env!("RETRIEVER_WORDS_VERSION")
}

/// What stands in front of the streams.
#[derive(Serialize, Deserialize)]
struct Header<'a> {
    words: &'a [u8],
    /// Where each word ends, four bytes each.
    ends: &'a [u8],
    /// The vector of each word, four bytes each.
    vectors: &'a [u8],
    files: Vec<IndexedFile>,
}

/// Returns what is stored in `folder`; none if nothing there can be trusted.
pub(super) fn load(folder: &Path, workspace: &Workspace) -> Option<IndexSnapshot> {
    Some(IndexSnapshot::of_stored(parse(read(folder)?, workspace)?))
}

#[expect(clippy::disallowed_methods, reason = "the cache's own file")]
fn read(folder: &Path) -> Option<Vec<u8>> {
    fs::read(file(folder)).ok()
}

/// Returns the segment in a stored snapshot's bytes; none if they can't be trusted.
pub(super) fn parse(bytes: Vec<u8>, workspace: &Workspace) -> Option<Segment> {
    let (stored, body) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<{ 2 * SEAL_BYTES }>()?;
    if hashes(workspace, body) != *stored {
        return None;
    }
    let (header, contents) = postcard::take_from_bytes::<Header<'_>>(body).ok()?;
    let (ends, _) = header.ends.as_chunks();
    let ends = ends.iter().map(|end| u32::from_le_bytes(*end));
    let dictionary = Dictionary::from_parts(header.words, ends)?;
    let (vectors, _) = header.vectors.as_chunks();
    let vectors: Vec<VectorId> = vectors.iter().map(|id| VectorId::from_bytes(*id)).collect();
    let vectors = OnceLock::from(vectors);
    let (files, offset) = (header.files, bytes.len() - contents.len());
    Some(Segment { dictionary, vectors, files, bytes, offset })
}

/// Stores a snapshot of one segment.
pub(super) fn save(
    folder: &Path,
    workspace: &Workspace,
    snapshot: &IndexSnapshot,
    cancellation: &Cancellation,
) -> io::Result<()> {
    let Some(segment) = snapshot.as_one_segment() else { return Ok(()) };
    let bytes = encode(workspace, segment, segment.files.clone(), cancellation)?;
    let lock = lock_file(folder)?;
    // A process that finds another one writing leaves it to that.
    lock.try_lock()?;
    replace_file(&file(folder), &bytes)
}

/// Returns what is stored in `folder` as another machine can take it: its times say nothing there.
pub(super) fn portable(folder: &Path, workspace: &Workspace) -> Option<Vec<u8>> {
    let segment = parse(read(folder)?, workspace)?;
    let foreign = |file: &IndexedFile| IndexedFile {
        stamp: FileStat::default(),
        is_doubtful: true,
        ..file.clone()
    };
    let files = segment.files.iter().map(foreign).collect();
    encode(workspace, &segment, files, &Cancellation::new()).ok()
}

/// Returns a segment as bytes, with `files` in place of its own.
fn encode(
    workspace: &Workspace,
    segment: &Segment,
    files: Vec<IndexedFile>,
    cancellation: &Cancellation,
) -> io::Result<Vec<u8>> {
    let cancelled = || io::Error::from(io::ErrorKind::Interrupted);
    let vectors = segment.vectors(cancellation).ok_or_else(cancelled)?;
    let vectors: Vec<u8> = vectors.iter().flat_map(|id| id.to_bytes()).collect();
    let ends = segment.dictionary.ends().iter();
    let ends: Vec<u8> = ends.flat_map(|end| end.to_le_bytes()).collect();
    let words = segment.dictionary.bytes();
    let header = Header { words, ends: &ends, vectors: &vectors, files };
    let mut body = postcard::to_stdvec(&header).map_err(io::Error::other)?;
    body.extend_from_slice(segment.contents());
    Ok([MAGIC, &hashes(workspace, &body), &body].concat())
}

/// Removes what is stored.
pub(super) fn remove(folder: &Path) {
    // What can't be removed is not trusted once a file of the tree differs.
    fs::remove_file(file(folder)).ok();
}

/// Returns the bytes that are stored.
pub(super) fn bytes(folder: &Path) -> u64 {
    #[expect(clippy::disallowed_methods, reason = "the cache's own file")]
    fs::metadata(file(folder)).map_or(0, |metadata| metadata.len())
}

fn file(folder: &Path) -> PathBuf {
    folder.join("words")
}

/// Returns the hashes of what is stored and of the configuration that it depends on.
fn hashes(workspace: &Workspace, body: &[u8]) -> [u8; 2 * SEAL_BYTES] {
    let [of_traits, of_body] = [workspace.traits_config_hash().as_bytes(), body].map(seal_of);
    let mut hashes = [0; 2 * SEAL_BYTES];
    let (front, back) = hashes.split_at_mut(SEAL_BYTES);
    front.copy_from_slice(&of_traits);
    back.copy_from_slice(&of_body);
    hashes
}
