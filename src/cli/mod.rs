//! The command line: parses arguments, loads the configuration, runs one verb, prints its answer and returns an exit code.
//! Each verb has its own file.

mod args;
mod ask;
mod ask_batch;
mod async_runtime;
mod background_graph_build;
mod build_retriever;
mod cache;
mod command_context;
mod command_error;
mod command_line_paths;
mod config;
mod console_output;
mod doctor;
mod eval;
mod exit_status;
mod explore;
mod graph_diagram_output;
mod html_view;
mod index;
mod init;
mod init_model;
mod interrupts;
mod man;
#[cfg(feature = "mcp")]
mod mcp;
mod output_file;
mod own_launch_command;
mod pager_and_editor;
mod progress_reporter;
mod prune_published;
mod publish_graph_to_database;
mod publish_index_to_remote;
mod question_sandbox;
#[cfg(feature = "mcp")]
mod root_opener;
mod savings;
mod schema;
mod selected_model;
#[cfg(feature = "serve")]
mod serve;
mod setup_locations;
mod shell_completions;
mod terminal_capabilities;
mod terminal_prompt;
mod tool_result_for_terminal;
mod tool_subcommands;
mod upgrade_instructions;
mod usage_error;

use std::{ffi::OsString, path::PathBuf, process::ExitCode};

use clap::{Parser, error::ErrorKind};
use retriever::{config::ProcessEnvironment, workspace::Workspace};

use self::{
    args::{Cli, CliVerb},
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
    exit_status::Exit,
    usage_error::{is_question, usage_error},
};

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    let environment = ProcessEnvironment::of_process();
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    let mut parsed = Cli::try_parse_from(&arguments);
    if parsed.as_ref().is_err_and(|error| is_question(error, &arguments)) {
        arguments.insert(1, OsString::from("ask"));
        parsed = Cli::try_parse_from(&arguments);
    }
    let done = match parsed {
        Ok(cli) => run(cli, &environment),
        Err(error) => not_parsed(&error, &arguments),
    };
    let exit = done.unwrap_or_else(|error| {
        console_output::report(&error);
        error.kind.exit()
    });
    exit.into()
}

/// Prints help and version. Without a verb, clap writes the help to stderr.
fn not_parsed(error: &clap::Error, arguments: &[OsString]) -> Result<Exit, CommandError> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // The only possible error is a closed pipe.
            let _ = error.print();
            Ok(Exit::Done)
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            Ok(Exit::Usage)
        }
        _ => Err(usage_error(error, arguments)),
    }
}

fn run(cli: Cli, environment: &ProcessEnvironment) -> Result<Exit, CommandError> {
    let context = CommandContext::new(&cli.global, environment);
    if context.output.picture.is_some() && !matches!(cli.verb, CliVerb::Graph(_)) {
        return Err(CommandError::new(
            CommandErrorKind::Usage,
            "only graph has the formats dot, mermaid and svg",
        )
        .hint("use --format json, markdown or text; ask --html and view write pages"));
    }
    match cli.verb {
        CliVerb::Ask(args) => ask::run(&context, &args),
        CliVerb::Explore(args) => explore::run(&context, &args),
        CliVerb::Context(args) => explore::context(&context, &args),
        CliVerb::Grep(args) => tool_subcommands::grep(&context, &args),
        CliVerb::Glob(args) => tool_subcommands::glob(&context, &args),
        CliVerb::Read(args) => tool_subcommands::read(&context, &args),
        #[cfg(feature = "mcp")]
        CliVerb::Mcp(args) => mcp::run(&context, &args),
        #[cfg(feature = "serve")]
        CliVerb::Serve(args) => serve::run(&context, &args),
        CliVerb::Eval(args) => eval::run(&context, &args),
        CliVerb::Graph(args) => tool_subcommands::graph(&context, &args),
        CliVerb::Index(args) => index::run(&context, &args),
        CliVerb::View(args) => html_view::run(&context, &args),
        CliVerb::Schema(args) => schema::run(&context, &args),
        CliVerb::Config(_) => config::run(&context),
        CliVerb::Doctor(_) => doctor::run(&context),
        CliVerb::Init(args) => init::run(&context, &args),
        CliVerb::Cache(args) => cache::run(&context, &args),
        CliVerb::Savings(args) => savings::run(&context, &args),
        CliVerb::Completions(args) => shell_completions::run(&context, &args),
        CliVerb::Upgrade(_) => upgrade_instructions::run(&context),
        CliVerb::Man(args) => man::run(&args),
    }
}

/// Opens the first place of an answer in the user's editor.
fn open_place(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    first: Option<(&str, u32)>,
) -> Result<(), CommandError> {
    let Some((path, line)) = first else {
        context.output.note("the answer has no place that could be opened");
        return Ok(());
    };
    match location(workspace, path) {
        Some(file) => pager_and_editor::edit(context.environment, &file, line),
        None => {
            context.output.note(&format!("{path} is not on this machine and cannot be opened"));
            Ok(())
        }
    }
}

/// Returns where a path of an answer lies on this machine.
fn location(workspace: &Workspace, path: &str) -> Option<PathBuf> {
    workspace.absolute_path(&workspace.normalize(path).ok()?)
}
