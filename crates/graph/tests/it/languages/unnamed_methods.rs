//! Methods that a language runs without their names: a call of an object, a loop over it. A method that only has such a name in
//! another language is run by nothing.

use retriever_graph::EdgeKind;

use crate::support::{edges, graph_of};

const LOOP: &str = "def run(all: All):\n    for one in all:\n        one.use()\n";

#[test]
fn what_runs_unnamed_is_what_the_language_says() {
    let python = |class: &str, run: &str| {
        format!(
            "class Item:\n    def use(self): pass\nclass One:\n    def __next__(self) -> Item: ...\n{class}{run}"
        )
    };
    let called = "def run(job: Job):\n    job()\n";
    let entered = "def run(job: Job):\n    with job as one:\n        one.use()\n";
    // A file, a method, and whether `run` calls it.
    let cases = [
        ("py", python("class Job:\n    def __call__(self): pass\n", called), "__call__", true),
        ("py", python("class Job:\n    def invoke(self): pass\n", called), "invoke", false),
        ("kt", "class Job { operator fun invoke() {} }\nfun run(job: Job) { job() }\n".into(), "invoke", true),
        ("php", "<?php\nclass Job { function __invoke() {} }\nfunction run(Job $job) { $job(); }\n".into(), "__invoke", true),
        ("cpp", "struct Job { void operator()() {} };\nvoid run(Job job) { job(); }\n".into(), "operator()", true),
        ("ts", "class Job { invoke(): void {} }\nfunction run(job: Job) { job() }\n".into(), "invoke", false),
        ("ts", "class Job { __call__(): void {} }\nfunction run(job: Job) { job() }\n".into(), "__call__", false),
        ("py", python("class All:\n    def __iter__(self) -> One: ...\n", LOOP), "use", true),
        ("py", python("class All:\n    def begin(self) -> One: ...\n", LOOP), "use", false),
        ("rs", "struct Item; impl Item { fn using(&self) {} }\nstruct All;\nimpl All { fn iterator(&self) -> Vec<Item> { todo!() } }\nfn run(all: All) { for one in all { one.using() } }\n".into(), "using", false),
        ("py", python("class Job:\n    def __enter__(self) -> Item: ...\n", entered), "use", true),
    ];
    for (extension, text, method, is_run) in cases {
        let graph = graph_of(&format!("//- /a.{extension}\n{text}"));
        let calls = edges(&graph, EdgeKind::Calls);
        let of_run = calls.iter().filter_map(|edge| edge.split_once("run -> "));
        let mut called = of_run.map(|(_, to)| to.trim_end_matches([' ', '~', '?']));
        assert_eq!(called.any(|to| to.ends_with(method)), is_run, "{text}{calls:?}");
    }
}
