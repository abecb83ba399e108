//! The result of `index`, as JSON and as text.

use retriever::{
    configured_remote::PublishedCommit,
    indexing::{RefreshSummary, ScipImport},
    search::VectorCount,
};
use serde::Serialize;

use super::{
    super::{
        command_context::CommandContext, command_error::CommandError, console_output::OutputFormat,
        exit_status::Exit, publish_graph_to_database, publish_index_to_remote,
    },
    index_status::{described_vectors, omissions},
};

#[derive(Serialize)]
pub(in super::super) struct RefreshReport {
    #[serde(flatten)]
    pub(super) summary: RefreshSummary,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scip: Option<ScipImport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) published: Option<publish_graph_to_database::PublishedGraph>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) published_index: Option<PublishedCommit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) vectors: Option<VectorCount>,
    pub(super) elapsed_ms: u64,
}

pub(super) fn print(
    context: &CommandContext<'_>,
    done: &RefreshReport,
) -> Result<Exit, CommandError> {
    match context.output.format {
        OutputFormat::Json => context.output.print_json(done)?,
        OutputFormat::Markdown | OutputFormat::Text => context.output.print(&describe(done))?,
    }
    Ok(Exit::Done)
}

fn describe(done: &RefreshReport) -> String {
    let RefreshSummary { files, changed, removed, nodes, limited, unresolved, .. } = &done.summary;
    let mut text = format!(
        "{files} files, {nodes} definitions; {changed} read, {removed} gone, in {} ms",
        done.elapsed_ms
    );
    text += &omissions(*limited, *unresolved);
    if let Some(ScipImport { documents, matched, differing, absent }) = &done.scip {
        let differing = differing.len();
        let taken = format!("edges of {matched} of {documents} indexed files imported");
        text = format!("{text}\n{taken}; {differing} have changed, {absent} do not exist");
    }
    if let Some(published) = &done.published {
        text = format!("{text}\n{}", publish_graph_to_database::describe(published));
    }
    text.extend(done.published_index.as_ref().map(publish_index_to_remote::describe));
    text.extend(done.vectors.as_ref().map(described_vectors));
    text
}
