//! Setting up and removing gives every byte back.

use std::fs;

use pretty_assertions::assert_eq;
use retriever_setup::{Agent, Options, Plan, Scope, plan, removal};
use strum::IntoEnumIterator;

use crate::support::{Machine, everything, fixtures};

fn apply(machine: &Machine, plan: &Plan) {
    assert_eq!(plan.refused, []);
    let mut journal = machine.written();
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
            let plan = plan(&machine.written(), &options, &machine.surroundings);
            assert!(!plan.changes.is_empty(), "{fixture:?} {scope}");
            apply(&machine, &plan);
        }
        for scope in [Scope::Project, Scope::User] {
            let journal = machine.written();
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
        apply(
            &machine,
            &plan(&machine.written(), &everything(&agents, scope), &machine.surroundings),
        );
    }
    assert!(machine.files().len() > 40, "{:?}", machine.files().keys());
    for scope in [Scope::User, Scope::Project] {
        let journal = machine.written();
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
            apply(&machine, &plan(&machine.written(), &options, &machine.surroundings));
            assert_eq!(
                plan(&machine.written(), &options, &machine.surroundings).changes,
                [],
                "{fixture:?}"
            );
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
        apply(&machine, &plan(&machine.written(), &options, &machine.surroundings));
        let changed = fs::read_to_string(&file)
            .unwrap()
            .replace("{\n  \"mcp", "{\n  \"startups\": 2,\n  \"mcp");
        fs::write(&file, &changed).unwrap();
        if !journal_is_kept {
            fs::remove_file(machine.journal()).unwrap();
        }
        let journal = machine.written();
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
    apply(
        &machine,
        &plan(&machine.written(), &everything(&both, Scope::User), &machine.surroundings),
    );
    let skill = machine.surroundings.home.join(".agents/skills/retriever/SKILL.md");
    let remove = |agents: &[Agent]| {
        let journal = machine.written();
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

/// An agent that finds a shared file set up reads it from then on: the file goes with the last reader, whoever came first.
#[test]
fn who_comes_later_shares_the_file() {
    for order in [[Agent::Codex, Agent::Zed], [Agent::Zed, Agent::Codex]] {
        let machine = Machine::empty();
        let before = machine.files();
        let skill = machine.surroundings.home.join(".agents/skills/retriever/SKILL.md");
        for agent in [Agent::Codex, Agent::Zed] {
            let options = everything(&[agent], Scope::User);
            apply(&machine, &plan(&machine.written(), &options, &machine.surroundings));
        }
        for agent in order {
            assert!(skill.is_file(), "{order:?}");
            let options = everything(&[agent], Scope::User);
            apply(&machine, &removal(&machine.written(), &options, &machine.surroundings));
        }
        assert_eq!(machine.files(), before, "{order:?}");
    }
}

/// A skill folder that is a link to that of another agent holds one file of both.
#[cfg(unix)]
#[test]
fn a_file_with_two_names_is_one() {
    let machine = Machine::empty();
    let home = &machine.surroundings.home;
    fs::create_dir_all(home.join(".agents/skills")).unwrap();
    fs::create_dir_all(home.join(".claude")).unwrap();
    std::os::unix::fs::symlink(home.join(".agents/skills"), home.join(".claude/skills")).unwrap();
    let skill = home.join(".agents/skills/retriever/SKILL.md");
    let both = [Agent::Codex, Agent::ClaudeCode];
    for agent in both {
        let options = everything(&[agent], Scope::User);
        apply(&machine, &plan(&machine.written(), &options, &machine.surroundings));
    }
    for agent in both {
        assert!(skill.is_file(), "{agent:?}");
        let options = everything(&[agent], Scope::User);
        apply(&machine, &removal(&machine.written(), &options, &machine.surroundings));
    }
    assert!(!skill.exists() && machine.written().written().is_empty());
}

/// Without a scope a removal takes back what was written for the user and in every project.
#[test]
fn a_removal_without_a_scope_is_one_of_everything() {
    let mut machine = Machine::empty();
    let files = machine.files();
    let agents = [Agent::Codex, Agent::ClaudeCode];
    let first = machine.surroundings.project.clone();
    let second = machine.folder.path().join("second");
    fs::create_dir_all(&second).unwrap();
    for (scope, project) in
        [(Scope::User, &first), (Scope::Project, &first), (Scope::Project, &Some(second))]
    {
        machine.surroundings.project.clone_from(project);
        let options = everything(&agents, scope);
        apply(&machine, &plan(&machine.written(), &options, &machine.surroundings));
    }
    machine.surroundings.project = None;
    let options = Options { scope: None, ..everything(&agents, Scope::User) };
    apply(&machine, &removal(&machine.written(), &options, &machine.surroundings));
    assert_eq!(machine.files(), files);
}
