//! What the program refuses: one line, a hint, an exit code, and nothing on stdout.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::{Machine, Refusal, check_refusals};

#[test]
fn bad_input_is_one_line_a_hint_and_an_exit_code() {
    check_refusals(
        &Machine::new(),
        &[
            Refusal {
                arguments: &["config", "--root", ""],
                exit: 2,
                error: "a value is required for '--root <DIR>'",
                hint: "retriever config --help",
            },
            Refusal {
                arguments: &["config", "--root", "/no/such/folder"],
                exit: 3,
                error: "the workspace root /no/such/folder does not exist",
                hint: "check",
            },
            Refusal {
                arguments: &["config", "--root", "main.rs"],
                exit: 3,
                error: "the workspace root /repo/src/main.rs is not a folder",
                hint: "give --root",
            },
            Refusal {
                arguments: &["config", "--config", "none.toml"],
                exit: 3,
                error: "cannot read /repo/src/none.toml: No such file",
                hint: "--config",
            },
            Refusal {
                arguments: &["schema", "nonsense"],
                exit: 2,
                error: "there is no schema \"nonsense\"",
                hint: "schemas: cache, cache_prune, code_map, ",
            },
            Refusal {
                arguments: &["confg"],
                exit: 2,
                error: "unrecognized subcommand 'confg'",
                hint: "did you mean retriever config",
            },
            Refusal {
                arguments: &["how", "does", "it", "work"],
                exit: 2,
                error: "unrecognized subcommand 'how'",
                hint: "did you mean retriever ask how does it work",
            },
            Refusal {
                arguments: &["config", "--nonsense"],
                exit: 2,
                error: "unexpected argument '--nonsense' found",
                hint: "retriever config --help",
            },
            Refusal {
                arguments: &["config", "--format", "xml"],
                exit: 2,
                error: "invalid value 'xml' for '--format",
                hint: "retriever config --help",
            },
            Refusal {
                arguments: &["config", "-q", "-v"],
                exit: 2,
                error: "the argument '--quiet' cannot be used with '--verbose'",
                hint: "retriever config --help",
            },
            Refusal {
                arguments: &["completions", "tcl"],
                exit: 2,
                error: "invalid value 'tcl' for '<SHELL>' [possible values: bash,",
                hint: "retriever completions --help",
            },
        ],
    );
}

#[test]
fn what_other_programs_call_it_leads_to_the_command_here() {
    let machine = Machine::new();
    let cases: [(&[&str], &str); 23] = [
        (&["rg", "-i", "a b"], "did you mean retriever grep -i 'a b'"),
        (&["--root", "..", "find", "*.rs"], "did you mean retriever --root .. glob '*.rs'"),
        (&["callers", "start"], "did you mean retriever graph callers start"),
        (&["status"], "did you mean retriever index --status"),
        (&["version"], "did you mean retriever --version"),
        (&["grpe", "start", "src", "-C", "2"], "did you mean retriever grep start src -C 2"),
        (&["calers", "Store.save"], "did you mean retriever graph callers Store.save"),
        (&["can", "it", "be", "stopped"], "did you mean retriever ask can it be stopped"),
        (&["aks", "where is it"], "did you mean retriever ask 'where is it'"),
        (&["where", "does", "it", "start?"], "did you mean retriever ask where does it 'start?'"),
        (&["start"], "to ask a question: retriever ask"),
        (&["index", "status"], "did you mean retriever index --status"),
        (&["index", "--satus"], "a similar argument exists: '--status'"),
        (&["cache", "remove"], "retriever cache --help"),
        (&["explore", "a", "--json"], "--format json"),
        (&["glob", "a.rs", "b.rs"], "quote a glob"),
        (&["grep", "a", "src", "tests"], "one folder or file is searched; -g"),
        (&["grep", "-w", "a"], "in a pattern, \\b"),
        (&["grep", "-t", "rust", "a"], "-g takes a glob"),
        (&["grep", "--nonsense", "a"], "retriever grep --help"),
        (&["read"], "retriever read <FILE>; retriever read --help"),
        (&["graph", "start"], "retriever graph <OP> <TARGET>...; retriever graph --help"),
        (&["view", "--json", "map.json"], "--format json"),
    ];
    for (arguments, hint) in cases {
        let run = machine.run(arguments);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{arguments:?}");
        let said = run.err.lines().nth(1).unwrap_or_default();
        assert!(said.starts_with(&format!("hint: {hint}")), "{arguments:?} said {}", run.err);
    }
}

#[test]
fn an_invalid_configuration_is_one_line_a_hint_and_exit_code_3() {
    let machine = Machine::new();
    machine.configure("[model]\nnmae = \"s3cret\"\n");
    let place = "/home/.config/retriever/config.toml:2: unknown key model.nmae";
    check_refusals(
        &machine,
        &[Refusal {
            arguments: &["config"],
            exit: 3,
            error: place,
            hint: "did you mean model.name?",
        }],
    );
}

#[test]
fn an_index_that_can_not_be_kept_is_no_success() {
    let machine = Machine::new();
    machine.files.write("home/.cache", "a file where the folder should be");
    let run = machine.run(&["index"]);
    assert_eq!((run.code, &run.json()["stored"]), (3, &json!(false)));
    assert!(run.err.starts_with("warning: the code graph can't be stored in "), "{}", run.err);
    machine.files.write("repo/graph.json", "");
    assert_eq!(machine.run(&["index", "--export", "graph.json"]).code, 0);
}

#[test]
fn a_tool_that_can_not_run_is_bad_input() {
    let machine = Machine::new();
    let cases: [(&[&str], &str); 5] = [
        (&["grep", "start("], "hint: simplify the pattern, or use --literal"),
        (&["read", "src/mian.rs"], "src/main.rs"),
        (&["read", "../outside"], "outside"),
        (&["read", "deploy.pem"], "deploy.pem"),
        (&["glob", "a{"], "a{"),
    ];
    for (arguments, expected) in cases {
        let run = machine.run(arguments);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{arguments:?} {run:?}");
        assert!(run.err.starts_with("error: ") && run.err.contains(expected), "{}", run.err);
    }
}

#[test]
fn a_hostile_workspace_file_does_not_stop_the_tools() {
    let machine = Machine::new();
    machine.files.write(
        "repo/retriever.toml",
        "[workspace]\nignore = [\"{a,b\", \"\\\\\"]\nsecrets = [\"src/[\"]\n",
    );
    let run = machine.run(&["glob", "**/*.rs", "--format", "text"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(run.err.lines().count(), 2, "{}", run.err);
    assert!(run.out.contains("src/main.rs"));
}

#[test]
fn a_question_that_can_not_be_asked_is_refused() {
    let none = "the question is empty";
    let how = "retriever ask \"how does X work\"";
    let long = "x".repeat(5_000);
    check_refusals(
        &Machine::new(),
        &[
            Refusal {
                arguments: &["ask", "q", "--offline", "--hint", &long],
                exit: 2,
                error: "the question has 1 hints of 5000 bytes; at most 64 of 4096 bytes together are taken",
                hint: "name the few files and folders that matter most",
            },
            Refusal {
                arguments: &["mcp", "--tools", "ask,nonsense"],
                exit: 2,
                error: "invalid value 'nonsense' for '--tools <NAMES>'",
                hint: "retriever mcp --help",
            },
            Refusal { arguments: &["ask"], exit: 2, error: none, hint: how },
            Refusal { arguments: &["ask", ""], exit: 2, error: none, hint: how },
            Refusal { arguments: &["ask", " \n "], exit: 2, error: none, hint: how },
            Refusal { arguments: &["ask", "-"], exit: 2, error: none, hint: how },
            Refusal {
                arguments: &["ask", "q", "--role", "nonsense"],
                exit: 2,
                error: "invalid value 'nonsense' for '--role <ROLE>' [possible values: entry, ui, handler, state, data, api, persistence, render, output, type, test]",
                hint: "retriever ask --help",
            },
            Refusal {
                arguments: &["ask", "q", "--intent", "fix"],
                exit: 2,
                error: "invalid value 'fix' for '--intent <INTENT>' [possible values: answer, edit, debug]",
                hint: "retriever ask --help",
            },
            Refusal {
                arguments: &["ask", "q", "--max-steps", "0"],
                exit: 2,
                error: "invalid value '0' for '--max-steps <N>': write a whole number, 1 or more",
                hint: "retriever ask --help",
            },
            Refusal {
                arguments: &["explore", "q", "--limit", "many"],
                exit: 2,
                error: "invalid value 'many' for '--limit <N>': write a whole number from 1 to 60",
                hint: "retriever explore --help",
            },
            Refusal {
                arguments: &["init", "--what", "rules"],
                exit: 2,
                error: "invalid value 'rules' for '--what <PARTS>' [possible values: mcp, subagent, skill, instructions]",
                hint: "retriever init --help",
            },
            Refusal {
                arguments: &["ask", "q", "--timeout", "soon"],
                exit: 2,
                error: "invalid value 'soon' for '--timeout <DUR>': write seconds",
                hint: "retriever ask --help",
            },
            Refusal {
                arguments: &["ask", "q", "--timeout", "30days"],
                exit: 3,
                error: "--timeout: budget.timeout_s must be at most 604800 seconds",
                hint: "config.example.toml",
            },
            Refusal {
                arguments: &["ask", "q", "--base-url", "nowhere"],
                exit: 3,
                error: "--base-url: model.base_url must be an http or https address",
                hint: "config.example.toml",
            },
            Refusal {
                arguments: &["ask", "q", "--model", "m"],
                exit: 3,
                error: "model m at https://api.openai.com/v1 needs a key",
                hint: "export RETRIEVER_API_KEY=…, or run with --offline",
            },
            Refusal {
                arguments: &["ask", "q", "--record", "tape"],
                exit: 2,
                error: "--record needs a model",
                hint: "name one with --model",
            },
            Refusal {
                arguments: &["ask", "q", "--replay", "tape"],
                exit: 2,
                error: "tape cannot be read: No such file",
                hint: "--replay takes a file",
            },
            Refusal {
                arguments: &["ask", "q", "--replay", "main.rs"],
                exit: 2,
                error: "main.rs cannot be replayed: ",
                hint: "--replay takes a file",
            },
            Refusal {
                arguments: &["ask", "q", "--replay", "tape", "--offline"],
                exit: 2,
                error: "the argument '--replay <FILE>' cannot be used with",
                hint: "retriever ask --help",
            },
            Refusal {
                arguments: &["ask", "q", "--offline", "--events", "no/such/file"],
                exit: 2,
                error: "cannot write no/such/file: No such file",
                hint: "give the path of a file",
            },
            Refusal {
                arguments: &["ask", "q", "--offline", "--root", "/no/such"],
                exit: 3,
                error: "the workspace root /no/such does not exist",
                hint: "check",
            },
        ],
    );
}
