//! `index --status`: prints what is stored of the index, and how it differs from the tree.

use indicatif::DecimalBytes;
use retriever::{
    indexing::{GraphIndex, IndexStatus, UnfinishedBuild},
    search::{FullTextIndex, VectorCount, VectorIndex},
};
use serde::Serialize;

use super::super::{
    command_context::CommandContext, command_error::CommandError, console_output::OutputFormat,
    exit_status::Exit,
};
use super::stored_words;

#[derive(Serialize)]
pub(super) struct StatusReport {
    #[serde(flatten)]
    pub(super) index: IndexStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) vectors: Option<VectorCount>,
}

impl StatusReport {
    pub(super) fn of(
        index: &GraphIndex,
        full_text: &FullTextIndex,
        vectors: Option<&VectorIndex>,
    ) -> Self {
        let mut status = index.status();
        status.bytes += full_text.stored_bytes() + vectors.map_or(0, VectorIndex::stored_bytes);
        let vectors = vectors.map(|vectors| vectors.count(&stored_words(index, full_text)));
        Self { index: status, vectors }
    }
}

/// Returns the line for vectors.
pub(super) fn described_vectors(count: &VectorCount) -> String {
    let VectorCount { vectors, files, missing } = count;
    let missing = match missing {
        0 => String::new(),
        missing => format!("; {missing} files have none yet"),
    };
    format!("\n{vectors} vectors of {files} files{missing}")
}

/// Returns a line for each kind of omission.
pub(super) fn omissions(limited: usize, unresolved: usize) -> String {
    let line = |count: usize, what: &str| match count {
        0 => String::new(),
        _ => format!("\n{count} files {what}"),
    };
    let limited = line(limited, "are too large or too deep to be read in full");
    let unresolved = line(
        unresolved,
        "take too much work to be resolved in full: some of their edges are missing",
    );
    format!("{limited}{unresolved}")
}

pub(super) fn status(
    context: &CommandContext<'_>,
    report: &StatusReport,
) -> Result<Exit, CommandError> {
    let StatusReport { index: status, vectors } = report;
    match context.output.format {
        OutputFormat::Json => context.output.print_json(report)?,
        OutputFormat::Markdown | OutputFormat::Text => {
            let place = match &status.store {
                Some(folder) => folder.display().to_string(),
                None => "nowhere: there is no cache folder".to_owned(),
            };
            let problem = match &status.problem {
                Some(problem) => {
                    format!("\nit can't be used: {problem}; the next use rebuilds it")
                }
                None => String::new(),
            };
            let left_out = omissions(status.limited, status.unresolved);
            let imported = match status {
                IndexStatus { imported: 0, outdated: 0, .. } => String::new(),
                IndexStatus { imported, outdated, .. } => {
                    format!(
                        "\n{imported} files with imported edges, {outdated} more have changed since"
                    )
                }
            };
            let unfinished = status.unfinished.map(described_unfinished).unwrap_or_default();
            let vectors = vectors.as_ref().map(described_vectors).unwrap_or_default();
            context.output.print(&format!(
                "kept in {place}, {}\n{} files, {} definitions; {} files to read, {} gone{unfinished}{imported}{vectors}{left_out}{problem}",
                DecimalBytes(status.bytes), status.files, status.nodes, status.stale, status.gone
            ))?;
        }
    }
    Ok(Exit::Done)
}

fn described_unfinished(build: UnfinishedBuild) -> String {
    let UnfinishedBuild { read, files, is_long } = build;
    let next = if is_long {
        "run `retriever index`: the rest takes longer than a question waits"
    } else {
        "a question or `retriever index` continues"
    };
    format!(
        "\nthe first graph is not complete: {read} of {files} files were read and are kept; {next}"
    )
}
