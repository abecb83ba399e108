//! `config`: the effective configuration.

use super::{Session, error::CommandError, exit::Exit, output::Shape};

pub(super) fn run(session: &Session<'_>) -> Result<Exit, CommandError> {
    let loaded = session.load(&[])?;
    // The values hold for a root; one that can't be opened has none.
    session.open(&loaded)?;
    match session.output.shape {
        Shape::Json => session.output.print_json(&loaded.to_json())?,
        Shape::Markdown | Shape::Text => session.output.print(&loaded.to_toml())?,
    }
    Ok(Exit::Done)
}
