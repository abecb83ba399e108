//! What is known of the structure of the files that lines were delivered of.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use super::run::Run;
use retriever_report::FileStructure;
use retriever_search::declarations;
use retriever_workspace::{Cancellation, RepoPath};

/// Most time for the graph to say what surrounds the delivered lines, once a report is there.
const STRUCTURE_TIME: Duration = Duration::from_secs(2);

/// Returns what the graph knows of every file of which lines were delivered; without a graph the declarations that the
/// text shows.
pub(super) async fn file_structures(run: &Run<'_>) -> BTreeMap<RepoPath, FileStructure> {
    let shared = Arc::clone(run.shared);
    let delivered = run.ledger.files().filter(|file| !file.delivered.is_empty());
    let paths: Vec<RepoPath> = delivered.map(|file| file.stamp.path.clone()).collect();
    let look_up = move || {
        let limit = Cancellation::new().with_deadline(Instant::now() + STRUCTURE_TIME);
        let known = shared.index.ask_on_walk_if_quick(&limit, |_, graph| {
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
                let declared = declarations(path.extension(), file.text(), &limit);
                structure.declarations =
                    declared.into_iter().map(|found| found.declaration).collect();
            }
            (path, structure)
        };
        known.into_iter().map(with_text).collect()
    };
    tokio::task::spawn_blocking(look_up).await.unwrap_or_default()
}
