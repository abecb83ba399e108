//! The stored form of a snapshot: a file for each segment, named by the hash of its bytes, and a list of the segments
//! with their files. A segment's file never changes, so working trees of one repository link to the same one. The list
//! is replaced as a whole: readers never see a part of one, and a killed writer leaves the previous one. Each file
//! begins with hashes and the version of the code that wrote it; a file that does not match is not used. The words and
//! the postings of a segment are loaded. The tokens of a file are read when a search needs them, and have a hash of
//! their own.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    sync::{OnceLock, atomic::AtomicBool},
};

use serde::{Deserialize, Serialize};

use super::{
    byte_strings::ByteStrings,
    full_text_snapshot::FullTextSnapshot,
    postings::Postings,
    segment::{IndexedFile, Segment},
    segment_loading::{SegmentContents, StoredContents},
};
use crate::words::WordVectorId;
use retriever_workspace::{
    Cancellation, FileStat, Workspace,
    cache_file_io::{
        CHECKSUM_BYTES, add_checksum, checksum, lock_file, read_at, replace_file,
        replace_file_by_parts, share_file, strip_checksum,
    },
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

/// What is known of the words of a segment. With its checksum, it stands behind the lengths of itself and of the postings; the postings
/// and the contents follow.
#[derive(Serialize, Deserialize)]
struct Header<'a> {
    words: &'a [u8],
    /// Where each word ends, four bytes each.
    ends: &'a [u8],
    /// The vector of each word, four bytes each.
    vectors: &'a [u8],
    /// Where the postings of each word end, four bytes each.
    posting_ends: &'a [u8],
    /// The hash of the postings.
    postings: [u8; CHECKSUM_BYTES],
}

/// Where the parts of a segment's file are.
#[derive(Clone, Copy)]
struct Layout {
    header: usize,
    postings: usize,
}

impl Layout {
    /// Bytes of the lengths.
    const BYTES: usize = 16;
    /// Where the header begins.
    const START: usize = MAGIC.len() + Self::BYTES;

    fn encode(self) -> [u8; Self::BYTES] {
        (self.header as u128 | (self.postings as u128) << 64).to_le_bytes()
    }

    /// Returns the layout at the front of a file of `len` bytes; none if it can't be one.
    fn decode(front: &[u8], len: usize) -> Option<Self> {
        let lengths = u128::from_le_bytes(*front.strip_prefix(MAGIC)?.first_chunk()?);
        let length = |bits: u128| usize::try_from(bits & u128::from(u64::MAX)).ok();
        let layout = Self { header: length(lengths)?, postings: length(lengths >> 64)? };
        layout.contents().is_some_and(|start| start <= len).then_some(layout)
    }

    /// Where the contents begin.
    fn contents(self) -> Option<usize> {
        Self::START.checked_add(self.header)?.checked_add(self.postings)
    }
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
    let load = || open_segments(folder, decode_list(&read(&folder.join(LIST))?, workspace)?);
    std::iter::repeat_with(load).take(ATTEMPTS).find_map(|loaded| loaded)
}

/// Links the segments that `from` stores for another working tree into `folder`, and returns them.
pub(super) fn adopt(from: &Path, folder: &Path, workspace: &Workspace) -> Option<Vec<Segment>> {
    let list = decode_list(&read(&from.join(LIST))?, workspace)?;
    let lock = lock_file(folder).ok()?;
    lock.try_lock().ok()?;
    for StoredSegment { name, .. } in &list {
        share_file(&segment_file(from, name), &segment_file(folder, name)).ok()?;
    }
    open_segments(folder, list)
}

fn open_segments(folder: &Path, list: Vec<StoredSegment>) -> Option<Vec<Segment>> {
    let open = |stored: StoredSegment| open_segment(segment_file(folder, &stored.name), stored);
    list.into_iter().map(open).collect()
}

/// Stores a snapshot: segments that are not stored yet, and the list. The contents of these segments are read from their files
/// from then on.
pub(super) fn save(
    folder: &Path,
    workspace: &Workspace,
    snapshot: &mut FullTextSnapshot,
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
    for (segment, stored) in snapshot.segments_mut().zip(&list) {
        if let Some(Segment { contents: contents @ SegmentContents::Made(_), .. }) = segment
            && let Some((_, stored)) = open_file(segment_file(folder, &stored.name))
        {
            *contents = SegmentContents::Stored(stored);
        }
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
    let whole = FullTextSnapshot::of_stored(load(folder, workspace)?).merged(&never).ok()?;
    let foreign = |(_, file): (usize, &IndexedFile)| IndexedFile {
        stamp: FileStat::default(),
        is_doubtful: true,
        ..file.clone()
    };
    let files = whole.files().map(foreign).collect();
    let list = [StoredSegment { name: String::new(), files, gone: Vec::new() }];
    let list = encode_list(workspace, &list).ok()?;
    let segment = whole.segments().next()?;
    let front = encode_front(segment, &never).ok()?;
    let contents = segment.contents.all()?;
    let whole = [front.as_slice(), segment.postings.0.bytes(), &contents].concat();
    postcard::to_stdvec(&(list.as_slice(), whole.as_slice())).ok()
}

/// Returns the segment in the bytes that [`portable`] returned; `None` if they are damaged or of another version.
pub(super) fn parse(bytes: &[u8], workspace: &Workspace) -> Option<Segment> {
    let (list, segment): (&[u8], &[u8]) = postcard::from_bytes(bytes).ok()?;
    let stored = decode_list(list, workspace)?.pop()?;
    // With a name it is kept as it is beside the files that differ.
    decode_segment(segment, StoredSegment { name: name_of(&[segment]), ..stored })
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
    let front = encode_front(segment, cancellation)?;
    let contents = segment.contents.all().ok_or(io::ErrorKind::InvalidData)?;
    let parts = [front.as_slice(), segment.postings.0.bytes(), &contents];
    let name = name_of(&parts);
    replace_file_by_parts(&segment_file(folder, &name), &parts)?;
    // One that was fetched has it already.
    let _ = segment.name.set(name.clone());
    Ok(name)
}

/// Returns the name of a segment whose file has these parts.
fn name_of(parts: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().to_hex()[..NAME_LETTERS].to_owned()
}

/// Returns what stands in front of the postings and the contents of a segment.
fn encode_front(segment: &Segment, cancellation: &Cancellation) -> io::Result<Vec<u8>> {
    let cancelled = || io::Error::from(io::ErrorKind::Interrupted);
    let vectors = segment.vectors(cancellation).ok_or_else(cancelled)?;
    let vectors: Vec<u8> = vectors.iter().flat_map(|id| id.to_bytes()).collect();
    let encode = |ends: &[u32]| ends.iter().flat_map(|end| end.to_le_bytes()).collect::<Vec<u8>>();
    let postings = segment.postings.0.bytes();
    let header = Header {
        words: segment.dictionary.bytes(),
        ends: &encode(segment.dictionary.ends()),
        vectors: &vectors,
        posting_ends: &encode(segment.postings.0.ends()),
        postings: checksum(postings),
    };
    let header = add_checksum(&postcard::to_stdvec(&header).map_err(io::Error::other)?);
    let layout = Layout { header: header.len(), postings: postings.len() };
    Ok([MAGIC, &layout.encode(), &header].concat())
}

/// Opens a segment's file; none if it can't be trusted. Its contents are read, and compared with their hashes, when they are
/// needed.
fn open_segment(path: PathBuf, stored: StoredSegment) -> Option<Segment> {
    let (layout, contents) = open_file(path)?;
    let header = read_at(&contents.file, Layout::START as u64, layout.header).ok()?;
    let postings = (Layout::START + layout.header) as u64;
    let postings = read_at(&contents.file, postings, layout.postings).ok()?;
    segment_of(&header, postings, SegmentContents::Stored(contents), stored)
}

/// Opens a segment's file, and returns where its parts are, and its contents, unread; none if it can't be one.
fn open_file(path: PathBuf) -> Option<(Layout, StoredContents)> {
    #[expect(clippy::disallowed_methods, reason = "the cache's own file")]
    let file = fs::File::open(&path).ok()?;
    let len = usize::try_from(file.metadata().ok()?.len()).ok()?;
    let front = read_at(&file, 0, Layout::START.min(len)).ok()?;
    let layout = Layout::decode(&front, len)?;
    let start = layout.contents()?;
    let (start, len, is_damaged) = (start as u64, len - start, AtomicBool::new(false));
    Some((layout, StoredContents { path, file, start, len, is_damaged }))
}

/// Returns the segment in the bytes of its file; none if they can't be trusted.
fn decode_segment(bytes: &[u8], stored: StoredSegment) -> Option<Segment> {
    let layout = Layout::decode(bytes, bytes.len())?;
    let (header, rest) = bytes.get(Layout::START..)?.split_at_checked(layout.header)?;
    let (postings, contents) = rest.split_at_checked(layout.postings)?;
    let contents = SegmentContents::Made(contents.to_vec());
    let segment = segment_of(header, postings.to_vec(), contents, stored)?;
    let is_sound = |file: &IndexedFile| {
        let range = file.start..file.outline_end;
        segment
            .contents
            .get(range, file.checksum)
            .is_some_and(|bytes| checksum(&bytes) == file.checksum)
    };
    // A remote's writer sets the numbers, and tables get as many rows.
    let files = segment.files.len() + segment.gone.len();
    let is_numbered =
        |word| segment.postings.of(word).all(|(file, _): (u32, _)| (file as usize) < files);
    let is_sound = segment.files.iter().all(is_sound) && segment.postings.0.ids().all(is_numbered);
    is_sound.then_some(segment)
}

fn segment_of(
    header: &[u8],
    postings: Vec<u8>,
    contents: SegmentContents,
    stored: StoredSegment,
) -> Option<Segment> {
    let header: Header<'_> = postcard::from_bytes(strip_checksum(header)?).ok()?;
    if checksum(&postings) != header.postings {
        return None;
    }
    let dictionary = ByteStrings::from_parts(header.words.to_vec(), integers(header.ends))?;
    let postings = ByteStrings::from_parts(postings, integers(header.posting_ends))?;
    let (vectors, _) = header.vectors.as_chunks();
    let vectors: Vec<WordVectorId> =
        vectors.iter().map(|id| WordVectorId::from_bytes(*id)).collect();
    let StoredSegment { name, files, gone } = stored;
    let numbers = files.len() + gone.len();
    let is_sound = files
        .iter()
        .all(|file| file.outline_end <= contents.len() && (file.number as usize) < numbers);
    let (name, vectors) = (OnceLock::from(name), OnceLock::from(vectors));
    is_sound.then_some(Segment {
        dictionary,
        vectors,
        files,
        postings: Postings(postings),
        contents,
        name,
        gone,
        ..Segment::default()
    })
}

/// Reads integers of four bytes.
fn integers(bytes: &[u8]) -> impl Iterator<Item = u32> {
    let (integers, _) = bytes.as_chunks();
    integers.iter().map(|integer| u32::from_le_bytes(*integer))
}

fn encode_list(workspace: &Workspace, list: &[StoredSegment]) -> io::Result<Vec<u8>> {
    let body = postcard::to_stdvec(list).map_err(io::Error::other)?;
    Ok([MAGIC, &hashes(workspace, &body), &body].concat())
}

/// Returns the segments of a list; none if it can't be trusted.
fn decode_list(bytes: &[u8], workspace: &Workspace) -> Option<Vec<StoredSegment>> {
    let (stored, body) =
        bytes.strip_prefix(MAGIC)?.split_first_chunk::<{ 2 * CHECKSUM_BYTES }>()?;
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
fn hashes(workspace: &Workspace, body: &[u8]) -> [u8; 2 * CHECKSUM_BYTES] {
    let [of_traits, of_body] = [workspace.traits_config_hash().as_bytes(), body].map(checksum);
    let mut hashes = [0; 2 * CHECKSUM_BYTES];
    let (front, back) = hashes.split_at_mut(CHECKSUM_BYTES);
    front.copy_from_slice(&of_traits);
    back.copy_from_slice(&of_body);
    hashes
}
