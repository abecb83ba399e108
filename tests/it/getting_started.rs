//! The manual's first page, run line by line by somebody who has an empty home, and the first map over the entry that `init` has
//! written for the agent.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
};

use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};

use crate::support::machine::{Machine, Run};

const PROJECT: &str = "\
//- /home/.codex/config.toml
model = \"x\"
//- /home/shop/.git/HEAD
ref: refs/heads/main
//- /home/shop/src/queue.py
\"\"\"Jobs that wait.\"\"\"

MAX_ATTEMPTS = 3


class Queue:
    def __init__(self):
        self.jobs = []

    def put(self, job):
        self.jobs.append(job)

    def take(self):
        return self.jobs.pop(0)

    def retry(self, job):
        \"\"\"Puts a failed job back, at most three times.\"\"\"
        job.attempts += 1
        if job.attempts < MAX_ATTEMPTS:
            self.put(job)
//- /home/shop/src/worker.py
from queue import Queue


def run_worker(queue: Queue):
    while queue.jobs:
        job = queue.take()
        try:
            job.run()
        except OSError:
            queue.retry(job)
//- /home/shop/src/mail.py
def send_receipt(order):
    return order.customer.mail(\"receipt\", order.total)
";

/// A home, and a shell in the project that finds the program.
struct Newcomer(Machine);

impl Newcomer {
    fn command(&self, line: &str) -> Command {
        let programs = cargo_bin("retriever").parent().unwrap().to_owned();
        let home = self.0.files.root().join("home");
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", line])
            .env_clear()
            .env("HOME", &home)
            .env("PATH", format!("{}:/usr/bin:/bin", programs.display()))
            .current_dir(home.join("shop"));
        command
    }

    /// What a person sees at a terminal, with the home as `~`.
    fn sees(&self, command: &str) -> String {
        let run = Run::new(&self.command(&format!("{command} --format text")).output().unwrap());
        assert_eq!(run.code, 0, "{command}: {run:?}");
        let home = self.0.files.root().join("home");
        let spellings = [home.canonicalize().unwrap(), home];
        spellings
            .iter()
            .fold(run.out + &run.err, |text, home| text.replace(home.to_str().unwrap(), "~"))
    }
}

/// The commands of the page, each with what it prints.
fn transcript(page: &str) -> Vec<(String, Vec<String>)> {
    let mut commands: Vec<(String, Vec<String>)> = Vec::new();
    for block in page.split("```console\n").skip(1) {
        for line in block.split("```").next().unwrap().lines() {
            if let Some(command) = line.strip_prefix("$ ") {
                commands.push((command.to_owned(), Vec::new()));
            } else {
                let (_, printed) = commands.last_mut().expect("a command stands before its output");
                printed.push(line.trim_end().to_owned());
            }
        }
    }
    commands
}

/// Checks that lines are printed one after another; `…` stands for any number of others.
fn assert_printed(command: &str, expected: &[String], printed: &str) {
    let mut printed_lines = printed.lines().map(str::trim_end);
    let mut may_skip = false;
    for line in expected {
        if line == "…" {
            may_skip = true;
        } else if may_skip {
            assert!(
                printed_lines.any(|it| it == line),
                "{command} does not print {line:?}:\n{printed}"
            );
            may_skip = false;
        } else {
            assert_eq!(printed_lines.next(), Some(line.as_str()), "{command}:\n{printed}");
        }
    }
    assert!(may_skip || printed_lines.all(str::is_empty), "{command} prints more:\n{printed}");
}

#[test]
fn the_first_page_of_the_manual_happens_as_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/getting-started.md")).unwrap();
    let newcomer = Newcomer(Machine::new(PROJECT, "home/shop"));
    let before = fs::read(newcomer.0.files.root().join("home/.codex/config.toml")).unwrap();
    let commands = transcript(&page);
    assert!(commands.len() > 5, "{commands:?}");
    for (command, expected) in &commands {
        if command.contains("--remove") {
            first_map_in_an_agent(&newcomer);
        }
        assert_printed(command, expected, &newcomer.sees(command));
    }
    assert_eq!(fs::read(newcomer.0.files.root().join("home/.codex/config.toml")).unwrap(), before);
}

/// Does what the agent does with the entry: starts it, and asks.
fn first_map_in_an_agent(newcomer: &Newcomer) {
    let config =
        fs::read_to_string(newcomer.0.files.root().join("home/.codex/config.toml")).unwrap();
    let config: toml::Value = toml::from_str(&config).unwrap();
    let entry = &config["mcp_servers"]["retriever"];
    let words = entry["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
    let start =
        [entry["command"].as_str().unwrap()].into_iter().chain(words).collect::<Vec<_>>().join(" ");
    let client = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "agent", "version": "1" } });
    let ask = json!({ "name": "ask", "arguments": { "question": "how is a failed job retried" } });
    let said = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": ask }),
    ];
    let mut server =
        newcomer.command(&start).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    said.iter().for_each(|message| writeln!(input, "{message}").unwrap());
    let told = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut told = told.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let answer = told.find(|message| message["id"] == 2).unwrap();
    drop(input);
    server.wait().unwrap();
    let map = &answer["result"]["structuredContent"];
    let places = map["primary"].as_array().expect("the answer is a map");
    assert_eq!(places[0]["path"], "src/queue.py", "{map}");
    assert_eq!((&places[0]["start"], &places[0]["end"]), (&json!(16), &json!(20)), "{map}");
}
