//! A first question about a large tree: it is answered without a graph, which is built beside it for the next one.

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
