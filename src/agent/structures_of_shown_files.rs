//! The structures of files with delivered lines.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use super::SharedRootState;
use retriever_report::{FileStructure, evidence_ledger::EvidenceLedger};
use retriever_search::declarations;
use retriever_workspace::{Cancellation, ContentHash, RepoPath};

/// The structures of a run, kept between checks of reports.
#[derive(Debug, Default)]
pub(super) struct CachedFileStructures(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// The files with delivered lines, and their content at that time.
    files: BTreeMap<RepoPath, ContentHash>,
    structures: Arc<BTreeMap<RepoPath, FileStructure>>,
}

/// Returns the graph's declarations and relations of every file with delivered lines; without a graph the declarations
/// that the text shows. They are looked up again only after further lines were delivered.
pub(super) async fn file_structures(
    known: &CachedFileStructures,
    shared: &Arc<SharedRootState>,
    ledger: &EvidenceLedger,
    limit: Cancellation,
) -> Arc<BTreeMap<RepoPath, FileStructure>> {
    let delivered = ledger.files().filter(|file| !file.delivered.is_empty());
    let files: BTreeMap<RepoPath, ContentHash> =
        delivered.map(|file| (file.version.path.clone(), file.version.hash)).collect();
    {
        let known = known.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.files == files {
            return Arc::clone(&known.structures);
        }
    }
    let shared = Arc::clone(shared);
    let paths: Vec<RepoPath> = files.keys().cloned().collect();
    let look_up = move || {
        let found = shared.index.ask_on_walk_if_quick(&limit, |_, graph| {
            let of_graph = |path: &RepoPath| {
                let structure = graph.map(|graph| FileStructure::from_graph(graph, path.as_str()));
                (path.clone(), structure.unwrap_or_default())
            };
            paths.iter().map(of_graph).collect::<BTreeMap<_, _>>()
        });
        let with_text = |(path, mut structure): (RepoPath, FileStructure)| {
            if structure.declarations.is_empty()
                && let Ok(file) = shared.workspace.read(&path)
            {
                // Limited by the size of the file instead of by time, so that a report's check does not depend on
                // timing.
                let declared = declarations(file.extension(), file.text(), &Cancellation::new());
                structure.declarations =
                    declared.into_iter().map(|found| found.declaration).collect();
            }
            (path, structure)
        };
        found.into_iter().map(with_text).collect::<BTreeMap<_, _>>()
    };
    // After a panic only the delivered lines are known, and nothing is kept.
    let Ok(found) = tokio::task::spawn_blocking(look_up).await else { return Arc::default() };
    let structures = Arc::new(found);
    let mut known = known.0.lock().unwrap_or_else(PoisonError::into_inner);
    *known = Known { files, structures: Arc::clone(&structures) };
    structures
}
