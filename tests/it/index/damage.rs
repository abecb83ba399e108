//! Damaged stores, full disks, and work that was cancelled or killed: the store is lost at worst, never the answer.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use pretty_assertions::assert_eq;
use retriever::{indexing::IndexError, workspace::Cancellation};

use super::{Machine, assert_current, exported, summary};

#[test]
fn a_damaged_store_is_made_anew_with_one_warning() {
    type Harm = fn(&Path);
    fn at_byte(path: &Path, from: usize, bytes: &[u8]) {
        let mut content = fs::read(path).unwrap();
        content[from..from + bytes.len()].copy_from_slice(bytes);
        fs::write(path, content).unwrap();
    }
    fn sql(path: &Path, text: &str) {
        rusqlite::Connection::open(path).unwrap().execute_batch(text).unwrap();
    }
    let harms: &[(&str, Harm)] = &[
        ("empty", |path| fs::write(path, "").unwrap()),
        ("text", |path| fs::write(path, "no database ".repeat(1000)).unwrap()),
        ("zeros", |path| fs::write(path, vec![0; 1 << 16]).unwrap()),
        ("half", |path| fs::write(path, &fs::read(path).unwrap()[..9000]).unwrap()),
        ("ten bytes", |path| fs::write(path, &fs::read(path).unwrap()[..10]).unwrap()),
        ("header", |path| at_byte(path, 0, b"SQLite formed 3")),
        ("pages", |path| {
            let len = fs::metadata(path).unwrap().len() as usize;
            at_byte(path, 4096, &vec![0x5a; len - 4096]);
        }),
        ("another version", |path| sql(path, "PRAGMA user_version = 1")),
        ("another program", |path| sql(path, "PRAGMA application_id = 1")),
        ("a table less", |path| sql(path, "DROP TABLE nodes")),
        ("another row", |path| sql(path, "UPDATE files SET record = zeroblob(60)")),
        ("other paths", |path| sql(path, "UPDATE files SET path = path || 'x'")),
        ("another base", |path| sql(path, "UPDATE meta SET record = 'x' WHERE name = 'base'")),
    ];
    // What is done to the base, which has most records.
    let harms_of_base: &[(&str, Harm)] = &[
        ("no base", |path| fs::remove_file(path).unwrap()),
        ("a part less", |path| sql(path, "DELETE FROM nodes WHERE key = 2")),
        ("names less", |path| sql(path, "DELETE FROM names")),
        ("callers less", |path| sql(path, "DELETE FROM incoming_edges")),
        ("another part", |path| sql(path, "UPDATE nodes SET record = zeroblob(40)")),
        ("edges less", |path| sql(path, "DELETE FROM outgoing_edges WHERE key = 2")),
        ("other edges", |path| sql(path, "UPDATE outgoing_edges SET record = zeroblob(40)")),
    ];
    // The first nine are about any database.
    let of_base = harms[..9].iter().chain(harms_of_base).map(|harm| (true, harm));
    for (is_base, (name, harm)) in harms.iter().map(|harm| (false, harm)).chain(of_base) {
        let machine = Machine::new();
        machine.refresh();
        let own = machine.store().join("graph.db");
        harm(&if is_base { base(&machine.store()) } else { own });
        let index = machine.stored();
        let answer = index.ask(&Cancellation::new(), summary);
        assert_eq!(index.warnings().len(), 1, "{name}");
        let anew = machine.index(None).ask(&Cancellation::new(), summary);
        assert_eq!(answer, anew, "{name}");
        assert_current(&machine, &index);
        assert_eq!(machine.refresh().changed, 0, "{name}");
    }
}

/// The one base of the graph in a folder.
pub(super) fn base(folder: &Path) -> PathBuf {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_base = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with("base-");
    let mut bases: Vec<PathBuf> = paths.filter(is_base).collect();
    assert_eq!(bases.len(), 1, "{bases:?}");
    bases.remove(0)
}

#[test]
fn damage_that_only_a_change_needs_is_found_then() {
    for table in ["summaries", "resolutions", "outgoing_edges"] {
        let machine = Machine::new();
        machine.refresh();
        rusqlite::Connection::open(base(&machine.store()))
            .unwrap()
            .execute_batch(&format!("UPDATE {table} SET record = zeroblob(99)"))
            .unwrap();
        machine.write("app/models.py", "def check():\n    pass\n");
        let index = machine.stored();
        assert_current(&machine, &index);
        assert_eq!(index.warnings().len(), 1, "{table}");
    }
}

#[test]
fn cancelled_work_keeps_nothing_and_the_next_refresh_is_whole() {
    for folder in [None, Some("store")] {
        let machine = Machine::new();
        let index = machine.index(folder.map(|folder| machine.files.root().join(folder)));
        let cancelled = Cancellation::new();
        cancelled.cancel();
        let refreshed = index.refresh(&cancelled, &|_, _| {});
        assert_eq!(refreshed, Err(IndexError::Cancelled));
        let found = index
            .ask_on_walk_if_quick(&cancelled, |walk, graph| (walk.files.len(), graph.is_some()));
        assert_eq!(found, (0, false));
        assert_current(&machine, &index);
        assert_eq!(index.warnings(), Vec::<String>::new());
    }
}

#[test]
fn a_graph_of_another_version_is_none_that_only_has_to_be_refreshed() {
    let machine = Machine::new();
    machine.refresh();
    let large = format!("# {}\n", "word ".repeat(20)).repeat(9_000);
    (0..12).for_each(|at| machine.write(&format!("large{at}.py"), &large));
    let with_graph = || {
        let never = Cancellation::new();
        machine
            .stored()
            .ask_on_walk_if_quick(&never, |walk, graph| (walk.files.len() > 12, graph.is_some()))
    };
    let own = rusqlite::Connection::open(machine.store().join("graph.db")).unwrap();
    own.execute_batch("PRAGMA user_version = 1").unwrap();
    drop(own);
    assert_eq!(with_graph(), (true, false));
    machine.stored().refresh(&Cancellation::new(), &|_, _| {}).unwrap();
    assert_eq!(with_graph(), (true, true));
}

#[test]
fn an_interrupted_first_build_leaves_no_graph() {
    let machine = Machine::new();
    let store = machine.files.root().join("store");
    let index = machine.index(Some(store.clone()));
    let interrupt = Cancellation::new();
    let refreshed = index.refresh(&interrupt, &|_, _| interrupt.cancel());
    assert_eq!(refreshed, Err(IndexError::Cancelled));
    assert_eq!((store.exists(), index.has_graph()), (true, false));
    assert_current(&machine, &index);
    assert!(index.has_graph());
}

#[test]
fn without_a_place_to_keep_it_the_graph_is_made_in_memory_with_one_warning() {
    let machine = Machine::new();
    machine.files.write("taken", "a file where the folder should be");
    let index = machine.index(Some(machine.files.root().join("taken/store")));
    assert_current(&machine, &index);
    assert_current(&machine, &index);
    assert_eq!(index.warnings().len(), 1);
    machine.write("app/new.py", "def fresh():\n    pass\n");
    assert_current(&machine, &index);
}

/// A file system of `kilobytes`, as far as the test may mount one.
#[cfg(target_os = "linux")]
pub(super) struct Small(PathBuf);

#[cfg(target_os = "linux")]
impl Small {
    pub(super) fn mount(at: PathBuf, kilobytes: u32) -> Option<Self> {
        fs::create_dir_all(&at).unwrap();
        let size = format!("size={kilobytes}k");
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(&at).output();
        mounted.is_ok_and(|output| output.status.success()).then_some(Self(at))
    }
}

#[cfg(target_os = "linux")]
impl Drop for Small {
    fn drop(&mut self) {
        Command::new("umount").arg("-l").arg(&self.0).status().unwrap();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_costs_the_store_and_not_the_answer() {
    for kilobytes in [4, 16, 40, 80, 120, 200] {
        let machine = Machine::new();
        // Only root may mount; everybody else has the next test.
        let Some(_small) = Small::mount(machine.store(), kilobytes) else {
            let user = Command::new("id").arg("-u").output().unwrap().stdout;
            assert_ne!(user, b"0\n", "root could not mount a small file system");
            return;
        };
        for round in 0..3 {
            machine.write(
                "app/more.py",
                format!("def more{round}():\n    pass\n").repeat(round * 200 + 1),
            );
            let index = machine.stored();
            assert_current(&machine, &index);
            assert!(index.warnings().len() <= 2, "{kilobytes}");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn files_that_may_not_grow_cost_the_store_and_not_the_answer() {
    let machine = Machine::new();
    machine.write("app/more.py", "def only_here():\n    pass\n".repeat(400));
    for blocks in ["1", "16", "64"] {
        let direct = machine.program(&["--format", "text", "graph", "search", "only_here"]);
        let limited = r#"trap '' XFSZ; ulimit -f "$0"; exec "$@""#;
        let mut command = Command::new("sh");
        command.args(["-c", limited, blocks]).arg(direct.get_program()).args(direct.get_args());
        command.env_clear();
        command.envs(direct.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env("PATH", "/usr/bin:/bin").current_dir(machine.root()).stdin(Stdio::null());
        let output = command.output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{blocks}: {told}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("def only_here"), "{blocks}");
        assert!(told.contains("builds it in memory"), "{blocks}: {told}");
    }
}

#[test]
fn killed_at_any_moment_the_next_run_repairs_it() {
    let machine = Machine::new();
    let many: String =
        (0..40).map(|at| format!("def f{at}():\n    return f{}()\n", at / 2)).collect();
    for file in 0..30 {
        machine.write(&format!("many/m{file}.py"), &many);
    }
    for round in 0..10_u64 {
        machine.write("many/m0.py", format!("{many}\ndef round{round}():\n    pass\n"));
        let mut child = machine
            .program(&["index"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(round * round * 4));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let run = machine.run(&["graph", "search", "round9", "--format", "json"]);
    assert_eq!(run.json()["total"], 1, "{run:?}");
    let out = machine.files.root().join("kept.jsonl");
    machine.run(&["index", "--export", out.to_str().unwrap()]);
    assert_eq!(fs::read_to_string(out).unwrap(), exported(&machine.index(None)));
}
