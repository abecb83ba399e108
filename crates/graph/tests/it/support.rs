//! Small projects as one text, and their graphs.

use pretty_assertions::assert_eq;
use retriever_graph::{
    EdgeKind, EdgeResolution, Graph, NodeId,
    indexing::{Language, SourceFile, extract, is_manifest, resolve},
};

pub(crate) fn graph_of(project: &str) -> Graph {
    let mut files = Vec::new();
    let mut manifests = Vec::new();
    for part in project.split("//- /").skip(1) {
        let (path, text) = part.split_once('\n').expect("a header ends with its line");
        let path = path.trim().to_owned();
        if is_manifest(&path, text) {
            manifests.push((path, text.to_owned()));
        } else if let Some(language) = Language::of_path(&path) {
            files.push(SourceFile { path, facts: extract(language, text) });
        }
    }
    resolve(files, &manifests).unwrap()
}

pub(crate) fn edges(graph: &Graph, kind: EdgeKind) -> Vec<String> {
    let name = |id: NodeId| graph.node(id).unwrap().qname.clone();
    let mark = |resolution| match resolution {
        EdgeResolution::Exact => "",
        EdgeResolution::Inferred => " ~",
        EdgeResolution::Dynamic => " ?",
    };
    let mut lines: Vec<String> = graph
        .edges()
        .filter(|edge| edge.kind == kind)
        .map(|edge| format!("{} -> {}{}", name(edge.from), name(edge.to), mark(edge.resolution)))
        .collect();
    lines.sort();
    lines.dedup();
    lines
}

/// Compares all call edges: `caller -> callee`, with ` ~` behind inferred and ` ?` behind dynamic ones.
#[track_caller]
pub(crate) fn check(project: &str, expected: &[&str]) {
    let graph = graph_of(project);
    let mut expected: Vec<String> = expected.iter().map(|line| (*line).to_owned()).collect();
    expected.sort();
    assert_eq!(edges(&graph, EdgeKind::Calls), expected);
}

/// Checks that each of `cases`, put behind `project`, has the first call of its pair and not the second.
#[track_caller]
pub(crate) fn check_cases(project: &str, cases: &[(&str, (&str, &str))]) {
    check_cases_of(EdgeKind::Calls, project, cases);
}

/// The same for edges of another kind.
#[track_caller]
pub(crate) fn check_cases_of(kind: EdgeKind, project: &str, cases: &[(&str, (&str, &str))]) {
    let mut wrong = Vec::new();
    for (case, (present, absent)) in cases {
        let all = edges(&graph_of(&format!("{project}{case}\n")), kind);
        let has = |edge: &str| all.iter().any(|it| it.trim_end_matches([' ', '~', '?']) == edge);
        if !present.is_empty() && !has(present) || has(absent) {
            wrong.push((case, all));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Checks that the calls of `present` have edges, however sure they are, and that those of `absent` have none.
#[track_caller]
pub(crate) fn check_some(project: &str, present: &[&str], absent: &[&str]) {
    let all = edges(&graph_of(project), EdgeKind::Calls);
    let found: Vec<&str> = all.iter().map(|edge| edge.trim_end_matches([' ', '~', '?'])).collect();
    let lost: Vec<_> = present.iter().filter(|edge| !found.contains(edge)).collect();
    let wrong: Vec<_> = absent.iter().filter(|edge| found.contains(edge)).collect();
    assert!(lost.is_empty() && wrong.is_empty(), "lost: {lost:#?} wrong: {wrong:#?} all: {all:#?}");
}
