//! `ask`: one question in, one map out. Flags become settings, the model is chosen, and the first interrupt ends the run
//! with the map found so far. Everything between question and map is the library's.

use std::{io::Read, path::Path, sync::Arc};

use retriever::{
    Answer, AskError, BuildError, FallbackPolicy, Observer, Prompt, PromptError, Prompts, Question,
    Retriever, RunOptions,
    config::{Loaded, Setting, load},
    model::{ChatModel, ModelError, ModelSetupError, OpenAiModel, RecordingModel, ReplayModel},
    report::render::{self, Snippets, Style},
};
use tokio_util::sync::CancellationToken;

use super::{
    Session,
    args::AskArgs,
    error::{CommandError, Kind},
    exit::Exit,
    output::Shape,
    signals::Signals,
    watch::Watch,
};

/// Largest question read from stdin, in bytes; the library has its own, lower limit.
const STDIN_BYTES: u64 = 1024 * 1024;

pub(super) fn run(session: &Session<'_>, args: &AskArgs) -> Result<Exit, CommandError> {
    let question = Question {
        text: question_text(args.question.as_deref())?,
        intent: args.intent,
        roles: args.role.clone(),
        hints: args.hint.clone(),
    };
    let loaded = session.load(&settings(args))?;
    let chosen = Chosen::new(args, &loaded)?;
    let mut builder = Retriever::builder(&session.root)
        .config(loaded.config.clone())
        .prompts(prompts(&loaded)?)
        .cache(session.cache(&loaded));
    if let Some(model) = chosen.model() {
        builder = builder.model(model);
    } else if !args.offline {
        session.output.note(
            "no model is configured, so the built-in offline model answers; set RETRIEVER_MODEL and a key or \
             --base-url, or pass --offline (config.example.toml explains)",
        );
    }
    let retriever = builder.build()?;
    let watch = Arc::new(Watch::new(args.events.as_deref(), session.output.talk)?);
    let cancel = CancellationToken::new();
    let options = RunOptions {
        budget: loaded.config.budget.clone(),
        cancel: cancel.clone(),
        observer: Some(Arc::clone(&watch) as Arc<dyn Observer>),
        fallback: if args.no_fallback { FallbackPolicy::Refuse } else { FallbackPolicy::Allow },
    };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| {
            CommandError::new(Kind::Internal, format!("cannot start the runtime: {error}"))
        })?;
    let (answer, interrupted) =
        runtime.block_on(until_interrupted(&retriever, question, options, &cancel))?;
    // A search that doesn't look at its flag must not hold up the answer.
    runtime.shutdown_background();
    watch.finish();
    super::index::say_warnings(session, retriever.index());
    if let Some(warning) = watch.failure().or_else(|| chosen.failure()) {
        session.output.warn(&warning);
    }
    let answer = answer?;
    if let Some(error) = &answer.model_error {
        session.output.warn(&format!("the model failed and the map was made without it: {error}"));
    }
    print(session, args, &retriever, &loaded, &answer)?;
    Ok(interrupted.unwrap_or(Exit::Done))
}

/// Runs the question. The first signal ends it early, with a map; the second one ends the program.
async fn until_interrupted(
    retriever: &Retriever,
    question: Question,
    options: RunOptions,
    cancel: &CancellationToken,
) -> Result<(Result<Answer, AskError>, Option<Exit>), CommandError> {
    let mut signals = Signals::new().map_err(|error| {
        CommandError::new(Kind::Internal, format!("cannot listen for signals: {error}"))
    })?;
    let asked = retriever.ask(question, options);
    tokio::pin!(asked);
    let mut interrupted = None;
    loop {
        tokio::select! {
            answer = &mut asked => return Ok((answer, interrupted)),
            exit = signals.next() => {
                if interrupted.is_some() {
                    leave(exit);
                }
                interrupted = Some(exit);
                cancel.cancel();
            }
        }
    }
}

#[expect(clippy::exit, reason = "whoever interrupts twice wants no more cleaning up")]
fn leave(exit: Exit) -> ! {
    std::process::exit(i32::from(exit.code()))
}

fn print(
    session: &Session<'_>,
    args: &AskArgs,
    retriever: &Retriever,
    loaded: &Loaded,
    answer: &Answer,
) -> Result<(), CommandError> {
    let output = &session.output;
    let workspace = retriever.workspace();
    let code = Snippets {
        read: &|path, range| {
            let file = workspace.read(&workspace.normalize(path).ok()?).ok()?;
            Some(file.lines(range).map(|(_, line)| line.to_owned()).collect())
        },
        max_tokens: loaded.config.report.snippet_tokens,
    };
    match output.shape {
        Shape::Json => {
            if args.snippets {
                output.note("--snippets needs --format markdown or text: JSON maps hold no source");
            }
            output.print_json(&answer.map)
        }
        Shape::Markdown => output.print(&render::markdown(&answer.map, Some(&code))),
        Shape::Text => {
            let style = if output.color { Style::Color } else { Style::Plain };
            let code = args.snippets.then_some(&code);
            output.print(&render::text(&answer.map, style, code))
        }
    }
}

fn question_text(argument: Option<&str>) -> Result<String, CommandError> {
    let usage = |message: String| {
        CommandError::new(Kind::Usage, message)
            .hint("retriever ask \"how does X work\"; - reads the question from stdin")
    };
    let text =
        match argument {
            Some("-") => {
                let mut bytes = Vec::new();
                std::io::stdin().lock().take(STDIN_BYTES).read_to_end(&mut bytes).map_err(
                    |error| usage(format!("cannot read the question from stdin: {error}")),
                )?;
                String::from_utf8_lossy(&bytes).into_owned()
            }
            Some(text) => text.to_owned(),
            None => String::new(),
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
        args.effort.map(|effort| Setting::flag("--effort", "budget.effort", effort.word())),
        number("--max-steps", "budget.max_steps", args.max_steps),
        number("--max-tool-calls", "budget.max_tool_calls", args.max_tool_calls),
        number("--observation-budget", "budget.observation_tokens", args.observation_budget),
        number("--timeout", "budget.timeout_s", args.timeout),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The model of a run, still in its own type, since recordings are asked about it afterwards.
enum Chosen {
    Offline,
    Endpoint(Arc<OpenAiModel>),
    Recorded(Arc<RecordingModel<OpenAiModel>>),
    Replayed(Arc<ReplayModel>),
}

impl Chosen {
    fn new(args: &AskArgs, loaded: &Loaded) -> Result<Self, CommandError> {
        if let Some(path) = &args.replay {
            let model = ReplayModel::new(&read_cassette(path)?)
                .map_err(|error| unusable(path, "replayed", &error.to_string()))?;
            return Ok(Self::Replayed(Arc::new(model)));
        }
        if args.offline || loaded.config.model.name.trim().is_empty() {
            return match &args.record {
                Some(_) => Err(CommandError::new(Kind::Usage, "--record needs a model")
                    .hint("name one with --model or RETRIEVER_MODEL")),
                None => Ok(Self::Offline),
            };
        }
        loaded.require_key()?;
        let key = loaded.key.as_ref().map(|key| key.secret.clone());
        let model = OpenAiModel::new(&loaded.config.model, key)?;
        Ok(match &args.record {
            Some(path) => {
                Self::Recorded(Arc::new(RecordingModel::new(model, super::watch::create(path)?)))
            }
            None => Self::Endpoint(Arc::new(model)),
        })
    }

    fn model(&self) -> Option<Arc<dyn ChatModel>> {
        match self {
            Self::Offline => None,
            Self::Endpoint(model) => Some(Arc::clone(model) as Arc<dyn ChatModel>),
            Self::Recorded(model) => Some(Arc::clone(model) as Arc<dyn ChatModel>),
            Self::Replayed(model) => Some(Arc::clone(model) as Arc<dyn ChatModel>),
        }
    }

    /// What went wrong beside the run, once it is over.
    fn failure(&self) -> Option<String> {
        match self {
            Self::Offline | Self::Endpoint(_) => None,
            Self::Recorded(model) => model.failure(),
            Self::Replayed(model) => model.staleness(),
        }
    }
}

fn prompts(loaded: &Loaded) -> Result<Prompts, CommandError> {
    let files = &loaded.config.prompts;
    let mut prompts = Prompts::default();
    for (prompt, file) in [
        (Prompt::System, &files.system),
        (Prompt::Question, &files.question),
        (Prompt::Nudge, &files.nudge),
        (Prompt::Finish, &files.finish),
        (Prompt::Repair, &files.repair),
    ] {
        if !file.is_empty() {
            prompts.replace(prompt, load::read_named_file(Path::new(file))?)?;
        }
    }
    Ok(prompts)
}

#[expect(clippy::disallowed_methods, reason = "a file that the user names on the command line")]
fn read_cassette(path: &Path) -> Result<String, CommandError> {
    std::fs::read_to_string(path).map_err(|error| unusable(path, "read", &error.to_string()))
}

fn unusable(path: &Path, verb: &str, reason: &str) -> CommandError {
    CommandError::new(Kind::Usage, format!("{} cannot be {verb}: {reason}", path.display()))
        .hint("--replay takes a file that --record has written")
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

impl From<BuildError> for CommandError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Workspace(error) => error.into(),
            error => Self::new(Kind::Setup, error.to_string())
                .hint("\"retriever config\" prints where each value comes from"),
        }
    }
}

impl From<PromptError> for CommandError {
    fn from(error: PromptError) -> Self {
        Self::new(Kind::Setup, error.to_string()).hint("check the files under [prompts]")
    }
}

impl From<ModelSetupError> for CommandError {
    fn from(error: ModelSetupError) -> Self {
        Self::new(Kind::Setup, error.to_string())
            .hint("\"retriever config\" prints where each value comes from")
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
