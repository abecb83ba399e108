//! The command line: parses arguments, loads the configuration, runs one verb, prints its answer and returns an exit code.
//! Each verb has its own file.

mod args;
mod ask;
mod ask_batch;
mod background_graph_build;
mod build_retriever;
mod cache;
mod command_line_paths;
mod config;
mod doctor;
mod error;
mod eval;
mod exit;
mod explore;
mod graph_picture;
mod html_view;
mod index;
mod init;
mod init_model;
mod interrupts;
mod man;
#[cfg(feature = "mcp")]
mod mcp;
mod output;
mod output_file;
mod own_launch_command;
mod pager_and_editor;
mod progress;
mod prune;
mod publish_graph;
mod publish_index;
mod savings;
mod schema;
#[cfg(feature = "serve")]
mod serve;
mod setup_state;
mod shell_completions;
mod terminal;
mod terminal_prompt;
mod tool_output;
mod tool_verbs;
mod upgrade_instructions;
mod usage_error;

use std::{ffi::OsString, path::PathBuf, process::ExitCode};

use clap::{Parser, error::ErrorKind};
use retriever::{
    config::{ConfigSources, LoadedConfig, ProcessEnvironment, Setting, find_roots, load},
    workspace::Workspace,
};

use self::{
    args::{Cli, CliVerb, GlobalArgs},
    error::{CommandError, CommandErrorKind},
    exit::Exit,
    output::ConsoleOutput,
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
        output::report(&error);
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
        CliVerb::Grep(args) => tool_verbs::grep(&context, &args),
        CliVerb::Glob(args) => tool_verbs::glob(&context, &args),
        CliVerb::Read(args) => tool_verbs::read(&context, &args),
        #[cfg(feature = "mcp")]
        CliVerb::Mcp(args) => mcp::run(&context, &args),
        #[cfg(feature = "serve")]
        CliVerb::Serve(args) => serve::run(&context, &args),
        CliVerb::Eval(args) => eval::run(&context, &args),
        CliVerb::Graph(args) => tool_verbs::graph(&context, &args),
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
        None => Ok(()),
    }
}

/// Returns where a path of an answer lies on this machine.
fn location(workspace: &Workspace, path: &str) -> Option<PathBuf> {
    workspace.absolute_path(&workspace.normalize(path).ok()?)
}

/// What every verb is given: the environment, the roots and the output.
struct CommandContext<'a> {
    environment: &'a ProcessEnvironment,
    file: Option<PathBuf>,
    /// The values of `--root`.
    named_roots: Vec<PathBuf>,
    /// The value of `--remote`.
    remote: Option<String>,
    output: ConsoleOutput,
}

impl<'a> CommandContext<'a> {
    fn new(args: &GlobalArgs, environment: &'a ProcessEnvironment) -> Self {
        Self {
            environment,
            file: args.config.clone(),
            named_roots: args.roots.clone(),
            remote: args.remote.clone(),
            output: ConsoleOutput::new(args, environment),
        }
    }

    /// Returns the folder of the project that the command is about: the first root.
    fn project(&self) -> PathBuf {
        let roots = find_roots::find(self.environment, &self.named_roots, &[]);
        roots.into_iter().next().map(|root| root.path).unwrap_or_default()
    }

    /// Loads the configuration, with `flags` above everything else, and prints a warning for each refused key.
    fn load(&self, flags: &[Setting]) -> Result<LoadedConfig, CommandError> {
        let remote = self.remote.as_deref();
        let remote = remote.map(|it| Setting::flag("--remote", "index.remote", it));
        let flags: Vec<Setting> = remote.into_iter().chain(flags.iter().cloned()).collect();
        let loaded = load(&ConfigSources {
            environment: self.environment,
            file: self.file.as_deref(),
            roots: &self.named_roots,
            flags: &flags,
        })?;
        for warning in &loaded.warnings {
            self.output.warn(warning);
        }
        Ok(loaded)
    }

    /// Returns the cache folder, which holds the graphs of all roots; `None` when the system has none.
    fn cache(&self, loaded: &LoadedConfig) -> Option<PathBuf> {
        match loaded.config.index.dir.trim() {
            "" => self.environment.cache_folder(),
            folder => Some(self.environment.folder().join(folder)),
        }
    }

    /// Returns where a line of the workspace leads to in a terminal that has links.
    fn address(&self, workspace: &Workspace, path: &str, line: u32) -> Option<String> {
        self.output.terminal.as_ref()?.address(&location(workspace, path)?, line)
    }

    fn open(&self, loaded: &LoadedConfig) -> Result<Workspace, CommandError> {
        let config = &loaded.config;
        Ok(Workspace::open_roots(&loaded.roots, &config.workspace, &config.traits)?)
    }
}
