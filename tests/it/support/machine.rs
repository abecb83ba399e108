//! A machine with a home of its own, on which the program runs as a user starts it.

use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

use super::fixture::Fixture;

/// Its files. The home is `home/`.
pub(crate) struct Machine {
    pub(crate) files: Fixture,
    folder: &'static str,
}

impl Machine {
    /// Returns a machine with these files, where the program runs in `folder`.
    pub(crate) fn new(files: &str, folder: &'static str) -> Self {
        Self { files: Fixture::new(files), folder }
    }

    /// The program, ready to be run in a folder.
    pub(crate) fn command_in(&self, folder: &str, arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("retriever").unwrap();
        command
            .env_clear()
            .env("HOME", self.files.root().join("home"))
            .current_dir(self.files.root().join(folder))
            .args(arguments);
        command
    }

    /// Runs the program.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::new(&self.command_in(self.folder, arguments).output().unwrap())
    }
}

/// What a run of the program left.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    pub(crate) fn new(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout.clone()).unwrap(),
            err: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).expect(&self.out)
    }
}
