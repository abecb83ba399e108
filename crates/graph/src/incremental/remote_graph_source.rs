//! The source of a first graph that another machine has built.

use retriever_workspace::Cancellation;

/// Fetches what another machine has published of this repository.
pub trait RemoteGraphSource: Send + Sync {
    /// Returns the parts of the graph of a tree like this one, as [`crate::indexing::GraphIndex::portable`] made them; `None`
    /// instead of a part when the whole can't be had.
    fn graph(
        &self,
        cancellation: &Cancellation,
    ) -> Option<Box<dyn Iterator<Item = Option<Vec<u8>>> + Send>>;

    /// Hands facts of published contents to `keep`, as [`crate::indexing::GraphIndex::facts_of`] returned them, each behind the
    /// first bytes of the content's id; those of `content` among them if they are known.
    fn facts(
        &self,
        content: &[u8; 32],
        cancellation: &Cancellation,
        keep: &mut dyn FnMut(&[u8; 8], &[u8]),
    );

    /// Returns where it is, which tells it apart from others.
    fn address(&self) -> String;

    /// Returns what went wrong, one sentence each, and forgets it.
    fn warnings(&self) -> Vec<String>;
}
