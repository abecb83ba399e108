//! The command line: parses arguments, loads the configuration, runs one verb, prints its answer and returns an exit code.
//! Each verb has its own file.

mod args;
mod ask;
mod batch;
mod cache;
mod completions;
mod config;
mod doctor;
mod error;
mod eval;
mod exit;
mod explore;
mod graph_picture;
mod index;
mod index_remote;
mod init;
mod interrupts;
mod man;
#[cfg(feature = "mcp")]
mod mcp;
mod output;
mod output_file;
mod programs;
mod progress;
mod publish;
mod savings;
mod schema;
#[cfg(feature = "serve")]
mod serve;
mod setup;
mod terminal;
mod tool;
mod upgrade;
mod view;

use std::{ffi::OsString, path::PathBuf, process::ExitCode};

use clap::{Parser, error::ErrorKind};
use retriever::{
    config::{Environment, Loaded, Setting, Sources, load, root},
    workspace::Workspace,
};

use self::{
    args::{Cli, GlobalArgs, Verb},
    error::{CommandError, Kind},
    exit::Exit,
    output::Output,
};

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    let environment = Environment::of_process();
    let done = match Cli::try_parse_from(arguments()) {
        Ok(cli) => run(cli, &environment),
        Err(error) => not_parsed(error),
    };
    let exit = done.unwrap_or_else(|error| {
        output::report(&error);
        error.kind.exit()
    });
    exit.into()
}

/// Returns the arguments of the process. A first one of several words is a question.
fn arguments() -> Vec<OsString> {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    let is_question = |first: &OsString| {
        let text = first.to_string_lossy();
        !text.starts_with('-') && text.trim().contains(char::is_whitespace)
    };
    if arguments.get(1).is_some_and(is_question) {
        arguments.insert(1, OsString::from("ask"));
    }
    arguments
}

/// Prints help and version. Without a verb, clap writes the help to stderr.
fn not_parsed(error: clap::Error) -> Result<Exit, CommandError> {
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
        _ => Err(error.into()),
    }
}

fn run(cli: Cli, environment: &Environment) -> Result<Exit, CommandError> {
    let context = CommandContext::new(&cli.global, environment);
    if context.output.picture.is_some() && !matches!(cli.verb, Verb::Graph(_)) {
        return Err(CommandError::new(
            Kind::Usage,
            "only graph has the formats dot, mermaid and svg",
        )
        .hint("use --format json, markdown or text; ask --html and view write pages"));
    }
    match cli.verb {
        Verb::Ask(args) => ask::run(&context, &args),
        Verb::Explore(args) => explore::run(&context, &args),
        Verb::Context(args) => explore::context(&context, &args),
        Verb::Grep(args) => tool::grep(&context, &args),
        Verb::Glob(args) => tool::glob(&context, &args),
        Verb::Read(args) => tool::read(&context, &args),
        #[cfg(feature = "mcp")]
        Verb::Mcp(args) => mcp::run(&context, &args),
        #[cfg(feature = "serve")]
        Verb::Serve(args) => serve::run(&context, &args),
        Verb::Eval(args) => eval::run(&context, &args),
        Verb::Graph(args) => tool::graph(&context, &args),
        Verb::Index(args) => index::run(&context, &args),
        Verb::View(args) => view::run(&context, &args),
        Verb::Schema(args) => schema::run(&context, &args),
        Verb::Config(_) => config::run(&context),
        Verb::Doctor(_) => doctor::run(&context),
        Verb::Init(args) => init::run(&context, &args),
        Verb::Cache(args) => cache::run(&context, &args),
        Verb::Savings(args) => savings::run(&context, &args),
        Verb::Completions(args) => completions::run(&context, &args),
        Verb::Upgrade(_) => upgrade::run(&context),
        Verb::Man(args) => man::run(&args),
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
        Some(file) => programs::edit(context.environment, &file, line),
        None => Ok(()),
    }
}

/// Returns where a path of an answer lies on this machine.
fn location(workspace: &Workspace, path: &str) -> Option<PathBuf> {
    workspace.absolute_path(&workspace.normalize(path).ok()?)
}

/// What every verb is given: the environment, the roots and the output.
struct CommandContext<'a> {
    environment: &'a Environment,
    file: Option<PathBuf>,
    /// The values of `--root`.
    named_roots: Vec<PathBuf>,
    output: Output,
}

impl<'a> CommandContext<'a> {
    fn new(args: &GlobalArgs, environment: &'a Environment) -> Self {
        Self {
            environment,
            file: args.config.clone(),
            named_roots: args.roots.clone(),
            output: Output::new(args, environment),
        }
    }

    /// Returns the folder of the project that the command is about: the first root.
    fn project(&self) -> PathBuf {
        let roots = root::find(self.environment, &self.named_roots, &[]);
        roots.into_iter().next().map(|root| root.path).unwrap_or_default()
    }

    /// Loads the configuration, with `flags` above everything else, and prints a warning for each refused key.
    fn load(&self, flags: &[Setting]) -> Result<Loaded, CommandError> {
        let loaded = load(&Sources {
            environment: self.environment,
            file: self.file.as_deref(),
            roots: &self.named_roots,
            flags,
        })?;
        for warning in &loaded.warnings {
            self.output.warn(warning);
        }
        Ok(loaded)
    }

    /// Returns the cache folder, which holds the graphs of all roots; `None` when the system has none.
    fn cache(&self, loaded: &Loaded) -> Option<PathBuf> {
        match loaded.config.index.dir.trim() {
            "" => self.environment.cache_folder(),
            folder => Some(self.environment.folder().join(folder)),
        }
    }

    fn open(&self, loaded: &Loaded) -> Result<Workspace, CommandError> {
        let config = &loaded.config;
        Ok(Workspace::open_roots(&loaded.roots, &config.workspace, &config.traits)?)
    }
}
