//! What an answer suggests can be pasted into a shell, and links lead to the places of an answer.

use std::process::Command;

use assert_cmd::cargo::cargo_bin;

use crate::support::machine::{Machine, Run};

const TREE: &str = "\
//- /home/x
//- /repo/.git/HEAD
//- /repo/src/a b.py
class Store:
    path: str
    depth: int

    def save(self):
        write('->')


def write(text):
    print('->', text)


def save_all():
    write('->')
    Store().save()
//- /repo/src/other.py
def save():
    write('->')


def write(text):
    pass
";

/// Runs a line in a shell that finds the program.
fn paste(machine: &Machine, folder: &str, line: &str) -> Run {
    let programs = cargo_bin("retriever").parent().unwrap().to_owned();
    let output = Command::new("/bin/sh")
        .args(["-c", line])
        .env_clear()
        .env("HOME", machine.files.root().join("home"))
        .env("PATH", format!("{}:/usr/bin:/bin", programs.display()))
        .current_dir(machine.files.root().join(folder))
        .output()
        .unwrap();
    Run::new(&output)
}

/// The first command that a text suggests, without the words behind it.
fn suggested(text: &str) -> &str {
    let at = text.find("retriever ").expect("a command is suggested");
    text[at..].split(['\n', ';']).next().unwrap()
}

#[test]
fn every_suggestion_of_a_tool_can_be_pasted_into_a_shell() {
    let machine = Machine::new(TREE, "repo");
    let root = machine.files.root().join("repo").display().to_string();
    let cases: [(&str, &[&str], &str); 9] = [
        ("repo", &["glob", "*.py", "--limit", "1"], ".py\"}"),
        ("repo", &["grep", "write\\(", "--limit", "1", "-g", "*.py"], "write("),
        ("repo", &["grep", "--limit", "1", "--path", "src", "--", "->'"], "->'"),
        ("repo/src", &["grep", "-F", "'->'", "a b.py", "--limit", "1", "-C", "1"], "'->'"),
        ("repo", &["read", "src/a b.py", "--start-line", "99"], "Store().save()"),
        ("repo", &["graph", "symbols", "src/a b.py"], "depth"),
        ("repo", &["graph", "callers", "write"], "save_all"),
        ("repo", &["graph", "search", "save", "--limit", "1"], "save"),
        ("home", &["--root", &root, "graph", "symbols", "src/a b.py", "--limit", "1"], "save"),
    ];
    for (folder, arguments, found) in cases {
        // Behind a `--` options would be patterns.
        let text = [&["--format", "text"], arguments].concat();
        let first = Run::new(&machine.command_in(folder, &text).output().unwrap());
        let said = format!("{}{}", first.out, first.err);
        let line = suggested(&said);
        let next = paste(&machine, folder, line);
        assert_eq!(next.code, 0, "{arguments:?} suggested {line}: {}", next.err);
        assert!(next.out.contains(found), "{arguments:?} suggested {line}: {}", next.out);
        if first.code == 0 {
            let typed = Run::new(&machine.command_in(folder, arguments).output().unwrap()).json();
            let mut notes = typed["notes"].as_array().unwrap().iter();
            assert!(notes.any(|note| note.as_str().unwrap().contains(line)), "{typed}");
        }
    }
}

#[test]
fn a_suggestion_leads_to_what_was_asked_wherever_it_is_pasted() {
    let machine = Machine::new(TREE, "repo");
    for folder in ["repo", "repo/crates/search"] {
        machine.files.write(&format!("{folder}/src/lib.rs"), format!("// {folder};\n").repeat(4));
    }
    machine.files.write("repo/-d/lib.rs", "// repo/-d; ->\n".repeat(4));
    let long = "x".repeat(300);
    let (regex, glob) = (format!("repo;|{long}"), format!("{{{long},lib}}.rs"));
    let search = "repo/crates/search";
    let cases: [(&str, &[&str], &str); 7] = [
        (search, &["read", "../../src/lib.rs", "--start-line", "99"], "// repo;"),
        (search, &["grep", "repo.*;", "../../src/lib.rs", "--limit", "1"], "// repo;"),
        (search, &["glob", "lib.rs", "--path", "../..", "--limit", "1"], "\"src/lib.rs"),
        (search, &["grep", "repo.*;", "--limit", "1", "src/lib.rs"], "repo/crates/search;"),
        ("repo", &["grep", &regex, "--limit", "1", "src"], "// repo;"),
        ("repo", &["glob", &glob, "--limit", "1"], "lib.rs"),
        ("repo", &["grep", "--path=-d", "--limit", "1", "--", "->"], "repo/-d;"),
    ];
    for (folder, arguments, found) in cases {
        let text = [&["--format", "text"], arguments].concat();
        let first = Run::new(&machine.command_in(folder, &text).output().unwrap());
        let said = format!("{}{}", first.out, first.err);
        // Patterns have a semicolon here.
        let line = &said[said.find("retriever ").expect("a command is suggested")..];
        let next = paste(&machine, folder, line.lines().next().unwrap());
        assert_eq!(next.code, 0, "{arguments:?} suggested {line}: {}", next.err);
        assert!(next.out.contains(found), "{arguments:?} suggested {line}: {}", next.out);
    }
}

#[test]
fn no_suggestion_is_made_that_is_shown_in_another_way_than_it_is_typed() {
    let machine = Machine::new(TREE, "repo");
    let found = machine.run(&["grep", "write|\u{1b}", "--limit", "1", "--format", "text"]);
    assert!(found.code == 0 && found.out.contains("(no command: "), "{found:?}");
    assert!(!found.out.contains("retriever grep"), "{found:?}");
}

#[test]
fn a_cut_place_of_an_exploration_says_the_command_that_prints_it_whole() {
    let machine = Machine::new(TREE, "repo");
    let body: String = (1..400).map(|number| format!("    step({number})\n")).collect();
    machine.files.write("repo/src/long.py", format!("def drain_queue():\n{body}"));
    let found = machine.run(&["explore", "drain_queue", "--format", "text"]);
    let next = paste(&machine, "repo", suggested(&found.out));
    assert!(next.code == 0 && next.out.contains("step(150)"), "{found:?} {next:?}");
    machine.files.write("home/own.toml", "");
    let elsewhere =
        ["--root", "../repo", "--config", "own.toml", "explore", "drain_queue", "--format", "text"];
    let found = Run::new(&machine.command_in("home", &elsewhere).output().unwrap());
    let line = suggested(&found.out);
    assert!(line.starts_with("retriever --root ../repo --config own.toml context "), "{line}");
    let next = paste(&machine, "home", line);
    assert!(next.code == 0 && next.out.contains("step(150)"), "{found:?} {next:?}");
}

#[test]
fn text_for_people_has_no_ids_of_the_run_and_markdown_has() {
    let machine = Machine::new(TREE, "repo");
    for (arguments, shown) in [
        (["grep", "def write"], "src/other.py\n       declares 5-6\n    5| def write(text):\n"),
        (["glob", "*other*"], "src/other.py\n"),
        (
            ["read", "src/other.py:1-2"],
            "src/other.py\n    1| def save():\n    2|     write('->')\n",
        ),
    ] {
        let text = machine.run(&[&arguments[..], &["--format", "text"]].concat()).out;
        assert!(text.contains(shown) && !text.contains("[c1]"), "{text}");
        let text = machine.run(&[&arguments[..], &["--format", "markdown"]].concat()).out;
        assert!(text.contains("[c1]"), "{text}");
    }
    let missing = machine.run(&["graph", "callers", "", "--format", "text"]);
    assert!(missing.err.contains("give a name") && !missing.err.contains("c7"), "{missing:?}");
    machine.files.write("repo/src/red.py", "red = '\u{1b}[31m'\n");
    for arguments in [["grep", "red ="], ["read", "src/red.py"]] {
        let text = machine.run(&[&arguments[..], &["--format", "text"]].concat()).out;
        assert!(!text.contains('\u{1b}') && text.contains("red = '\\u{1b}[31m'"), "{text:?}");
    }
}
