//! The callers of docs/planners.md, run as they stand there by the programs that they are written for.

use std::{env, fs, path::Path, process::Command};

use crate::support::fixture::Fixture;

/// The code of the page's only block in this language.
fn block(language: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/planners.md");
    let text = fs::read_to_string(page).unwrap();
    let fence = format!("```{language}\n");
    let (_, rest) = text.split_once(&fence).expect(language);
    assert!(!rest.contains(&fence), "docs/planners.md has more than one block of {language}");
    rest.split("```").next().unwrap().to_owned()
}

/// Runs the code in a project, with the program on the search path.
fn run(interpreter: &str, code: &str) -> (bool, String) {
    let fixture =
        Fixture::new("//- /.git/HEAD\n//- /src/queue.rs\npub fn queue_job(job: Job) {}\n");
    let program = assert_cmd::cargo::cargo_bin("retriever");
    let mut path = vec![program.parent().unwrap().to_owned()];
    path.extend(env::split_paths(&env::var_os("PATH").unwrap()));
    let output = Command::new(interpreter)
        .args(["-c", code])
        .env("PATH", env::join_paths(path).unwrap())
        .env("HOME", fixture.root())
        .env_remove("RETRIEVER_MODEL")
        .current_dir(fixture.root())
        .output()
        .expect(interpreter);
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(said).unwrap())
}

#[test]
fn the_shell_caller_works() {
    let (done, said) = run("bash", &block("bash"));
    assert!(done && said.contains("\"confidence\":"), "{said}");
}

#[test]
fn the_python_caller_works() {
    let (done, said) = run("python3", &block("python"));
    assert!(done && said.contains("src/queue.rs:1-1"), "{said}");
}
