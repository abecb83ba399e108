//! The command line: parse, load the configuration, run one verb, print, exit. One file a verb.

mod args;
mod ask;
mod batch;
mod completions;
mod config;
mod doctor;
mod engine;
mod error;
mod eval;
mod exit;
mod explore;
mod index;
#[cfg(feature = "mcp")]
mod mcp;
mod output;
mod schema;
mod signals;
mod tool;
mod watch;

use std::{path::PathBuf, process::ExitCode};

use clap::{Parser, error::ErrorKind};
use retriever::{
    config::{Environment, Loaded, Setting, Sources, load, root},
    workspace::Workspace,
};

use self::{
    args::{Cli, GlobalArgs, Verb},
    error::CommandError,
    exit::Exit,
    output::Output,
};

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    let environment = Environment::of_process();
    let done = match Cli::try_parse() {
        Ok(cli) => run(cli, &environment),
        Err(error) => not_parsed(error),
    };
    let exit = done.unwrap_or_else(|error| {
        output::report(&error);
        error.kind.exit()
    });
    exit.into()
}

/// Help and version are answers; no verb at all gets the help, on stderr.
fn not_parsed(error: clap::Error) -> Result<Exit, CommandError> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // A closed pipe is all that can go wrong.
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
    let session = Session::new(&cli.global, environment);
    match cli.verb {
        Verb::Ask(args) => ask::run(&session, &args),
        Verb::Explore(args) => explore::run(&session, &args),
        Verb::Context(args) => explore::context(&session, &args),
        Verb::Grep(args) => tool::grep(&session, &args),
        Verb::Glob(args) => tool::glob(&session, &args),
        Verb::Read(args) => tool::read(&session, &args),
        #[cfg(feature = "mcp")]
        Verb::Mcp(args) => mcp::run(&session, &args),
        Verb::Eval(args) => eval::run(&session, &args),
        Verb::Graph(args) => tool::graph(&session, &args),
        Verb::Index(args) => index::run(&session, &args),
        Verb::Schema(args) => schema::run(&session, &args),
        Verb::Config(_) => config::run(&session),
        Verb::Doctor(_) => doctor::run(&session),
        Verb::Completions(args) => completions::run(&session, &args),
    }
}

/// What every verb has: the surroundings, the root and the printer.
struct Session<'a> {
    environment: &'a Environment,
    file: Option<PathBuf>,
    root: PathBuf,
    /// Whether the command line names the root.
    root_is_named: bool,
    output: Output,
}

impl<'a> Session<'a> {
    fn new(args: &GlobalArgs, environment: &'a Environment) -> Self {
        Self {
            environment,
            file: args.config.clone(),
            root: root::find(environment, args.root.as_deref()),
            root_is_named: args.root.is_some(),
            output: Output::new(args, environment),
        }
    }

    /// Loads the configuration under `flags` and says what was refused.
    fn load(&self, flags: &[Setting]) -> Result<Loaded, CommandError> {
        let loaded = load(&Sources {
            environment: self.environment,
            file: self.file.as_deref(),
            root: &self.root,
            flags,
        })?;
        for warning in &loaded.warnings {
            self.output.warn(warning);
        }
        Ok(loaded)
    }

    /// The folder of all kept graphs, when there is any place for it.
    fn cache(&self, loaded: &Loaded) -> Option<PathBuf> {
        match loaded.config.index.dir.trim() {
            "" => self.environment.cache_folder(),
            folder => Some(self.environment.folder().join(folder)),
        }
    }

    fn open(&self, loaded: &Loaded) -> Result<Workspace, CommandError> {
        Ok(Workspace::open(&self.root, &loaded.config.workspace, &loaded.config.traits)?)
    }
}
