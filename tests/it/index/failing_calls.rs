//! System calls on the cache that fail, by a library that the program is started with (`tests/failing_calls.c`): the graph is
//! right, or the program says why there is none, and what is left of the fault changes no later answer. Some calls of each
//! kind are tried here; `evals/failing_calls.py` tries all.

use std::{fs, path::PathBuf, process::Command};

use super::{Machine, Run};

/// Errors, `short` for half of the bytes, and whether all later calls fail, too.
const FAULTS: [(&str, &str); 7] = [
    ("ENOSPC", ""),
    ("ENOSPC", "1"),
    ("EIO", ""),
    ("EIO", "1"),
    ("EACCES", ""),
    ("EINTR", ""),
    ("short", ""),
];
/// Calls that are tried of each fault, other ones of each.
const TRIED: usize = 2;

/// Compiles the library. The linker that compiled this test is there.
fn library(machine: &Machine) -> PathBuf {
    let library = machine.files.root().join("failing_calls.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/failing_calls.c");
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .args([source, "-ldl"])
        .status()
        .unwrap();
    assert!(compiled.success());
    library
}

/// The exported graph; an error when the program says one.
fn graph(machine: &Machine, fault: &[(&str, &str)]) -> Result<String, String> {
    let mut command = machine.program(&["index", "--quiet", "--export", "-"]);
    command.envs(fault.iter().copied());
    let output = command.output().unwrap();
    let run = Run {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    };
    if run.code == Some(0) {
        return Ok(run.out);
    }
    let is_said = !run.err.trim().is_empty() && !run.err.contains("panicked");
    assert!(run.code.is_some() && is_said, "{run:?}");
    Err(run.err)
}

#[test]
fn no_call_on_the_cache_that_fails_makes_a_wrong_graph() {
    let machine = Machine::new();
    let library = library(&machine);
    let cache = machine.files.root().join("cache");
    let count = machine.files.root().join("count");
    let common = [
        ("LD_PRELOAD", library.to_str().unwrap()),
        ("FAULT_BELOW", cache.to_str().unwrap()),
        ("FAULT_COUNT", count.to_str().unwrap()),
    ];
    // From nothing, and over what was kept before an edit.
    for text in ["", "def added():\n    return check(1)\n"] {
        let before = machine.files.root().join("before");
        if cache.exists() {
            fs::rename(&cache, &before).unwrap();
        }
        let restore = || {
            fs::remove_dir_all(&cache).ok();
            if before.exists() {
                let copied = Command::new("cp").arg("-a").args([&before, &cache]).status().unwrap();
                assert!(copied.success());
            }
        };
        machine.write("app/added.py", format!("from app.models import check\n{text}"));
        restore();
        let right = graph(&machine, &common);
        let calls: usize = fs::read_to_string(&count).unwrap().trim().parse().unwrap();
        assert!(right.is_ok() && calls > 100, "{calls} {right:?}");
        let mut errors = 0;
        for (number, (kind, lasts)) in FAULTS.into_iter().enumerate() {
            for tried in 0..TRIED {
                restore();
                let place = tried * FAULTS.len() + number;
                let at = (1 + place * calls / (FAULTS.len() * TRIED)).to_string();
                let fault =
                    [("FAULT_AT", at.as_str()), ("FAULT_KIND", kind), ("FAULT_LASTS", lasts)];
                let then = graph(&machine, &[&common[..], &fault].concat());
                errors += usize::from(then.is_err());
                assert!(then.is_err() || then == right, "{fault:?}");
                assert_eq!(graph(&machine, &[]), right, "after {fault:?}");
            }
        }
        // A cache that fails costs no answer; only a few calls lead to the files themselves.
        assert!(errors < FAULTS.len() * TRIED / 2, "{errors}");
    }
}
