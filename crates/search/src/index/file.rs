//! The words of a tree between processes: one file beside the graph, read as a whole and replaced as a whole, so that readers
//! never see half of one and a killed writer leaves the one before. It carries the version of the code that made it and a
//! hash; one that doesn't fit is as good as none.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use serde::{Deserialize, Serialize};

use crate::{
    index::{
        IndexSnapshot,
        codec::Dictionary,
        segment::{IndexedFile, Segment},
    },
    words::vectors::VectorId,
};
use retriever_workspace::{
    Workspace,
    storage::{SEAL_BYTES, lock_file, replace_file, seal_of},
};

const MAGIC: &[u8] = concat!("retriever words ", env!("RETRIEVER_WORDS_VERSION"), "\n").as_bytes();

/// What stands in front of the packed texts.
#[derive(Serialize, Deserialize)]
struct Head<'a> {
    words: &'a [u8],
    /// Where each word ends, as numbers of four bytes.
    ends: &'a [u8],
    /// What each word means, as numbers of four bytes.
    senses: &'a [u8],
    files: Vec<IndexedFile>,
}

fn file(folder: &Path) -> PathBuf {
    folder.join("words")
}

/// The hash of what is kept, and of what it depends on beside the files.
fn seal(workspace: &Workspace, bytes: &[u8]) -> [u8; 2 * SEAL_BYTES] {
    let [of_traits, of_bytes] = [workspace.traits_config_hash().as_bytes(), bytes].map(seal_of);
    let mut seal = [0; 2 * SEAL_BYTES];
    let (front, back) = seal.split_at_mut(SEAL_BYTES);
    front.copy_from_slice(&of_traits);
    back.copy_from_slice(&of_bytes);
    seal
}

/// Returns what is kept in `folder`; nothing when there is nothing that can be trusted.
pub(crate) fn load(folder: &Path, workspace: &Workspace) -> Option<IndexSnapshot> {
    #[expect(clippy::disallowed_methods, reason = "the cache's own file")]
    let bytes = fs::read(file(folder)).ok()?;
    let (hash, body) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<{ 2 * SEAL_BYTES }>()?;
    if seal(workspace, body) != *hash {
        return None;
    }
    let (head, streams) = postcard::take_from_bytes::<Head<'_>>(body).ok()?;
    let (ends, _) = head.ends.as_chunks();
    let vocabulary = Dictionary::of(head.words, ends.iter().map(|end| u32::from_le_bytes(*end)))?;
    let (senses, _) = head.senses.as_chunks();
    let senses: Vec<VectorId> = senses.iter().map(|number| VectorId::from_bytes(*number)).collect();
    let senses = OnceLock::from(senses);
    let (files, front) = (head.files, bytes.len() - streams.len());
    let piece = Segment { vocabulary, senses, files, bytes, front };
    Some(IndexSnapshot {
        files: (0..piece.files.len()).map(|file| (0, file)).collect(),
        pieces: vec![Arc::new(piece)],
        unsaved: Some(0),
    })
}

/// Keeps `words`, which are in one piece.
pub(crate) fn save(folder: &Path, workspace: &Workspace, words: &IndexSnapshot) -> io::Result<()> {
    let [piece] = words.pieces.as_slice() else { return Ok(()) };
    let ends: Vec<u8> = piece.vocabulary.ends().iter().flat_map(|end| end.to_le_bytes()).collect();
    let senses: Vec<u8> = piece.senses().iter().flat_map(|sense| sense.to_bytes()).collect();
    let (words, files) = (piece.vocabulary.bytes(), piece.files.clone());
    let head = Head { words, ends: &ends, senses: &senses, files };
    let mut body = postcard::to_stdvec(&head).map_err(io::Error::other)?;
    body.extend_from_slice(piece.streams());
    let lock = lock_file(folder)?;
    // Who finds another one writing leaves it to that one.
    lock.try_lock()?;
    replace_file(&file(folder), &[MAGIC, &seal(workspace, &body), &body].concat())
}

/// Removes what is kept.
pub(crate) fn forget(folder: &Path) {
    // What can't be removed is not believed either, once a file differs.
    fs::remove_file(file(folder)).ok();
}

/// The bytes that are kept.
pub(crate) fn bytes(folder: &Path) -> u64 {
    #[expect(clippy::disallowed_methods, reason = "the cache's own file")]
    fs::metadata(file(folder)).map_or(0, |facts| facts.len())
}
