//! The model that `init` asks for at a terminal: it is checked as `doctor` does it, and written to the user's
//! configuration.

use std::{io::Write as _, path::Path};

use retriever::{
    config::{LoadedConfig, Setting},
    workspace::cache_file_io::create_private_folder,
};
use toml::Value;

use super::{
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
    doctor, output_file,
    terminal_prompt::asked,
};

/// Checks the configured model. If there is none, asks for one, checks it, and offers to write it.
pub(super) fn set_up(context: &CommandContext<'_>) -> Result<(), CommandError> {
    let loaded = context.load(&[])?;
    if !loaded.config.model.name.is_empty() {
        return context.output.print(&doctor::model_lines(&loaded)?);
    }
    context
        .output
        .print("\nQuestions can be answered by a model of any OpenAI-compatible endpoint.")?;
    let address = asked("address, such as http://localhost:8080/v1 (empty: no model): ")?;
    let name = if address.is_empty() { String::new() } else { asked("name of the model: ")? };
    if name.is_empty() {
        return context.output.print("Questions are answered without a model.");
    }
    let flags = [
        Setting::flag("init", "model.base_url", address.as_str()),
        Setting::flag("init", "model.name", name.as_str()),
    ];
    context.output.print(&doctor::model_lines(&context.load(&flags)?)?)?;
    keep(context, &loaded, &model_table(&address, &name))
}

/// Writes the table to the user's configuration file, if there is none and the user agrees; else prints it.
fn keep(
    context: &CommandContext<'_>,
    loaded: &LoadedConfig,
    table: &str,
) -> Result<(), CommandError> {
    let file = loaded.files.first();
    if let Some(file) = file.filter(|file| !file.found)
        && is_yes(&asked(&format!("Write this model to {}? [y/N] ", file.path.display()))?)
    {
        write(&file.path, table)?;
        return context.output.print(&format!("Wrote {}.", file.path.display()));
    }
    let place = match file {
        Some(file) => format!("To keep it, add to {}:", file.path.display()),
        None => "To keep it, add to a file that --config names:".to_owned(),
    };
    context.output.print(&format!("{place}\n{table}"))
}

fn model_table(address: &str, name: &str) -> String {
    let text = |text: &str| Value::String(text.to_owned());
    format!("[model]\nbase_url = {}\nname = {}\n", text(address), text(name))
}

fn write(path: &Path, table: &str) -> Result<(), CommandError> {
    if let Some(folder) = path.parent() {
        // If the folder cannot be created, writing the file reports the error.
        let _ = create_private_folder(folder);
    }
    let written = output_file::create_new(path)?.write_all(table.as_bytes());
    written.map_err(|error| {
        let message = format!("cannot write {}: {error}", path.display());
        CommandError::new(CommandErrorKind::Setup, message)
    })
}

/// Whether an answer means yes.
pub(super) fn is_yes(answer: &str) -> bool {
    ["y", "yes"].contains(&answer.to_ascii_lowercase().as_str())
}
