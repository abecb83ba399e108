//! `index`: builds, refreshes, watches and exports the code graph, shows its status, and imports SCIP indexes.

mod graph_export;
mod index_audit;
mod index_status;
mod refresh_report;
mod scip_import;
mod watch_index;

use std::{
    io::{self, IsTerminal},
    path::Path,
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};
use retriever::{
    OpenIndex,
    config::{Config, LoadedConfig, Setting},
    indexing::{GraphIndex, IndexError},
    search::{FullTextIndex, FullTextSnapshot, VectorCount, VectorIndex},
    workspace::{Cancellation, RepoPath, Workspace},
};

use self::{
    graph_export::export,
    index_audit::audit,
    index_status::{StatusReport, status},
    refresh_report::{RefreshReport, print},
    scip_import::import,
    watch_index::watch,
};
use super::{
    args::IndexArgs,
    build_retriever,
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
    console_output::Verbosity,
    exit_status::Exit,
    prune_published, publish_graph_to_database, publish_index_to_remote,
};

/// How long the work of a first index goes on in silence.
const LONG: Duration = Duration::from_millis(1_500);

/// Opens the index of the context's root.
pub(super) fn open(
    context: &CommandContext<'_>,
    loaded: &LoadedConfig,
    workspace: &Arc<Workspace>,
) -> OpenIndex {
    let cache = context.cache(loaded);
    retriever::open_index(cache.as_deref(), Arc::clone(workspace), &loaded.config.index)
}

/// Prints problems that did not change the answer.
pub(super) fn print_warnings(context: &CommandContext<'_>, index: &GraphIndex) {
    for warning in index.warnings() {
        context.output.warn(&warning);
    }
}

pub(super) fn run(context: &CommandContext<'_>, args: &IndexArgs) -> Result<Exit, CommandError> {
    let setting = |flag, key, value: &Option<String>| {
        value.as_ref().map(|value| Setting::flag(flag, key, value.as_str()))
    };
    let settings = [
        setting("--database", "graph.database", &args.database),
        setting("--repository", "index.repository", &args.repository),
    ];
    let mut loaded = context.load(&settings.into_iter().flatten().collect::<Vec<_>>())?;
    if args.prune_remote {
        return prune_published::run(context, &loaded, args);
    }
    if args.publish {
        publish_index_to_remote::use_publisher_timeout(&mut loaded);
    }
    let workspace = Arc::new(context.open(&loaded)?);
    if !args.publish {
        publish_index_to_remote::warn_if_unused(context, &workspace, &loaded.config.index);
    }
    let open = open(context, &loaded, &workspace);
    let OpenIndex { index, full_text, .. } = &open;
    let vectors = build_retriever::embedder(&loaded)?;
    let vectors = vectors.map(|embedder| VectorIndex::new(index.folder(), embedder));
    if args.status {
        return status(context, &StatusReport::of(index, full_text, vectors.as_ref()));
    }
    let scip = match args.scip.as_slice() {
        [] => None,
        files => Some(import(index, files)?),
    };
    if args.rebuild {
        index.forget();
        full_text.clear();
        vectors.iter().for_each(VectorIndex::clear);
    }
    if args.audit {
        return audit(context, index);
    }
    if let Some(target) = &args.export {
        let done = RefreshReport { scip, ..refresh(context, index, full_text)? };
        export(index, target)?;
        print_warnings(context, index);
        // The graph is printed to stdout.
        return if target == Path::new("-") { Ok(Exit::Done) } else { print(context, &done) };
    }
    if args.watch {
        return watch(context, index, full_text, vectors.as_ref());
    }
    let mut done = RefreshReport { scip, ..refresh(context, index, full_text)? };
    done.vectors =
        vectors.as_ref().map(|vectors| refresh_vectors(context, index, full_text, vectors));
    if args.publish {
        publish(context, &open, &loaded.config, &mut done)?;
    }
    print_warnings(context, index);
    let exit = print(context, &done)?;
    let was_of_use = done.summary.stored || args.publish;
    Ok(if was_of_use { exit } else { Exit::Setup })
}

/// Publishes what was refreshed: to the remote, to the graph database, or to both.
fn publish(
    context: &CommandContext<'_>,
    open: &OpenIndex,
    config: &Config,
    done: &mut RefreshReport,
) -> Result<(), CommandError> {
    warn_of_changes(context, open.index.workspace());
    let has_remote = publish_index_to_remote::is_meant(context, &config.index);
    if has_remote {
        done.published_index = Some(publish_index_to_remote::publish(open, &config.index)?);
    }
    if !has_remote || !config.graph.database.is_empty() {
        done.published =
            Some(publish_graph_to_database::to_database(context, &open.index, config)?);
    }
    Ok(())
}

/// Warns when the files differ from the commit that they are published as.
fn warn_of_changes(context: &CommandContext<'_>, workspace: &Workspace) {
    let changed = workspace.changed_since_checkout(&workspace.walk(&RepoPath::root()));
    let files = match changed {
        0 => return,
        1 => "1 file differs".to_owned(),
        more => format!("{more} files differ"),
    };
    context.output.warn(&format!(
        "{files} from the commit that the index is published as: publish from a clean checkout"
    ));
}

pub(super) fn no_graph(error: &IndexError) -> CommandError {
    CommandError::new(CommandErrorKind::Internal, error.to_string())
}

/// Builds the graph with a progress bar when there is none yet, for verbs that would otherwise build it silently.
pub(super) fn build_first(
    context: &CommandContext<'_>,
    index: &GraphIndex,
) -> Result<(), CommandError> {
    if index.has_graph() {
        return Ok(());
    }
    let bar = progress_bar(context.output.verbosity);
    let progress = |done, total| show(&bar, done, total);
    let build = || index.refresh_beside(&Cancellation::new(), &progress, |_| ());
    let built = saying_what_takes_long(context, build);
    bar.finish_and_clear();
    built.map(drop).map_err(|error| no_graph(&error))
}

/// Does the work of a first index. Where no bar shows that it goes on, a note says so once it takes long.
pub(super) fn saying_what_takes_long<T>(
    context: &CommandContext<'_>,
    work: impl FnOnce() -> T,
) -> T {
    if io::stderr().is_terminal() {
        return work();
    }
    let (running, ended) = mpsc::channel::<()>();
    thread::scope(|threads| {
        threads.spawn(move || {
            if ended.recv_timeout(LONG) == Err(RecvTimeoutError::Timeout) {
                context.output.note("building the code graph first; later runs reuse it");
            }
        });
        let done = work();
        drop(running);
        done
    })
}

/// Returns a bar for the files that are read. It is drawn on stderr, if that is a terminal.
fn progress_bar(verbosity: Verbosity) -> ProgressBar {
    const TEMPLATE: &str = "{wide_bar} {pos}/{len} files  {per_sec:.0}  {eta} left";
    let bar = match verbosity {
        Verbosity::Quiet => ProgressBar::hidden(),
        Verbosity::Normal | Verbosity::Verbose => ProgressBar::new(0),
    };
    if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
        bar.set_style(style);
    }
    bar
}

/// Shows how many of the files are read.
fn show(bar: &ProgressBar, done: usize, total: usize) {
    bar.set_length(total as u64);
    bar.set_position(done as u64);
}

pub(super) fn refresh(
    context: &CommandContext<'_>,
    index: &GraphIndex,
    full_text: &FullTextIndex,
) -> Result<RefreshReport, CommandError> {
    let started = Instant::now();
    let bar = progress_bar(context.output.verbosity);
    let never = Cancellation::new();
    let summary = index.refresh_beside(&never, &|done, total| show(&bar, done, total), |hashes| {
        full_text.snapshot_of(hashes, &never);
    });
    bar.finish_and_clear();
    Ok(RefreshReport {
        summary: summary.map_err(|error| no_graph(&error))?,
        scip: None,
        published: None,
        published_index: None,
        vectors: None,
        elapsed_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
    })
}

/// Computes missing vectors. After an error some vectors stay missing, and a warning says so.
fn refresh_vectors(
    context: &CommandContext<'_>,
    index: &GraphIndex,
    full_text: &FullTextIndex,
    vectors: &VectorIndex,
) -> VectorCount {
    let words = stored_words(index, full_text);
    let bar = progress_bar(context.output.verbosity);
    let progress = |done, total| show(&bar, done, total);
    let made = vectors.refresh(index.workspace(), &words, &progress, &Cancellation::new());
    bar.finish_and_clear();
    if let Err(error) = made {
        context.output.warn(&format!("some files have no vectors yet: {error}"));
    }
    vectors.count(&words)
}

/// Returns the words of the current files.
fn stored_words(index: &GraphIndex, full_text: &FullTextIndex) -> Arc<FullTextSnapshot> {
    let workspace = index.workspace();
    let walk = Arc::new(workspace.walk(&RepoPath::root()));
    full_text.snapshot(workspace, &walk, &Cancellation::new())
}
