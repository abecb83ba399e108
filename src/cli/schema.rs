//! `schema [NAME]`: the JSON Schemas of what goes in and comes out.

use retriever::{schemas, tool_specs};
use serde_json::Value;

use super::{
    Session,
    args::SchemaArgs,
    error::{CommandError, Kind},
    exit::Exit,
    output::Shape,
};

pub(super) fn run(session: &Session<'_>, args: &SchemaArgs) -> Result<Exit, CommandError> {
    let mut schemas = schemas();
    schemas.insert("tools", tools());
    let names: Vec<&str> = schemas.keys().copied().collect();
    let output = &session.output;
    match &args.name {
        Some(name) => {
            let schema = schemas.get(name.as_str()).ok_or_else(|| {
                CommandError::new(Kind::Usage, format!("there is no schema \"{name}\""))
                    .hint(format!("schemas: {}", names.join(", ")))
            })?;
            output.print_json(schema)?;
        }
        None if output.shape == Shape::Json => output.print_json(&names)?,
        None => output.print(&names.join("\n"))?,
    }
    Ok(Exit::Done)
}

fn tools() -> Value {
    serde_json::to_value(tool_specs()).unwrap_or_default()
}
