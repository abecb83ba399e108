//! Help, examples, completions, man pages and `upgrade`.

use assert_cmd::Command;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::{Machine, Run};

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
