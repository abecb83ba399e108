//! The script of CI refuses a machine that lacks a tool, unless it is told to leave out what needs that.
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

/// Runs the script where there is no `missing`; returns its exit code and its error.
fn ci(missing: &str, left_out: &str) -> (Option<i32>, String) {
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
    script.arg(root().join(".ci/run")).env("PATH", tools.path()).env("CI_WITHOUT", left_out);
    let run = script.output().unwrap();
    (run.status.code(), String::from_utf8(run.stderr).unwrap())
}

#[test]
fn a_missing_tool_is_an_error_unless_it_is_left_out_by_name() {
    for tool in ["cargo-deny", "npm", "mdbook"] {
        let (code, error) = ci(tool, "");
        assert_eq!(code, Some(1), "{error}");
        assert!(error.contains(&format!("ci: {tool} is missing")), "{error}");
        // Then it begins.
        for left_out in [tool.to_owned(), format!("postgresql {tool} landlock")] {
            assert_eq!(ci(tool, &left_out), (Some(9), String::new()), "{left_out}");
        }
        assert_eq!(ci(tool, &format!("{tool}s")).0, Some(1), "{tool}");
    }
    assert_eq!(ci("", ""), (Some(9), String::new()));
}
