//! `init` as a new user meets it: on a home of its own.

use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::support::machine::{Machine, Run};

fn home() -> Machine {
    Machine::new(
        "//- /repo/.git/HEAD\n//- /repo/a.rs\nfn a() {}\n//- /home/.codex/config.toml\nmodel = \"x\"\n",
        "repo",
    )
}

fn config(home: &Machine) -> String {
    std::fs::read_to_string(home.files.root().join("home/.codex/config.toml")).unwrap()
}

#[test]
fn the_agents_that_are_installed_are_set_up_and_taken_back() {
    let home = home();
    let before = config(&home);
    let Run { code, out, err } = home.run(&["init", "--dry-run", "--format", "text"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("Agents: Codex") && out.contains("+[mcp_servers.retriever]"), "{out}");
    assert_eq!(config(&home), before);

    let Run { code, out, .. } = home.run(&["init", "--yes", "--format", "json"]);
    assert_eq!(code, 0);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["written"], true);
    assert_eq!(report["changes"].as_array().unwrap().len(), 3);
    assert!(config(&home).contains("[mcp_servers.retriever]"));
    assert!(home.files.root().join("home/.agents/skills/retriever/SKILL.md").is_file());

    let Run { code, out, .. } = home.run(&["init", "--remove", "--yes", "--format", "text"]);
    assert_eq!(code, 0);
    assert!(out.contains("Removed retriever from 3 files."), "{out}");
    assert_eq!(config(&home), before);
    assert!(!home.files.root().join("home/.agents").exists());
    assert!(!home.files.root().join("home/.local/state/retriever/init.json").exists());
}

#[test]
fn nothing_is_written_where_nobody_can_be_asked() {
    let home = home();
    let before = config(&home);
    let Run { code, err, .. } = home.run(&["init"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("init can only ask at a terminal") && err.contains("hint: add --yes"),
        "{err}"
    );
    assert_eq!(config(&home), before);
}

#[test]
fn a_damaged_file_is_refused_and_the_others_are_written() {
    let home = home();
    home.files.write("home/.cursor/mcp.json", "{ \"mcpServers\": {");
    let agents = ["--agent", "codex", "--agent", "cursor", "--what", "mcp"];
    let Run { code, err, .. } = home.run(&[&["init", "--yes"], agents.as_slice()].concat());
    assert_eq!(code, 3);
    assert!(err.contains("mcp.json: line 1, column"), "{err}");
    assert!(config(&home).contains("[mcp_servers.retriever]"));
}

#[test]
fn no_agent_is_an_error_that_lists_them() {
    let home = home();
    std::fs::remove_file(home.files.root().join("home/.codex/config.toml")).unwrap();
    let Run { code, err, .. } = home.run(&["init"]);
    assert_eq!(code, 3);
    assert!(err.contains("no agent was found") && err.contains("claude-code"), "{err}");
}

#[test]
fn what_was_set_up_with_options_is_taken_back_without_them() {
    let ways: [&[&str]; 3] = [
        &["--what", "instructions"],
        &["--scope", "project"],
        &["--scope", "project", "--what", "mcp,instructions"],
    ];
    for options in ways {
        let home = home();
        let before = home.files.files();
        let Run { code, .. } = home.run(&[&["init", "--yes"], options].concat());
        assert_eq!(code, 0);
        assert_ne!(home.files.files(), before, "{options:?}");
        let Run { code, .. } = home.run(&["init", "--remove", "--yes"]);
        assert_eq!(code, 0);
        assert_eq!(home.files.files(), before, "{options:?}");
    }
}

#[test]
fn an_agent_that_is_set_up_later_keeps_the_shared_skill() {
    let home = home();
    let skill = home.files.root().join("home/.agents/skills/retriever/SKILL.md");
    let skill_of = |agent, more: &[&str]| {
        home.run(&[&["init", "--what", "skill", "--yes", "--agent", agent], more].concat())
    };
    skill_of("codex", &[]);
    skill_of("zed", &[]);
    skill_of("codex", &["--remove"]);
    assert!(skill.is_file());
    skill_of("zed", &["--remove"]);
    assert!(!skill.exists());
}

#[test]
fn an_entry_names_what_starts_the_program_again() {
    let home = home();
    let root = home.files.root().join("home");
    let own = root.join("bin/retriever").display().to_string();
    // Where the program lies, the folder on the path, and what starts it.
    let cases = [
        ("bin", "bin", "command = \"retriever\"\nargs = [\"mcp\", ".to_owned()),
        ("bin", "other", format!("command = \"{own}\"\nargs = [\"mcp\", ")),
        (
            ".npm/_npx/0a/node_modules/p/bin",
            ".npm/_npx/0a/node_modules/.bin",
            "command = \"npx\"\nargs = [\"-y\", \"retriever-code-map\", \"mcp\", ".to_owned(),
        ),
        (
            ".cache/uv/archive-v0/0a/bin",
            ".cache/uv/archive-v0/0a/bin",
            "command = \"uvx\"\nargs = [\"--from\", \"retriever-code-map\", \"retriever\", \"mcp\", "
                .to_owned(),
        ),
        (
            ".cache/pipx/0a/bin",
            "other",
            "command = \"pipx\"\nargs = [\"run\", \"retriever-code-map\", \"mcp\", ".to_owned(),
        ),
        // A folder that is on the path only while an environment is active.
        (
            ".venv/bin",
            ".venv/bin",
            format!("command = \"{}\"\n", root.join(".venv/bin/retriever").display()),
        ),
    ];
    home.files.write("home/.venv/pyvenv.cfg", "");
    let before = config(&home);
    for (folder, path, expected) in cases {
        let at = root.join(folder).join("retriever");
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        let program = assert_cmd::cargo::cargo_bin("retriever");
        if !at.exists() && std::fs::hard_link(&program, &at).is_err() {
            // A file that this process has written may still be open in a child of another test, and can't be run then.
            let copied = std::process::Command::new("cp").args([&program, &at]).status();
            assert!(copied.unwrap().success());
        }
        let done = std::process::Command::new(&at)
            .env_clear()
            .env("HOME", &root)
            .env("PATH", root.join(path))
            .current_dir(home.files.root().join("repo"))
            .args(["init", "--yes", "--agent", "codex", "--what", "mcp"])
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
        // What another installation wrote is replaced.
        let written = config(&home);
        let canonical = root.canonicalize().unwrap();
        let written = written.replace(canonical.to_str().unwrap(), root.to_str().unwrap());
        assert!(written.contains(&expected), "{folder}: {written}");
    }
    home.run(&["init", "--remove", "--yes"]);
    assert_eq!(config(&home), before);
}
