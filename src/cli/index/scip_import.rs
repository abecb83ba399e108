//! `index --scip`: imports SCIP indexes.

use std::path::PathBuf;

use retriever::indexing::{GraphIndex, ScipError, ScipImport, ScipIndex};

use super::super::command_error::{CommandError, CommandErrorKind};

/// Imports the SCIP indexes in `files`.
pub(super) fn import(index: &GraphIndex, files: &[PathBuf]) -> Result<ScipImport, CommandError> {
    const HINT: &str = "make a new index at the root, for example with scip-typescript index, and import it before files change";
    let mut indexes = Vec::new();
    for file in files {
        #[expect(clippy::disallowed_methods, reason = "the user named the file")]
        let bytes = std::fs::read(file).map_err(|error| {
            CommandError::new(CommandErrorKind::Usage, format!("cannot read {}: {error}", file.display()))
                .hint("--scip takes the path of a SCIP index, as scip-typescript or rust-analyzer write it")
        })?;
        let failed = |error: ScipError| {
            CommandError::new(
                CommandErrorKind::Usage,
                format!("cannot import {}: {error}", file.display()),
            )
            .hint(HINT)
        };
        indexes.push(ScipIndex::parse(&bytes).map_err(failed)?);
    }
    index.import(&indexes).map_err(|error| {
        let roots: Vec<&str> = index.workspace().roots().map(|(_, path)| path).collect();
        let root = roots.join(", ");
        CommandError::new(CommandErrorKind::Usage, format!("nothing to import for {root}: {error}"))
            .hint(HINT)
    })
}
