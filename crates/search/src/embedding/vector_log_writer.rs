//! Appends to the log of vectors, in a file or in memory.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::PathBuf,
};

use super::{
    EmbeddingError, VectorSnapshot,
    vector_log_format::{self, VectorContentKey},
};
use retriever_workspace::cache_file_io::replace_file;

/// A log that is written. Its header needs the dimensions of the vectors, which are known with the first of them.
pub(super) struct VectorLogWriter {
    log: Log,
    identity: VectorContentKey,
    dimensions: usize,
}

enum Log {
    /// Not written yet.
    Absent(PathBuf),
    File(File),
    Memory(Vec<u8>),
}

impl VectorLogWriter {
    /// Continues the log that `known` was read from.
    pub(super) fn continued(path: Option<PathBuf>, known: &VectorSnapshot) -> io::Result<Self> {
        let log = match path {
            Some(path) => Log::File(OpenOptions::new().append(true).open(path)?),
            None => Log::Memory(known.log().to_vec()),
        };
        Ok(Self { log, identity: VectorContentKey::default(), dimensions: known.dimensions() })
    }

    /// Begins a log with `records` of vectors of these dimensions.
    pub(super) fn anew(
        path: Option<PathBuf>,
        identity: VectorContentKey,
        records: &[u8],
        dimensions: usize,
    ) -> io::Result<Self> {
        let log = path.map_or_else(|| Log::Memory(Vec::new()), Log::Absent);
        let mut writer = Self { log, identity, dimensions: 0 };
        if dimensions > 0 {
            writer.begin(records, dimensions)?;
        }
        Ok(writer)
    }

    /// Appends records of vectors of these dimensions.
    pub(super) fn append(
        &mut self,
        records: &[u8],
        dimensions: usize,
    ) -> Result<(), EmbeddingError> {
        if self.dimensions == 0 {
            return Ok(self.begin(records, dimensions)?);
        }
        if self.dimensions != dimensions {
            return Err(EmbeddingError::Shape {
                got: format!("vectors of {dimensions} numbers"),
                wanted: format!("{} as in those that are stored", self.dimensions),
            });
        }
        match &mut self.log {
            Log::File(file) => Ok(file.write_all(records)?),
            Log::Memory(log) => {
                log.extend_from_slice(records);
                Ok(())
            }
            Log::Absent(_) => Ok(()),
        }
    }

    /// Returns the log if it is in memory.
    pub(super) fn into_memory(self) -> Option<Vec<u8>> {
        match self.log {
            Log::Memory(log) => Some(log),
            Log::File(_) | Log::Absent(_) => None,
        }
    }

    fn begin(&mut self, records: &[u8], dimensions: usize) -> io::Result<()> {
        let whole = [&vector_log_format::header(&self.identity, dimensions), records].concat();
        self.dimensions = dimensions;
        match &mut self.log {
            Log::Memory(log) => *log = whole,
            Log::File(_) => {}
            Log::Absent(path) => {
                replace_file(path, &whole)?;
                let file = OpenOptions::new().append(true).open(path)?;
                self.log = Log::File(file);
            }
        }
        Ok(())
    }
}
