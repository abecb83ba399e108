//! The results of an eval so far: `FILE.partial` beside `--out`, one result per line, until the run is complete. A rerun
//! continues from it.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use retriever_eval::CaseResult;

use super::{CommandContext, CommandError, suite_and_result_files};

/// Results of a run that isn't complete.
pub(super) struct EvalJournal {
    path: PathBuf,
    file: File,
    /// Results of an earlier run that was interrupted.
    pub(super) finished: Vec<CaseResult>,
    failure: Option<io::Error>,
}

impl EvalJournal {
    /// Opens the journal of the result file `out`.
    #[expect(clippy::disallowed_methods, reason = "the user names the file on the command line")]
    pub(super) fn open(out: &Path) -> Result<Self, CommandError> {
        let mut name = out.as_os_str().to_owned();
        name.push(".partial");
        let path = PathBuf::from(name);
        // The last line of an interrupted run may be truncated; a case whose line is not a result is computed again.
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let finished = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(|error| suite_and_result_files::write_error(&path, &error))?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n")
                .map_err(|error| suite_and_result_files::write_error(&path, &error))?;
        }
        Ok(Self { path, file, finished, failure: None })
    }

    /// Adds a result. The first failure is kept for [`EvalJournal::close`].
    pub(super) fn add(&mut self, result: &CaseResult) {
        let written = serde_json::to_string(result)
            .map_err(io::Error::from)
            .and_then(|line| self.file.write_all(format!("{line}\n").as_bytes()));
        if let Err(error) = written {
            self.failure.get_or_insert(error);
        }
    }

    /// Removes the journal of a complete run.
    pub(super) fn close(self, context: &CommandContext<'_>) {
        if let Some(error) = self.failure {
            let path = self.path.display();
            context.output.warn(&format!("{path} could not be written while running: {error}"));
        }
        let _ = std::fs::remove_file(&self.path);
    }
}
