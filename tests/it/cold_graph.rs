//! A first question about a large tree: it is answered without a graph, which is built beside it for the next one.

use retriever::{Retriever, indexing::UnfinishedBuild};

use crate::support::machine::{Machine, Run};

/// Runs of the program until the graph is complete, at most.
const MAX_QUESTIONS: usize = 12;

/// A tree whose sources are too many bytes for a graph within a question.
fn large() -> Machine {
    let machine = Machine::new("//- /home/x\n//- /repo/.git/HEAD\n", "repo");
    let filler = "// nothing is done here\n".repeat(21_000);
    for part in 0..22 {
        let next = part + 1;
        let source = format!("pub fn part_{part}() {{\n    part_{next}();\n}}\n{filler}");
        machine.files.write(&format!("repo/src/part_{part}.rs"), source);
    }
    machine
}

fn ask(machine: &Machine) -> Run {
    machine.run(&["ask", "--offline", "--format", "json", "what does part_3 call?"])
}

fn is_without_graph(run: &Run) -> bool {
    run.json()["meta"]["graph"] == "none"
}

#[test]
fn a_large_tree_has_its_graph_after_the_first_questions() {
    let machine = large();
    let first = ask(&machine);
    assert!(is_without_graph(&first), "{first:?}");
    assert!(first.err.contains("the next question"), "{}", first.err);
    let with_graph = (1..MAX_QUESTIONS).map(|_| ask(&machine)).find(|run| !is_without_graph(run));
    let with_graph = with_graph.expect("a graph after some questions");
    assert!(!with_graph.err.contains("code graph"), "{}", with_graph.err);
}

#[test]
fn a_graph_that_takes_too_long_for_a_question_is_left_to_index() {
    let machine = large();
    let cache = machine.files.root().join("home/.cache/retriever");
    let retriever =
        Retriever::builder(machine.files.root().join("repo")).cache(Some(cache)).build().unwrap();
    // What a question notes that has waited in vain for the graph of files that were all read.
    let note = UnfinishedBuild { read: 22, files: 22, is_long: true };
    retriever.index().note_unfinished(note);
    for _ in 0..2 {
        let run = ask(&machine);
        assert!(is_without_graph(&run), "{run:?}");
        assert!(run.err.contains("run `retriever index` once"), "{}", run.err);
    }
    let status = machine.run(&["index", "--status", "--format", "json"]).json();
    assert_eq!(status["unfinished"]["read"], 22, "{status}");
    assert_eq!(status["files"], 0, "{status}");
    let told = machine.run(&["index", "--status", "--format", "text"]);
    assert!(told.out.contains("22 of 22 files were read"), "{}", told.out);
    assert_eq!(machine.run(&["index"]).code, 0);
    assert!(!is_without_graph(&ask(&machine)));
    let status = machine.run(&["index", "--status", "--format", "json"]).json();
    assert!(status["unfinished"].is_null(), "{status}");
}
