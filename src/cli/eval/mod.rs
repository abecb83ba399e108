//! `eval`: runs the measured systems over suites and prints a table or JSON. Metrics and scores are in [`retriever_eval`].

mod cassettes;
mod eval_files;
mod eval_journal;
mod grep_only;
mod grounding;
mod in_process_answerer;
mod main_agent;

use std::{
    collections::BTreeSet,
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use indicatif::{ProgressBar, ProgressStyle};
use retriever::{
    OpeningContext, Question, Retriever,
    config::{ConfigSources, LoadedConfig, Setting, load},
    model::{ChatModel, OpenAiModel},
    search::{self, RoleCues, SearchCorpus, TrainingPool},
    workspace::Cancellation,
};
use retriever_eval::{
    self as eval, AcceptedCheckoutCommits, AnswerFailure, EvalCase, EvalPlan, EvalProgress,
    EvalReport, EvaluatedSystem, Suite, SuiteProblem, TableStyle,
    planner_eval::{MainAgent as _, PlannerArm, PlannerReport},
};
use serde::Serialize;
use strum::VariantArray;

use self::{
    cassettes::CassetteFolder,
    eval_journal::EvalJournal,
    in_process_answerer::{InProcessAnswerer, failed},
    main_agent::BudgetedMainAgent,
};
use super::{
    CommandContext,
    args::{
        CasesArgs, EvalArgs, EvalCommand, EvalSystemsArgs, GroundingArgs, PlannerArgs,
        RankingFeaturesArgs,
    },
    build_retriever,
    error::{CommandError, CommandErrorKind},
    exit::Exit,
    output::{OutputFormat, Verbosity},
};

pub(super) fn run(context: &CommandContext<'_>, args: &EvalArgs) -> Result<Exit, CommandError> {
    match &args.other {
        Some(EvalCommand::Planner(args)) => planner(context, args),
        Some(EvalCommand::Features(args)) => features(context, args),
        Some(EvalCommand::Grounding(args)) => grounding::run(context, args),
        None => answers(context, &args.answers),
    }
}

/// `eval SUITE…`.
fn answers(context: &CommandContext<'_>, args: &EvalSystemsArgs) -> Result<Exit, CommandError> {
    let suites = eval_files::suites(&args.cases)?;
    let baseline = args.baseline.as_deref().map(eval_files::earlier_results).transpose()?;
    let loaded = settings(context, &args.cases, None)?;
    let cassettes = match (&args.record, &args.replay) {
        (Some(folder), _) => CassetteFolder::Record(folder.clone()),
        (_, Some(folder)) => CassetteFolder::Replay(folder.clone()),
        _ => CassetteFolder::Off,
    };
    let asks_model = !args.cases.offline && args.replay.is_none();
    let model = if asks_model { connect(&loaded)? } else { None };
    let answerer = answerer(&loaded, model, cassettes)?;
    if args.record.is_some() && !answerer.has_model() {
        return Err(CommandError::new(CommandErrorKind::Usage, "--record needs a model")
            .hint("name one with --model or RETRIEVER_MODEL"));
    }
    let systems = match args.system.as_slice() {
        [] => EvaluatedSystem::VARIANTS.iter().copied().collect(),
        some => some.iter().copied().collect(),
    };
    let plan = EvalPlan { systems, ..plan(&args.cases, &suites, &answerer) };
    let mut journal = args.out.as_deref().map(EvalJournal::open).transpose()?;
    let finished = journal.as_mut().map(|journal| std::mem::take(&mut journal.finished));
    let line = progress(context.output.verbosity);
    let on_progress = |event: EvalProgress<'_>| match event {
        EvalProgress::Scored(result) => {
            if let Some(journal) = &mut journal {
                journal.add(result);
            }
            line.set_message(format!("{} {} {}", result.suite, result.case, result.system));
        }
        EvalProgress::Done { done, of } => show_progress(&line, done, of),
    };
    let finished = finished.unwrap_or_default();
    let outcome =
        build_retriever::runtime()?.block_on(eval::run(&plan, &answerer, finished, on_progress));
    line.finish_and_clear();
    warn(context, &outcome.problems);
    let report = EvalReport::new(answerer.model_name(), &suites, outcome, baseline.as_deref());
    #[cfg(feature = "eval-html")]
    if let Some(path) = &args.html {
        let page = eval::html(&report)
            .map_err(|error| CommandError::new(CommandErrorKind::Internal, error.to_string()))?;
        eval_files::write(path, &page)?;
    }
    print(context, &report, args.out.as_deref(), |style| report.table(style))?;
    if let Some(journal) = journal {
        journal.close(context);
    }
    Ok(exit(&report.problems))
}

/// `eval planner SUITE…`.
fn planner(context: &CommandContext<'_>, args: &PlannerArgs) -> Result<Exit, CommandError> {
    let suites = eval_files::suites(&args.cases)?;
    let loaded = settings(context, &args.cases, None)?;
    let model = if args.cases.offline { None } else { connect(&loaded)? };
    let answerer = answerer(&loaded, model, CassetteFolder::Off)?;
    let model = if args.scripted {
        None
    } else {
        let mut loaded = settings(context, &args.cases, args.planner_config.as_deref())?;
        if let Some(name) = &args.planner_model {
            loaded.config.model.name.clone_from(name);
        }
        let model = connect(&loaded)?.ok_or_else(|| {
            CommandError::new(CommandErrorKind::Usage, "the main agent has no model")
                .hint("name one with --planner-model or in --planner-config, or pass --scripted")
        })?;
        Some((model, loaded.config.model.prices))
    };
    let limits = loaded.config.limits(&loaded.config.budget, 0);
    let agent = BudgetedMainAgent::new(model, limits, &answerer);
    let arms = match args.arm.as_slice() {
        [] => PlannerArm::VARIANTS.iter().copied().collect(),
        some => some.iter().copied().collect(),
    };
    let plan = plan(&args.cases, &suites, &answerer);
    let line = progress(context.output.verbosity);
    let on_progress = |done, of| show_progress(&line, done, of);
    let run = eval::planner_eval::run(&plan, &arms, (&answerer, &agent), on_progress);
    let found = build_retriever::runtime()?.block_on(run);
    line.finish_and_clear();
    warn(context, &found.1);
    let report = PlannerReport::new(agent.name(), answerer.model_name(), &suites, found);
    #[cfg(feature = "eval-html")]
    if let Some(path) = &args.html {
        let page = eval::planner_eval::html(&report)
            .map_err(|error| CommandError::new(CommandErrorKind::Internal, error.to_string()))?;
        eval_files::write(path, &page)?;
    }
    print(context, &report, args.out.as_deref(), |style| report.table(style))?;
    Ok(exit(&report.problems))
}

/// `eval features SUITE…`.
#[expect(clippy::disallowed_methods, reason = "the user names the file on the command line")]
fn features(
    context: &CommandContext<'_>,
    args: &RankingFeaturesArgs,
) -> Result<Exit, CommandError> {
    let suites = eval_files::suites(&args.cases)?;
    let loaded = settings(context, &args.cases, None)?;
    let answerer = answerer(&loaded, None, CassetteFolder::Off)?;
    let plan = plan(&args.cases, &suites, &answerer);
    let path = args.out.as_deref().unwrap_or(Path::new(""));
    let write_failed = |error: io::Error| {
        CommandError::new(
            CommandErrorKind::Setup,
            format!("{} can't be written: {error}", path.display()),
        )
    };
    let mut out = io::BufWriter::new(File::create(path).map_err(write_failed)?);
    let line = progress(context.output.verbosity);
    line.set_length(suites.iter().map(|suite| suite.cases.len() as u64).sum());
    let mut written = Ok(());
    let on_case = |case: eval::TrainingCase| {
        line.inc(1);
        if written.is_ok() {
            written = serde_json::to_writer(&mut out, &case)
                .map_err(io::Error::from)
                .and_then(|()| out.write_all(b"\n"));
        }
    };
    let mut pools = Pools { answerer: &answerer, open: None };
    let problems = eval::features(&plan, |case, checkout| pools.pool(case, checkout), on_case)
        .map_err(|failure| CommandError::new(CommandErrorKind::Internal, failure.message))?;
    line.finish_and_clear();
    written.and_then(|()| out.flush()).map_err(write_failed)?;
    warn(context, &problems);
    Ok(exit(&problems))
}

/// Returns the candidates of ranking. Keeps one checkout in memory at a time.
struct Pools<'a> {
    answerer: &'a InProcessAnswerer,
    open: Option<(PathBuf, Retriever)>,
}

impl Pools<'_> {
    fn pool(&mut self, case: &EvalCase, checkout: &Path) -> Result<TrainingPool, AnswerFailure> {
        let retriever = match self.open.take().filter(|(folder, _)| folder == checkout) {
            Some((_, retriever)) => retriever,
            None => self.answerer.open(checkout, None, OpeningContext::Bare)?,
        };
        let cues = RoleCues::with(&self.answerer.config().roles).map_err(failed)?;
        let question = Question { intent: case.intent, ..Question::new(&case.question) };
        let (index, token_index) = (retriever.index(), retriever.token_index());
        let never = Cancellation::new();
        let pool = index.ask_on_walk_if_quick(&never, |walk, graph| {
            let workspace = index.workspace();
            let snapshot = token_index.snapshot(workspace, walk, &never);
            let corpus = SearchCorpus {
                workspace,
                walk,
                index: &snapshot,
                graph,
                role_cues: &cues,
                similar: None,
            };
            search::candidate_pool(&corpus, &question, &never)
        });
        self.open = Some((checkout.to_owned(), retriever));
        Ok(pool)
    }
}

/// Returns the plan that all evals share.
fn plan<'a>(
    args: &'a CasesArgs,
    suites: &'a [Suite],
    answerer: &'a InProcessAnswerer,
) -> EvalPlan<'a> {
    EvalPlan {
        suites,
        corpora: eval_files::corpora(args),
        commits: if args.any_commit {
            AcceptedCheckoutCommits::Any
        } else {
            AcceptedCheckoutCommits::Exact
        },
        workspace: &answerer.config().workspace,
        traits: &answerer.config().traits,
        systems: BTreeSet::new(),
        repeats: args.repeats,
        jobs: usize::try_from(args.jobs).unwrap_or(1),
    }
}

fn answerer(
    loaded: &LoadedConfig,
    model: Option<Arc<dyn ChatModel>>,
    cassettes: CassetteFolder,
) -> Result<InProcessAnswerer, CommandError> {
    let prompts = build_retriever::prompts(loaded)?;
    let embedder = build_retriever::embedder(loaded)?;
    Ok(InProcessAnswerer::new(loaded.config.clone(), prompts, model, cassettes)
        .with_embedder(embedder))
}

/// Loads the configuration without a workspace's file, so that results do not depend on the current folder. `file` replaces
/// the configuration file of the context.
fn settings(
    context: &CommandContext<'_>,
    args: &CasesArgs,
    file: Option<&Path>,
) -> Result<LoadedConfig, CommandError> {
    let text = |flag, key, value: &Option<String>| {
        value.as_ref().map(|value| Setting::flag(flag, key, value.as_str()))
    };
    let flags: Vec<Setting> = [
        text("--model", "model.name", &args.model),
        text("--base-url", "model.base_url", &args.base_url),
        args.effort.map(|effort| Setting::flag("--effort", "budget.effort", effort.as_ref())),
    ]
    .into_iter()
    .flatten()
    .collect();
    let loaded = load(&ConfigSources {
        environment: context.environment,
        file: file.or(context.file.as_deref()),
        roots: &[eval_files::corpora(args).to_owned()],
        flags: &flags,
    })?;
    for warning in &loaded.warnings {
        context.output.warn(warning);
    }
    Ok(loaded)
}

fn connect(loaded: &LoadedConfig) -> Result<Option<Arc<dyn ChatModel>>, CommandError> {
    if loaded.config.model.name.trim().is_empty() {
        return Ok(None);
    }
    loaded.require_key()?;
    let key = loaded.key.as_ref().map(|key| key.secret.clone());
    Ok(Some(Arc::new(OpenAiModel::new(&loaded.config.model, key)?)))
}

fn warn(context: &CommandContext<'_>, problems: &[SuiteProblem]) {
    for problem in problems {
        context.output.warn(&problem.to_string());
    }
}

fn exit(problems: &[SuiteProblem]) -> Exit {
    if problems.is_empty() { Exit::Done } else { Exit::Usage }
}

/// Writes the report to `out` and prints it.
fn print(
    context: &CommandContext<'_>,
    report: &impl Serialize,
    out: Option<&Path>,
    table: impl Fn(TableStyle) -> String,
) -> Result<(), CommandError> {
    if let Some(out) = out {
        eval_files::write_json(out, report)?;
    }
    match context.output.format {
        OutputFormat::Json => context.output.print_json(report),
        OutputFormat::Markdown => context.output.print(&table(TableStyle::Markdown)),
        OutputFormat::Text => context.output.print(&table(TableStyle::Plain)),
    }
}

fn progress(verbosity: Verbosity) -> ProgressBar {
    // indicatif hides the line unless stderr is a terminal.
    let line =
        if verbosity == Verbosity::Quiet { ProgressBar::hidden() } else { ProgressBar::new(0) };
    if let Ok(style) = ProgressStyle::with_template("{pos}/{len} {wide_msg} {eta}") {
        line.set_style(style);
    }
    line
}

fn show_progress(line: &ProgressBar, done: usize, of: usize) {
    line.set_length(of as u64);
    line.set_position(done as u64);
}
