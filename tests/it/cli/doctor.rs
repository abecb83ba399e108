//! `doctor`: what it checks, and when it fails.

use std::net::TcpListener;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{Machine, Run};

#[test]
fn doctor_without_a_model_checks_root_and_configuration() {
    let machine = Machine::new();
    let run = machine.run(&["doctor", "--format", "text"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let root = machine.files.root().canonicalize().unwrap();
    // What the kernel can do is not the program's.
    let is_ours = |line: &&str| !line.starts_with("✓ sandbox: ");
    let shown = |run: &Run| {
        let lines: Vec<&str> = run.out.lines().filter(is_ours).collect();
        lines.join("\n").replace(root.to_str().unwrap(), "") + "\n"
    };
    let own = machine.files.root().to_str().unwrap();
    assert_eq!(
        shown(&run).replace(own, ""),
        "✓ root: /repo, files: 1, secrets left out: 1\n\
         ✓ configuration: defaults\n\
         ✓ index: none yet; the first use makes it\n\
         ✓ cache: /home/.cache/retriever, roots: 0, 0 B\n\
         ✓ agents: none set up; none found\n\
         ✓ model: none configured; ask answers with the built-in offline driver\n"
    );
}

#[test]
fn doctor_tells_what_is_kept_and_which_agents_are_set_up() {
    let machine = Machine::new();
    assert_eq!(machine.run(&["index"]).code, 0);
    assert_eq!(machine.run(&["init", "--agent", "codex", "--yes"]).code, 0);
    let run = machine.run(&["doctor", "--format", "text"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("✓ index: files: 1, definitions: 2, to read again: "), "{}", run.out);
    assert!(run.out.contains("roots: 1, "), "{}", run.out);
    assert!(run.out.contains("✓ agents: set up: Codex\n"), "{}", run.out);

    machine.files.write("home/.codex/config.toml", "model = \"other\"\n");
    let run = machine.run(&["doctor", "--format", "text"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.out.contains("✗ agents: changed or gone"), "{}", run.out);
    assert!(run.out.contains(".codex/config.toml"), "{}", run.out);
}

#[cfg(unix)]
#[test]
fn doctor_fails_when_others_may_read_the_cache() {
    use std::{fs, os::unix::fs::PermissionsExt};
    let machine = Machine::new();
    assert_eq!(machine.run(&["index"]).code, 0);
    let cache = machine.files.root().join("home/.cache/retriever");
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o755)).unwrap();
    let run = machine.run(&["doctor", "--format", "text"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(
        run.out.contains("others on this machine may read it\n  hint: chmod 700 "),
        "{}",
        run.out
    );
}

#[test]
fn doctor_fails_on_what_is_unfit() {
    let machine = Machine::new();
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let closed = format!("http://{closed}/v1");
    type Case<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)], &'a str);
    let cases: [Case<'_>; 4] = [
        (&["--root", "/no/such"], &[], "the workspace root /no/such does not exist"),
        (&["--config", "none.toml"], &[], "cannot read "),
        (&[], &[("RETRIEVER_MODEL", "m")], "model m at https://api.openai.com/v1 needs a key"),
        (&[], &[("RETRIEVER_MODEL", "m"), ("RETRIEVER_BASE_URL", &closed)], "cannot be reached"),
    ];
    for (arguments, variables, expected) in cases {
        let mut command = machine.command(&["doctor"]);
        command.args(arguments).envs(variables.iter().copied());
        let run = Run::new(&command.output().unwrap());
        assert_eq!(run.code, 3, "{run:?}");
        let report = run.json();
        assert_eq!(report["ok"], json!(false));
        let bad: Vec<&Value> = report["checks"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|check| check["ok"] == json!(false))
            .collect();
        let [bad] = bad.as_slice() else { panic!("{report}") };
        assert!(bad["detail"].as_str().unwrap().contains(expected), "{bad}");
        assert!(!bad["hint"].as_str().unwrap().is_empty());
    }
}
