//! `index --publish`: puts the graph where every machine can ask it.

use std::path::Path;

#[cfg(feature = "database")]
pub(super) use retriever::everywhere::PublishedGraph;
use retriever::{config::GraphConfig, index::Index};

use super::error::{CommandError, Kind};

/// What a program without a graph database publishes: nothing.
#[cfg(not(feature = "database"))]
pub(super) type PublishedGraph = ();

/// Publishes the graph to the graph database.
#[cfg(feature = "database")]
pub(super) fn to_database(
    index: &Index,
    config: &GraphConfig,
) -> Result<PublishedGraph, CommandError> {
    use retriever::everywhere::{Everywhere, EverywhereError};

    let repository = repository(index, config)?;
    Everywhere::new(config).publish(index, &repository, "").map_err(|error| {
        let kind = match error {
            EverywhereError::NotConfigured | EverywhereError::Database(_) => Kind::Setup,
            EverywhereError::Graph(_) | EverywhereError::Thread(_) => Kind::Internal,
        };
        CommandError::new(kind, error.to_string()).hint(
            "name the graph database with --database, RETRIEVER_GRAPH_DATABASE or graph.database; a remote for other machines' first index with --remote, RETRIEVER_REMOTE or index.remote",
        )
    })
}

/// Says that this program can't publish.
#[cfg(not(feature = "database"))]
pub(super) fn to_database(
    index: &Index,
    config: &GraphConfig,
) -> Result<PublishedGraph, CommandError> {
    let _ = repository(index, config)?;
    Err(CommandError::new(Kind::Setup, "this program was built without a graph database")
        .hint("build it with the feature database"))
}

/// Returns the line that says what was published.
pub(super) fn describe(published: &PublishedGraph) -> String {
    #[cfg(feature = "database")]
    return format!(
        "published as {}: {} definitions, {} edges, {} packages",
        published.repository, published.nodes, published.edges, published.packages
    );
    #[cfg(not(feature = "database"))]
    return format!("{published:?}");
}

/// Returns the name that a repository is published under.
fn repository(index: &Index, config: &GraphConfig) -> Result<String, CommandError> {
    let mut roots = index.workspace().roots();
    let (Some((_, root)), None) = (roots.next(), roots.next()) else {
        return Err(CommandError::new(Kind::Usage, "one repository is published at a time")
            .hint("give one --root"));
    };
    let name = match config.repository.trim() {
        "" => Path::new(root).file_name().and_then(|name| name.to_str()).unwrap_or_default(),
        name => name,
    };
    if name.is_empty() {
        return Err(CommandError::new(Kind::Usage, "the repository has no name")
            .hint("give it one with --repository"));
    }
    Ok(name.to_owned())
}
