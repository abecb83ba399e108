//! The program at a terminal of a given size: links, widths, the pager, the question that is asked for, the editor.

use std::{
    fs::{self, File, OpenOptions},
    io::{Read, Write},
    net::TcpListener,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

use pretty_assertions::assert_eq;
use rustix::{
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Winsize, tcsetwinsize},
};

use crate::support::fixture::Fixture;

const QUESTION: &str = "where is the queue drained";
/// What a test writes to its terminal after the program has ended.
const END: &[u8] = b"\x1b[end of the test]";

/// A home, a project, and a folder of programs that note how they were called.
struct Desk {
    files: Fixture,
}

impl Desk {
    fn new() -> Self {
        let body: String = (1..=60).map(|n| format!("    // step {n} of the queue\n")).collect();
        let files = Fixture::new("//- /home/x\n//- /repo/.git/HEAD\n");
        files.write("repo/src/a queue.rs", format!("pub fn drain_queue() {{\n{body}}}\n"));
        Self { files }
    }

    /// Makes a program that writes its arguments, a line each, and what it is given on stdin to `called`.
    fn program(&self, name: &str) -> PathBuf {
        let path = self.files.root().join("bin").join(name);
        let noted = self.files.root().join("called");
        let cat = if name == "pager" { "cat >> \"$called\"" } else { ":" };
        let text = format!(
            "#!/bin/sh\ncalled='{}'\nprintf '%s\\n' \"$@\" > \"$called\"\n{cat}\n",
            noted.display()
        );
        self.files.write(&format!("bin/{name}"), text);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn called(&self) -> String {
        fs::read_to_string(self.files.root().join("called")).unwrap_or_default()
    }

    fn run(&self, seat: &Seat<'_>, arguments: &[&str]) -> (i32, String) {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let terminal = OpenOptions::new().read(true).write(true).open(name).unwrap();
        let (columns, lines) = seat.size;
        let size = Winsize { ws_row: lines, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&terminal, size).unwrap();
        let side = || Stdio::from(terminal.try_clone().unwrap());
        let mut child = Command::new(assert_cmd::cargo::cargo_bin("retriever"))
            .args(arguments)
            .env_clear()
            .env("HOME", self.files.root().join("home"))
            .env("PATH", "/usr/bin:/bin")
            .env("TERM", "xterm")
            .envs(seat.variables.iter().copied())
            .current_dir(self.files.root().join("repo"))
            .stdin(side())
            .stdout(side())
            .stderr(side())
            .spawn()
            .unwrap();
        let mut master = File::from(master);
        master.write_all(seat.typed.as_bytes()).unwrap();
        let shown = thread::spawn(move || {
            let (mut shown, mut buffer) = (Vec::new(), [0; 4096]);
            while !shown.ends_with(END) {
                let read = master.read(&mut buffer).unwrap();
                shown.extend_from_slice(&buffer[..read]);
            }
            shown.truncate(shown.len() - END.len());
            String::from_utf8_lossy(&shown).replace("\r\n", "\n")
        });
        let code = child.wait().unwrap().code().unwrap();
        // A terminal that its last process has left may lose what was written at the end: it stays open until all is read.
        (&terminal).write_all(END).unwrap();
        (code, shown.join().unwrap())
    }
}

/// The terminal that a person sits at.
struct Seat<'a> {
    size: (u16, u16),
    variables: &'a [(&'a str, &'a str)],
    typed: &'a str,
}

impl Default for Seat<'_> {
    fn default() -> Self {
        Self { size: (100, 500), variables: &[], typed: "" }
    }
}

#[test]
fn places_are_links_where_the_terminal_has_them() {
    let desk = Desk::new();
    let root = desk.files.root().canonicalize().unwrap();
    let file = format!("{}/repo/src/a%20queue.rs", root.display());
    type Case<'a> = (&'a [(&'a str, &'a str)], Option<String>);
    let cases: [Case<'_>; 8] = [
        (&[], None),
        (&[("VTE_VERSION", "4900")], None),
        (&[("VTE_VERSION", "7003")], Some(format!("]8;;file://{file}\u{1b}\\"))),
        (&[("TERM", "xterm-kitty")], Some(format!("]8;;file://{file}#1\u{1b}\\"))),
        (&[("TERM_PROGRAM", "vscode")], Some(format!("]8;;vscode://file{file}:1\u{1b}\\"))),
        (&[("TERM_PROGRAM", "vscode"), ("FORCE_HYPERLINK", "0")], None),
        (&[("FORCE_HYPERLINK", "1")], Some(format!("]8;;file://{file}\u{1b}\\"))),
        (&[("FORCE_HYPERLINK", "1"), ("NO_COLOR", "1")], None),
    ];
    for (variables, link) in cases {
        let seat = Seat { variables, ..Seat::default() };
        let (code, shown) = desk.run(&seat, &["ask", "--offline", "-q", QUESTION]);
        assert_eq!(code, 0, "{shown}");
        match link {
            Some(link) => assert!(shown.contains(&link), "{variables:?}: {shown:?}"),
            None => assert!(!shown.contains("]8;;"), "{variables:?}: {shown:?}"),
        }
    }
}

#[test]
fn every_verb_that_prints_places_links_them() {
    let desk = Desk::new();
    let root = desk.files.root().canonicalize().unwrap();
    let file = format!("vscode://file{}/repo/src/a%20queue.rs", root.display());
    let variables = &[("TERM_PROGRAM", "vscode")];
    for (verb, line) in [
        (&["explore", "drain_queue"][..], 1),
        (&["grep", "step 7 "], 8),
        (&["read", "src/a queue.rs:3-4"], 4),
        (&["glob", "*.rs"], 1),
        (&["graph", "symbols", "src/a queue.rs"], 1),
    ] {
        let (code, shown) = desk.run(&Seat { variables, ..Seat::default() }, verb);
        assert_eq!(code, 0, "{shown}");
        assert!(shown.contains(&format!("]8;;{file}:{line}\u{1b}\\")), "{verb:?}: {shown:?}");
        let variables = &[("TERM_PROGRAM", "vscode"), ("NO_COLOR", "1")];
        let (_, shown) = desk.run(&Seat { variables, ..Seat::default() }, verb);
        assert!(!shown.contains('\u{1b}'), "{verb:?}: {shown:?}");
    }
}

#[test]
fn sentences_end_at_the_edge_of_a_narrow_terminal() {
    let desk = Desk::new();
    let columns = &[("COLUMNS", "40")];
    for seat in [
        Seat { size: (40, 500), ..Seat::default() },
        Seat { variables: columns, ..Seat::default() },
    ] {
        let arguments = ["ask", "--offline", "-q", "--color", "never", QUESTION];
        let (code, shown) = desk.run(&seat, &arguments);
        assert_eq!(code, 0, "{shown}");
        assert!(shown.contains("a queue.rs"), "{shown}");
        let long: Vec<&str> = shown.lines().filter(|line| line.chars().count() > 40).collect();
        assert_eq!(long, Vec::<&str>::new());
    }
}

#[test]
fn a_long_answer_goes_through_the_pager() {
    let desk = Desk::new();
    let pager = desk.program("pager");
    let pager = format!("{} --plain 'two words'", pager.display());
    let read: &[&str] = &["read", "src/a queue.rs"];
    let small = (80, 20);
    let with = |pager| [("PAGER", pager)];

    let variables = with(pager.as_str());
    let (code, shown) =
        desk.run(&Seat { size: small, variables: &variables, ..Seat::default() }, read);
    assert_eq!(code, 0, "{shown}");
    assert!(desk.called().starts_with("--plain\ntwo words\n"), "{}", desk.called());
    assert!(desk.called().contains("step 60"), "{}", desk.called());
    assert!(!shown.contains("step 60"), "{shown}");

    let (without, cat, none) = ([&["--no-pager"], read].concat(), with("cat"), with(""));
    let (gone, all) = (with("no-such-pager"), (80, 500));
    for (size, variables, arguments) in [
        (all, &variables, read),
        (small, &variables, without.as_slice()),
        (small, &cat, read),
        (small, &none, read),
        (small, &gone, read),
    ] {
        fs::remove_file(desk.files.root().join("called")).unwrap_or_default();
        let (code, shown) = desk.run(&Seat { size, variables, ..Seat::default() }, arguments);
        assert_eq!(code, 0, "{shown}");
        assert!(shown.contains("step 60") && desk.called().is_empty(), "{variables:?}: {shown}");
    }
}

#[test]
fn a_person_is_asked_for_the_question() {
    let desk = Desk::new();
    let seat = Seat { typed: "where is the queue drained\n", ..Seat::default() };
    let (code, shown) = desk.run(&seat, &["ask", "--offline"]);
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("question: ") && shown.contains("a queue.rs"), "{shown}");

    let (code, shown) = desk.run(&Seat { typed: "\n", ..Seat::default() }, &["ask", "--offline"]);
    assert_eq!(code, 2, "{shown}");
    assert!(shown.contains("the question is empty"), "{shown}");
}

/// An endpoint that lists one model, as often as it is asked.
fn endpoint_of(model: &str, asked: impl Fn() + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let body = format!("{{\"object\":\"list\",\"data\":[{{\"id\":\"{model}\"}}]}}");
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let _ = client.read(&mut [0; 4096]);
            asked();
            let _ = client.write_all(answer.as_bytes());
        }
    });
    address
}

#[test]
fn init_asks_a_person_for_the_model_tries_it_and_keeps_it() {
    let desk = Desk::new();
    let address = endpoint_of("small", || {});
    let init = ["init", "--agent", "codex", "--what", "mcp"];
    let config = desk.files.root().join("home/.config/retriever/config.toml");
    let run = |typed: &str, more: &[&str]| {
        desk.run(&Seat { typed, ..Seat::default() }, &[&init[..], more].concat())
    };
    // Whoever said what to do is asked nothing, and a change is not asked about twice.
    for more in [&["--yes"][..], &["--dry-run"], &["--remove", "--yes"]] {
        let (code, shown) = run("", more);
        assert!(code == 0 && !shown.contains("address,"), "{more:?}: {shown}");
    }
    // Nor is whoever wants nothing changed.
    let (code, shown) = run("n\n\n", &[]);
    assert!(code == 0 && !shown.contains("address,"), "{shown}");
    let (code, shown) = run("y\n\n", &[]);
    assert!(code == 0 && shown.contains("answered without a model"), "{shown}");
    let (code, shown) = run(&format!("{address}\n\n\n"), &[]);
    assert!(code == 0 && shown.contains("answered without a model"), "{shown}");
    assert!(!config.exists());
    let (code, shown) = run(&format!("{address}\nlarge\nn\n"), &[]);
    assert!(code == 0 && shown.contains("does not list large"), "{shown}");
    assert!(shown.contains("To keep it, add to") && !config.exists(), "{shown}");
    let (code, shown) = run(&format!("{address}\nsmall\ny\n"), &[]);
    assert!(code == 0 && shown.contains("lists small") && shown.contains("Wrote "), "{shown}");
    let kept = fs::read_to_string(&config).unwrap();
    assert_eq!(kept, format!("[model]\nbase_url = \"{address}\"\nname = \"small\"\n"));
    // From now on it is tried.
    let (code, shown) = run("", &[]);
    assert!(code == 0 && shown.contains("lists small") && !shown.contains("address,"), "{shown}");
}

#[test]
fn init_reports_what_it_refuses_and_asks_nothing_then() {
    let desk = Desk::new();
    desk.files.write("home/.cursor/mcp.json", "{ \"mcpServers\": {");
    let init = ["init", "--agent", "codex", "--agent", "cursor", "--what", "mcp"];
    let (code, shown) = desk.run(&Seat { typed: "y\n\n", ..Seat::default() }, &init);
    assert!(code == 3 && shown.contains("mcp.json: line 1"), "{shown}");
    assert!(!shown.contains("address,"), "{shown}");
}

#[test]
fn init_keeps_a_configuration_that_was_made_meanwhile() {
    let desk = Desk::new();
    let config = desk.files.root().join("home/.config/retriever/config.toml");
    let made = config.clone();
    let address = endpoint_of("small", move || {
        fs::create_dir_all(made.parent().unwrap()).unwrap();
        fs::write(&made, "# mine\n").unwrap();
    });
    let typed = format!("y\n{address}\nsmall\ny\n");
    let seat = Seat { typed: &typed, ..Seat::default() };
    let (code, shown) = desk.run(&seat, &["init", "--agent", "codex", "--what", "mcp"]);
    assert!(code == 2 && shown.contains("cannot write"), "{shown}");
    assert_eq!(fs::read_to_string(&config).unwrap(), "# mine\n");
}

#[test]
fn the_first_place_is_opened_as_each_editor_wants_it() {
    let desk = Desk::new();
    let file = desk.files.root().canonicalize().unwrap().join("repo/src/a queue.rs");
    let file = file.to_str().unwrap();
    let cases: [(&str, &[&str], Vec<String>); 6] = [
        ("nvim", &["-R"], vec!["-R".into(), "+1".into(), file.into()]),
        ("code", &["--wait"], vec!["--wait".into(), "--goto".into(), format!("{file}:1")]),
        ("hx", &[], vec![format!("{file}:1")]),
        ("idea", &[], vec!["--line".into(), "1".into(), file.into()]),
        ("own-editor", &["a $(b) `c` ;d"], vec!["a $(b) `c` ;d".into(), file.into()]),
        ("emacsclient", &["-n"], vec!["-n".into(), "+1".into(), file.into()]),
    ];
    for (name, arguments, expected) in cases {
        let words: Vec<String> = arguments.iter().map(|word| format!("'{word}'")).collect();
        let editor = format!("'{}' {}", desk.program(name).display(), words.join(" "));
        for verb in [
            &["ask", "--offline", "--open", "-q", QUESTION][..],
            &["explore", "--open", "drain_queue"],
        ] {
            let other = Path::new("/bin/false").display().to_string();
            let variables = [("VISUAL", editor.as_str()), ("EDITOR", &other)];
            let (code, shown) = desk.run(&Seat { variables: &variables, ..Seat::default() }, verb);
            assert_eq!(code, 0, "{shown}");
            assert_eq!(desk.called().lines().collect::<Vec<_>>(), expected, "{verb:?}");
        }
    }
    for (variables, said) in [
        (&[][..], "no editor is set"),
        (&[("EDITOR", "vi 'open")], "EDITOR can't be split"),
        (&[("EDITOR", "no-such-editor")], "no-such-editor can't be started"),
        (&[("EDITOR", "false")], "false ended with"),
    ] {
        let (code, shown) = desk
            .run(&Seat { variables, ..Seat::default() }, &["ask", "--offline", "--open", QUESTION]);
        assert_eq!(code, 3, "{shown}");
        assert!(shown.contains("a queue.rs") && shown.contains(said), "{shown}");
    }
}

#[test]
fn the_first_index_of_a_tree_shows_how_far_it_is() {
    for verb in [
        &["ask", "--offline", QUESTION][..],
        &["graph", "callers", "drain_queue"],
        &["explore", "drain_queue"],
    ] {
        let desk = Desk::new();
        for number in 0..400 {
            let text = format!("pub fn part_{number}() {{ drain_queue(); }}\n").repeat(40);
            desk.files.write(&format!("repo/src/part_{number}.rs"), text);
        }
        let (code, shown) = desk.run(&Seat::default(), verb);
        assert_eq!(code, 0, "{shown}");
        assert!(shown.contains("files  ") && shown.contains("left"), "{verb:?}: {shown}");
        let (_, shown) = desk.run(&Seat::default(), &[&["-q"], verb].concat());
        assert!(!shown.contains("files  "), "{shown}");
    }
}
