//! Setting up and removing gives every byte back.

use std::fs;

use pretty_assertions::assert_eq;
use retriever_setup::{
    HostAgent, LaunchCommand, SetupOptions, SetupPlan, SetupScope, plan, removal,
};
use strum::IntoEnumIterator;

use crate::support::{Machine, everything, fixtures};

fn apply(machine: &Machine, plan: &SetupPlan) {
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
        for scope in [SetupScope::User, SetupScope::Project] {
            let options = everything(&[agent], scope);
            let plan = plan(&machine.written(), &options, &machine.surroundings);
            assert!(!plan.changes.is_empty(), "{fixture:?} {scope}");
            apply(&machine, &plan);
        }
        for scope in [SetupScope::Project, SetupScope::User] {
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
    let agents: Vec<_> = HostAgent::iter().collect();
    let (files, folders) = (machine.files(), machine.folders());
    for scope in [SetupScope::User, SetupScope::Project] {
        apply(
            &machine,
            &plan(&machine.written(), &everything(&agents, scope), &machine.surroundings),
        );
    }
    assert!(machine.files().len() > 40, "{:?}", machine.files().keys());
    for scope in [SetupScope::User, SetupScope::Project] {
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
        for scope in [SetupScope::User, SetupScope::Project] {
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
    let options = everything(&[HostAgent::ClaudeCode], SetupScope::User);
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
    let both = [HostAgent::Codex, HostAgent::Zed];
    apply(
        &machine,
        &plan(&machine.written(), &everything(&both, SetupScope::User), &machine.surroundings),
    );
    let skill = machine.surroundings.home.join(".agents/skills/retriever/SKILL.md");
    let remove = |agents: &[HostAgent]| {
        let journal = machine.written();
        apply(
            &machine,
            &removal(&journal, &everything(agents, SetupScope::User), &machine.surroundings),
        );
    };
    remove(&[HostAgent::Codex]);
    assert!(skill.is_file());
    remove(&[HostAgent::Zed]);
    assert_eq!(machine.files(), before);
}

/// An agent that finds a shared file set up reads it from then on: the file goes with the last reader, whoever came first.
#[test]
fn who_comes_later_shares_the_file() {
    for order in [[HostAgent::Codex, HostAgent::Zed], [HostAgent::Zed, HostAgent::Codex]] {
        let machine = Machine::empty();
        let before = machine.files();
        let skill = machine.surroundings.home.join(".agents/skills/retriever/SKILL.md");
        for agent in [HostAgent::Codex, HostAgent::Zed] {
            let options = everything(&[agent], SetupScope::User);
            apply(&machine, &plan(&machine.written(), &options, &machine.surroundings));
        }
        for agent in order {
            assert!(skill.is_file(), "{order:?}");
            let options = everything(&[agent], SetupScope::User);
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
    let both = [HostAgent::Codex, HostAgent::ClaudeCode];
    for agent in both {
        let options = everything(&[agent], SetupScope::User);
        apply(&machine, &plan(&machine.written(), &options, &machine.surroundings));
    }
    for agent in both {
        assert!(skill.is_file(), "{agent:?}");
        let options = everything(&[agent], SetupScope::User);
        apply(&machine, &removal(&machine.written(), &options, &machine.surroundings));
    }
    assert!(!skill.exists() && machine.written().written().is_empty());
}

/// Without a scope a removal takes back what was written for the user and in every project.
#[test]
fn a_removal_without_a_scope_is_one_of_everything() {
    let mut machine = Machine::empty();
    let files = machine.files();
    let agents = [HostAgent::Codex, HostAgent::ClaudeCode];
    let first = machine.surroundings.project.clone();
    let second = machine.folder.path().join("second");
    fs::create_dir_all(&second).unwrap();
    for (scope, project) in [
        (SetupScope::User, &first),
        (SetupScope::Project, &first),
        (SetupScope::Project, &Some(second)),
    ] {
        machine.surroundings.project.clone_from(project);
        let options = everything(&agents, scope);
        apply(&machine, &plan(&machine.written(), &options, &machine.surroundings));
    }
    machine.surroundings.project = None;
    let options = SetupOptions { scope: None, ..everything(&agents, SetupScope::User) };
    apply(&machine, &removal(&machine.written(), &options, &machine.surroundings));
    assert_eq!(machine.files(), files);
}

#[test]
fn what_an_earlier_version_wrote_is_replaced_and_given_back() {
    for (agent, fixture) in fixtures() {
        let mut machine = Machine::of(&fixture);
        let (files, folders) = (machine.files(), machine.folders());
        let options = everything(&[agent], SetupScope::User);
        apply(&machine, &plan(&machine.written(), &options, &machine.surroundings));
        machine.surroundings.launch =
            LaunchCommand { program: "/opt/a \"b\"/retriever".to_owned(), arguments: Vec::new() };
        let again = plan(&machine.written(), &options, &machine.surroundings);
        assert!(!again.changes.is_empty(), "{fixture:?}");
        apply(&machine, &again);
        let third = plan(&machine.written(), &options, &machine.surroundings);
        assert_eq!((third.changes, third.refused), (Vec::new(), Vec::new()), "{fixture:?}");
        let journal = machine.written();
        apply(&machine, &removal(&journal, &options, &machine.surroundings));
        assert_eq!(machine.files(), files, "{fixture:?}");
        assert_eq!(machine.folders(), folders, "{fixture:?}");
    }
}

#[test]
fn files_that_others_share_name_no_path_of_this_machine() {
    let mut machine = Machine::empty();
    machine.surroundings.launch =
        LaunchCommand { program: "/opt/retriever".to_owned(), arguments: Vec::new() };
    let agents: Vec<_> = HostAgent::iter().collect();
    let options = everything(&agents, SetupScope::Project);
    let plan = plan(&machine.written(), &options, &machine.surroundings);
    assert!(plan.changes.len() > 10);
    for change in &plan.changes {
        assert!(!change.after.as_deref().unwrap_or_default().contains("/opt"), "{change:?}");
    }
}
