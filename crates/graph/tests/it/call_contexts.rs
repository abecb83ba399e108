//! Calls wherever a language lets them stand. A file of `tests/call_contexts` begins with a text in which `CODE` stands for each of the
//! pieces that follow; each has a call of `called`, and the graph has its edge. What the graph is known to lose begins with `LOST`.

use std::{fs, path::Path};

use pretty_assertions::assert_eq;
use retriever_graph::EdgeKind;

use crate::support::{edges, graph_of};

const BETWEEN: &str = "\n%%\n";
const LOST: &str = "LOST\n";

#[test]
fn a_call_is_an_edge_wherever_it_stands() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/call_contexts");
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
        let name_of = |at: usize| format!("called{at}x");
        let file_of = |(at, piece): (usize, &&str)| {
            let code = frame.replace("CODE", piece.strip_prefix(LOST).unwrap_or(piece));
            let code = code.replace("called", &name_of(at));
            format!("//- /folder{at}/a.{extension}\n{code}\n")
        };
        let graph = graph_of(&pieces.iter().enumerate().map(file_of).collect::<String>());
        let calls = edges(&graph, EdgeKind::Calls);
        for (at, piece) in pieces.iter().enumerate() {
            let is_called = |edge: &String| {
                edge.split(" -> ").nth(1).is_some_and(|callee| callee.contains(&name_of(at)))
            };
            if calls.iter().any(is_called) == piece.starts_with(LOST) {
                otherwise.push(format!("{name}: {piece}"));
            }
        }
        looked_at += pieces.len();
    }
    assert_eq!(otherwise, Vec::<String>::new());
    assert!(looked_at > 1_000, "{looked_at} pieces");
}
