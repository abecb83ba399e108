//! What a language lets stand in many places: calls, functions that are named as values, values that are made. A file of
//! `tests/*_contexts` begins with a text in which `CODE` stands for each of the pieces that follow; each has a use of one word, and
//! the graph has its edge. What the graph is known to lose begins with `LOST`, what is no such use with `NONE`.

use std::{fs, path::Path};

use pretty_assertions::assert_eq;
use retriever_graph::EdgeKind;

use crate::support::{edges, graph_of};

const BETWEEN: &str = "\n%%\n";
const WITHOUT_EDGE: [&str; 2] = ["LOST\n", "NONE\n"];

#[test]
fn a_call_is_an_edge_wherever_it_stands() {
    let looked_at = check("call_contexts", "called", &[EdgeKind::Calls]);
    assert!(looked_at > 1_000, "{looked_at} pieces");
}

#[test]
fn a_function_named_as_a_value_is_an_edge_wherever_it_stands() {
    let looked_at = check("value_contexts", "called", &[EdgeKind::References]);
    assert!(looked_at > 300, "{looked_at} pieces");
}

#[test]
fn a_value_that_is_made_is_an_edge_to_its_type() {
    let kinds = [EdgeKind::Calls, EdgeKind::Constructs];
    let looked_at = check("construction_contexts", "Made", &kinds);
    assert!(looked_at > 60, "{looked_at} pieces");
}

/// Compares the pieces in a folder with the edges to what `word` names, and returns how many there are.
#[track_caller]
fn check(folder: &str, word: &str, kinds: &[EdgeKind]) -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut looked_at, mut otherwise) = (0, Vec::new());
    for file in &files {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let (_, extension) = name.rsplit_once('.').unwrap();
        let text = fs::read_to_string(file).unwrap();
        let (frame, pieces) = text.trim_end().split_once(BETWEEN).unwrap();
        let pieces: Vec<&str> = pieces.split(BETWEEN).collect();
        let name_of = |at: usize| format!("{word}{at}x");
        let file_of = |(at, piece): (usize, &&str)| {
            let code = WITHOUT_EDGE.iter().find_map(|mark| piece.strip_prefix(mark));
            let code = frame.replace("CODE", code.unwrap_or(piece));
            let code = code.replace(word, &name_of(at));
            format!("//- /folder{at}/a.{extension}\n{code}\n")
        };
        let graph = graph_of(&pieces.iter().enumerate().map(file_of).collect::<String>());
        let found: Vec<String> = kinds.iter().flat_map(|kind| edges(&graph, *kind)).collect();
        for (at, piece) in pieces.iter().enumerate() {
            let is_used = |edge: &String| {
                edge.split(" -> ").nth(1).is_some_and(|used| used.contains(&name_of(at)))
            };
            let is_without = WITHOUT_EDGE.iter().any(|mark| piece.starts_with(mark));
            if found.iter().any(is_used) == is_without {
                otherwise.push(format!("{name}: {piece}"));
            }
        }
        looked_at += pieces.len();
    }
    assert_eq!(otherwise, Vec::<String>::new());
    looked_at
}
