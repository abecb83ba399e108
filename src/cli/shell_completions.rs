//! `completions SHELL`: prints shell completions.

use clap::CommandFactory;

use super::{
    args::{Cli, CompletionsArgs},
    command_context::CommandContext,
    command_error::CommandError,
    exit_status::Exit,
};

pub(super) fn run(
    context: &CommandContext<'_>,
    args: &CompletionsArgs,
) -> Result<Exit, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "retriever", &mut script);
    context.output.print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
