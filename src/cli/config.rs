//! `config`: prints the effective configuration.

use super::{
    command_context::CommandContext, command_error::CommandError, console_output::OutputFormat,
    exit_status::Exit,
};

pub(super) fn run(context: &CommandContext<'_>) -> Result<Exit, CommandError> {
    let loaded = context.load(&[])?;
    // The configuration belongs to a root, so an unusable root is an error.
    context.open(&loaded)?;
    match context.output.format {
        OutputFormat::Json => context.output.print_json(&loaded.to_json())?,
        OutputFormat::Markdown | OutputFormat::Text => context.output.print(&loaded.to_toml())?,
    }
    Ok(Exit::Done)
}
