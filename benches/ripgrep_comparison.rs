//! The tools beside their peers: `retriever grep` and `rg`, `retriever glob` and `rg --files -g`, as whole processes, in
//! turn, in one run. `cargo bench --bench ripgrep_comparison -- DIR` prints the ratio of the medians; DIR is a tree of your own,
//! best one of ten thousand files. Nothing is asserted.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a bench prints, starts its peers, and may panic"
)]

use std::{
    env,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

const RUNS: usize = 15;

fn main() {
    let Some(root) = env::args().skip(1).find(|argument| !argument.starts_with('-')) else {
        println!("usage: cargo bench --bench ripgrep_comparison -- DIR");
        return;
    };
    let own = env!("CARGO_BIN_EXE_retriever");
    let pairs: [(&str, Vec<&str>, Vec<&str>); 4] = [
        (
            "grep, rare word",
            vec!["grep", "unlikely_identifier_xyz"],
            vec!["-n", "unlikely_identifier_xyz"],
        ),
        ("grep, common word", vec!["grep", "impl"], vec!["-n", "impl"]),
        ("grep, regex", vec!["grep", r"fn \w+_with\("], vec!["-n", r"fn \w+_with\("]),
        ("glob", vec!["glob", "**/*.rs"], vec!["--files", "-g", "**/*.rs"]),
    ];
    println!("{:<20} {:>10} {:>10} {:>7}", "", "retriever", "rg", "ratio");
    for (name, ours, theirs) in pairs {
        let mut times = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            times.0.push(run(own, &ours, &root));
            times.1.push(run("rg", &theirs, &root));
        }
        let (ours, theirs) = (median(&mut times.0), median(&mut times.1));
        println!(
            "{name:<20} {:>7} ms {:>7} ms {:>7.2}",
            ours.as_millis(),
            theirs.as_millis(),
            ours.as_secs_f64() / theirs.as_secs_f64()
        );
    }
}

fn run(program: &str, arguments: &[&str], root: &str) -> Duration {
    let started = Instant::now();
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if program.ends_with("retriever") {
        command.args(["--root", "."]);
    } else {
        command.arg(".");
    }
    command.status().unwrap();
    started.elapsed()
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}
