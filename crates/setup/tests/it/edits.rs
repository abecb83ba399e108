//! What each agent's files look like afterwards, byte for byte. `UPDATE=1` writes the expected files anew.

use std::{fs, path::Path};

use pretty_assertions::assert_eq;
use retriever_setup::{SetupJournal, SetupPart, SetupScope, plan};

use crate::support::{Machine, everything, fixtures};

#[test]
fn files_of_agents_after_setup() {
    for (agent, fixture) in fixtures() {
        let machine = Machine::of(&fixture);
        let before = machine.files();
        let mut options = everything(&[agent], SetupScope::User);
        options.parts = vec![SetupPart::Mcp, SetupPart::Instructions];
        for scope in [SetupScope::User, SetupScope::Project] {
            options.scope = Some(scope);
            plan(&SetupJournal::default(), &options, &machine.surroundings)
                .apply(&mut SetupJournal::default())
                .unwrap();
        }
        for (path, after) in
            machine.files().into_iter().filter(|(path, _)| before.contains_key(path))
        {
            let case = fixture.file_name().unwrap();
            let expected = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests/expected")
                .join(fixture.parent().unwrap().file_name().unwrap())
                .join(case)
                .join(&path);
            if std::env::var_os("UPDATE").is_some() {
                fs::create_dir_all(expected.parent().unwrap()).unwrap();
                fs::write(&expected, &after).unwrap();
            }
            let wanted = fs::read(&expected)
                .unwrap_or_else(|error| panic!("{}: {error}", expected.display()));
            assert_eq!(
                String::from_utf8_lossy(&after),
                String::from_utf8_lossy(&wanted),
                "{}",
                path.display()
            );
        }
    }
}
