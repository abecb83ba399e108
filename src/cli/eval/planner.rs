//! `eval planner`: measures what a map is worth to a main agent.

use retriever_eval::{
    self as eval,
    planner_eval::{MainAgent as _, PlannerArm, PlannerReport},
};
use strum::VariantArray;

use super::super::{
    args::PlannerArgs,
    async_runtime,
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
    exit_status::Exit,
};
use super::{
    answerer, cassettes::CassetteFolder, connect, exit, main_agent::BudgetedMainAgent, plan, print,
    progress, settings, show_progress, suite_and_result_files, warn,
};

/// `eval planner SUITE…`.
pub(super) fn planner(
    context: &CommandContext<'_>,
    args: &PlannerArgs,
) -> Result<Exit, CommandError> {
    let suites = suite_and_result_files::suites(&args.cases)?;
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
    let run = eval::planner_eval::run(&plan, &arms, &answerer, &agent, on_progress);
    let (results, problems) = async_runtime::runtime()?.block_on(run);
    line.finish_and_clear();
    warn(context, &problems);
    let report =
        PlannerReport::new(agent.name(), answerer.model_name(), &suites, results, problems);
    #[cfg(feature = "eval-html")]
    if let Some(path) = &args.html {
        let page = eval::planner_eval::html(&report)
            .map_err(|error| CommandError::new(CommandErrorKind::Internal, error.to_string()))?;
        suite_and_result_files::write(path, &page)?;
    }
    print(context, &report, args.out.as_deref(), |style| report.table(style))?;
    Ok(exit(&report.problems))
}
