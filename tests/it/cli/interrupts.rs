//! Deadlines and Ctrl-C: the program ends soon, and with what it has.

use std::{
    io::{Read, Write},
    net::TcpListener,
    os::unix::process::ExitStatusExt,
    process::Stdio,
    time::{Duration, Instant},
};

use pretty_assertions::assert_eq;
use serde_json::json;

use super::{Machine, Run};

#[test]
fn a_timeout_holds_where_single_files_take_long() {
    let machine = Machine::new();
    machine.write_costly_files();
    let started = Instant::now();
    let run = machine.run(&["ask", "where does main start", "--offline", "--timeout", "1s"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.json()["status"].is_string(), "{run:?}");
    // Ten times the limit: other tests run beside this one.
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
}

#[cfg(unix)]
#[test]
fn an_interrupt_holds_where_single_files_take_long() {
    let machine = Machine::new();
    machine.write_costly_files();
    // A shell that runs the tests in the background has SIGINT ignored by what does not listen for it.
    for (verb, signal) in [
        (&["ask", "where does main start", "--offline"][..], "-INT"),
        (&["index", "--rebuild"], "-TERM"),
    ] {
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("retriever"))
            .env_clear()
            .env("HOME", machine.files.root().join("home"))
            .current_dir(machine.files.root().join("repo"))
            .args(verb)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(500));
        let (signalled, id) = (Instant::now(), child.id().to_string());
        std::process::Command::new("kill").args([signal, &id]).status().unwrap();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            assert!(signalled.elapsed() < Duration::from_secs(10), "{verb:?} can't be interrupted");
            std::thread::sleep(Duration::from_millis(20));
        };
        // A signal that comes before the program listens for it, or while nothing listens, ends the process by itself.
        let ended = status.code() == Some(130) || matches!(status.signal(), Some(2 | 15));
        assert!(ended, "{verb:?}: {status}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_prints_a_partial_map_first() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let endpoint = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", endpoint.local_addr().unwrap());
        let machine = Machine::new();
        let child = std::process::Command::new(assert_cmd::cargo::cargo_bin("retriever"))
            .env_clear()
            .env("HOME", machine.files.root())
            .current_dir(machine.files.root().join("repo"))
            .args(["ask", "where does main start", "--model", "m", "--base-url", &url])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The endpoint takes the request and never answers.
        let (mut request, _) = endpoint.accept().unwrap();
        assert!(request.read(&mut [0; 1024]).unwrap() > 0);
        let id = child.id().to_string();
        assert!(std::process::Command::new("kill").args([signal, &id]).status().unwrap().success());
        let run = Run::new(&child.wait_with_output().unwrap());
        assert_eq!(run.code, code, "{run:?}");
        let map = run.json();
        assert_eq!(map["meta"]["stop_reason"], json!("interrupted"));
        assert_ne!(map["status"], json!("complete"));
    }
}

#[cfg(unix)]
#[test]
fn a_second_interrupt_ends_it_at_once_even_when_nobody_reads_its_events() {
    let machine = Machine::new();
    let (mut reader, writer) = std::io::pipe().unwrap();
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("retriever"))
        .env_clear()
        .env("HOME", machine.files.root())
        .current_dir(machine.files.root().join("repo"))
        .args(["ask", "--offline", "--events", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(writer)
        .spawn()
        .unwrap();
    // The first event repeats the question, and no pipe takes all of it.
    let question = "why \"\"\"\"? ".repeat(6_000);
    child.stdin.take().unwrap().write_all(question.as_bytes()).unwrap();
    reader.read_exact(&mut [0]).unwrap();
    let (started, id) = (Instant::now(), child.id().to_string());
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(started.elapsed() < Duration::from_secs(30), "it can't be interrupted");
        std::process::Command::new("kill").args(["-INT", &id]).status().unwrap();
        std::thread::sleep(Duration::from_millis(100));
    };
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!((status.code(), out.as_str()), (Some(130), ""));
}

/// `script` gives the program a terminal; where there is none, there is nothing to try.
#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_a_live_line_says_what_is_done_and_ctrl_c_ends_it_with_a_map() {
    let endpoint = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", endpoint.local_addr().unwrap());
    let machine = Machine::new();
    let program = assert_cmd::cargo::cargo_bin("retriever");
    let command = format!(
        "'{}' ask 'where does main start' --model m --base-url {url} --timeout 60",
        program.display()
    );
    let started = std::process::Command::new("script")
        .args(["-q", "-e", "-f", "-c", &command, "/dev/null"])
        .env_clear()
        .env("HOME", machine.files.root())
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("TERM", "xterm")
        .env("SHELL", "/bin/sh")
        .current_dir(machine.files.root().join("repo"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut terminal = match started {
        Ok(terminal) => terminal,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
        Err(error) => panic!("{error}"),
    };
    // The endpoint takes the request and never answers.
    let (mut request, _) = endpoint.accept().unwrap();
    assert!(request.read(&mut [0; 1024]).unwrap() > 0);
    let mut keyboard = terminal.stdin.take().unwrap();
    let mut screen = terminal.stdout.take().unwrap();
    let mut shown = Vec::new();
    let mut byte = [0];
    let live = "step 1/10  thinking";
    while !String::from_utf8_lossy(&shown).contains(live) {
        screen.read_exact(&mut byte).expect("the live line");
        shown.push(byte[0]);
    }
    keyboard.write_all(b"\x03").unwrap();
    screen.read_to_end(&mut shown).unwrap();
    let shown = String::from_utf8_lossy(&shown).into_owned();
    assert_eq!(terminal.wait().unwrap().code(), Some(130), "{shown}");
    let (_, after) = shown.rsplit_once(live).unwrap();
    // The line is taken away, and what stays is the map as people read it.
    assert!(after.contains("\u{1b}[2K"), "{after:?}");
    assert!(after.contains("confidence low") && after.contains("src/main.rs"), "{after:?}");
}
