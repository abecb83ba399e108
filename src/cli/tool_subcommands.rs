//! `grep`, `glob`, `read` and `graph`: call the tools of the model and print the result as text, as the model sees it
//! (Markdown), or as typed JSON.

use std::sync::Arc;

use retriever::{
    UnknownVariant,
    config::{LoadedConfig, Setting},
    evidence_ledger::EvidenceLedger,
    tools::{
        ToolContext, ToolError, ToolOutcome, ToolRegistry, ToolResult,
        graph::{GraphOperation, GraphOutput},
        render_tool_result::{ObservationBudget, render},
    },
    workspace::{Cancellation, PlaceLinkBuilder, Workspace},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    args::{GlobArgs, GraphArgs, GrepArgs, PaginationArgs, ReadArgs},
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
    command_line_paths::from_current_folder,
    console_output::{DiagramFormat, OutputFormat},
    exit_status::Exit,
    graph_diagram_output, tool_result_for_terminal,
};

/// On the command line only the limits of the tools themselves apply.
const ALLOWANCE: ObservationBudget =
    ObservationBudget { tokens: u64::MAX, per_file_total: u64::MAX };

pub(super) fn grep(context: &CommandContext<'_>, args: &GrepArgs) -> Result<Exit, CommandError> {
    let mut arguments = paged(&args.page);
    arguments["pattern"] = json!(args.pattern);
    arguments["literal"] = json!(args.literal.then_some(true));
    arguments["include"] = json!(args.include);
    arguments["path"] = json!(args.place.as_ref().or(args.path.as_ref()));
    arguments["ignore_case"] = json!(args.ignore_case.then_some(true));
    arguments["context"] = json!(args.context);
    arguments["after"] = json!(args.after);
    arguments["before"] = json!(args.before);
    call(context, &context.load(&[])?, "grep", arguments)
}

pub(super) fn glob(context: &CommandContext<'_>, args: &GlobArgs) -> Result<Exit, CommandError> {
    let mut arguments = paged(&args.page);
    arguments["pattern"] = json!(args.pattern);
    arguments["path"] = json!(args.path);
    call(context, &context.load(&[])?, "glob", arguments)
}

pub(super) fn read(context: &CommandContext<'_>, args: &ReadArgs) -> Result<Exit, CommandError> {
    let arguments = json!({
        "file": args.file,
        "start_line": args.start_line,
        "num_lines": args.num_lines,
    });
    call(context, &context.load(&[])?, "read", arguments)
}

pub(super) fn graph(context: &CommandContext<'_>, args: &GraphArgs) -> Result<Exit, CommandError> {
    let mut arguments = paged(&args.page);
    arguments["operation"] = json!(args.operation);
    arguments["target"] = json!(target(args)?);
    arguments["file"] = json!(args.file);
    arguments["kind"] = json!(args.kind);
    arguments["depth"] = json!(args.depth);
    arguments["to"] = json!(args.to);
    arguments["everywhere"] = json!(args.everywhere.then_some(true));
    let database = args.database.as_deref();
    let database = database.map(|it| Setting::flag("--database", "graph.database", it));
    let everywhere =
        args.everywhere.then(|| Setting::flag("--everywhere", "graph.everywhere", true));
    let settings: Vec<Setting> = database.into_iter().chain(everywhere).collect();
    let loaded = context.load(&settings)?;
    match context.output.picture {
        Some(format) => {
            let workspace = Arc::new(context.open(&loaded)?);
            let result = result_of(context, &loaded, &workspace, "graph", arguments)?;
            draw(context, &result.typed, args, format)
        }
        None => call(context, &loaded, "graph", arguments),
    }
}

/// Returns the target: a search takes several words.
fn target(args: &GraphArgs) -> Result<String, CommandError> {
    let operation = args.operation.trim();
    let is = |own: GraphOperation| operation.eq_ignore_ascii_case(own.as_ref());
    if args.to.is_some() && !is(GraphOperation::Trace) {
        let message = format!("--to is the end of a trace, and {operation} has none");
        let hint = format!("retriever graph trace {} --to …", args.target.join(" "));
        return Err(CommandError::new(CommandErrorKind::Usage, message).hint(hint));
    }
    match args.target.as_slice() {
        [_, second, ..] if !is(GraphOperation::Search) => {
            let message = format!("{operation} takes one target; {second:?} is a second one");
            Err(CommandError::new(CommandErrorKind::Usage, message))
        }
        words => Ok(words.join(" ")),
    }
}

/// Prints a result as a diagram, and lists what the diagram does not show.
fn draw(
    context: &CommandContext<'_>,
    typed: &Value,
    args: &GraphArgs,
    format: DiagramFormat,
) -> Result<Exit, CommandError> {
    let internal = |error: String| CommandError::new(CommandErrorKind::Internal, error);
    let found = GraphOutput::deserialize(typed).map_err(|error| internal(error.to_string()))?;
    let operation: GraphOperation = args
        .operation
        .trim()
        .parse()
        .map_err(|error: UnknownVariant| internal(error.to_string()))?;
    context.output.print(&graph_diagram_output::draw(&found, operation, format)?)?;
    if found.outcome == ToolOutcome::Truncated {
        context.output.note(&found.headline);
        found.notes.iter().for_each(|line| context.output.note(line));
    }
    Ok(Exit::Done)
}

fn paged(page: &PaginationArgs) -> Value {
    json!({ "limit": page.limit, "offset": page.offset })
}

/// Calls a tool. Arguments that it refuses are an error.
fn result_of(
    context: &CommandContext<'_>,
    loaded: &LoadedConfig,
    workspace: &Arc<Workspace>,
    tool: &str,
    mut arguments: Value,
) -> Result<ToolResult, CommandError> {
    if let Value::Object(fields) = &mut arguments {
        fields.retain(|_, value| !value.is_null());
    }
    let is_here = arguments["everywhere"] != true;
    for place in ["path", "file"].into_iter().filter(|_| is_here) {
        if let Some(path) = arguments[place].as_str() {
            let folder = context.environment.folder();
            arguments[place] = from_current_folder(folder, workspace, path).into();
        }
    }
    let index = Arc::new(super::index::open(context, loaded, workspace).index);
    if tool == "graph" && is_here {
        super::index::build_first(context, &index)?;
    }
    let tool_context = ToolContext {
        call_syntax: tool_result_for_terminal::command_syntax(context, workspace),
        ..ToolContext::new(Arc::clone(workspace), &EvidenceLedger::new(), Cancellation::new())
    };
    let registry = ToolRegistry::configured(&index, &loaded.config.graph);
    let result = registry.call(tool, &tool_context, &arguments);
    super::index::print_warnings(context, &index);
    let result = result.map_err(|error| {
        let kind = match error {
            ToolError::Model(_) => CommandErrorKind::Usage,
            _ => CommandErrorKind::Internal,
        };
        CommandError::new(kind, error.to_string())
    })?;
    let observation = &result.observation;
    match observation.outcome {
        ToolOutcome::BadPattern | ToolOutcome::BadPath | ToolOutcome::BadArguments => {
            Err(CommandError {
                kind: CommandErrorKind::Usage,
                message: observation.headline.clone(),
                hints: observation.footer.clone(),
            })
        }
        // The graph database could not be asked, which is not the same as no result.
        ToolOutcome::Failed => Err(CommandError {
            kind: CommandErrorKind::Setup,
            message: observation.headline.clone(),
            hints: observation.footer.clone(),
        }),
        ToolOutcome::Found
        | ToolOutcome::Truncated
        | ToolOutcome::NoMatch
        | ToolOutcome::Redundant => Ok(result),
    }
}

fn call(
    context: &CommandContext<'_>,
    loaded: &LoadedConfig,
    tool: &str,
    arguments: Value,
) -> Result<Exit, CommandError> {
    let workspace = Arc::new(context.open(loaded)?);
    let result = result_of(context, loaded, &workspace, tool, arguments)?;
    match context.output.format {
        OutputFormat::Json => context.output.print_json(&result.typed)?,
        OutputFormat::Markdown => {
            let shown = render(&result.observation, &mut EvidenceLedger::new(), &ALLOWANCE);
            context.output.print(&shown.text)?;
        }
        OutputFormat::Text => {
            let address = |path: &str, line| context.address(&workspace, path, line);
            let address = context.output.color.then_some(&address as &PlaceLinkBuilder<'_>);
            context.output.print(&tool_result_for_terminal::text(&result.observation, address))?;
        }
    }
    let is_search = matches!(tool, "grep" | "glob");
    Ok(match result.observation.outcome {
        ToolOutcome::NoMatch if is_search => Exit::NoMatch,
        _ => Exit::Done,
    })
}
