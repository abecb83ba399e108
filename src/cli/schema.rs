//! `schema [NAME]`: the JSON Schemas of what goes in and comes out.

use retriever::report::schema::schemas;

use super::{
    Session,
    args::SchemaArgs,
    error::{CommandError, Kind},
    exit::Exit,
    output::Shape,
};

pub(super) fn run(session: &Session<'_>, args: &SchemaArgs) -> Result<Exit, CommandError> {
    let schemas = schemas();
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
