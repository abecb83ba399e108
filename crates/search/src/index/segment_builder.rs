//! Reads files into segments.

use rayon::prelude::*;
use retriever_workspace::{
    Cancellation, ContentHashes, FileStat, FoundFile, ReadError, RepoPath, TextFile,
    WorkBudgetExhausted, Workspace, cache_file_io::checksum,
};

use super::{
    postings::PostingsBuilder,
    segment::{FileTraitBits, IndexedContentKind, IndexedFile, Segment, ShortHash},
    segment_loading::SegmentContents,
    token_stream_codec::TokenStreamEncoder,
};
use crate::{declarations::FileOutline, per_file_limits};

/// Larger files are data.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// Fewest files for a task.
const MIN_FILES: usize = 64;

/// Reads `entries` into one segment a task. `now` decides which stamps are too young to be trusted. Files that were not
/// read before the cancellation are missing.
pub(super) fn build(
    workspace: &Workspace,
    entries: &[&FoundFile],
    now: u64,
    cancellation: &Cancellation,
) -> Vec<Segment> {
    let share = entries.len().div_ceil(4 * rayon::current_num_threads().max(1));
    let build_one = |entries: &[&FoundFile]| {
        let mut builder = SegmentBuilder::new(workspace, now, cancellation);
        // After a cancellation the files that are read so far are a segment of their own.
        let _: Result<(), WorkBudgetExhausted> =
            entries.iter().try_for_each(|entry| builder.add(entry));
        builder.finish()
    };
    entries.par_chunks(share.max(MIN_FILES)).map(build_one).collect()
}

struct SegmentBuilder<'a> {
    workspace: &'a Workspace,
    now: u64,
    cancellation: &'a Cancellation,
    encoder: TokenStreamEncoder,
    postings: PostingsBuilder,
    segment: Segment,
    /// Streams and outlines.
    bytes: Vec<u8>,
}

impl<'a> SegmentBuilder<'a> {
    fn new(workspace: &'a Workspace, now: u64, cancellation: &'a Cancellation) -> Self {
        Self {
            workspace,
            now,
            cancellation,
            encoder: TokenStreamEncoder::default(),
            postings: PostingsBuilder::default(),
            segment: Segment::default(),
            bytes: Vec::new(),
        }
    }

    fn finish(mut self) -> Segment {
        self.segment.dictionary = self.encoder.dictionary;
        self.segment.postings = self.postings.finish();
        self.segment.contents = SegmentContents::Made(self.bytes);
        self.segment
    }

    /// Adds a file.
    ///
    /// # Errors
    ///
    /// [`WorkBudgetExhausted::Cancelled`]; then the segment is without the file.
    fn add(&mut self, entry: &FoundFile) -> Result<(), WorkBudgetExhausted> {
        self.cancellation.check()?;
        let path = &entry.path;
        let stamp = FileStat::of(entry);
        let start = self.bytes.len();
        let mut indexed = IndexedFile {
            path: path.as_str().to_owned(),
            stamp,
            is_doubtful: stamp.is_racy(self.now),
            kind: IndexedContentKind::Unreadable,
            traits: FileTraitBits::default(),
            length: 0,
            hash: ShortHash::default(),
            start,
            end: start,
            outline_end: start,
            number: u32::try_from(self.segment.files.len()).unwrap_or(u32::MAX),
            checksum: checksum(&[]),
        };
        match (!is_data(entry)).then(|| self.workspace.read(path)) {
            None => indexed.kind = IndexedContentKind::Data,
            Some(Ok(file)) if file.is_minified() => indexed.kind = IndexedContentKind::Minified,
            Some(Ok(file)) => self.add_text(&file, &mut indexed)?,
            Some(Err(ReadError::Binary(_))) => {}
            // What the system refused may be readable the next time.
            Some(Err(_)) => indexed.is_doubtful = true,
        }
        if indexed.kind != IndexedContentKind::Text {
            let by_path = self.workspace.traits(path, "");
            indexed.traits = FileTraitBits::of(&by_path, || by_path.clone());
        }
        self.segment.files.push(indexed);
        Ok(())
    }

    fn add_text(
        &mut self,
        file: &TextFile,
        indexed: &mut IndexedFile,
    ) -> Result<(), WorkBudgetExhausted> {
        let budget = per_file_limits::file_budget(file.text().len(), self.cancellation);
        let (outline, names) = FileOutline::of(file, &budget)?;
        indexed.kind = IndexedContentKind::Text;
        indexed.traits = FileTraitBits::of(&file.traits, || self.workspace.traits(&file.path, ""));
        if file.is_script() {
            indexed.traits.set_script();
        }
        indexed.hash = ShortHash::of(&file.hash);
        let bytes = &mut self.bytes;
        let extension = file.extension();
        indexed.length = self.encoder.encode(file.text(), extension, &names, bytes);
        indexed.end = bytes.len();
        *bytes = outline.encode(std::mem::take(bytes));
        indexed.outline_end = bytes.len();
        indexed.checksum = checksum(&bytes[indexed.start..]);
        self.postings.add(indexed.number, &bytes[indexed.start..indexed.end]);
        Ok(())
    }
}

/// Confirms files of another machine's index, sorted by path, that have the same content in the tree. The others are read
/// by the next refresh.
pub(super) fn confirm(files: &mut [IndexedFile], hashes: &ContentHashes<'_>) {
    let walk = hashes.walk();
    files.par_iter_mut().for_each(|file| {
        let path = |entry: &FoundFile| entry.path.as_str().cmp(&file.path);
        let entry = walk.files.binary_search_by(path).ok().and_then(|at| walk.files.get(at));
        file.is_doubtful = true;
        let Some(entry) = entry else { return };
        let is_same = match file.kind {
            IndexedContentKind::Data => is_data(entry),
            IndexedContentKind::Text if !is_data(entry) => {
                hashes.of(&entry.path).is_some_and(|hash| file.is_of(&hash))
            }
            IndexedContentKind::Text
            | IndexedContentKind::Minified
            | IndexedContentKind::Unreadable => false,
        };
        if is_same {
            file.stamp = FileStat::of(entry);
            file.is_doubtful = file.stamp.is_racy(hashes.since());
        }
    });
}

fn is_data(entry: &FoundFile) -> bool {
    entry.size > MAX_FILE_BYTES || is_lock_file(&entry.path)
}

/// Whether a file pins dependencies: it names everything and explains nothing.
fn is_lock_file(path: &RepoPath) -> bool {
    let name = path.file_name();
    name.ends_with(".lock")
        || name.ends_with("-lock.json")
        || name.ends_with("-lock.yaml")
        || matches!(name, "go.sum" | "npm-shrinkwrap.json")
}
