//! The parts of an index that are published: the graph, the facts that it was made from, the names that packages offer, and
//! the uses of other repositories.

use std::collections::BTreeSet;

use rayon::prelude::*;
use retriever_workspace::Cancellation;

use super::{
    facts_for_resolution::SourceReader,
    portable_graph::{self, PortableGraph},
    uses_of_values::ResolverInput,
    workspace_graph_index::{GraphIndex, IndexError},
};
use crate::{
    facts::FileFacts,
    resolve::{ImportedNameUse, PackageExport, RenamedName},
    store::{FactsContentId, Graph, GraphStore},
};

/// What a file names by its imports and exports.
#[derive(Debug)]
pub struct ImportedNamesOfFile {
    /// What it uses of its imports, sorted.
    pub uses: Vec<ImportedNameUse>,
    /// The other names that its imports and exports give, sorted.
    pub renamed: Vec<RenamedName>,
}

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
        let (facts, content) = (self.facts(), FactsContentId::from(*content));
        facts.portable(content).or_else(|| {
            self.upstream.as_ref()?.facts(
                &content.to_bytes(),
                &Cancellation::new(),
                &mut |id, record| {
                    facts.adopt(*id, record);
                },
            );
            facts.portable(content)
        })
    }

    /// Returns what the packages of `graph` offer to other repositories. The graph is one that this index answers from.
    ///
    /// # Errors
    ///
    /// [`IndexError`] when the store or the facts of a file can't be read.
    pub fn package_exports(&self, graph: &Graph) -> Result<Vec<PackageExport>, IndexError> {
        self.with_resolver(graph, ResolverInput::FactsOnly, &Cancellation::new(), |resolver| {
            resolver.package_exports()
        })
    }

    /// Returns what the files of `graph` use of their imports and of what their projects open to them, by path. The graph is
    /// one that this index answers from. Cancelled work leaves files out.
    ///
    /// # Errors
    ///
    /// [`IndexError`] when the store can't be read.
    pub fn uses_of_imported_names(
        &self,
        graph: &Graph,
        cancellation: &Cancellation,
    ) -> Result<Vec<(String, Vec<ImportedNameUse>)>, IndexError> {
        let opened =
            self.with_resolver(graph, ResolverInput::FactsOnly, cancellation, |resolver| {
                resolver.opened_modules()
            })?;
        Ok(self.of_facts(graph.contents().collect(), cancellation, |path, facts| {
            facts.uses_beside(opened.get(path).map_or(&[], Vec::as_slice))
        }))
    }

    /// Returns the same, together with the other names that imports and exports of the files give.
    pub fn imported_names(
        &self,
        graph: &Graph,
        cancellation: &Cancellation,
    ) -> Vec<(String, ImportedNamesOfFile)> {
        self.of_facts(graph.contents().collect(), cancellation, |_, facts| ImportedNamesOfFile {
            uses: facts.uses_of_imported_names(),
            renamed: facts.renamed_names(),
        })
    }

    /// Returns what some files of `graph` use of their imports, by path.
    pub fn uses_of_imported_names_in(
        &self,
        graph: &Graph,
        paths: &BTreeSet<&str>,
        cancellation: &Cancellation,
    ) -> Vec<(String, Vec<ImportedNameUse>)> {
        let files = graph.contents().filter(|(path, _)| paths.contains(path)).collect();
        self.of_facts(files, cancellation, |_, facts| facts.uses_of_imported_names())
    }

    /// Returns what `read` takes from the facts of files, by path.
    fn of_facts<T: Send>(
        &self,
        files: Vec<(&str, FactsContentId)>,
        cancellation: &Cancellation,
        read: impl Fn(&str, &FileFacts) -> T + Sync,
    ) -> Vec<(String, T)> {
        let sources = SourceReader::new(self.facts(), cancellation);
        let uses = files.into_par_iter().filter_map(|(path, id)| {
            cancellation.check().ok()?;
            let known = self.facts().get(id);
            let facts = known.or_else(|| sources.read_known(self.workspace(), path, id))?;
            Some((path.to_owned(), read(path, &facts)))
        });
        uses.collect()
    }
}
