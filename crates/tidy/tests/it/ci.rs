//! The script of CI says what a machine lacks and leaves it out; when it is strict, it refuses, unless it is told to leave that out.
#![cfg(unix)]

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    process::Command,
};

use pretty_assertions::assert_eq;

use crate::support::root;

/// A stand-in for cargo: the first real step fails.
const CARGO: &str = "#!/bin/bash\ncase \"$*\" in \"deny --version\") exit DENY ;; \"fmt --all --check\") exit 9 ;; esac\n";

/// Runs the script where there is no `missing`, strictly if `left_out` says what is left out; returns its exit code and its error.
fn ci(missing: &str, left_out: Option<&str>) -> (Option<i32>, String) {
    let tools = tempfile::tempdir().unwrap();
    let deny = if missing == "cargo-deny" { "1" } else { "0" };
    let cargo = CARGO.replace("DENY", deny);
    let stubs = ["cc", "python3", "initdb", "npm", "mdbook"].map(|tool| (tool, "#!/bin/bash\n"));
    for (tool, text) in stubs.into_iter().chain([("cargo", cargo.as_str())]) {
        if tool != missing {
            let path = tools.path().join(tool);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
    for tool in ["bash", "dirname", "id"] {
        let found = ["/bin", "/usr/bin"].map(|folder| format!("{folder}/{tool}"));
        let found = found.into_iter().find(|path| fs::exists(path).unwrap()).unwrap();
        symlink(found, tools.path().join(tool)).unwrap();
    }
    let mut script = Command::new("bash");
    script.arg(root().join(".ci/run")).env("PATH", tools.path());
    match left_out {
        Some(names) => script.env("CI_STRICT", "1").env("CI_WITHOUT", names),
        None => script.env_remove("CI_STRICT").env_remove("CI_WITHOUT"),
    };
    let run = script.output().unwrap();
    (run.status.code(), String::from_utf8(run.stderr).unwrap())
}

#[test]
fn a_missing_tool_is_told_and_is_an_error_of_a_strict_run() {
    for tool in ["cargo-deny", "npm", "mdbook"] {
        let (code, error) = ci(tool, None);
        assert_eq!(code, Some(9), "{error}");
        assert!(
            error.contains(&format!("ci: {tool} is missing, so its checks are left out")),
            "{error}"
        );
        let (code, error) = ci(tool, Some(""));
        assert_eq!(code, Some(1), "{error}");
        assert!(error.contains(&format!("ci: {tool} is missing: ")), "{error}");
        // Then it begins.
        for left_out in [tool.to_owned(), format!("postgresql {tool} landlock")] {
            assert_eq!(ci(tool, Some(&left_out)), (Some(9), String::new()), "{left_out}");
        }
        assert_eq!(ci(tool, Some(&format!("{tool}s"))).0, Some(1), "{tool}");
    }
    assert_eq!(ci("", Some("")), (Some(9), String::new()));
}
