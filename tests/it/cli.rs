//! The program as a planner meets it: stdout, stderr and exit codes.

use std::{
    io::{Read, Write},
    net::TcpListener,
    os::unix::process::ExitStatusExt,
    process::{Output, Stdio},
    time::{Duration, Instant},
};

use assert_cmd::Command;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use wiremock::{
    Mock, MockServer, ResponseTemplate,
    matchers::{header, method, path},
};

use crate::support::fixture::Fixture;

/// A machine with an empty home and one small repository, `repo/`.
struct Machine {
    files: Fixture,
}

impl Machine {
    fn new() -> Self {
        Self {
            files: Fixture::new(
                "//- /home/x\n//- /repo/.git/HEAD\n//- /repo/src/main.rs\nfn main() {\n    start();\n}\n//- /repo/deploy.pem\nKEY\n",
            ),
        }
    }

    /// Adds files of one shape each that take long to read or to resolve.
    fn write_costly_files(&self) {
        let repeated = |piece: &str| piece.repeat(400_000 / piece.len());
        let files = [
            ("a.c", format!("int f() {{ return {}; }}\n", repeated("("))),
            ("b.h", repeated("class API A { x };\n")),
            ("c.go", format!("package p\n{}", repeated("type a a\n"))),
            ("d.ts", repeated("type A = A;\n")),
            ("e.java", format!("class A {{ {} }}\n", repeated("void f(A a) { f(null); } "))),
            ("f.scala", format!("class A {}\n", repeated("with A "))),
            ("g.py", repeated("class a(a): pass\n")),
        ];
        for (name, text) in &files {
            self.files.write(&format!("repo/src/{name}"), text);
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("retriever").unwrap();
        command
            .env_clear()
            .env("HOME", self.files.root().join("home"))
            .current_dir(self.files.root().join("repo/src"))
            .args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Run {
        Run::new(&self.command(arguments).output().unwrap())
    }

    fn configure(&self, text: &str) {
        self.files.write("home/.config/retriever/config.toml", text);
    }
}

#[derive(Debug)]
struct Run {
    code: i32,
    out: String,
    err: String,
}

impl Run {
    fn new(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout.clone()).unwrap(),
            err: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.out).expect(&self.out)
    }
}

/// Exit code, the start of the error and of the hint.
type Refusal<'a> = (&'a [&'a str], i32, &'a str, &'a str);

fn check_refusals(machine: &Machine, cases: &[Refusal<'_>]) {
    for (arguments, code, error, hint) in cases {
        let run = machine.run(arguments);
        let root = machine.files.root().canonicalize().unwrap();
        let said = run
            .err
            .replace(machine.files.root().to_str().unwrap(), "")
            .replace(root.to_str().unwrap(), "");
        let lines: Vec<&str> = said.lines().collect();
        let [first, second] = <[&str; 2]>::try_from(lines).expect(&said);
        assert!(first.starts_with(&format!("error: {error}")), "{arguments:?} said\n{said}");
        assert!(second.starts_with(&format!("hint: {hint}")), "{arguments:?} said\n{said}");
        assert_eq!((run.code, run.out.as_str()), (*code, ""), "{arguments:?}");
    }
}

#[test]
fn bad_input_is_one_line_a_hint_and_an_exit_code() {
    check_refusals(
        &Machine::new(),
        &[
            (
                &["config", "--root", ""],
                2,
                "a value is required for '--root <DIR>'",
                "retriever config --help",
            ),
            (
                &["config", "--root", "/no/such/folder"],
                3,
                "the workspace root /no/such/folder does not exist",
                "check",
            ),
            (
                &["config", "--root", "main.rs"],
                3,
                "the workspace root /repo/src/main.rs is not a folder",
                "give --root",
            ),
            (
                &["config", "--config", "none.toml"],
                3,
                "cannot read /repo/src/none.toml: No such file",
                "--config",
            ),
            (
                &["schema", "nonsense"],
                2,
                "there is no schema \"nonsense\"",
                "schemas: cache, cache_prune, code_map, ",
            ),
            (&["confg"], 2, "unrecognized subcommand 'confg'", "did you mean retriever config"),
            (
                &["how", "does", "it", "work"],
                2,
                "unrecognized subcommand 'how'",
                "did you mean retriever ask how does it work",
            ),
            (
                &["config", "--nonsense"],
                2,
                "unexpected argument '--nonsense' found",
                "retriever config --help",
            ),
            (
                &["config", "--format", "xml"],
                2,
                "invalid value 'xml' for '--format",
                "retriever config --help",
            ),
            (
                &["config", "-q", "-v"],
                2,
                "the argument '--quiet' cannot be used with '--verbose'",
                "retriever config --help",
            ),
            (
                &["completions", "tcl"],
                2,
                "invalid value 'tcl' for '<SHELL>' [possible values: bash,",
                "retriever completions --help",
            ),
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
        (&["start"], "a question is asked by retriever ask"),
        (&["index", "status"], "did you mean retriever index --status"),
        (&["index", "--satus"], "a similar argument exists: '--status'"),
        (&["cache", "remove"], "retriever cache --help"),
        (&["explore", "a", "--json"], "--format json"),
        (&["glob", "a.rs", "b.rs"], "quote a glob"),
        (&["grep", "a", "src", "tests"], "one folder or file is searched; -g"),
        (&["grep", "-w", "a"], "\\b in a pattern"),
        (&["grep", "-t", "rust", "a"], "-g takes a glob"),
        (&["grep", "--nonsense", "a"], "retriever grep --help"),
        (&["read"], "retriever read <FILE>; retriever read --help"),
        (&["graph", "start"], "retriever graph <OP> <TARGET>; retriever graph --help"),
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
    check_refusals(&machine, &[(&["config"], 3, place, "did you mean model.name?")]);
}

#[test]
fn no_verb_prints_the_help_on_stderr() {
    let run = Machine::new().run(&[]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    let usage = "Usage: retriever [OPTIONS] \"QUESTION\"\n       retriever [OPTIONS] <COMMAND>";
    assert!(run.err.contains(usage), "{}", run.err);
}

#[test]
fn help_and_version_are_answers() {
    let machine = Machine::new();
    let version = machine.run(&["--version"]);
    assert_eq!((version.code, version.err.as_str()), (0, ""));
    assert_eq!(version.out.trim(), format!("retriever {}", env!("CARGO_PKG_VERSION")));
    let help = machine.run(&["--help"]);
    assert!(help.out.contains("Exit codes:\n  0 "), "{}", help.out);
}

#[test]
fn every_verb_has_examples_that_name_it() {
    let machine = Machine::new();
    let help = machine.run(&["--help"]).out;
    let verbs: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|verb| *verb != "help")
        .collect();
    assert!(verbs.contains(&"config"), "{verbs:?}");
    for verb in verbs {
        let run = machine.run(&[verb, "--help"]);
        assert_eq!(run.code, 0);
        assert!(run.out.contains("Example"), "{verb} has no examples\n{}", run.out);
        assert!(run.out.contains(&format!("  retriever {verb}")), "{}", run.out);
    }
}

#[test]
fn global_options_stand_before_and_behind_the_verb() {
    let machine = Machine::new();
    let before = machine.run(&["--format", "text", "--root", "..", "config"]);
    let behind = machine.run(&["config", "--format", "text", "--root", ".."]);
    assert_eq!(before.out, behind.out);
    assert!(before.out.contains("[model]"));
}

#[test]
fn the_configuration_is_json_for_programs_and_toml_for_people() {
    let machine = Machine::new();
    machine.configure("[model]\nretries = 1\n");
    let run = machine.command(&["config"]).env("OPENAI_API_KEY", "s3cret").output().unwrap();
    let run = Run::new(&run);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(!run.out.contains("s3cret"));
    let value = run.json();
    assert_eq!(value["config"]["model"]["retries"], json!(1));
    assert_eq!(value["key"], json!({ "set": true, "from": "OPENAI_API_KEY" }));
    let text = machine.run(&["config", "--format", "text"]);
    assert!(text.out.contains("retries = 1  # from /"), "{}", text.out);
}

#[test]
fn a_workspace_is_warned_about_on_stderr_unless_quiet() {
    let machine = Machine::new();
    machine.files.write("repo/retriever.toml", "[model]\nbase_url = \"https://s3cret.example\"\n");
    let run = machine.run(&["config"]);
    assert_eq!(run.code, 0);
    assert_eq!(run.err.lines().count(), 1);
    assert!(
        run.err.starts_with("warning: ") && run.err.contains("model.base_url is refused"),
        "{}",
        run.err
    );
    assert!(!run.err.contains("s3cret") && !run.out.contains("s3cret"));
    assert_eq!(machine.run(&["config", "-q"]).err, "");
}

#[test]
fn the_tools_print_what_a_model_sees_or_a_typed_result() {
    let machine = Machine::new();
    let cases: [(&[&str], &str, &str, Value); 4] = [
        (&["grep", "st[a-z]+\\(\\)"], "src/main.rs", "/total_matches", json!(1)),
        (
            &["grep", "--literal", "start()", "--include", "*.rs", "-C", "1"],
            "start();",
            "/total_matches",
            json!(1),
        ),
        (&["glob", "**/*.rs"], "src/main.rs", "/files/0/path", json!("src/main.rs")),
        (
            &["read", "src/main.rs", "--start-line", "2", "--num-lines", "1"],
            "start();",
            "/lines/0/0",
            json!(2),
        ),
    ];
    for (arguments, shown, pointer, expected) in cases {
        let text = machine.run(&[arguments, &["--format", "text"]].concat());
        assert_eq!((text.code, text.err.as_str()), (0, ""), "{arguments:?}");
        assert!(text.out.contains(shown), "{arguments:?} printed\n{}", text.out);
        let typed = machine.run(arguments);
        assert_eq!(
            typed.json().pointer(pointer),
            Some(&expected),
            "{arguments:?} printed\n{}",
            typed.out
        );
    }
}

#[test]
fn grep_shows_lines_before_and_after_a_match_as_asked() {
    let machine = Machine::new();
    machine.files.write("repo/notes.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\n");
    let cases: [(&[&str], &[u32]); 5] = [
        (&["-A", "2"], &[4, 5, 6]),
        (&["-B", "1"], &[3, 4]),
        (&["-B", "1", "-A", "3"], &[3, 4, 5, 6, 7]),
        (&["-C", "2", "-A", "0"], &[2, 3, 4]),
        (&["-C", "1"], &[3, 4, 5]),
    ];
    for (options, lines) in cases {
        let run =
            machine.run(&[&["grep", "four", "../notes.txt", "--format", "text"], options].concat());
        let shown: Vec<u32> = run
            .out
            .lines()
            .filter_map(|line| line.split_once('|')?.0.trim().parse().ok())
            .collect();
        assert_eq!(shown, lines, "{options:?} printed\n{}", run.out);
    }
}

#[test]
fn a_search_without_a_match_prints_its_answer_and_exits_with_1() {
    for arguments in [["grep", "zzz"], ["glob", "*.zzz"]] {
        let run = Machine::new().run(&arguments);
        assert_eq!((run.code, run.err.as_str()), (1, ""));
        assert_eq!(run.json()["outcome"], json!("no_match"));
    }
}

#[test]
fn a_question_needs_neither_verb_nor_quotes() {
    let machine = Machine::new();
    // A single answer does not repeat its question, so the answers are compared.
    let primary = |arguments: &[&str]| machine.run(arguments).json()["primary"].clone();
    let quoted = primary(&["ask", "--offline", "where does it start"]);
    assert!(quoted.as_array().is_some_and(|places| !places.is_empty()), "{quoted}");
    assert_eq!(primary(&["where does it start", "--offline"]), quoted);
    assert_eq!(primary(&["--offline", "--root", "..", "where does it start"]), quoted);
    assert_eq!(primary(&["ask", "--offline", "where", "does", "it", "start"]), quoted);
    let results = |arguments: &[&str]| machine.run(arguments).json()["results"].clone();
    let words = results(&["explore", "where", "does", "it", "start"]);
    assert_eq!(results(&["explore", "where does it start"]), words);
}

#[test]
fn a_hint_that_names_no_file_is_said() {
    let hints = ["--hint", "src/main.rs", "--hint", "nowhere.rs"];
    let arguments = [&["ask", "--offline", "where does it start"], &hints[..]].concat();
    let said = Machine::new().run(&arguments).err;
    assert_eq!(said, "note: hint \"nowhere.rs\" names no file here and was ignored\n");
}

#[test]
fn an_answer_without_the_code_graph_says_so_until_there_is_one() {
    let machine = Machine::new();
    let comments = format!("# {}\n", "word ".repeat(20)).repeat(9_000);
    for at in 0..12 {
        machine.files.write(&format!("repo/src/large{at}.py"), &comments);
    }
    let ask = || machine.run(&["ask", "--offline", "where does it start"]);
    let before = ask();
    assert_eq!(before.json()["meta"]["graph"], "none");
    assert!(before.err.starts_with("note: found by names and words alone"), "{}", before.err);
    assert_eq!(machine.run(&["index"]).code, 0);
    let after = ask();
    assert_eq!((&after.json()["meta"]["graph"], after.err.as_str()), (&Value::Null, ""));
}

#[test]
fn an_index_that_can_not_be_kept_is_no_success() {
    let machine = Machine::new();
    machine.files.write("home/.cache", "a file where the folder should be");
    let run = machine.run(&["index"]);
    assert_eq!((run.code, &run.json()["stored"]), (3, &json!(false)));
    assert!(run.err.starts_with("warning: the code graph can't be kept in "), "{}", run.err);
    machine.files.write("repo/graph.json", "");
    assert_eq!(machine.run(&["index", "--export", "graph.json"]).code, 0);
}

#[test]
fn a_budget_for_no_line_is_not_taken_for_a_repository_without_an_answer() {
    let arguments = ["ask", "--offline", "--observation-budget", "10", "where does it start"];
    let missing = Machine::new().run(&arguments).json()["missing"][0]["what"].clone();
    assert_eq!(missing, "places match, but what the run may show has no room for one");
}

#[test]
fn paths_are_taken_from_the_current_folder_and_then_from_the_root() {
    let machine = Machine::new();
    for place in ["main.rs:2", "main.rs:2:5", "main.rs:2:", "main.rs:3-2", "src/main.rs:2:1"] {
        let run = machine.run(&["read", place, "--format", "text"]);
        assert!(run.code == 0 && run.out.contains("    2|     start();"), "{place}: {run:?}");
    }
    for arguments in [
        ["grep", "-Fn", "start()", "main.rs"],
        ["grep", "-Fnr", "start()", "src"],
        ["read", "main.rs:2-2", "--format", "text"],
        ["read", "src/main.rs:2-2", "--format", "text"],
    ] {
        let run = machine.run(&arguments);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{arguments:?}");
        assert!(run.out.contains("start()") && run.out.contains("src/main.rs"), "{run:?}");
    }
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
fn schemas_are_listed_and_printed() {
    let machine = Machine::new();
    let names = machine.run(&["schema", "--format", "text"]).out;
    assert!(names.lines().any(|name| name == "code_map"), "{names}");
    for name in names.lines() {
        let printed = machine.run(&["schema", name]).json();
        if name == "tools" {
            assert_eq!(printed, serde_json::to_value(retriever::tool_specs()).unwrap());
        } else {
            assert_eq!(printed, retriever::schemas()[name], "{name}");
        }
    }
}

#[test]
fn completions_know_every_verb() {
    let script = Machine::new().run(&["completions", "bash"]).out;
    for verb in ["ask", "grep", "glob", "read", "config", "doctor", "schema", "completions"] {
        assert!(script.contains(verb), "{verb}");
    }
}

#[test]
fn a_reader_that_has_had_enough_is_no_error() {
    let machine = Machine::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let run = std::process::Command::new(assert_cmd::cargo::cargo_bin("retriever"))
        .args(["completions", "zsh"])
        .current_dir(machine.files.root())
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .and_then(std::process::Child::wait_with_output)
        .unwrap();
    assert_eq!((run.status.code(), run.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[test]
fn doctor_without_a_model_checks_root_and_configuration() {
    let machine = Machine::new();
    let run = machine.run(&["doctor", "--format", "text"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let root = machine.files.root().canonicalize().unwrap();
    // What the kernel can do is not the program's.
    let is_ours = |line: &&str| !line.starts_with("✓ sandbox: ");
    let shown = |run: &Run| {
        let lines: Vec<&str> = run.out.lines().filter(is_ours).collect();
        lines.join("\n").replace(root.to_str().unwrap(), "") + "\n"
    };
    let own = machine.files.root().to_str().unwrap();
    assert_eq!(
        shown(&run).replace(own, ""),
        "✓ root: /repo, files: 1, secrets left out: 1\n\
         ✓ configuration: defaults\n\
         ✓ index: none yet; the first use makes it\n\
         ✓ cache: /home/.cache/retriever, roots: 0, 0 B\n\
         ✓ agents: none set up; none found\n\
         ✓ model: none configured; ask answers with the built-in offline model\n"
    );
}

#[test]
fn doctor_tells_what_is_kept_and_which_agents_are_set_up() {
    let machine = Machine::new();
    assert_eq!(machine.run(&["index"]).code, 0);
    assert_eq!(machine.run(&["init", "--agent", "codex", "--yes"]).code, 0);
    let run = machine.run(&["doctor", "--format", "text"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("✓ index: files: 1, definitions: 2, to read again: "), "{}", run.out);
    assert!(run.out.contains("roots: 1, "), "{}", run.out);
    assert!(run.out.contains("✓ agents: set up: Codex\n"), "{}", run.out);

    machine.files.write("home/.codex/config.toml", "model = \"other\"\n");
    let run = machine.run(&["doctor", "--format", "text"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.out.contains("✗ agents: changed or gone"), "{}", run.out);
    assert!(run.out.contains(".codex/config.toml"), "{}", run.out);
}

#[cfg(unix)]
#[test]
fn doctor_fails_when_others_may_read_the_cache() {
    use std::{fs, os::unix::fs::PermissionsExt};
    let machine = Machine::new();
    assert_eq!(machine.run(&["index"]).code, 0);
    let cache = machine.files.root().join("home/.cache/retriever");
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o755)).unwrap();
    let run = machine.run(&["doctor", "--format", "text"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(
        run.out.contains("others on this machine may read it\n  hint: chmod 700 "),
        "{}",
        run.out
    );
}

#[test]
fn doctor_fails_on_what_is_unfit() {
    let machine = Machine::new();
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let closed = format!("http://{closed}/v1");
    type Case<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)], &'a str);
    let cases: [Case<'_>; 4] = [
        (&["--root", "/no/such"], &[], "the workspace root /no/such does not exist"),
        (&["--config", "none.toml"], &[], "cannot read "),
        (&[], &[("RETRIEVER_MODEL", "m")], "model m at https://api.openai.com/v1 needs a key"),
        (&[], &[("RETRIEVER_MODEL", "m"), ("RETRIEVER_BASE_URL", &closed)], "cannot be reached"),
    ];
    for (arguments, variables, expected) in cases {
        let mut command = machine.command(&["doctor"]);
        command.args(arguments).envs(variables.iter().copied());
        let run = Run::new(&command.output().unwrap());
        assert_eq!(run.code, 3, "{run:?}");
        let report = run.json();
        assert_eq!(report["ok"], json!(false));
        let bad: Vec<&Value> = report["checks"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|check| check["ok"] == json!(false))
            .collect();
        let [bad] = bad.as_slice() else { panic!("{report}") };
        assert!(bad["detail"].as_str().unwrap().contains(expected), "{bad}");
        assert!(!bad["hint"].as_str().unwrap().is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_asks_the_endpoint_for_its_models() {
    let elsewhere = MockServer::start().await;
    let list = json!({ "object": "list", "data": [{ "id": "small" }, { "id": "large" }] });
    let redirect = ResponseTemplate::new(307).insert_header("Location", elsewhere.uri());
    let cases = [
        (ResponseTemplate::new(200).set_body_json(&list), "large", 0, "lists large"),
        (ResponseTemplate::new(200).set_body_json(&list), "larg", 3, "does not list larg"),
        (ResponseTemplate::new(401), "large", 3, "refuses the key (HTTP 401)"),
        (ResponseTemplate::new(404), "large", 0, "without a list of models (HTTP 404)"),
        (
            ResponseTemplate::new(200).set_body_string("hello"),
            "large",
            3,
            "not with a list of models",
        ),
        (redirect, "large", 3, "answers with HTTP 307"),
    ];
    for (response, model, code, expected) in cases {
        let server = MockServer::start().await;
        Mock::given(method("GET"))
            .and(path("/v1/models"))
            .and(header("authorization", "Bearer s3cret"))
            .respond_with(response)
            .expect(1)
            .mount(&server)
            .await;
        let run = tokio::task::spawn_blocking({
            let base = format!("{}/v1/", server.uri());
            move || {
                let machine = Machine::new();
                let mut command = machine.command(&["doctor", "--format", "text"]);
                command
                    .env("RETRIEVER_MODEL", model)
                    .env("RETRIEVER_BASE_URL", base)
                    .env("RETRIEVER_API_KEY", "s3cret");
                Run::new(&command.output().unwrap())
            }
        })
        .await
        .unwrap();
        assert_eq!(run.code, code, "{run:?}");
        assert!(run.out.contains(expected), "{}", run.out);
        assert!(!run.out.contains("s3cret") && !run.err.contains("s3cret"));
    }
    assert_eq!(elsewhere.received_requests().await.unwrap().len(), 0, "a redirect was followed");
}

#[test]
fn a_question_that_can_not_be_asked_is_refused() {
    let none = "the question is empty";
    let how = "retriever ask \"how does X work\"";
    check_refusals(
        &Machine::new(),
        &[
            (&["ask"], 2, none, how),
            (&["ask", ""], 2, none, how),
            (&["ask", " \n "], 2, none, how),
            (&["ask", "-"], 2, none, how),
            (
                &["ask", "q", "--role", "nonsense"],
                2,
                "invalid value 'nonsense' for '--role <ROLE>' [possible values: entry, ui, handler, state, data, api, persistence, render, output, type, test]",
                "retriever ask --help",
            ),
            (
                &["ask", "q", "--intent", "fix"],
                2,
                "invalid value 'fix' for '--intent <INTENT>' [possible values: answer, edit, debug]",
                "retriever ask --help",
            ),
            (
                &["ask", "q", "--max-steps", "0"],
                2,
                "invalid value '0' for '--max-steps <N>'",
                "retriever ask --help",
            ),
            (
                &["ask", "q", "--timeout", "soon"],
                2,
                "invalid value 'soon' for '--timeout <DUR>': write seconds",
                "retriever ask --help",
            ),
            (
                &["ask", "q", "--timeout", "30days"],
                3,
                "--timeout: budget.timeout_s must be at most 604800 seconds",
                "config.example.toml",
            ),
            (
                &["ask", "q", "--base-url", "nowhere"],
                3,
                "--base-url: model.base_url must be an http or https address",
                "config.example.toml",
            ),
            (
                &["ask", "q", "--model", "m"],
                3,
                "model m at https://api.openai.com/v1 needs a key",
                "export RETRIEVER_API_KEY=…, or run with --offline",
            ),
            (
                &["ask", "q", "--record", "tape"],
                2,
                "--record needs a model",
                "name one with --model",
            ),
            (
                &["ask", "q", "--replay", "tape"],
                2,
                "tape cannot be read: No such file",
                "--replay takes a file",
            ),
            (
                &["ask", "q", "--replay", "main.rs"],
                2,
                "main.rs cannot be replayed: ",
                "--replay takes a file",
            ),
            (
                &["ask", "q", "--replay", "tape", "--offline"],
                2,
                "the argument '--replay <FILE>' cannot be used with",
                "retriever ask --help",
            ),
            (
                &["ask", "q", "--offline", "--events", "no/such/file"],
                2,
                "cannot write no/such/file: No such file",
                "give the path of a file",
            ),
            (
                &["ask", "q", "--offline", "--root", "/no/such"],
                3,
                "the workspace root /no/such does not exist",
                "check",
            ),
        ],
    );
}

#[test]
fn without_a_model_one_line_says_how_to_configure_one() {
    let machine = Machine::new();
    let run = machine.run(&["ask", "where does main start"]);
    assert_eq!(run.code, 0);
    assert_eq!(run.json()["meta"]["author"], json!("offline"));
    assert_eq!(run.err.lines().count(), 1, "{}", run.err);
    assert!(
        run.err.starts_with("note: no model is configured") && run.err.contains("retriever init")
    );
    for flag in ["--offline", "-q"] {
        assert_eq!(machine.run(&["ask", "where does main start", flag]).err, "", "{flag}");
    }
}

#[test]
fn a_question_comes_from_stdin_and_is_not_echoed() {
    let machine = Machine::new();
    let mut command =
        machine.command(&["ask", "--offline", "--intent", "edit", "--role", "entry,data", "-"]);
    let run = Run::new(&command.write_stdin("where does main start?\n").output().unwrap());
    let map = run.json();
    assert!(map.get("question").is_none(), "{map}");
    assert_eq!(map["intent"], json!("edit"));
    let roles = map["requested_roles"].as_array().unwrap();
    assert!(roles.contains(&json!("entry")) && roles.contains(&json!("data")), "{roles:?}");
}

#[test]
fn people_get_text_and_documents_get_code() {
    let machine = Machine::new();
    let ask = |more: &[&str]| {
        let run = machine.run(&[&["ask", "--offline", "where does main start"], more].concat());
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{more:?}");
        run.out
    };
    let code = "    start();";
    assert!(!ask(&["--format", "text"]).contains(code));
    assert!(ask(&["--format", "text", "--snippets"]).contains(code));
    assert!(ask(&["--format", "markdown"]).contains(code));
    assert!(ask(&["--format", "text", "--color", "always"]).contains("\u{1b}["));
    assert!(!ask(&["--format", "text"]).contains('\u{1b}'));
}

#[test]
fn a_session_gives_the_same_answer_again_and_takes_any_printable_name() {
    let machine = Machine::new();
    let ask =
        |name: &str| machine.run(&["ask", "--offline", "where does main start", "--session", name]);
    let first = ask("../chat 7");
    assert_eq!((first.code, first.err.as_str()), (0, ""));
    assert_eq!(first.json()["meta"]["session"], json!({"hit": false, "questions": 1, "hits": 0}));
    let (first, second) = (first.json(), ask("../chat 7").json());
    assert_eq!(second["meta"]["session"], json!({"hit": true, "questions": 2, "hits": 1}));
    assert_eq!(first["primary"], second["primary"]);
    assert_eq!(first["primary"][0]["id"], json!("s1"));
    let text = machine.run(&[
        "ask",
        "--offline",
        "where is start called",
        "--session",
        "../chat 7",
        "--format",
        "text",
    ]);
    assert!(text.out.contains("Places of earlier answers"), "{}", text.out);
    let context = machine.run(&["context", "s1", "--session", "../chat 7"]).json();
    assert_eq!(context["places"][0]["path"], first["primary"][0]["path"]);
    assert_eq!(context["places"][0]["start"], first["primary"][0]["start"]);
    check_refusals(
        &machine,
        &[
            (&["ask", "x", "--session", ""], 2, "invalid value", "retriever ask --help"),
            (&["ask", "x", "--session", "a\nb"], 2, "invalid value", "retriever ask --help"),
            (
                &["ask", "x", "--session", "a", "--replay", "tape"],
                2,
                "the argument",
                "retriever ask --help",
            ),
        ],
    );
}

#[test]
fn events_are_json_lines_from_start_to_finish() {
    let machine = Machine::new();
    let file = machine.run(&["ask", "--offline", "where does main start", "--events", "log.jsonl"]);
    assert_eq!((file.code, file.err.as_str()), (0, ""));
    let written = std::fs::read_to_string(machine.files.root().join("repo/src/log.jsonl")).unwrap();
    let stderr =
        machine.run(&["ask", "--offline", "where does main start", "--events", "-", "-v"]).err;
    for log in [written, stderr] {
        let events: Vec<Value> =
            log.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
        assert_eq!(events.first().unwrap()["event"], json!("run_started"));
        assert_eq!(events.last().unwrap()["event"], json!("run_finished"));
    }
}

#[test]
fn verbose_is_one_line_an_event() {
    let machine = Machine::new();
    let log = machine.run(&["ask", "--offline", "where does main start", "--events", "-"]).err;
    let said = machine.run(&["ask", "--offline", "where does main start", "-v"]).err;
    assert_eq!(said.lines().count(), log.lines().count(), "{said}");
    assert!(said.starts_with("run: offline\n"), "{said}");
}

#[test]
fn an_unreachable_endpoint_is_a_warning_or_with_no_fallback_exit_code_4() {
    let machine = Machine::new();
    machine.configure("[model]\nname = \"m\"\nretries = 0\n");
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{closed}/v1");
    let ask = ["ask", "where does main start", "--base-url", &url];
    let run = machine.run(&ask);
    assert_eq!(run.code, 0, "{run:?}");
    assert_ne!(run.json()["meta"]["author"], json!("model"));
    assert!(
        run.err
            .starts_with("warning: the model failed and the map was made without it: cannot reach"),
        "{}",
        run.err
    );

    let arguments = [ask.as_slice(), &["--no-fallback"]].concat();
    check_refusals(
        &machine,
        &[(&arguments, 4, "the model failed: cannot reach", "check --base-url")],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_recorded_is_replayed_without_the_endpoint() {
    let server = MockServer::start().await;
    let report = json!({
        "summary": "main starts it",
        "primary": [{ "ref": "src/main.rs:1-3", "role": "entry", "why": "calls start" }],
        "recommended_primary_action": "answer_from_report",
        "confidence": "high",
    });
    let call = |id: &str, name: &str, arguments: &Value| {
        let function = json!({ "name": name, "arguments": arguments.to_string() });
        let message = json!({ "role": "assistant", "tool_calls": [{ "id": id, "type": "function", "function": function }] });
        ResponseTemplate::new(200)
            .set_body_json(json!({ "choices": [{ "index": 0, "finish_reason": "tool_calls", "message": message }] }))
    };
    let read = call("a", "read", &json!({ "file": "src/main.rs" }));
    Mock::given(method("POST")).respond_with(read).up_to_n_times(1).mount(&server).await;
    Mock::given(method("POST"))
        .respond_with(call("b", "submit_report", &report))
        .mount(&server)
        .await;
    let url = format!("{}/v1", server.uri());

    let (recorded, replayed) = tokio::task::spawn_blocking(move || {
        let machine = Machine::new();
        let question = "where does main start";
        let recorded = machine.run(&[
            "ask",
            question,
            "--model",
            "m",
            "--base-url",
            &url,
            "--record",
            "../../tape",
        ]);
        let replayed = machine.run(&["ask", question, "--replay", "../../tape"]);
        (recorded, replayed)
    })
    .await
    .unwrap();
    assert_eq!((recorded.code, recorded.err.as_str()), (0, ""));
    assert_eq!((replayed.code, replayed.err.as_str()), (0, ""));
    let (mut recorded, mut replayed) = (recorded.json(), replayed.json());
    assert_eq!(recorded["primary"][0]["path"], json!("src/main.rs"));
    for map in [&mut recorded, &mut replayed] {
        map["meta"]["elapsed_ms"] = json!(0);
        // The estimate counts the digits of the time, too.
        map["meta"]["report_tokens"] = json!(0);
    }
    assert_eq!(recorded, replayed);
    assert_eq!(server.received_requests().await.unwrap().len(), 2);
}

#[test]
fn a_timeout_holds_where_single_files_take_long() {
    let machine = Machine::new();
    machine.write_costly_files();
    let started = Instant::now();
    let run = machine.run(&["ask", "where does main start", "--offline", "--timeout", "1s"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.json()["status"].is_string(), "{run:?}");
    // Ten times the limit: other tests run beside this one.
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
}

#[cfg(unix)]
#[test]
fn an_interrupt_holds_where_single_files_take_long() {
    let machine = Machine::new();
    machine.write_costly_files();
    // A shell that runs the tests in the background has SIGINT ignored by what does not listen for it.
    for (verb, signal) in [
        (&["ask", "where does main start", "--offline"][..], "-INT"),
        (&["index", "--rebuild"], "-TERM"),
    ] {
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("retriever"))
            .env_clear()
            .env("HOME", machine.files.root().join("home"))
            .current_dir(machine.files.root().join("repo"))
            .args(verb)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(500));
        let (signalled, id) = (Instant::now(), child.id().to_string());
        std::process::Command::new("kill").args([signal, &id]).status().unwrap();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            assert!(signalled.elapsed() < Duration::from_secs(10), "{verb:?} can't be interrupted");
            std::thread::sleep(Duration::from_millis(20));
        };
        // A signal that comes before the program listens for it, or while nothing listens, ends the process by itself.
        let ended = status.code() == Some(130) || matches!(status.signal(), Some(2 | 15));
        assert!(ended, "{verb:?}: {status}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_prints_a_partial_map_first() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let endpoint = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", endpoint.local_addr().unwrap());
        let machine = Machine::new();
        let child = std::process::Command::new(assert_cmd::cargo::cargo_bin("retriever"))
            .env_clear()
            .env("HOME", machine.files.root())
            .current_dir(machine.files.root().join("repo"))
            .args(["ask", "where does main start", "--model", "m", "--base-url", &url])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The endpoint takes the request and never answers.
        let (mut request, _) = endpoint.accept().unwrap();
        assert!(request.read(&mut [0; 1024]).unwrap() > 0);
        let id = child.id().to_string();
        assert!(std::process::Command::new("kill").args([signal, &id]).status().unwrap().success());
        let run = Run::new(&child.wait_with_output().unwrap());
        assert_eq!(run.code, code, "{run:?}");
        let map = run.json();
        assert_eq!(map["meta"]["stop_reason"], json!("interrupted"));
        assert_ne!(map["status"], json!("complete"));
    }
}

#[cfg(unix)]
#[test]
fn a_second_interrupt_ends_it_at_once_even_when_nobody_reads_its_events() {
    let machine = Machine::new();
    let (mut reader, writer) = std::io::pipe().unwrap();
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("retriever"))
        .env_clear()
        .env("HOME", machine.files.root())
        .current_dir(machine.files.root().join("repo"))
        .args(["ask", "--offline", "--events", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(writer)
        .spawn()
        .unwrap();
    // The first event repeats the question, and no pipe takes all of it.
    let question = "why \"\"\"\"? ".repeat(6_000);
    child.stdin.take().unwrap().write_all(question.as_bytes()).unwrap();
    reader.read_exact(&mut [0]).unwrap();
    let (started, id) = (Instant::now(), child.id().to_string());
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(started.elapsed() < Duration::from_secs(30), "it can't be interrupted");
        std::process::Command::new("kill").args(["-INT", &id]).status().unwrap();
        std::thread::sleep(Duration::from_millis(100));
    };
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!((status.code(), out.as_str()), (Some(130), ""));
}

/// `script` gives the program a terminal; where there is none, there is nothing to try.
#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_a_live_line_says_what_is_done_and_ctrl_c_ends_it_with_a_map() {
    let endpoint = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", endpoint.local_addr().unwrap());
    let machine = Machine::new();
    let program = assert_cmd::cargo::cargo_bin("retriever");
    let command = format!(
        "'{}' ask 'where does main start' --model m --base-url {url} --timeout 60",
        program.display()
    );
    let started = std::process::Command::new("script")
        .args(["-q", "-e", "-f", "-c", &command, "/dev/null"])
        .env_clear()
        .env("HOME", machine.files.root())
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("TERM", "xterm")
        .env("SHELL", "/bin/sh")
        .current_dir(machine.files.root().join("repo"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut terminal = match started {
        Ok(terminal) => terminal,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
        Err(error) => panic!("{error}"),
    };
    // The endpoint takes the request and never answers.
    let (mut request, _) = endpoint.accept().unwrap();
    assert!(request.read(&mut [0; 1024]).unwrap() > 0);
    let mut keyboard = terminal.stdin.take().unwrap();
    let mut screen = terminal.stdout.take().unwrap();
    let mut shown = Vec::new();
    let mut byte = [0];
    let live = "step 1/10  thinking";
    while !String::from_utf8_lossy(&shown).contains(live) {
        screen.read_exact(&mut byte).expect("the live line");
        shown.push(byte[0]);
    }
    keyboard.write_all(b"\x03").unwrap();
    screen.read_to_end(&mut shown).unwrap();
    let shown = String::from_utf8_lossy(&shown).into_owned();
    assert_eq!(terminal.wait().unwrap().code(), Some(130), "{shown}");
    let (_, after) = shown.rsplit_once(live).unwrap();
    // The line is taken away, and what stays is the map as people read it.
    assert!(after.contains("\u{1b}[2K"), "{after:?}");
    assert!(after.contains("confidence low") && after.contains("src/main.rs"), "{after:?}");
}

/// Where the program lies, a file of the installer, the manager, and its command.
#[cfg(unix)]
type Ownership<'a> = (&'a str, Option<(&'a str, &'a str)>, &'a str, Option<&'a str>);

#[cfg(unix)]
#[test]
fn upgrade_names_the_owner_of_the_program_and_what_to_type() {
    use std::fs;
    let machine = Machine::new();
    let root = machine.files.root().canonicalize().unwrap();
    let program = assert_cmd::cargo::cargo_bin("retriever");
    let home = |path: &str| root.join("home").join(path).display().to_string();
    let git = r#"{"installs": {"other 1.0.0 (registry+https://x)": {}, "retriever 0.1.0 (git+https://host/r?branch=a#0f)": {}}}"#;
    let installed = format!("{}\nhttps://host/install.sh\n", home(".local/bin/retriever"));
    let cases: [Ownership<'_>; 14] = [
        ("Cellar/retriever/0.1.0/bin", None, "Homebrew", Some("brew upgrade retriever")),
        (".npm/_npx/0a/node_modules/p/bin", None, "npx", Some("npx retriever-code-map@latest")),
        (
            "v/lib/node_modules/p/bin",
            None,
            "npm",
            Some("npm install --global retriever-code-map@latest"),
        ),
        (
            "web/node_modules/p/bin",
            None,
            "npm, in a project",
            Some("npm install retriever-code-map@latest"),
        ),
        (
            "pnpm/5/node_modules/p/bin",
            None,
            "pnpm",
            Some("pnpm add --global retriever-code-map@latest"),
        ),
        (".local/share/uv/tools/p/bin", None, "uv", Some("uv tool upgrade retriever-code-map")),
        (
            ".cache/uv/archive-v0/0a/bin",
            Some((".cache/uv/archive-v0/0a/pyvenv.cfg", "")),
            "uvx",
            Some("uvx --from retriever-code-map@latest retriever"),
        ),
        (
            ".cache/pipx/0a/bin",
            Some((".cache/pipx/0a/pyvenv.cfg", "")),
            "pipx run",
            Some("pipx run --no-cache retriever-code-map"),
        ),
        (".local/pipx/venvs/p/bin", None, "pipx", Some("pipx upgrade retriever-code-map")),
        (
            ".venv/bin",
            Some((".venv/pyvenv.cfg", "")),
            "pip",
            Some("/.venv/bin/python -m pip install --upgrade retriever-code-map"),
        ),
        (
            ".cargo/bin",
            Some((".cargo/.crates2.json", git)),
            "cargo",
            Some("cargo install --git https://host/r retriever"),
        ),
        (
            ".local/bin",
            Some((".local/state/retriever/installed", &installed)),
            "the installer",
            Some("curl -fsSL https://host/install.sh | sh -s -- --dir "),
        ),
        (
            "src/target/release",
            None,
            "a build in its source",
            Some("git pull && cargo build --release"),
        ),
        ("bin", None, "an unknown installer", None),
    ];
    for (folder, beside, manager, typed) in cases {
        let at = root.join("home").join(folder).join("retriever");
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        if fs::hard_link(&program, &at).is_err() {
            fs::copy(&program, &at).unwrap();
        }
        if let Some((path, text)) = beside {
            machine.files.write(&format!("home/{path}"), text);
        }
        let output = Command::new(&at)
            .env_clear()
            .env("HOME", root.join("home"))
            .args(["upgrade", "--format", "json"])
            .output()
            .unwrap();
        let run = Run::new(&output);
        assert_eq!(run.code, 0, "{run:?}");
        assert_eq!(run.json()["manager"], json!(manager), "{folder}");
        let command = run.json()["command"].as_str().map(str::to_owned);
        match typed {
            Some(typed) => assert!(command.unwrap().contains(typed), "{folder}: {}", run.out),
            None => assert_eq!(command, None),
        }
    }
}

#[test]
fn every_verb_has_a_man_page() {
    let machine = Machine::new();
    machine.files.write("pages/x", "");
    let folder = machine.files.root().join("pages");
    assert_eq!(machine.run(&["man", folder.to_str().unwrap()]).code, 0);
    let page = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert!(page("retriever.1").contains("Answer a question about a repository"));
    assert!(page("retriever-grep.1").contains("Lines shown after a match"));
    assert!(page("retriever-cache-prune.1").contains("Megabytes to keep at most"));
    let refused = machine.run(&["man", "/no/such"]);
    assert_eq!((refused.code, refused.err.lines().count()), (2, 2), "{refused:?}");
}
