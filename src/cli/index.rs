//! `index`: builds, refreshes, shows, watches and writes out the code graph. What it is and where it is kept is the
//! library's.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};
use notify::{RecursiveMode, Watcher};
use retriever::{
    config::Loaded,
    graph,
    index::{Imported, Index, ScipError, ScipIndex, Status, Summary},
    search::TokenIndex,
    workspace::{Cancellation, Workspace},
};
use serde::Serialize;

use super::{
    Session,
    args::IndexArgs,
    error::{CommandError, Kind},
    exit::Exit,
    output::{Shape, Talk},
};

/// How long a tree must be quiet before it is looked at.
const QUIET: Duration = Duration::from_millis(100);
/// How long a busy tree is left alone at most.
const BUSY: Duration = Duration::from_secs(2);

#[derive(Serialize)]
pub(super) struct Done {
    #[serde(flatten)]
    summary: Summary,
    #[serde(skip_serializing_if = "Option::is_none")]
    scip: Option<Imported>,
    elapsed_ms: u64,
}

/// The index of the session's root.
pub(super) fn open(
    session: &Session<'_>,
    loaded: &Loaded,
    workspace: &Arc<Workspace>,
) -> Arc<Index> {
    let folder = session.cache(loaded).map(|cache| Index::folder_in(&cache, workspace));
    Arc::new(Index::new(Arc::clone(workspace), folder))
}

/// Says what went wrong beside the answer.
pub(super) fn say_warnings(session: &Session<'_>, index: &Index) {
    for warning in index.warnings() {
        session.output.warn(&warning);
    }
}

pub(super) fn run(session: &Session<'_>, args: &IndexArgs) -> Result<Exit, CommandError> {
    let loaded = session.load(&[])?;
    let workspace = Arc::new(session.open(&loaded)?);
    let index = open(session, &loaded, &workspace);
    let tokens = TokenIndex::new(index.folder());
    if args.status {
        let mut status = index.status();
        status.bytes += tokens.bytes();
        return self::status(session, &status);
    }
    let scip = match args.scip.as_slice() {
        [] => None,
        files => Some(import(&index, files)?),
    };
    if args.rebuild {
        index.forget();
        tokens.forget();
    }
    if let Some(target) = &args.export {
        let done = Done { scip, ..refresh(session, &index, &tokens) };
        export(&index, target)?;
        say_warnings(session, &index);
        // The graph itself went to stdout.
        return if target == Path::new("-") { Ok(Exit::Done) } else { print(session, &done) };
    }
    if args.watch {
        return watch(session, &index, &tokens);
    }
    let done = Done { scip, ..refresh(session, &index, &tokens) };
    say_warnings(session, &index);
    print(session, &done)
}

/// Takes over the SCIP indexes in `files`.
fn import(index: &Index, files: &[PathBuf]) -> Result<Imported, CommandError> {
    const HINT: &str = "make the index anew at the root, as with scip-typescript index, and import it before files change";
    let mut indexes = Vec::new();
    for file in files {
        #[expect(clippy::disallowed_methods, reason = "the user named the file")]
        let bytes = std::fs::read(file).map_err(|error| {
            CommandError::new(Kind::Usage, format!("cannot read {}: {error}", file.display()))
                .hint("--scip takes the path of a SCIP index, as scip-typescript or rust-analyzer write it")
        })?;
        let failed = |error: ScipError| {
            CommandError::new(Kind::Usage, format!("cannot import {}: {error}", file.display()))
                .hint(HINT)
        };
        indexes.push(ScipIndex::parse(&bytes).map_err(failed)?);
    }
    index.import(&indexes).map_err(|error| {
        let root = index.workspace().root();
        CommandError::new(Kind::Usage, format!("nothing to import for {root}: {error}")).hint(HINT)
    })
}

pub(super) fn refresh(session: &Session<'_>, index: &Index, tokens: &TokenIndex) -> Done {
    let started = Instant::now();
    let bar = if session.output.talk == Talk::Quiet {
        ProgressBar::hidden()
    } else {
        ProgressBar::new(0)
    };
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} files  {elapsed}") {
        bar.set_style(style);
    }
    let progress = |done: usize, total: usize| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    };
    let summary = index.refresh_beside(&progress, |walk| {
        tokens.snapshot(index.workspace(), walk, &Cancellation::new());
    });
    bar.finish_and_clear();
    Done {
        summary,
        scip: None,
        elapsed_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
    }
}

fn print(session: &Session<'_>, done: &Done) -> Result<Exit, CommandError> {
    match session.output.shape {
        Shape::Json => session.output.print_json(done)?,
        Shape::Markdown | Shape::Text => session.output.print(&in_words(done))?,
    }
    Ok(Exit::Done)
}

fn in_words(done: &Done) -> String {
    let Summary { files, changed, removed, nodes, .. } = &done.summary;
    let mut words = format!(
        "{files} files, {nodes} definitions; {changed} read, {removed} gone, in {} ms",
        done.elapsed_ms
    );
    if let Some(Imported { documents, matched, differing, absent }) = &done.scip {
        let differing = differing.len();
        let taken = format!("edges of {matched} of the {documents} indexed files taken over");
        words = format!("{words}\n{taken}; {differing} differ, {absent} are not here");
    }
    words
}

fn status(session: &Session<'_>, status: &Status) -> Result<Exit, CommandError> {
    match session.output.shape {
        Shape::Json => session.output.print_json(status)?,
        Shape::Markdown | Shape::Text => {
            let place = match &status.store {
                Some(folder) => folder.display().to_string(),
                None => "nowhere: there is no cache folder".to_owned(),
            };
            let problem = match &status.problem {
                Some(problem) => {
                    format!("\nit can't be used: {problem}; the next use makes it anew")
                }
                None => String::new(),
            };
            let told = match status {
                Status { told: 0, outdated: 0, .. } => String::new(),
                Status { told, outdated, .. } => {
                    format!(
                        "\n{told} files with imported edges, {outdated} more have changed since"
                    )
                }
            };
            session.output.print(&format!(
                "kept in {place}, {} bytes\n{} files, {} definitions; {} files to read, {} gone{told}{problem}",
                status.bytes, status.files, status.nodes, status.stale, status.gone
            ))?;
        }
    }
    Ok(Exit::Done)
}

fn export(index: &Index, target: &Path) -> Result<(), CommandError> {
    let lines = index.ask(|view| {
        // A store that turns out to be damaged is asked again, so nothing is written before all of it is read.
        let mut lines = Vec::new();
        graph::export(view, &mut lines).map(|()| lines)
    });
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::BrokenPipe => CommandError::new(Kind::BrokenPipe, ""),
        _ => CommandError::new(Kind::Usage, format!("cannot write {}: {error}", target.display()))
            .hint("--export takes the path of a file to be written, or - for stdout"),
    };
    let lines = lines.map_err(failed)?;
    let write = |out: &mut dyn Write| out.write_all(&lines).and_then(|()| out.flush());
    if target == Path::new("-") {
        return write(&mut io::stdout().lock()).map_err(failed);
    }
    #[expect(clippy::disallowed_methods, reason = "the user named the file")]
    let file = File::create(target).map_err(failed)?;
    write(&mut BufWriter::new(file)).map_err(failed)
}

/// Refreshes until a signal ends the program; a refresh that is cut short leaves the state before it.
fn watch(session: &Session<'_>, index: &Index, tokens: &TokenIndex) -> Result<Exit, CommandError> {
    let (sender, events) = mpsc::channel();
    let cannot = |error: notify::Error| {
        CommandError::new(Kind::Setup, format!("cannot watch the root: {error}"))
            .hint("on Linux, fs.inotify.max_user_watches limits how many folders can be watched")
    };
    let mut watcher = notify::recommended_watcher(sender).map_err(cannot)?;
    watcher.watch(Path::new(index.workspace().root()), RecursiveMode::Recursive).map_err(cannot)?;
    // What the refresh itself causes is no change: reading files, and writing a store that lies below the root.
    let is_own = |path: &PathBuf| index.folder().is_some_and(|folder| path.starts_with(folder));
    let changes = |event: &notify::Result<notify::Event>| {
        event.as_ref().map_or(true, |event| {
            !matches!(event.kind, notify::EventKind::Access(_)) && !event.paths.iter().all(is_own)
        })
    };
    let mut is_first = true;
    loop {
        let done = refresh(session, index, tokens);
        say_warnings(session, index);
        if done.summary.changed + done.summary.removed > 0 || std::mem::take(&mut is_first) {
            print(session, &done)?;
        }
        loop {
            match events.recv() {
                Ok(event) if changes(&event) => break,
                Ok(_) => {}
                Err(_) => return Ok(Exit::Done),
            }
        }
        let since = Instant::now();
        while since.elapsed() < BUSY && events.recv_timeout(QUIET).is_ok() {}
    }
}
