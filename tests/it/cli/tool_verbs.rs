//! `grep`, `glob` and `read` at the command line.

use std::process::Stdio;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::Machine;

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
