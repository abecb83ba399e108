//! `init`: shows what would change in the files of agents, asks, writes it, and lists the next steps. `retriever_setup`
//! finds the agents and edits their files.

use std::{
    fmt::Write as _,
    io::{self, IsTerminal},
    path::Path,
};

use retriever::workspace::escape_control;
use retriever_setup::{
    HostAgent, SetupJournal, SetupOptions, SetupPart, SetupPlan, SetupScope, StandardPaths,
    UnchangedSetupPart, detect, plan, removal,
};
use serde::Serialize;
use similar::TextDiff;
use strum::IntoEnumIterator;

use super::{
    args::InitArgs,
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
    console_output::OutputFormat,
    exit_status::Exit,
    init_model, setup_locations,
    terminal_prompt::asked,
};

/// What was planned and done, for programs.
#[derive(Serialize)]
struct Report<'a> {
    written: bool,
    changes: Vec<ChangeReport<'a>>,
    kept: &'a [UnchangedSetupPart],
    refused: &'a [UnchangedSetupPart],
    afterwards: Vec<Afterwards>,
}

#[derive(Serialize)]
struct ChangeReport<'a> {
    agents: &'a [HostAgent],
    part: &'static str,
    path: &'a Path,
    /// `create`, `edit` or `remove`.
    action: &'static str,
    diff: String,
}

#[derive(Serialize)]
struct Afterwards {
    agent: HostAgent,
    text: &'static str,
}

/// What was done with a plan.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Unchanged,
    SetUp,
    Removed,
}

pub(super) fn run(context: &CommandContext<'_>, args: &InitArgs) -> Result<Exit, CommandError> {
    let in_project = args.remove || args.scope == Some(SetupScope::Project);
    let surroundings =
        setup_locations::surroundings(context, in_project.then(|| context.project()))?;
    let journal_path = setup_locations::journal_path(context)?;
    let mut journal = SetupJournal::load(&journal_path).map_err(|error| {
        let path = journal_path.display();
        CommandError::new(CommandErrorKind::Setup, format!("cannot read {path}: {error}"))
            .hint("move the file away; entries can then still be removed one by one")
    })?;
    let options = SetupOptions {
        agents: agents(args, &journal, &surroundings)?,
        scope: args.scope,
        parts: parts(args),
    };
    let plan = match args.remove {
        true => removal(&journal, &options, &surroundings),
        false => plan(&journal, &options, &surroundings),
    };
    let json = context.output.format == OutputFormat::Json;
    if !json {
        context.output.print(&text(&plan, &options))?;
    }
    // A change of the journal alone needs no confirmation.
    let is_meant = !args.dry_run && !plan.is_empty();
    let write = is_meant && (plan.changes.is_empty() || confirmed(args, plan.changes.len())?);
    if write {
        apply(&plan, &mut journal, &journal_path)?;
    }
    let outcome = match (write && !plan.changes.is_empty(), args.remove) {
        (false, _) => Outcome::Unchanged,
        (true, false) => Outcome::SetUp,
        (true, true) => Outcome::Removed,
    };
    if json {
        context.output.print_json(&report(&plan, outcome))?;
    } else if outcome != Outcome::Unchanged {
        context.output.print(&closing(&plan, outcome))?;
    } else if is_meant && !plan.changes.is_empty() {
        context.output.print("Nothing was written.")?;
    }
    if !plan.refused.is_empty() {
        return Err(refused(&plan));
    }
    let is_declined = is_meant && !write;
    let asks = !(args.remove || args.dry_run || args.yes || json || is_declined);
    if asks && is_at_terminal() {
        init_model::set_up(context)?;
    }
    Ok(Exit::Done)
}

/// Applies the plan, and records it in the journal.
fn apply(
    plan: &SetupPlan,
    journal: &mut SetupJournal,
    journal_path: &Path,
) -> Result<(), CommandError> {
    let done = plan.apply(journal);
    journal.save(journal_path).map_err(|error| {
        CommandError::new(
            CommandErrorKind::Setup,
            format!("cannot write {}: {error}", journal_path.display()),
        )
    })?;
    done.map_err(|error| {
        CommandError::new(CommandErrorKind::Setup, error.to_string())
            .hint("what was written before is kept; run the same command again, or add --remove")
    })?;
    Ok(())
}

/// Returns the agents of `--agent`; else the recorded ones when removing, else the installed ones.
fn agents(
    args: &InitArgs,
    journal: &SetupJournal,
    surroundings: &StandardPaths,
) -> Result<Vec<HostAgent>, CommandError> {
    let mut agents: Vec<_> = match (args.agent.is_empty(), args.remove) {
        (false, _) => args.agent.clone(),
        (true, true) => {
            journal.written().iter().flat_map(|written| written.agents.clone()).collect()
        }
        (true, false) => detect(surroundings).into_iter().map(|found| found.agent).collect(),
    };
    agents.sort_unstable();
    agents.dedup();
    if agents.is_empty() && !args.remove {
        let known: Vec<&str> = HostAgent::iter().map(Into::into).collect();
        return Err(CommandError::new(
            CommandErrorKind::Setup,
            "no agent was found on this machine",
        )
        .hint(format!("name one with --agent: {}", known.join(", "))));
    }
    Ok(agents)
}

/// Returns the parts of `--what`; else all when removing, and the default parts otherwise.
fn parts(args: &InitArgs) -> Vec<SetupPart> {
    match (&args.what, args.remove) {
        (Some(parts), _) => parts.clone(),
        (None, true) => SetupPart::iter().collect(),
        (None, false) => vec![SetupPart::Mcp, SetupPart::Subagent, SetupPart::Skill],
    }
}

/// Whether a user can be asked.
fn is_at_terminal() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks at a terminal. Errors if there is none and `--yes` is missing.
fn confirmed(args: &InitArgs, files: usize) -> Result<bool, CommandError> {
    if args.yes {
        return Ok(true);
    }
    if !is_at_terminal() {
        return Err(CommandError::new(
            CommandErrorKind::Usage,
            "nothing was written: init can only ask at a terminal",
        )
        .hint("add --yes to write, or --dry-run to look"));
    }
    let plural = if files == 1 { "" } else { "s" };
    Ok(init_model::is_yes(&asked(&format!("Change {files} file{plural}? [y/N] "))?))
}

fn report(plan: &SetupPlan, outcome: Outcome) -> Report<'_> {
    let afterwards = if outcome == Outcome::SetUp { plan.next_steps() } else { Vec::new() };
    Report {
        written: outcome != Outcome::Unchanged,
        changes: plan
            .changes
            .iter()
            .map(|change| ChangeReport {
                agents: &change.agents,
                part: change.part.into(),
                path: &change.path,
                action: action(change),
                diff: diff(change),
            })
            .collect(),
        kept: &plan.kept,
        refused: &plan.refused,
        afterwards: afterwards
            .into_iter()
            .map(|(agent, text)| Afterwards { agent, text })
            .collect(),
    }
}

fn text(plan: &SetupPlan, options: &SetupOptions) -> String {
    let titles: Vec<_> = options.agents.iter().map(|agent| agent.title()).collect();
    let mut text = match titles.is_empty() {
        true => "Nothing was set up.\n".to_owned(),
        false => format!("Agents: {}\n", titles.join(", ")),
    };
    for change in &plan.changes {
        let _ = write!(text, "\n{} {}\n{}", action(change), change.path.display(), diff(change));
    }
    let kept: Vec<_> =
        plan.kept.iter().filter_map(|kept| Some((kept.path.as_ref()?, &kept.reason))).collect();
    if !kept.is_empty() {
        text.push('\n');
    }
    for (path, reason) in kept {
        let _ = writeln!(text, "unchanged {}: {reason}", path.display());
    }
    text
}

fn closing(plan: &SetupPlan, outcome: Outcome) -> String {
    let files = plan.changes.len();
    let files = format!("{files} file{}", if files == 1 { "" } else { "s" });
    if outcome == Outcome::Removed {
        return format!("Removed retriever from {files}.");
    }
    let mut text = format!("Wrote {files}. Next:\n");
    text.push_str("  restart the agents: they read their servers and sub-agents when they start\n");
    for (agent, sentence) in plan.next_steps() {
        let _ = writeln!(text, "  {}: {sentence}", agent.title());
    }
    text.push_str("  check the root, the model and the configuration: retriever doctor\n");
    text.push_str("  remove it again: retriever init --remove\n");
    text
}

fn refused(plan: &SetupPlan) -> CommandError {
    let count = plan.refused.len();
    let error = CommandError::new(
        CommandErrorKind::Setup,
        format!("{count} file{} can't be changed", if count == 1 { "" } else { "s" }),
    );
    plan.refused.iter().fold(error, |error, refused| {
        let path = refused.path.as_ref().map_or(String::new(), |path| path.display().to_string());
        error.hint(format!("{path}: {}", refused.reason))
    })
}

fn action(change: &retriever_setup::PlannedChange) -> &'static str {
    match (&change.before, &change.after) {
        (None, _) => "create",
        (_, None) => "remove",
        _ => "edit",
    }
}

fn diff(change: &retriever_setup::PlannedChange) -> String {
    let (before, after) = (change.before.as_deref(), change.after.as_deref());
    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
    let diff = TextDiff::from_lines(before, after);
    let hunks = diff.unified_diff().context_radius(2).to_string();
    // Escapes the file's text, so that it cannot control the terminal.
    hunks.lines().map(|line| escape_control(line) + "\n").collect()
}
