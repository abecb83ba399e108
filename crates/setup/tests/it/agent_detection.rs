//! Which agents are found.

use std::fs;

use pretty_assertions::assert_eq;
use retriever_setup::{HostAgent, InstallEvidence, detect};

use crate::support::Machine;

#[test]
fn nothing_is_found_on_an_empty_machine() {
    assert_eq!(detect(&Machine::empty().surroundings), []);
}

#[test]
fn a_program_on_the_path_or_a_file_of_its_own_shows_an_agent() {
    let mut machine = Machine::empty();
    let bin = machine.folder.path().join("bin");
    fs::create_dir(&bin).unwrap();
    fs::write(bin.join("claude"), "").unwrap();
    fs::create_dir_all(machine.surroundings.home.join(".codex")).unwrap();
    fs::write(machine.surroundings.home.join(".codex/config.toml"), "").unwrap();
    machine.surroundings.variables.insert("PATH".to_owned(), bin.display().to_string());
    let found: Vec<_> = detect(&machine.surroundings)
        .into_iter()
        .map(|found| (found.agent, found.evidence))
        .collect();
    let config = machine.surroundings.home.join(".codex/config.toml");
    let expected = vec![
        (HostAgent::ClaudeCode, InstallEvidence::Program(bin.join("claude"))),
        (HostAgent::Codex, InstallEvidence::File(config)),
    ];
    assert_eq!(found, expected);
}

/// Other installers and extensions make these folders too.
#[test]
fn folders_that_others_make_show_nothing() {
    let machine = Machine::empty();
    for folder in [
        ".cursor",
        ".claude",
        ".gemini",
        ".codeium/windsurf",
        ".agents/skills",
        ".roo",
        ".config/opencode",
    ] {
        fs::create_dir_all(machine.surroundings.home.join(folder)).unwrap();
    }
    assert_eq!(detect(&machine.surroundings), []);
}
