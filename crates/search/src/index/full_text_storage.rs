//! The stored form of a snapshot: a file for each segment, named by the hash of its bytes, and one that lists them with their
//! files. A segment's file is never changed, so that working trees of one repository have links to one. The list is replaced
//! as a whole: readers never see a part of one, and a killed writer leaves the one before. Each begins with the version of
//! the code that wrote it and with hashes; what does not fit is not used.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use serde::{Deserialize, Serialize};

use super::{
    dictionary::Dictionary,
    full_text_snapshot::FullTextSnapshot,
    segment::{IndexedFile, Segment},
};
use crate::words::WordVectorId;
use retriever_workspace::{
    Cancellation, FileStat, Workspace,
    cache_files::{SEAL_BYTES, lock_file, replace_file, seal, seal_of, share_file, unseal},
};

const MAGIC: &[u8] = concat!("retriever words ", env!("RETRIEVER_WORDS_VERSION"), "\n").as_bytes();

/// Returns the version of the code that makes the words. Those of another version are of no use.
pub fn version() -> &'static str {
    env!("RETRIEVER_WORDS_VERSION")
}

/// Name of the file that lists segments.
const LIST: &str = "words";
/// What the names of files of segments begin with.
const SEGMENT: &str = "segment-";
/// Letters of the name of a segment.
const NAME_LETTERS: usize = 16;
/// Attempts to read segments that another process replaces meanwhile.
const ATTEMPTS: usize = 2;

/// The header before the streams of a segment.
#[derive(Serialize, Deserialize)]
struct Header<'a> {
    words: &'a [u8],
    /// Where each word ends, four bytes each.
    ends: &'a [u8],
    /// The vector of each word, four bytes each.
    vectors: &'a [u8],
}

/// What is used of a segment's file.
#[derive(Serialize, Deserialize)]
struct StoredSegment {
    name: String,
    files: Vec<IndexedFile>,
    /// Paths of its other files.
    gone: Vec<String>,
}

/// Returns the segments that are stored in `folder`; none if anything there can't be trusted.
pub(super) fn load(folder: &Path, workspace: &Workspace) -> Option<Vec<Segment>> {
    let load = || {
        let list = decode_list(&read(&folder.join(LIST))?, workspace)?;
        let segment = |stored: StoredSegment| {
            decode_segment(read(&segment_file(folder, &stored.name))?, stored)
        };
        list.into_iter().map(segment).collect()
    };
    std::iter::repeat_with(load).take(ATTEMPTS).find_map(|loaded| loaded)
}

/// Returns the segments that `from` stores for another working tree, and links them into `folder`.
pub(super) fn adopt(from: &Path, folder: &Path, workspace: &Workspace) -> Option<Vec<Segment>> {
    let segments = load(from, workspace)?;
    let lock = lock_file(folder).ok()?;
    lock.try_lock().ok()?;
    for name in segments.iter().filter_map(|segment| segment.name.get()) {
        share_file(&segment_file(from, name), &segment_file(folder, name)).ok()?;
    }
    Some(segments)
}

/// Stores a snapshot: segments that are not stored yet, and the list.
pub(super) fn save(
    folder: &Path,
    workspace: &Workspace,
    snapshot: &FullTextSnapshot,
    cancellation: &Cancellation,
) -> io::Result<()> {
    let lock = lock_file(folder)?;
    // A process that finds another one writing leaves it to that.
    lock.try_lock()?;
    let mut list = Vec::new();
    for (at, segment) in snapshot.segments().enumerate() {
        let used = snapshot.files().filter(|(of, _)| *of == at);
        let files: Vec<IndexedFile> = used.map(|(_, file)| file.clone()).collect();
        let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let known = segment.files.iter().map(|file| &file.path).chain(&segment.gone);
        let gone = known.filter(|path| !paths.contains(path.as_str())).cloned().collect();
        list.push(StoredSegment { name: put_segment(folder, segment, cancellation)?, files, gone });
    }
    replace_file(&folder.join(LIST), &encode_list(workspace, &list)?)?;
    let is_used =
        |path: &PathBuf| list.iter().any(|stored| *path == segment_file(folder, &stored.name));
    for path in segment_files(folder).filter(|path| !is_used(path)) {
        // What can't be removed now goes the next time.
        drop(fs::remove_file(path));
    }
    Ok(())
}

/// Returns what is stored in `folder` as another machine can take it: its times say nothing there.
pub(super) fn portable(folder: &Path, workspace: &Workspace) -> Option<Vec<u8>> {
    let never = Cancellation::new();
    let whole = FullTextSnapshot::of_stored(load(folder, workspace)?).merged(&never)?;
    let foreign = |(_, file): (usize, &IndexedFile)| IndexedFile {
        stamp: FileStat::default(),
        is_doubtful: true,
        ..file.clone()
    };
    let files = whole.files().map(foreign).collect();
    let list = [StoredSegment { name: String::new(), files, gone: Vec::new() }];
    let list = encode_list(workspace, &list).ok()?;
    let segment = encode_segment(whole.segments().next()?, &never).ok()?;
    postcard::to_stdvec(&(list.as_slice(), segment.as_slice())).ok()
}

/// Returns the segment in the bytes that [`portable`] returned; `None` if they are damaged or of another version.
pub(super) fn parse(bytes: &[u8], workspace: &Workspace) -> Option<Segment> {
    let (list, segment): (&[u8], &[u8]) = postcard::from_bytes(bytes).ok()?;
    decode_segment(segment.to_vec(), decode_list(list, workspace)?.pop()?)
}

/// Removes what is stored.
pub(super) fn remove(folder: &Path) {
    for path in segment_files(folder).chain([folder.join(LIST)]) {
        // What can't be removed is not trusted once a file of the tree differs.
        drop(fs::remove_file(path));
    }
}

/// Returns the size of what is stored, in bytes.
pub(super) fn bytes(folder: &Path) -> u64 {
    #[expect(clippy::disallowed_methods, reason = "the cache's own file")]
    let size = |path| fs::metadata::<PathBuf>(path).map_or(0, |metadata| metadata.len());
    segment_files(folder).chain([folder.join(LIST)]).map(size).sum()
}

/// Stores a segment, unless it is there, and returns its name.
fn put_segment(
    folder: &Path,
    segment: &Segment,
    cancellation: &Cancellation,
) -> io::Result<String> {
    #[expect(clippy::disallowed_methods, reason = "the cache's own file")]
    let is_there = |name: &&String| segment_file(folder, name).exists();
    if let Some(known) = segment.name.get().filter(is_there) {
        return Ok(known.clone());
    }
    let bytes = encode_segment(segment, cancellation)?;
    let name = blake3::hash(&bytes).to_hex()[..NAME_LETTERS].to_owned();
    replace_file(&segment_file(folder, &name), &bytes)?;
    Ok(segment.name.get_or_init(|| name).clone())
}

fn encode_segment(segment: &Segment, cancellation: &Cancellation) -> io::Result<Vec<u8>> {
    let cancelled = || io::Error::from(io::ErrorKind::Interrupted);
    let vectors = segment.vectors(cancellation).ok_or_else(cancelled)?;
    let vectors: Vec<u8> = vectors.iter().flat_map(|id| id.to_bytes()).collect();
    let ends = segment.dictionary.ends().iter();
    let ends: Vec<u8> = ends.flat_map(|end| end.to_le_bytes()).collect();
    let header = Header { words: segment.dictionary.bytes(), ends: &ends, vectors: &vectors };
    let mut body = postcard::to_stdvec(&header).map_err(io::Error::other)?;
    body.extend_from_slice(segment.contents());
    Ok([MAGIC, &seal(&body)].concat())
}

/// Returns the segment in the bytes of its file; none if they can't be trusted.
fn decode_segment(bytes: Vec<u8>, stored: StoredSegment) -> Option<Segment> {
    let body = unseal(bytes.strip_prefix(MAGIC)?)?;
    let (header, contents) = postcard::take_from_bytes::<Header<'_>>(body).ok()?;
    let (ends, _) = header.ends.as_chunks();
    let ends = ends.iter().map(|end| u32::from_le_bytes(*end));
    let dictionary = Dictionary::from_parts(header.words, ends)?;
    let (vectors, _) = header.vectors.as_chunks();
    let vectors: Vec<WordVectorId> =
        vectors.iter().map(|id| WordVectorId::from_bytes(*id)).collect();
    let (vectors, offset) = (OnceLock::from(vectors), bytes.len() - contents.len());
    let StoredSegment { name, files, gone } = stored;
    let name = if name.is_empty() { OnceLock::new() } else { OnceLock::from(name) };
    Some(Segment { dictionary, vectors, files, bytes, offset, name, gone })
}

fn encode_list(workspace: &Workspace, list: &[StoredSegment]) -> io::Result<Vec<u8>> {
    let body = postcard::to_stdvec(list).map_err(io::Error::other)?;
    Ok([MAGIC, &hashes(workspace, &body), &body].concat())
}

/// Returns the segments of a list; none if it can't be trusted.
fn decode_list(bytes: &[u8], workspace: &Workspace) -> Option<Vec<StoredSegment>> {
    let (stored, body) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<{ 2 * SEAL_BYTES }>()?;
    let is_sound = hashes(workspace, body) == *stored;
    is_sound.then(|| postcard::from_bytes(body).ok())?
}

#[expect(clippy::disallowed_methods, reason = "the cache's own file")]
fn read(path: &Path) -> Option<Vec<u8>> {
    fs::read(path).ok()
}

fn segment_file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{SEGMENT}{name}"))
}

fn segment_files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "the cache's own folder")]
    let entries = fs::read_dir(folder);
    let is_segment = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(SEGMENT))
    };
    entries.into_iter().flatten().flatten().map(|entry| entry.path()).filter(is_segment)
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
