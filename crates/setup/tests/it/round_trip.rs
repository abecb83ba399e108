//! Setting up and removing gives every byte back.

use std::fs;

use pretty_assertions::assert_eq;
use retriever_setup::{Agent, Journal, Plan, Scope, plan, removal};
use strum::IntoEnumIterator;

use crate::support::{Machine, everything, fixtures};

fn apply(machine: &Machine, plan: &Plan) {
    assert_eq!(plan.refused, []);
    let mut journal = Journal::load(&machine.journal()).unwrap();
    plan.apply(&mut journal).unwrap();
    journal.save(&machine.journal()).unwrap();
}

#[test]
fn removal_gives_back_every_file_and_folder() {
    for (agent, fixture) in fixtures() {
        let machine = Machine::of(&fixture);
        let (files, folders) = (machine.files(), machine.folders());
        for scope in [Scope::User, Scope::Project] {
            let options = everything(&[agent], scope);
            let plan = plan(&options, &machine.surroundings);
            assert!(!plan.changes.is_empty(), "{fixture:?} {scope}");
            apply(&machine, &plan);
        }
        for scope in [Scope::Project, Scope::User] {
            let journal = Journal::load(&machine.journal()).unwrap();
            apply(
                &machine,
                &removal(&journal, &everything(&[agent], scope), &machine.surroundings),
            );
        }
        assert_eq!(machine.files(), files, "{fixture:?}");
        assert_eq!(machine.folders(), folders, "{fixture:?}");
        assert!(!machine.journal().is_file(), "{fixture:?}");
    }
}

#[test]
fn all_agents_at_once_on_an_empty_machine() {
    let machine = Machine::empty();
    let agents: Vec<_> = Agent::iter().collect();
    let (files, folders) = (machine.files(), machine.folders());
    for scope in [Scope::User, Scope::Project] {
        apply(&machine, &plan(&everything(&agents, scope), &machine.surroundings));
    }
    assert!(machine.files().len() > 40, "{:?}", machine.files().keys());
    for scope in [Scope::User, Scope::Project] {
        let journal = Journal::load(&machine.journal()).unwrap();
        apply(&machine, &removal(&journal, &everything(&agents, scope), &machine.surroundings));
    }
    assert_eq!(machine.files(), files);
    assert_eq!(machine.folders(), folders);
}

#[test]
fn a_second_time_changes_nothing() {
    for (agent, fixture) in fixtures() {
        let machine = Machine::of(&fixture);
        for scope in [Scope::User, Scope::Project] {
            let options = everything(&[agent], scope);
            apply(&machine, &plan(&options, &machine.surroundings));
            assert_eq!(plan(&options, &machine.surroundings).changes, [], "{fixture:?}");
        }
        fs::remove_file(machine.journal()).unwrap();
    }
}

/// An agent that rewrites its file keeps what it wrote; only our entry goes, also without a journal.
#[test]
fn what_others_wrote_since_stays() {
    let machine = Machine::empty();
    let file = machine.surroundings.home.join(".claude.json");
    fs::write(&file, "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n").unwrap();
    let options = everything(&[Agent::ClaudeCode], Scope::User);
    for journal_is_kept in [true, false] {
        apply(&machine, &plan(&options, &machine.surroundings));
        let changed = fs::read_to_string(&file)
            .unwrap()
            .replace("{\n  \"mcp", "{\n  \"startups\": 2,\n  \"mcp");
        fs::write(&file, &changed).unwrap();
        if !journal_is_kept {
            fs::remove_file(machine.journal()).unwrap();
        }
        let journal = Journal::load(&machine.journal()).unwrap();
        apply(&machine, &removal(&journal, &options, &machine.surroundings));
        let kept = fs::read_to_string(&file).unwrap();
        assert_eq!(kept, "{\n  \"startups\": 2,\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n");
        fs::write(&file, "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n").unwrap();
    }
}

/// A skill that two agents read stays until the last of them is removed.
#[test]
fn a_shared_file_stays_as_long_as_somebody_reads_it() {
    let machine = Machine::empty();
    let before = machine.files();
    let both = [Agent::Codex, Agent::Zed];
    apply(&machine, &plan(&everything(&both, Scope::User), &machine.surroundings));
    let skill = machine.surroundings.home.join(".agents/skills/retriever/SKILL.md");
    let remove = |agents: &[Agent]| {
        let journal = Journal::load(&machine.journal()).unwrap();
        apply(
            &machine,
            &removal(&journal, &everything(agents, Scope::User), &machine.surroundings),
        );
    };
    remove(&[Agent::Codex]);
    assert!(skill.is_file());
    remove(&[Agent::Zed]);
    assert_eq!(machine.files(), before);
}
