//! `ask`: turns flags into settings, runs one question and prints its map. The first interrupt ends the run with the map
//! found so far.

use std::{io::Read, path::Path, sync::Arc};

use retriever::{
    Answer, AskError, Event, FallbackPolicy, Observer, Question, Retriever, RunOptions,
    config::Setting,
    model::ModelError,
    report::render::{self, Snippets, Style},
    workspace::LineRange,
};
use tokio_util::sync::CancellationToken;

use super::{
    CommandContext,
    args::AskArgs,
    batch,
    error::{CommandError, Kind},
    exit::Exit,
    interrupts::{Signals, exit_now},
    output::OutputFormat,
    progress::ProgressReporter,
    setup::{self, ModelArgs},
    view::{self, CollectedEvents, PageFile},
};

/// Maximum size of a question on stdin, in bytes; the limit of the library is lower.
const STDIN_BYTES: u64 = 1024 * 1024;

pub(super) fn run(context: &CommandContext<'_>, args: &AskArgs) -> Result<Exit, CommandError> {
    if let Some(file) = &args.batch {
        return batch(context, args, file);
    }
    let question = Question {
        text: question_text(&args.question.join(" "))?,
        intent: args.intent,
        roles: args.role.clone(),
        hints: args.hint.clone(),
        session: args.session.clone(),
    };
    let loaded = context.load(&settings(args))?;
    let model_args = ModelArgs {
        offline: args.offline,
        record: args.record.as_deref(),
        replay: args.replay.as_deref(),
    };
    let (retriever, selected) = setup::build(context, &loaded, &model_args)?;
    let progress =
        Arc::new(ProgressReporter::new(args.events.as_deref(), context.output.verbosity)?);
    let page = args.html.as_deref().map(PageFile::create).transpose()?;
    let events = Arc::new(CollectedEvents::default());
    let observer = Observers(Arc::clone(&progress), page.is_some().then(|| Arc::clone(&events)));
    let cancel = CancellationToken::new();
    let options = RunOptions {
        budget: loaded.config.budget,
        cancel: cancel.clone(),
        observer: Some(Arc::new(observer)),
        fallback: fallback(args),
    };
    let runtime = setup::runtime()?;
    let (answer, interrupted) =
        runtime.block_on(until_interrupted(&retriever, question, options, &cancel))?;
    // Does not wait for searches that have not seen the cancellation yet.
    runtime.shutdown_background();
    progress.finish();
    print_warnings(context, &retriever);
    if let Some(warning) = progress.failure().or_else(|| selected.failure()) {
        context.output.warn(&warning);
    }
    let answer = answer?;
    if let Some(error) = &answer.model_error {
        context.output.warn(&format!("the model failed and the map was made without it: {error}"));
    }
    if let Some(error) = &answer.tool_error {
        context.output.warn(&format!("a tool failed and ended the exploration: {error}"));
    }
    let printed = print(context, args, &retriever, &answer);
    if let Some(page) = page {
        let read = |path: &str, range: LineRange| retriever.code(path, range);
        let text = view::page_of_run(&events, &answer.map, &read);
        // The map is printed by now.
        if let Err(error) = page.write(context, &text) {
            context.output.warn(&error.message);
        }
    }
    printed?;
    Ok(interrupted.unwrap_or(Exit::Done))
}

/// The progress line and, for a page, the collection of the events.
struct Observers(Arc<ProgressReporter>, Option<Arc<CollectedEvents>>);

impl Observer for Observers {
    fn on_event(&self, event: &Event) {
        self.0.on_event(event);
        if let Some(collected) = &self.1 {
            collected.on_event(event);
        }
    }
}

fn batch(context: &CommandContext<'_>, args: &AskArgs, file: &Path) -> Result<Exit, CommandError> {
    if !matches!(context.output.format, OutputFormat::Json) && context.output.format_is_explicit {
        return Err(CommandError::new(Kind::Usage, "--batch prints a line of JSON a question")
            .hint("leave out --format"));
    }
    let loaded = context.load(&settings(args))?;
    let model_args = ModelArgs { offline: args.offline, ..ModelArgs::default() };
    let (retriever, _) = setup::build(context, &loaded, &model_args)?;
    let options = RunOptions {
        budget: loaded.config.budget,
        fallback: fallback(args),
        ..RunOptions::default()
    };
    let done = batch::run(context, &retriever, options, file, args.jobs);
    print_warnings(context, &retriever);
    match done? {
        batch::Finished { exit: Exit::Done, model_failures }
            if args.fail_on_fallback && model_failures > 0 =>
        {
            Ok(Exit::Model)
        }
        batch::Finished { exit, .. } => Ok(exit),
    }
}

fn print_warnings(context: &CommandContext<'_>, retriever: &Retriever) {
    for warning in retriever.warnings() {
        context.output.warn(&warning);
    }
}

fn fallback(args: &AskArgs) -> FallbackPolicy {
    if args.no_fallback { FallbackPolicy::Refuse } else { FallbackPolicy::Allow }
}

/// Runs the question. The first signal cancels it, which still returns a map; the second ends the program. The question runs
/// in a task of its own, so that signals are handled while an observer blocks.
async fn until_interrupted(
    retriever: &Retriever,
    question: Question,
    options: RunOptions,
    cancel: &CancellationToken,
) -> Result<(Result<Answer, AskError>, Option<Exit>), CommandError> {
    let mut signals = Signals::new()?;
    let retriever = retriever.clone();
    let mut asked = tokio::spawn(async move { retriever.ask(question, options).await });
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
            }
        }
    }
}

fn print(
    context: &CommandContext<'_>,
    args: &AskArgs,
    retriever: &Retriever,
    answer: &Answer,
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
            let style = if output.color { Style::Color } else { Style::Plain };
            let code = args.snippets.then_some(&code);
            output.print(&render::text(&answer.map, style, code))
        }
    }
}

fn question_text(argument: &str) -> Result<String, CommandError> {
    let usage = |message: String| {
        CommandError::new(Kind::Usage, message)
            .hint("retriever ask \"how does X work\"; - reads the question from stdin")
    };
    let text =
        match argument {
            "-" => {
                let mut bytes = Vec::new();
                std::io::stdin().lock().take(STDIN_BYTES).read_to_end(&mut bytes).map_err(
                    |error| usage(format!("cannot read the question from stdin: {error}")),
                )?;
                String::from_utf8_lossy(&bytes).into_owned()
            }
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
            AskError::EmptyQuestion | AskError::LongQuestion(_) => Self::new(Kind::Usage, message)
                .hint("ask in a few sentences; give paths with --hint"),
            AskError::Model(error) => Self::new(Kind::Model, message).hint(model_hint(&error)),
            _ => Self::new(Kind::Internal, message),
        }
    }
}

fn model_hint(error: &ModelError) -> &'static str {
    match error {
        ModelError::Authentication { .. } => "check the key; \"retriever doctor\" tries it",
        ModelError::Network { .. } => "check --base-url; \"retriever doctor\" tries it",
        ModelError::Timeout(_) | ModelError::RateLimited { .. } => {
            "try again later, or raise model.request_timeout_s or model.retries"
        }
        ModelError::ContextLength { .. } => "lower --observation-budget",
        _ => "leave out --no-fallback for a map that is made without the model",
    }
}
