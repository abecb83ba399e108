//! The vectors of a tree as they are stored, read in place.

use std::ops::Range;

use super::{
    quantised_vector::QuantisedVector,
    vector_log_format::{
        self, HEADER_BYTES, ROW_BYTES, VectorContentKey, VectorRecordHeader, VectorRow, read_u32,
    },
};
use retriever_workspace::{LineRange, cache_file_io::strip_checksum};

/// Vectors of files. It is never changed.
#[derive(Debug, Default)]
pub struct VectorSnapshot {
    log: Vec<u8>,
    dimensions: usize,
    /// By path.
    files: Vec<FileVectors>,
    rows: usize,
    /// Where the last whole record ends.
    end: usize,
    /// Bytes of records that hold.
    used: usize,
    is_damaged: bool,
}

/// Where the vectors of a file are.
#[derive(Debug)]
pub(super) struct FileVectors {
    path: Range<usize>,
    pub(super) content: VectorContentKey,
    /// Where the rows begin, and where their vectors do.
    rows_at: usize,
    vectors_at: usize,
    pub(super) count: usize,
    /// Number of rows of the files before it.
    pub(super) first_row: usize,
    record: Range<usize>,
}

impl VectorSnapshot {
    /// Reads a log. What in it is damaged or of another model is left out.
    pub(super) fn parse(log: Vec<u8>, identity: &VectorContentKey) -> Self {
        let Some(dimensions) = vector_log_format::dimensions_of(&log, identity) else {
            return Self::default();
        };
        let mut snapshot = Self { dimensions, end: HEADER_BYTES, ..Self::default() };
        while let Some((encoded, next)) = vector_log_format::record_at(&log, snapshot.end) {
            let found = strip_checksum(encoded).and_then(|payload| {
                let at = next - payload.len();
                file_vectors(payload, at, dimensions, snapshot.end..next)
            });
            match found {
                Some(file) => snapshot.files.push(file),
                None => snapshot.is_damaged = true,
            }
            snapshot.end = next;
        }
        snapshot.is_damaged |= snapshot.end < log.len();
        let path = |file: &FileVectors| log.get(file.path.clone()).unwrap_or_default();
        // Of several records of a file the last one stays.
        snapshot.files.reverse();
        snapshot.files.sort_by(|one, other| path(one).cmp(path(other)));
        snapshot.files.dedup_by(|later, earlier| path(later) == path(earlier));
        for file in &mut snapshot.files {
            file.first_row = snapshot.rows;
            snapshot.rows += file.count;
            snapshot.used += file.record.len();
        }
        Self { log, ..snapshot }
    }

    /// Returns the number of vectors.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Returns the numbers of each vector; 0 when there are none.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    pub(super) fn files(&self) -> &[FileVectors] {
        &self.files
    }

    pub(super) fn log(&self) -> &[u8] {
        &self.log
    }

    /// Whether the log can be continued as it is: it is whole, and at least half of it is in use.
    pub(super) fn can_be_continued(&self) -> bool {
        self.dimensions > 0 && !self.is_damaged && 2 * self.used + HEADER_BYTES >= self.end
    }

    pub(super) fn path(&self, file: &FileVectors) -> &str {
        let path = self.log.get(file.path.clone()).unwrap_or_default();
        std::str::from_utf8(path).unwrap_or_default()
    }

    /// Returns the vectors of the file at a path.
    pub(super) fn file(&self, path: &str) -> Option<&FileVectors> {
        let at = self.files.binary_search_by(|file| self.path(file).cmp(path)).ok()?;
        self.files.get(at)
    }

    /// Returns the record of a file as it is stored.
    pub(super) fn record(&self, file: &FileVectors) -> &[u8] {
        self.log.get(file.record.clone()).unwrap_or_default()
    }

    /// Returns the lines of a row.
    pub(super) fn range(&self, file: &FileVectors, row: usize) -> Option<LineRange> {
        let at = file.rows_at + row * ROW_BYTES;
        let start = read_u32(&self.log, at)?;
        LineRange::new(start, start.checked_add(read_u32(&self.log, at + 4)?)?)
    }

    /// Returns the scale and the bytes of the vector of a row.
    #[inline]
    pub(super) fn stored_vector(&self, file: &FileVectors, row: usize) -> Option<(f32, &[u8])> {
        let scale = read_u32(&self.log, file.rows_at + row * ROW_BYTES + 8)?;
        let at = file.vectors_at + row * self.dimensions;
        Some((f32::from_bits(scale), self.log.get(at..at + self.dimensions)?))
    }

    /// Returns the rows of a file.
    pub(super) fn text_rows(&self, file: &FileVectors) -> Vec<VectorRow> {
        let row = |row: usize| {
            let (scale, bytes) = self.stored_vector(file, row)?;
            let bytes = bytes.iter().map(|byte| byte.cast_signed()).collect();
            let key = self.log.get(file.rows_at + row * ROW_BYTES + 12..)?.first_chunk()?;
            let vector = QuantisedVector { scale, bytes };
            Some(VectorRow { range: self.range(file, row)?, key: *key, vector })
        };
        (0..file.count).filter_map(row).collect()
    }
}

/// Reads the payload of a record, which begins at `at`.
fn file_vectors(
    payload: &[u8],
    at: usize,
    dimensions: usize,
    record: Range<usize>,
) -> Option<FileVectors> {
    let (head, rest) = postcard::take_from_bytes::<VectorRecordHeader<'_>>(payload).ok()?;
    let rows_at = at + payload.len() - rest.len();
    let vectors_at = rows_at.checked_add(head.rows.checked_mul(ROW_BYTES)?)?;
    let end = vectors_at.checked_add(head.rows.checked_mul(dimensions)?)?;
    (end == at + payload.len()).then_some(())?;
    let path_at = at + (head.path.as_ptr() as usize - payload.as_ptr() as usize);
    Some(FileVectors {
        path: path_at..path_at + head.path.len(),
        content: head.content,
        rows_at,
        vectors_at,
        count: head.rows,
        first_row: 0,
        record,
    })
}
