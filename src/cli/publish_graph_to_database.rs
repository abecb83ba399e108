//! `index --publish`: publishes the graph to the graph database.

use std::time::Duration;

use retriever::{config::Config, indexing::GraphIndex};

use super::{
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
};

#[cfg(feature = "database")]
pub(super) use retriever::configured_database::PublishedGraph;
#[cfg(feature = "database")]
use retriever::configured_database::{
    ConfiguredDatabase, ConfiguredDatabaseError, PublishedGraphName,
};

/// Nothing: a program without a graph database publishes none.
#[cfg(not(feature = "database"))]
pub(super) type PublishedGraph = ();

/// Publishes the graph to the graph database.
#[cfg(feature = "database")]
pub(super) fn to_database(
    context: &CommandContext<'_>,
    index: &GraphIndex,
    config: &Config,
) -> Result<PublishedGraph, CommandError> {
    let name = PublishedGraphName::of(index.workspace(), &config.index.repository);
    let name = name.ok_or_else(|| {
        CommandError::new(
            CommandErrorKind::Usage,
            "one repository is published at a time, and it needs a name",
        )
        .hint("give one --root, and --repository")
    })?;
    if name.is_folder {
        context.output.warn(&format!(
            "git has no remote \"origin\" here, so the repository is published as {:?}, the name of its folder, and replaces any \
             other repository of that name; --repository sets another name",
            name.repository
        ));
    }
    ConfiguredDatabase::new(&config.graph).publish(index, &name).map_err(|error| failed(&error))
}

/// Removes the repositories of the graph database that were not published for `keep`. Returns the number of repositories.
#[cfg(feature = "database")]
pub(super) fn prune_database(config: &Config, keep: Duration) -> Result<u64, CommandError> {
    ConfiguredDatabase::new(&config.graph).prune(keep).map_err(|error| failed(&error))
}

#[cfg(feature = "database")]
fn failed(error: &ConfiguredDatabaseError) -> CommandError {
    let kind = match error {
        ConfiguredDatabaseError::NotConfigured | ConfiguredDatabaseError::Database(_) => {
            CommandErrorKind::Setup
        }
        ConfiguredDatabaseError::Graph(_)
        | ConfiguredDatabaseError::Cancelled
        | ConfiguredDatabaseError::Thread(_) => CommandErrorKind::Internal,
    };
    CommandError::new(kind, error.to_string()).hint(
        "name the graph database with --database, RETRIEVER_GRAPH_DATABASE or graph.database; a remote for other machines' first index with --remote, RETRIEVER_REMOTE or index.remote",
    )
}

/// Returns an error: the program is built without a graph database.
#[cfg(not(feature = "database"))]
pub(super) fn to_database(
    _: &CommandContext<'_>,
    _: &GraphIndex,
    _: &Config,
) -> Result<PublishedGraph, CommandError> {
    Err(without_database())
}

#[cfg(not(feature = "database"))]
pub(super) fn prune_database(_: &Config, _: Duration) -> Result<u64, CommandError> {
    Err(without_database())
}

#[cfg(not(feature = "database"))]
fn without_database() -> CommandError {
    CommandError::new(CommandErrorKind::Setup, "this program was built without a graph database")
        .hint("publish to a remote index with --remote URL, or build the program with the feature database")
}

/// Returns the line that says what was published.
pub(super) fn describe(published: &PublishedGraph) -> String {
    #[cfg(feature = "database")]
    return format!(
        "published as {}{}: {} definitions, {} edges, {} packages",
        published.repository,
        if published.commit.is_empty() { String::new() } else { format!(" {}", published.commit) },
        published.nodes,
        published.edges,
        published.packages
    );
    #[cfg(not(feature = "database"))]
    return format!("{published:?}");
}
