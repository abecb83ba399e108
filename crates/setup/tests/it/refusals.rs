//! Files that can't be changed are refused with their line, and stay as they are.

use pretty_assertions::assert_eq;
use retriever_setup::{HostAgent, SetupJournal, SetupOptions, SetupPart, SetupScope, plan};

use crate::support::{Machine, root, sorted};

#[test]
fn damaged_and_taken_files_are_refused_with_their_line() {
    let expected = [
        ("codex_dotted", "line 1: the group is written in a form that no table can be added to"),
        ("codex_other_entry", "line 1: `retriever` is already there, with other contents"),
        ("codex_table_twice", "line 3, column 2: duplicate key"),
        ("cursor_cut_off", "line 2, column 17: Unterminated object"),
        ("cursor_hash_comment", "line 2, column 1: Unexpected token"),
        ("cursor_key_twice", "line 3: the key stands twice in one object"),
        ("cursor_no_object", "line 2: the value is no object"),
        ("cursor_other_entry", "line 3: `retriever` is already there, with other contents"),
        ("goose_braces", "line 1: the mapping is not in block style"),
        ("goose_flow", "line 2: the mapping is not in block style"),
        ("goose_indented_list", "line 2: the mapping is not in block style"),
        ("goose_list", "line 2: the mapping is not in block style"),
        ("goose_quoted", "line 1: the mapping is not in block style"),
        ("goose_tab", "line 2, column 1: a tab indents a line"),
    ];
    let mut seen = Vec::new();
    for fixture in sorted(&root().join("refused")) {
        let name = fixture.file_name().unwrap().to_str().unwrap().to_owned();
        let agent: HostAgent = name.split('_').next().unwrap().parse().unwrap();
        let machine = Machine::of(&fixture);
        let options = SetupOptions {
            agents: vec![agent],
            scope: Some(SetupScope::User),
            parts: vec![SetupPart::Mcp],
        };
        let plan = plan(&SetupJournal::default(), &options, &machine.surroundings);
        assert_eq!(plan.changes, [], "{name}");
        assert_eq!(plan.refused.len(), 1, "{name}");
        seen.push((name, plan.refused[0].reason.clone()));
    }
    let seen: Vec<_> = seen.iter().map(|(name, reason)| (name.as_str(), reason.as_str())).collect();
    assert_eq!(seen, expected);
}
