//! Searches a fixture as the program does, with its graph.

use std::sync::Arc;

use retriever_graph::indexing::GraphIndex;
use retriever_search::{
    CandidateSet, FullTextSnapshot, Question, RoleCues, SearchCorpus, find_candidates,
};
use retriever_test_support::Fixture;
use retriever_workspace::{Cancellation, FileTraitsConfig, Workspace, WorkspaceConfig};

/// Returns the candidates of each question.
pub(crate) fn candidates(fixture: &Fixture, questions: &[Question]) -> Vec<CandidateSet> {
    let (files, traits) = (WorkspaceConfig::default(), FileTraitsConfig::default());
    let workspace = Workspace::open(fixture.root(), &files, &traits).unwrap();
    let index = GraphIndex::new(Arc::new(workspace), None);
    let (never, role_cues) = (Cancellation::new(), RoleCues::default());
    let asked = index.ask_on_walk(&never, |walk, graph| {
        let workspace = index.workspace();
        let snapshot = FullTextSnapshot::read(workspace, walk, &never);
        let graph = Some(graph);
        let corpus = SearchCorpus {
            workspace,
            walk,
            index: &snapshot,
            graph,
            role_cues: &role_cues,
            similar: None,
        };
        questions.iter().map(|question| find_candidates(&corpus, question, &never)).collect()
    });
    asked.unwrap()
}
