//! `ask`: turns flags into settings, runs one question and prints its map. The first interrupt ends the run with the map
//! found so far.

use std::{
    io::{self, IsTerminal},
    path::Path,
    sync::Arc,
    time::Instant,
};

use retriever::{
    AskAnswer, AskError, ModelFailurePolicy, Observer, Question, Retriever, RunEvent, RunOptions,
    config::Setting,
    model::ModelError,
    report::{
        CodeMap,
        render::{self, MapTextLayout, Snippets, TextStyle},
    },
    workspace::Cancellation,
};
use tokio_util::sync::CancellationToken;

use super::{
    args::AskArgs,
    ask_batch, async_runtime,
    background_graph_build::BackgroundGraphBuild,
    build_retriever,
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
    console_output::OutputFormat,
    exit_status::Exit,
    html_view::{self, CollectedRunEvents, HtmlPageFile},
    interrupts::{InterruptSignals, exit_now},
    progress_reporter::ProgressReporter,
    question_sandbox,
    selected_model::ModelArgs,
    terminal_prompt::{asked, piped},
};

pub(super) fn run(context: &CommandContext<'_>, args: &AskArgs) -> Result<Exit, CommandError> {
    if let Some(file) = &args.batch {
        return batch(context, args, file);
    }
    let question = question(args)?;
    let loaded = context.load(&settings(args))?;
    let model_args = ModelArgs {
        offline: args.offline,
        record: args.record.as_deref(),
        replay: args.replay.as_deref(),
    };
    let (retriever, selected) = build_retriever::build(context, &loaded, &model_args)?;
    let progress =
        Arc::new(ProgressReporter::new(args.events.as_deref(), context.output.verbosity)?);
    let page = args.html.as_deref().map(HtmlPageFile::create).transpose()?;
    let events = Arc::new(CollectedRunEvents::default());
    let indexing = Indexing::of_first_use(&retriever, &progress);
    let beside = BackgroundGraphBuild::new(&retriever).filter(|_| indexing.is_none()).map(Arc::new);
    let observer = Observers {
        progress: Arc::clone(&progress),
        page: page.is_some().then(|| Arc::clone(&events)),
        graph: beside.clone(),
    };
    let options = RunOptions {
        budget: loaded.config.budget.clone(),
        cancel: CancellationToken::new(),
        observer: Some(Arc::new(observer)),
        fallback: fallback(args),
        ..RunOptions::default()
    };
    let reads = question_sandbox::read_folders(retriever.workspace());
    let sandbox = question_sandbox::sandbox(context, &loaded, reads, selected.network());
    let (answer, interrupted) = question_sandbox::confined(context, sandbox.as_ref(), || {
        let runtime = async_runtime::runtime()?;
        let answered = runtime.block_on(until_interrupted(&retriever, question, options, indexing));
        // Does not wait for searches that have not seen the cancellation yet.
        runtime.shutdown_background();
        answered
    })?;
    progress.finish();
    print_warnings(context, &retriever);
    if let Some(warning) = progress.failure().or_else(|| selected.failure()) {
        context.output.warn(&warning);
    }
    let answer = answer?;
    warn_of_failures(context, &answer);
    answer.notes.iter().for_each(|note| context.output.note(note));
    let printed = print(context, args, &retriever, &answer);
    if let Some(page) = page {
        write_page(context, page, &retriever, (&events, &answer.map));
    }
    printed?;
    if let Some(note) = beside.filter(|_| interrupted.is_none()).and_then(|it| it.finish()) {
        context.output.note(&note);
    }
    if args.open {
        super::open_place(context, retriever.workspace(), first_place(&answer.map))?;
    }
    Ok(interrupted.unwrap_or(Exit::Done))
}

fn question(args: &AskArgs) -> Result<Question, CommandError> {
    Ok(Question {
        text: question_text(&args.question.join(" "))?,
        intent: args.intent,
        roles: args.role.clone(),
        hints: args.hint.clone(),
        session: args.session.clone(),
    })
}

/// Writes the page of a run. The map is printed by now, so a failure is a warning.
fn write_page(
    context: &CommandContext<'_>,
    page: HtmlPageFile<'_>,
    retriever: &Retriever,
    (events, map): (&CollectedRunEvents, &CodeMap),
) {
    if let Err(error) = page.write(context, &html_view::page_of_run(events, map, retriever)) {
        context.output.warn(&error.message);
    }
}

fn warn_of_failures(context: &CommandContext<'_>, answer: &AskAnswer) {
    if let Some(error) = &answer.model_error {
        context.output.warn(&ask_batch::failed_model_warning(error, &answer.map));
    }
    if let Some(error) = &answer.tool_error {
        context.output.warn(&format!("a tool failed and ended the exploration: {error}"));
    }
}

/// Returns the path and line of the place to look at first.
fn first_place(map: &CodeMap) -> Option<(&str, u32)> {
    let primary = map.primary.iter().map(|place| (place.place.path.as_str(), place.place.start));
    let targets =
        map.read_targets.iter().map(|place| (place.place.path.as_str(), place.place.start));
    let secondary =
        map.secondary.iter().map(|place| (place.place.path.as_str(), place.place.start));
    primary.chain(targets).chain(secondary).next()
}

/// Observes a run: for the progress line, for a page of its events, and to start the build of the graph.
struct Observers {
    progress: Arc<ProgressReporter>,
    page: Option<Arc<CollectedRunEvents>>,
    graph: Option<Arc<BackgroundGraphBuild>>,
}

impl Observer for Observers {
    fn on_event(&self, event: &RunEvent) {
        self.progress.on_event(event);
        self.page.iter().for_each(|page| page.on_event(event));
        self.graph.iter().for_each(|graph| graph.on_event(event));
    }
}

fn batch(context: &CommandContext<'_>, args: &AskArgs, file: &Path) -> Result<Exit, CommandError> {
    if !matches!(context.output.format, OutputFormat::Json) && context.output.format_is_explicit {
        return Err(CommandError::new(
            CommandErrorKind::Usage,
            "--batch prints one line of JSON per question",
        )
        .hint("leave out --format"));
    }
    let loaded = context.load(&settings(args))?;
    let model_args = ModelArgs { offline: args.offline, ..ModelArgs::default() };
    let (retriever, selected) = build_retriever::build(context, &loaded, &model_args)?;
    let reads =
        question_sandbox::read_folders(retriever.workspace()).into_iter().chain([file.to_owned()]);
    let sandbox = question_sandbox::sandbox(context, &loaded, reads, selected.network());
    let options = RunOptions {
        budget: loaded.config.budget,
        fallback: fallback(args),
        ..RunOptions::default()
    };
    let done = question_sandbox::confined(context, sandbox.as_ref(), || {
        ask_batch::run(context, &retriever, options, file, args.jobs)
    });
    print_warnings(context, &retriever);
    match done? {
        ask_batch::AskBatchOutcome { exit: Exit::Done, model_failures }
            if args.fail_on_fallback && model_failures > 0 =>
        {
            Ok(Exit::Model)
        }
        ask_batch::AskBatchOutcome { exit, .. } => Ok(exit),
    }
}

fn print_warnings(context: &CommandContext<'_>, retriever: &Retriever) {
    for warning in retriever.warnings() {
        context.output.warn(&warning);
    }
}

fn fallback(args: &AskArgs) -> ModelFailurePolicy {
    if args.no_fallback { ModelFailurePolicy::Refuse } else { ModelFailurePolicy::Allow }
}

/// Builds the index before the first question about a tree, with a progress bar. It takes at most half of the
/// question's time.
struct Indexing {
    retriever: Retriever,
    progress: Arc<ProgressReporter>,
    cancellation: Cancellation,
    started: Instant,
}

impl Indexing {
    /// Returns the build for the first use of a root if stderr is a terminal; a program must get its answer in time.
    fn of_first_use(retriever: &Retriever, progress: &Arc<ProgressReporter>) -> Option<Self> {
        let index = retriever.index();
        let is_long = || index.unfinished().is_some_and(|build| build.is_long);
        let builds_first = io::stderr().is_terminal() && !index.has_graph() && !is_long();
        builds_first.then(|| Self::new(retriever, progress))
    }

    fn new(retriever: &Retriever, progress: &Arc<ProgressReporter>) -> Self {
        let config = retriever.config();
        let (started, time) = (Instant::now(), config.limits(&config.budget, 0).time);
        let deadline = started.checked_add(time / 2).unwrap_or(started);
        Self {
            retriever: retriever.clone(),
            progress: Arc::clone(progress),
            cancellation: Cancellation::new().with_deadline(deadline),
            started,
        }
    }

    /// Builds the index within the time of the question. The question itself builds the rest, or does without it.
    async fn run(self, options: &mut RunOptions) {
        let Self { retriever, progress, cancellation, started } = self;
        let build = move || {
            let (graph, full_text) = (retriever.index(), retriever.full_text());
            let show = |done, total| progress.indexing(done, total);
            let _ = graph.refresh_beside(&cancellation, &show, |hashes| {
                full_text.snapshot_of(hashes, &cancellation);
            });
        };
        let _ = tokio::task::spawn_blocking(build).await;
        options.started = Some(started);
    }
}

/// Runs the question. The first signal cancels it, which still returns a map; the second ends the program. The question runs
/// in a task of its own, so that signals are handled while an observer blocks.
async fn until_interrupted(
    retriever: &Retriever,
    question: Question,
    mut options: RunOptions,
    indexing: Option<Indexing>,
) -> Result<(Result<AskAnswer, AskError>, Option<Exit>), CommandError> {
    let mut signals = InterruptSignals::new()?;
    let retriever = retriever.clone();
    let cancel = options.cancel.clone();
    let building = indexing.as_ref().map(|indexing| indexing.cancellation.clone());
    let mut asked = tokio::spawn(async move {
        if let Some(indexing) = indexing {
            indexing.run(&mut options).await;
        }
        retriever.ask(question, options).await
    });
    let mut interrupted = None;
    loop {
        tokio::select! {
            answer = &mut asked => {
                let failed = |error: tokio::task::JoinError| AskError::Internal(error.to_string());
                return Ok((answer.map_err(failed).flatten(), interrupted));
            }
            exit = signals.next() => {
                if interrupted.is_some() {
                    exit_now(exit);
                }
                interrupted = Some(exit);
                cancel.cancel();
                building.iter().for_each(Cancellation::cancel);
            }
        }
    }
}

fn print(
    context: &CommandContext<'_>,
    args: &AskArgs,
    retriever: &Retriever,
    answer: &AskAnswer,
) -> Result<(), CommandError> {
    let output = &context.output;
    let code = Snippets {
        read: &|path, range| retriever.code(path, range),
        max_tokens: retriever.config().report.snippet_tokens,
    };
    match output.format {
        OutputFormat::Json => {
            if args.snippets {
                output.note("--snippets needs --format markdown or text: JSON maps hold no source");
            }
            output.print_json(&answer.map.without_question())
        }
        OutputFormat::Markdown => output.print(&render::markdown(&answer.map, Some(&code))),
        OutputFormat::Text => {
            let terminal = output.terminal.as_ref();
            let address = |path: &str, line| context.address(retriever.workspace(), path, line);
            let layout = MapTextLayout {
                style: if output.color { TextStyle::Color } else { TextStyle::Plain },
                width: terminal.map(|terminal| terminal.width),
                address: output.color.then_some(&address),
            };
            let code = args.snippets.then_some(&code);
            output.print(&render::text(&answer.map, &layout, code))
        }
    }
}

fn question_text(argument: &str) -> Result<String, CommandError> {
    let usage = |message: String| {
        CommandError::new(CommandErrorKind::Usage, message)
            .hint("retriever ask \"how does X work\"; - reads the question from stdin")
    };
    let text = match argument {
        "" if io::stdin().is_terminal() && io::stderr().is_terminal() => asked("question: ")?,
        "-" => piped("question")?,
        text => text.to_owned(),
    };
    if text.trim().is_empty() {
        return Err(usage("the question is empty".to_owned()));
    }
    Ok(text.trim().to_owned())
}

fn settings(args: &AskArgs) -> Vec<Setting> {
    let text = |flag, key, value: &Option<String>| {
        value.as_ref().map(|value| Setting::flag(flag, key, value.as_str()))
    };
    let number = |flag, key, value: Option<u32>| {
        value.map(|value| Setting::flag(flag, key, i64::from(value)))
    };
    [
        text("--model", "model.name", &args.model),
        text("--base-url", "model.base_url", &args.base_url),
        args.insecure.then(|| Setting::flag("--insecure", "model.insecure", true)),
        args.effort.map(|effort| Setting::flag("--effort", "budget.effort", effort.as_ref())),
        number("--max-steps", "budget.max_steps", args.max_steps),
        number("--max-tool-calls", "budget.max_tool_calls", args.max_tool_calls),
        number("--observation-budget", "budget.observation_tokens", args.observation_budget),
        number("--timeout", "budget.timeout_s", args.timeout),
    ]
    .into_iter()
    .flatten()
    .collect()
}

impl From<AskError> for CommandError {
    fn from(error: AskError) -> Self {
        let message = error.to_string();
        match error {
            AskError::EmptyQuestion | AskError::LongQuestion(_) => {
                Self::new(CommandErrorKind::Usage, message)
                    .hint("ask in a few sentences; give paths with --hint")
            }
            AskError::ManyHints { .. } => Self::new(CommandErrorKind::Usage, message).hint(
                "name the few files and folders that matter most; a folder stands for all in it",
            ),
            AskError::Model(error) => {
                Self::new(CommandErrorKind::Model, message).hint(model_hint(&error))
            }
            _ => Self::new(CommandErrorKind::Internal, message),
        }
    }
}

fn model_hint(error: &ModelError) -> &'static str {
    match error {
        ModelError::Authentication { .. } => "check the key; \"retriever doctor\" tries it",
        ModelError::Network { .. } => "check --base-url; \"retriever doctor\" tries it",
        ModelError::Timeout(_) => "give it more time: --timeout, model.request_timeout_s",
        ModelError::RateLimited { .. } => "try again later, or raise model.retries",
        ModelError::ContextLength { .. } => "lower --observation-budget",
        _ => "leave out --no-fallback for a map that is made without the model",
    }
}
