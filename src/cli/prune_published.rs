//! `index --prune-remote`: removes old publications: of this repository from the remote, and of every repository from
//! the graph database if the command names one.

use std::time::Duration;

use retriever::{
    config::LoadedConfig,
    configured_remote::{PruneOutcome, can_be_written},
};
use serde::Serialize;

use super::{
    args::IndexArgs,
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
    console_output::OutputFormat,
    exit_status::Exit,
    publish_graph_to_database, publish_index_to_remote,
};

/// What was removed.
#[derive(Default, Serialize)]
struct PruneReport {
    #[serde(flatten)]
    remote: Option<PruneOutcome>,
    /// Repositories removed from the graph database.
    #[serde(skip_serializing_if = "Option::is_none")]
    database_repositories: Option<u64>,
}

/// Prunes the remote, and the graph database if the command names it. If one fails, the other is still pruned; a
/// read-only remote is left alone.
pub(super) fn run(
    context: &CommandContext<'_>,
    loaded: &LoadedConfig,
    args: &IndexArgs,
) -> Result<Exit, CommandError> {
    let keep = Duration::from_secs(args.keep.into());
    if args.database.is_some() && (context.remote.is_some() || args.repository.is_some()) {
        let message = "--database prunes every repository, --remote and --repository only one";
        return Err(CommandError::new(CommandErrorKind::Usage, message)
            .hint("prune the graph database and the remote with two commands"));
    }
    let asks_remote = args.database.is_none() || can_be_written(&loaded.config.index.remote);
    let remote =
        asks_remote.then(|| publish_index_to_remote::prune(context, loaded, keep)).transpose();
    let database = args
        .database
        .is_some()
        .then(|| publish_graph_to_database::prune_database(&loaded.config, keep));
    let database = database.transpose();
    let report = PruneReport {
        remote: remote.as_ref().ok().cloned().flatten(),
        database_repositories: database.as_ref().ok().copied().flatten(),
    };
    print(context, &report)?;
    match (remote, database) {
        (Err(remote), Err(database)) => Err(both(remote, database)),
        (Err(error), Ok(_)) | (Ok(_), Err(error)) => Err(error),
        (Ok(_), Ok(_)) => Ok(Exit::Done),
    }
}

/// Combines two errors.
fn both(first: CommandError, second: CommandError) -> CommandError {
    CommandError {
        kind: first.kind,
        message: format!("{}; {}", first.message, second.message),
        hints: [first.hints, second.hints].concat(),
    }
}

fn print(context: &CommandContext<'_>, report: &PruneReport) -> Result<(), CommandError> {
    let PruneReport { remote, database_repositories } = report;
    let of_remote = remote.as_ref().map(publish_index_to_remote::describe_pruned);
    let of_database = database_repositories
        .map(|count| format!("{count} repositories removed from the graph database"));
    let lines: Vec<String> = of_remote.into_iter().chain(of_database).collect();
    match context.output.format {
        _ if lines.is_empty() => Ok(()),
        OutputFormat::Json => context.output.print_json(report),
        OutputFormat::Markdown | OutputFormat::Text => context.output.print(&lines.join("\n")),
    }
}
