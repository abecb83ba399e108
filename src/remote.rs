//! The remote of the configuration, as what the first graph and the first words of a workspace come from, and the
//! publication of both.

use std::{path::PathBuf, sync::Arc, time::Duration};

pub use retriever_remote::{Credentials, Pruned, Published, Remote, RemoteError, RemoteReader};
use retriever_remote::{Parts, Publication, RemoteOptions};

use crate::config::IndexConfig;
use retriever_graph::index::{self, Index, IndexError, Upstream};
use retriever_search::TokenIndex;
use retriever_workspace::Workspace;

/// File beside a graph that says which published index it came from.
const NOTE: &str = "remote";

/// Why nothing was published.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PublishError {
    /// There is nothing that can be published.
    #[error("the code graph can't be published: {0}")]
    Index(#[from] IndexError),
    /// The remote does not take it.
    #[error("the remote index can't be written: {0}")]
    Remote(#[from] RemoteError),
}

/// Opens the configured remote of a workspace, for its readers or, with more patience, for its publisher; `None` when none is
/// configured or the workspace is no working tree of a repository.
///
/// # Errors
///
/// [`RemoteError`].
pub fn open_remote(
    workspace: &Workspace,
    config: &IndexConfig,
    note: Option<PathBuf>,
) -> Result<Option<Remote>, RemoteError> {
    let address = Some(&config.remote).filter(|address| !address.is_empty());
    let Some((address, git)) = address.zip(workspace.git_folders()) else { return Ok(None) };
    let options = RemoteOptions {
        address: address.clone(),
        credentials: config.remote_credentials.clone(),
        repository: Some(config.repository.clone()).filter(|name| !name.is_empty()),
        git,
        version: format!("{}-{}", index::version(), retriever_search::words_version()),
        patience: Duration::from_millis(config.remote_patience_ms),
        note,
    };
    Remote::open(options).map(Some)
}

/// Publishes what is known of the commit that is checked out. The index has just been refreshed.
///
/// # Errors
///
/// [`PublishError`].
pub fn publish(
    index: &Index,
    tokens: &TokenIndex,
    remote: &RemoteReader,
) -> Result<Published, PublishError> {
    let graph = index.portable()?;
    let publication = Publication {
        graph: graph.parts,
        words: tokens.portable(index.workspace()),
        contents: graph.contents,
        facts: &|content| index.facts_of(content),
    };
    Ok(remote.publish(publication)?)
}

/// Lets an index begin with what the configured remote has.
pub(crate) fn with_remote(
    index: Index,
    tokens: TokenIndex,
    config: &IndexConfig,
) -> (Index, TokenIndex, Option<Arc<RemoteReader>>) {
    let Some(folder) = index.folder() else { return (index, tokens, None) };
    let reader = match open_remote(index.workspace(), config, Some(folder.join(NOTE))) {
        Ok(Some(remote)) => Arc::new(RemoteReader::new(remote)),
        // Most folders of somebody who has configured a remote may be in no repository that has one.
        Ok(None) | Err(RemoteError::NoRepository) => {
            return (index, tokens, None);
        }
        Err(error) => {
            index.warn(error.to_string());
            return (index, tokens, None);
        }
    };
    let words = Arc::clone(&reader);
    let index = index.with_upstream(Arc::new(GraphUpstream(Arc::clone(&reader))));
    (index, tokens.with_upstream(Box::new(move || words.words())), Some(reader))
}

/// A remote as the code graph knows it.
struct GraphUpstream(Arc<RemoteReader>);

impl Upstream for GraphUpstream {
    fn graph(&self) -> Option<Parts> {
        self.0.graph()
    }

    fn facts(&self, content: &[u8; 32], keep: &mut dyn FnMut(&[u8])) {
        self.0.facts(content, keep);
    }

    fn warnings(&self) -> Vec<String> {
        self.0.warnings()
    }
}
