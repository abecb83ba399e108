//! `schema [NAME]`: prints a JSON Schema of an input or output, or lists their names.

use retriever::{schemas, tool_specs};
use serde_json::Value;

use super::{
    args::SchemaArgs,
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
    console_output::OutputFormat,
    exit_status::Exit,
};

pub(super) fn run(context: &CommandContext<'_>, args: &SchemaArgs) -> Result<Exit, CommandError> {
    let mut schemas = schemas();
    schemas.insert("tools", tools());
    let names: Vec<&str> = schemas.keys().copied().collect();
    let output = &context.output;
    match &args.name {
        Some(name) => {
            let schema = schemas.get(name.as_str()).ok_or_else(|| {
                CommandError::new(CommandErrorKind::Usage, format!("there is no schema \"{name}\""))
                    .hint(format!("schemas: {}", names.join(", ")))
            })?;
            output.print_json(schema)?;
        }
        None if output.format == OutputFormat::Json => output.print_json(&names)?,
        None => output.print(&names.join("\n"))?,
    }
    Ok(Exit::Done)
}

fn tools() -> Value {
    serde_json::to_value(tool_specs()).unwrap_or_default()
}
