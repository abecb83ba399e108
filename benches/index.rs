//! What the graph of one tree costs, in one run: a full index beside parsing alone, a refresh after one edit and after
//! none, one question as a whole process, memory and disk; with `codegraph` on the path, beside that. The tree is copied
//! first, so that an edit harms nobody. `cargo bench --bench index -- DIR [NAME [FILE]]` prints medians, for callers of
//! `NAME` and an edit of `FILE`. Nothing is asserted.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a bench prints, may panic and starts programs"
)]

use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use rayon::prelude::*;
use retriever::{
    config::{FileTraitsConfig, WorkspaceConfig},
    indexing::{Language, parse_alone},
    workspace::{RepoPath, Workspace},
};

const RUNS: usize = 5;

/// What one process took.
#[derive(Clone, Copy, Default)]
struct Cost {
    wall: Duration,
    /// Seconds of the processor, user and system.
    user: f64,
    system: f64,
    /// Kilobytes at most.
    memory: u64,
}

fn main() {
    let mut arguments = env::args().skip(1).filter(|argument| !argument.starts_with('-'));
    let Some(source) = arguments.next() else {
        println!("usage: cargo bench --bench index -- DIR [NAME [FILE]]");
        return;
    };
    let name = arguments.next();
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("tree");
    run(Command::new("cp").arg("-r").arg(&source).arg(&root));
    // The copy is a root of its own, wherever it stands.
    fs::create_dir_all(root.join(".git")).unwrap();
    let cache = place.path().join("cache");
    let ours = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_retriever"));
        command.env("XDG_CACHE_HOME", &cache).arg("--root").arg(&root).args(arguments);
        command
    };

    let files = sources(&root);
    let edited = arguments.next().map(PathBuf::from).or_else(|| largest(&root, &files)).unwrap();
    let bytes: usize = files.iter().map(|(_, _, text)| text.len()).sum();
    println!("{source}: {} files, {:.1} MB", files.len(), bytes as f64 / 1e6);

    let parse = median(|| {
        let (started, before) = (Instant::now(), own_cpu());
        files.par_iter().for_each(|(_, language, text)| parse_alone(*language, text));
        Cost { wall: started.elapsed(), user: own_cpu() - before, ..Cost::default() }
    });
    print("parse alone", &parse);
    let full = median(|| {
        fs::remove_dir_all(&cache).unwrap_or_default();
        run(&mut ours(&["index", "-q"]))
    });
    print("full index", &full);
    let ratio = full.wall.as_secs_f64() / parse.wall.as_secs_f64();
    println!("{:<24}{ratio:>8.2} wall  {:>8.2} CPU", "  of parsing alone", full.user / parse.user);
    print("no change", &median(|| run(&mut ours(&["index", "-q"]))));
    let mut probe = 0;
    let edit = median(|| {
        probe += 1;
        append(&root.join(&edited), probe);
        run(&mut ours(&["index", "-q"]))
    });
    print(&format!("edit of {}", edited.file_name().unwrap_or_default().display()), &edit);
    if let Some(name) = &name {
        let callers = || run(ours(&["graph", "callers", name]).stdout(Stdio::null()));
        callers();
        print(&format!("callers of {name}"), &median(callers));
    }
    let store = size(&cache);
    println!("{:<24}{:>8.1} MB", "store", store as f64 / 1e6);

    let peer = |arguments: &[&str]| {
        let mut command = Command::new("codegraph");
        command
            .env("CODEGRAPH_TELEMETRY", "0")
            .env("CODEGRAPH_NO_DAEMON", "1")
            .current_dir(&root)
            .args(arguments)
            .stdin(Stdio::null());
        command
    };
    if !peer(&["version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
    {
        println!("no codegraph on the path: nothing to stand beside");
        return;
    }
    let theirs = median(|| {
        fs::remove_dir_all(root.join(".codegraph")).unwrap_or_default();
        run(&mut peer(&["init", "-y"]))
    });
    print("codegraph: full index", &theirs);
    println!("{:<24}{:>8.2} CPU", "  of theirs", full.user / theirs.user);
    let other = size(&root.join(".codegraph"));
    println!("{:<24}{:>8.1} MB", "codegraph: store", other as f64 / 1e6);
    println!("{:<24}{:>8.2} bytes", "  of theirs", store as f64 / other as f64);
}

/// The files that an index reads as source.
fn sources(root: &Path) -> Vec<(String, Language, String)> {
    let workspace =
        Workspace::open(root, &WorkspaceConfig::default(), &FileTraitsConfig::default()).unwrap();
    let workspace = Arc::new(workspace);
    let mut files = Vec::new();
    for file in workspace.walk(&RepoPath::root()).files {
        let path = file.path.as_str().to_owned();
        if let (Some(language), Ok(text)) = (Language::of_path(&path), workspace.read(&file.path)) {
            files.push((path, language, text.text().to_owned()));
        }
    }
    files
}

fn largest(root: &Path, files: &[(String, Language, String)]) -> Option<PathBuf> {
    let largest = files.iter().max_by_key(|(_, _, text)| text.len());
    largest.map(|(path, ..)| path).filter(|path| root.join(path).is_file()).map(PathBuf::from)
}

/// Adds a function that nobody calls.
fn append(path: &Path, number: u32) {
    let text = match path.extension().and_then(|extension| extension.to_str()) {
        Some("rs") => format!("fn added_{number}() {{}}\n"),
        Some("py") => format!("def added_{number}():\n    pass\n"),
        Some("go") => format!("func added{number}() {{}}\n"),
        Some("kt" | "kts") => format!("fun added{number}() {{}}\n"),
        Some("c" | "cc" | "cpp" | "h") => format!("static void added_{number}(void) {{}}\n"),
        Some("java") => format!("class Added{number} {{}}\n"),
        _ => format!("export function added{number}() {{ return {number}; }}\n"),
    };
    let mut file = fs::File::options().append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// Runs a program to its end; GNU time says what it took.
fn run(command: &mut Command) -> Cost {
    let report = tempfile::NamedTempFile::new().unwrap();
    let mut timed = Command::new("/usr/bin/time");
    timed.args(["-f", "%U %S %M", "-o"]).arg(report.path());
    timed.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        timed.env(name, value.unwrap_or_default());
    }
    if let Some(folder) = command.get_current_dir() {
        timed.current_dir(folder);
    }
    let started = Instant::now();
    let status = timed.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    let wall = started.elapsed();
    assert!(status.success(), "{timed:?}");
    let report = fs::read_to_string(report.path()).unwrap();
    let figures: Vec<f64> =
        report.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    Cost { wall, user: figures[0], system: figures[1], memory: figures[2] as u64 }
}

/// User seconds of this process so far.
fn own_cpu() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or_default();
    // Ticks are hundredths on every Linux that matters here.
    after.split_whitespace().nth(11).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or(0.0)
        / 100.0
}

fn median(mut job: impl FnMut() -> Cost) -> Cost {
    let costs: Vec<Cost> = (0..RUNS).map(|_| job()).collect();
    let middle = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[RUNS / 2]
    };
    Cost {
        wall: Duration::from_secs_f64(middle(costs.iter().map(|c| c.wall.as_secs_f64()).collect())),
        user: middle(costs.iter().map(|c| c.user).collect()),
        system: middle(costs.iter().map(|c| c.system).collect()),
        memory: costs.iter().map(|c| c.memory).max().unwrap_or_default(),
    }
}

fn print(what: &str, cost: &Cost) {
    let Cost { wall, user, system, memory } = cost;
    let wall = wall.as_secs_f64() * 1e3;
    let memory =
        if *memory > 0 { format!("  {:>6.1} MB", *memory as f64 / 1e3) } else { String::new() };
    println!("{what:<24}{wall:>8.0} ms  {user:>6.2} s user  {system:>5.2} s system{memory}");
}

fn size(path: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(path) else {
        return fs::metadata(path).map_or(0, |facts| facts.len());
    };
    entries.flatten().map(|entry| size(&entry.path())).sum()
}
