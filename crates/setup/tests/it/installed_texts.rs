//! The texts that agents read: what every agent accepts, and how much of them is always resident.

use std::fs;

use retriever_setup::{HostAgent, SetupJournal, SetupPart, SetupScope, plan};
use strum::IntoEnumIterator;

use crate::support::{Machine, everything};

/// The strictest of all readers: only `name` and `description`, on one line, the name as the folder.
#[test]
fn the_skill_is_one_that_every_agent_accepts() {
    let skill = include_str!("../../texts/skill.md");
    let front = skill.strip_prefix("---\n").and_then(|rest| rest.split("\n---\n").next()).unwrap();
    let keys: Vec<_> = front.lines().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(keys, ["name", "description"]);
    assert!(front.lines().next().unwrap().ends_with(" retriever"));
    let description = front.lines().nth(1).unwrap().strip_prefix("description: ").unwrap();
    assert!(description.len() <= 1_024 && !description.contains(": "), "{description}");
}

#[test]
fn sub_agents_say_when_they_are_used_and_nothing_unknown() {
    let machine = Machine::empty();
    for agent in HostAgent::iter() {
        let mut options = everything(&[agent], SetupScope::Project);
        options.parts = vec![SetupPart::Subagent];
        for change in plan(&SetupJournal::default(), &options, &machine.surroundings).changes {
            let text = change.after.unwrap();
            assert!(text.contains("description"), "{agent}");
            if change.path.extension().is_some_and(|extension| extension == "toml") {
                let parsed: toml_edit::DocumentMut = text.parse().unwrap();
                assert!(
                    parsed["developer_instructions"]
                        .as_str()
                        .is_some_and(|text| !text.trim().is_empty())
                );
            } else {
                assert!(
                    text.starts_with("---\n") && text.matches("\n---\n").count() == 1,
                    "{agent}"
                );
            }
        }
    }
}

/// Every file that agents share is one file with one part in it.
#[test]
fn no_file_has_two_parts() {
    let machine = Machine::empty();
    for scope in [SetupScope::User, SetupScope::Project] {
        let agents: Vec<_> = HostAgent::iter().collect();
        let plan =
            plan(&SetupJournal::default(), &everything(&agents, scope), &machine.surroundings);
        let mut paths: Vec<_> = plan.changes.iter().map(|change| change.path.clone()).collect();
        paths.sort();
        let all = paths.len();
        paths.dedup();
        assert_eq!(paths.len(), all, "{scope}");
        assert!(plan.refused.is_empty());
        for path in paths {
            assert!(fs::metadata(&path).is_err(), "a plan wrote {}", path.display());
        }
    }
}
