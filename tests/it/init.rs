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
    assert!(out.contains("Took retriever out of 3 files."), "{out}");
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
    assert!(err.contains("nobody can be asked") && err.contains("hint: add --yes"), "{err}");
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
