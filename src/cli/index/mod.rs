//! `index`: builds, refreshes, watches and exports the code graph, shows its status, and imports SCIP indexes.

mod index_status;
mod watch_index;

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use indicatif::{ProgressBar, ProgressStyle};
use retriever::{
    OpenIndex,
    config::{Config, LoadedConfig, Setting},
    configured_remote::PublishedCommit,
    indexing::{
        CallGraphAudit, GraphIndex, IndexError, RefreshSummary, ScipError, ScipImport, ScipIndex,
        UnfinishedBuild, UnresolvedCallGroup,
    },
    search::{FullTextIndex, FullTextSnapshot, VectorCount, VectorIndex},
    workspace::{Cancellation, RepoPath, Workspace},
};
use serde::Serialize;

use self::{
    index_status::{StatusReport, described_vectors, omissions, status},
    watch_index::watch,
};
use super::{
    args::IndexArgs,
    build_retriever,
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
    console_output::{OutputFormat, Verbosity},
    exit_status::Exit,
    prune_published, publish_graph, publish_index,
};

#[derive(Serialize)]
pub(super) struct RefreshReport {
    #[serde(flatten)]
    summary: RefreshSummary,
    #[serde(skip_serializing_if = "Option::is_none")]
    scip: Option<ScipImport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<publish_graph::PublishedGraph>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published_index: Option<PublishedCommit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vectors: Option<VectorCount>,
    elapsed_ms: u64,
}

/// Opens the index of the context's root.
pub(super) fn open(
    context: &CommandContext<'_>,
    loaded: &LoadedConfig,
    workspace: &Arc<Workspace>,
) -> OpenIndex {
    let cache = context.cache(loaded);
    retriever::open_index(cache.as_deref(), Arc::clone(workspace), &loaded.config.index)
}

/// Prints what went wrong without changing the answer.
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
        publish_index::be_patient(&mut loaded);
    }
    let workspace = Arc::new(context.open(&loaded)?);
    if !args.publish {
        publish_index::warn_if_unused(context, &workspace, &loaded.config.index);
    }
    let open = open(context, &loaded, &workspace);
    let OpenIndex { index, tokens, .. } = &open;
    let vectors = build_retriever::embedder(&loaded)?;
    let vectors = vectors.map(|embedder| VectorIndex::new(index.folder(), embedder));
    if args.status {
        return status(context, &StatusReport::of(index, tokens, vectors.as_ref()));
    }
    let scip = match args.scip.as_slice() {
        [] => None,
        files => Some(import(index, files)?),
    };
    if args.rebuild {
        index.forget();
        tokens.clear();
        vectors.iter().for_each(VectorIndex::clear);
    }
    if args.audit {
        return audit(context, index);
    }
    if let Some(target) = &args.export {
        let done = RefreshReport { scip, ..refresh(context, index, tokens)? };
        export(index, target)?;
        print_warnings(context, index);
        // stdout carries the graph.
        return if target == Path::new("-") { Ok(Exit::Done) } else { print(context, &done) };
    }
    if args.watch {
        return watch(context, index, tokens, vectors.as_ref());
    }
    let mut done = RefreshReport { scip, ..refresh(context, index, tokens)? };
    done.vectors = vectors.as_ref().map(|vectors| refresh_vectors(context, index, tokens, vectors));
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
    let has_remote = publish_index::is_meant(context, &config.index);
    if has_remote {
        done.published_index = Some(publish_index::publish(open, &config.index)?);
    }
    if !has_remote || !config.graph.database.is_empty() {
        done.published = Some(publish_graph::to_database(context, &open.index, config)?);
    }
    Ok(())
}

/// Warns when what is about to be published is not what its commit has.
fn warn_of_changes(context: &CommandContext<'_>, workspace: &Workspace) {
    let changed = workspace.changed_since_checkout(&workspace.walk(&RepoPath::root()));
    let files = match changed {
        0 => return,
        1 => "1 file is".to_owned(),
        more => format!("{more} files are"),
    };
    context.output.warn(&format!(
        "{files} not what git has checked out, and published under the name of the commit all the same: publish from a clean checkout"
    ));
}

/// Imports the SCIP indexes in `files`.
fn import(index: &GraphIndex, files: &[PathBuf]) -> Result<ScipImport, CommandError> {
    const HINT: &str = "make the index anew at the root, as with scip-typescript index, and import it before files change";
    let mut indexes = Vec::new();
    for file in files {
        #[expect(clippy::disallowed_methods, reason = "the user named the file")]
        let bytes = std::fs::read(file).map_err(|error| {
            CommandError::new(CommandErrorKind::Usage, format!("cannot read {}: {error}", file.display()))
                .hint("--scip takes the path of a SCIP index, as scip-typescript or rust-analyzer write it")
        })?;
        let failed = |error: ScipError| {
            CommandError::new(
                CommandErrorKind::Usage,
                format!("cannot import {}: {error}", file.display()),
            )
            .hint(HINT)
        };
        indexes.push(ScipIndex::parse(&bytes).map_err(failed)?);
    }
    index.import(&indexes).map_err(|error| {
        let roots: Vec<&str> = index.workspace().roots().map(|(_, path)| path).collect();
        let root = roots.join(", ");
        CommandError::new(CommandErrorKind::Usage, format!("nothing to import for {root}: {error}"))
            .hint(HINT)
    })
}

fn no_graph(error: &IndexError) -> CommandError {
    CommandError::new(CommandErrorKind::Internal, error.to_string())
}

/// Builds the graph with a progress bar when there is none yet, for verbs that would build it in silence.
pub(super) fn build_first(
    context: &CommandContext<'_>,
    index: &GraphIndex,
) -> Result<(), CommandError> {
    if index.has_graph() {
        return Ok(());
    }
    let bar = progress_bar(context.output.verbosity);
    let built =
        index.refresh_beside(&Cancellation::new(), &|done, total| show(&bar, done, total), |_| ());
    bar.finish_and_clear();
    built.map(drop).map_err(|error| no_graph(&error))
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

/// Shows how many files of all are read.
fn show(bar: &ProgressBar, done: usize, total: usize) {
    bar.set_length(total as u64);
    bar.set_position(done as u64);
}

pub(super) fn refresh(
    context: &CommandContext<'_>,
    index: &GraphIndex,
    tokens: &FullTextIndex,
) -> Result<RefreshReport, CommandError> {
    let started = Instant::now();
    let bar = progress_bar(context.output.verbosity);
    let never = Cancellation::new();
    let summary = index.refresh_beside(&never, &|done, total| show(&bar, done, total), |walk| {
        tokens.snapshot(index.workspace(), walk, &never);
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

/// Makes the vectors that are missing. What goes wrong is told, and leaves some missing.
fn refresh_vectors(
    context: &CommandContext<'_>,
    index: &GraphIndex,
    tokens: &FullTextIndex,
    vectors: &VectorIndex,
) -> VectorCount {
    let words = stored_words(index, tokens);
    let bar = progress_bar(context.output.verbosity);
    let progress = |done, total| show(&bar, done, total);
    let made = vectors.refresh(index.workspace(), &words, &progress, &Cancellation::new());
    bar.finish_and_clear();
    if let Err(error) = made {
        context.output.warn(&format!("some files have no vectors yet: {error}"));
    }
    vectors.count(&words)
}

/// Returns the words of the files as they are.
fn stored_words(index: &GraphIndex, tokens: &FullTextIndex) -> Arc<FullTextSnapshot> {
    let workspace = index.workspace();
    let walk = Arc::new(workspace.walk(&RepoPath::root()));
    tokens.snapshot(workspace, &walk, &Cancellation::new())
}

fn audit(context: &CommandContext<'_>, index: &GraphIndex) -> Result<Exit, CommandError> {
    let audit = index.audit(&Cancellation::new()).map_err(|error| no_graph(&error))?;
    print_warnings(context, index);
    match context.output.format {
        OutputFormat::Json => context.output.print_json(&audit)?,
        OutputFormat::Markdown | OutputFormat::Text => {
            let CallGraphAudit {
                files, calls, edges, open, computed, imports, words, broken, ..
            } = audit;
            let mut text = format!(
                "{calls} call expressions in {files} files: {edges} edges, {open} open calls; excluded: {computed} of \
                 computed values, {imports} imports, {words} words of a language, {} annotations, {broken} in text that \
                 cannot be parsed, {} in files that are too large; {} lost",
                audit.annotations, audit.omitted, audit.holes
            );
            text.extend(audit.classes.iter().map(lost_calls));
            context.output.print(&text)?;
        }
    }
    Ok(Exit::Done)
}

/// Returns the line of one class of lost calls.
fn lost_calls(class: &UnresolvedCallGroup) -> String {
    let UnresolvedCallGroup { language, kind, calls, was_read, examples } = class;
    let why = if *was_read { "not resolved" } else { "not read" };
    format!("\n{calls} {language} {kind}, {why}: {}", examples.join(", "))
}

fn print(context: &CommandContext<'_>, done: &RefreshReport) -> Result<Exit, CommandError> {
    match context.output.format {
        OutputFormat::Json => context.output.print_json(done)?,
        OutputFormat::Markdown | OutputFormat::Text => context.output.print(&describe(done))?,
    }
    Ok(Exit::Done)
}

fn describe(done: &RefreshReport) -> String {
    let RefreshSummary { files, changed, removed, nodes, limited, unresolved, .. } = &done.summary;
    let mut text = format!(
        "{files} files, {nodes} definitions; {changed} read, {removed} gone, in {} ms",
        done.elapsed_ms
    );
    text += &omissions(*limited, *unresolved);
    if let Some(ScipImport { documents, matched, differing, absent }) = &done.scip {
        let differing = differing.len();
        let taken = format!("edges of {matched} of the {documents} indexed files taken over");
        text = format!("{text}\n{taken}; {differing} differ, {absent} are not here");
    }
    if let Some(published) = &done.published {
        text = format!("{text}\n{}", publish_graph::describe(published));
    }
    text.extend(done.published_index.as_ref().map(publish_index::describe));
    text.extend(done.vectors.as_ref().map(described_vectors));
    text
}

fn described_unfinished(build: UnfinishedBuild) -> String {
    let UnfinishedBuild { read, files, is_long } = build;
    let next = if is_long {
        "joining them takes longer than a question waits"
    } else {
        "a question or `retriever index` goes on with it"
    };
    format!(
        "\nthe first graph is not complete: {read} of {files} files were read and are kept; {next}"
    )
}

fn export(index: &GraphIndex, target: &Path) -> Result<(), CommandError> {
    let lines = index.ask(&Cancellation::new(), |graph| {
        // The closure runs a second time when the store turns out to be damaged, so it only collects.
        let mut lines = Vec::new();
        graph.export(&mut lines).map(|()| lines)
    });
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::BrokenPipe => CommandError::new(CommandErrorKind::BrokenPipe, ""),
        _ => CommandError::new(
            CommandErrorKind::Usage,
            format!("cannot write {}: {error}", target.display()),
        )
        .hint("--export takes the path of a file to be written, or - for stdout"),
    };
    let lines = lines.map_err(|error| no_graph(&error))?.map_err(failed)?;
    let write = |out: &mut dyn Write| out.write_all(&lines).and_then(|()| out.flush());
    if target == Path::new("-") {
        return write(&mut io::stdout().lock()).map_err(failed);
    }
    #[expect(clippy::disallowed_methods, reason = "the user named the file")]
    let file = File::create(target).map_err(failed)?;
    write(&mut BufWriter::new(file)).map_err(failed)
}
