//! `completions SHELL`.

use clap::CommandFactory;

use super::{
    Session,
    args::{Cli, CompletionsArgs},
    error::CommandError,
    exit::Exit,
};

pub(super) fn run(session: &Session<'_>, args: &CompletionsArgs) -> Result<Exit, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "retriever", &mut script);
    session.output.print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
