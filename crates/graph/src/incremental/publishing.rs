//! The parts of an index that are published: the graph, the facts that it was made from, and the uses of other
//! repositories.

use rayon::prelude::*;
use retriever_workspace::Cancellation;

use super::{
    facts_store::SourceReader,
    portable_graph::{self, PortableGraph},
    refresh::{GraphIndex, IndexError},
};
use crate::{
    resolve::ImportedUse,
    store::{ContentId, Graph, GraphStore},
};

impl GraphIndex {
    /// Returns the stored graph as another machine can take it.
    ///
    /// # Errors
    ///
    /// [`IndexError`] when there is none, or when some of its edges were imported.
    pub fn portable(&self) -> Result<PortableGraph, IndexError> {
        let none = || IndexError::Failed("there is no folder that it is kept in".to_owned());
        let store = GraphStore::open(self.folder().ok_or_else(none)?)?;
        store.begin_read()?;
        Ok(portable_graph::export(&store)?)
    }

    /// Returns the record of the facts of one of the contents of [`GraphIndex::portable`]; `None` when it is gone.
    pub fn facts_of(&self, content: &[u8; 32]) -> Option<Vec<u8>> {
        let (facts, content) = (self.facts(), ContentId::from(*content));
        facts.sealed(content).or_else(|| {
            let adopt = &mut |id: &[u8; 8], sealed: &[u8]| facts.adopt(*id, sealed);
            self.upstream.as_ref()?.facts(&content.to_bytes(), &Cancellation::new(), adopt);
            facts.sealed(content)
        })
    }

    /// Returns what the files of `graph` use of their imports, by path. The graph is one that this index answers from.
    pub fn imported_uses(&self, graph: &Graph) -> Vec<(String, Vec<ImportedUse>)> {
        let never = Cancellation::new();
        let sources = SourceReader::new(self.facts(), &never);
        let files: Vec<(&str, ContentId)> = graph.contents().collect();
        let uses = files.into_par_iter().filter_map(|(path, id)| {
            let known = self.facts().get(id);
            let facts = known.or_else(|| sources.read_known(self.workspace(), path, id))?;
            Some((path.to_owned(), facts.imported_uses()))
        });
        uses.collect()
    }
}
