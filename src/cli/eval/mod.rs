//! `eval`: runs the measured systems over suites and prints a table or JSON. Metrics and scores are in [`retriever_eval`].

mod cassettes;
mod eval_journal;
mod grep_only_driver;
mod grounding;
mod in_process_answerer;
mod main_agent;
mod planner;
mod ranking_features;
mod suite_and_result_files;

use std::{collections::BTreeSet, path::Path, sync::Arc};

use indicatif::{ProgressBar, ProgressStyle};
use retriever::{
    config::{ConfigSources, LoadedConfig, Setting, load},
    model::{ChatModel, OpenAiModel},
};
use retriever_eval::{
    self as eval, CheckoutCommitMatch, EvalPlan, EvalProgress, EvalReport, EvaluatedSystem, Suite,
    SuiteProblem, TableStyle,
};
use serde::Serialize;
use strum::VariantArray;

use self::{
    cassettes::CassetteFolder, eval_journal::EvalJournal, in_process_answerer::InProcessAnswerer,
    planner::planner, ranking_features::features,
};
use super::{
    args::{CasesArgs, EvalArgs, EvalCommand, EvalSystemsArgs, GroundingArgs},
    async_runtime, build_retriever,
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
    console_output::{OutputFormat, Verbosity},
    exit_status::Exit,
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
    let suites = suite_and_result_files::suites(&args.cases)?;
    let baseline =
        args.baseline.as_deref().map(suite_and_result_files::earlier_results).transpose()?;
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
        async_runtime::runtime()?.block_on(eval::run(&plan, &answerer, finished, on_progress));
    line.finish_and_clear();
    warn(context, &outcome.problems);
    let report = EvalReport::new(answerer.model_name(), &suites, outcome, baseline.as_deref());
    #[cfg(feature = "eval-html")]
    if let Some(path) = &args.html {
        let page = eval::html(&report)
            .map_err(|error| CommandError::new(CommandErrorKind::Internal, error.to_string()))?;
        suite_and_result_files::write(path, &page)?;
    }
    print(context, &report, args.out.as_deref(), |style| report.table(style))?;
    if let Some(journal) = journal {
        journal.close(context);
    }
    Ok(exit(&report.problems))
}

/// Returns the plan that all evals share.
fn plan<'a>(
    args: &'a CasesArgs,
    suites: &'a [Suite],
    answerer: &'a InProcessAnswerer,
) -> EvalPlan<'a> {
    EvalPlan {
        suites,
        corpora: suite_and_result_files::corpora(args),
        commits: if args.any_commit {
            CheckoutCommitMatch::Any
        } else {
            CheckoutCommitMatch::Exact
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
        config_file: file.or(context.config_file.as_deref()),
        roots: &[suite_and_result_files::corpora(args).to_owned()],
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
        suite_and_result_files::write_json(out, report)?;
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
