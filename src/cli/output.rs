//! The only printer. stdout carries the answer and nothing else; whatever else there is to say goes to stderr.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

use super::{
    args::{Color, Format, GlobalArgs},
    error::{CommandError, Kind},
};
use retriever::config::Environment;

/// How much is said beside the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Talk {
    /// Errors only.
    Quiet,
    /// Warnings too, and progress on a terminal.
    Usual,
    /// A line for every event.
    Verbose,
}

/// What the answer looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// For programs.
    Json,
    /// For documents and models.
    Markdown,
    /// For a terminal.
    Text,
}

/// Where answers and messages go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    /// What the answer looks like.
    pub(crate) shape: Shape,
    /// Whether the command line says so.
    pub(crate) shape_is_named: bool,
    /// Whether the answer may hold colour.
    pub(crate) color: bool,
    /// How much is said beside it.
    pub(crate) talk: Talk,
}

impl Output {
    /// Resolves `auto` by what stdout is.
    pub(crate) fn new(args: &GlobalArgs, environment: &Environment) -> Self {
        let terminal = io::stdout().is_terminal();
        let shape = match args.format {
            Format::Auto if terminal => Shape::Text,
            Format::Auto | Format::Json => Shape::Json,
            Format::Markdown => Shape::Markdown,
            Format::Text => Shape::Text,
        };
        let color = match args.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                terminal
                    && environment.get("NO_COLOR").is_none()
                    && environment.get("TERM") != Some("dumb")
            }
        };
        let talk = match (args.quiet, args.verbose) {
            (true, _) => Talk::Quiet,
            (_, true) => Talk::Verbose,
            _ => Talk::Usual,
        };
        let shape_is_named = !matches!(args.format, Format::Auto);
        Self { shape, shape_is_named, color, talk }
    }

    /// Prints the answer; a missing last newline is added.
    pub(crate) fn print(&self, text: &str) -> Result<(), CommandError> {
        let mut out = io::stdout().lock();
        let end = if text.ends_with('\n') { "" } else { "\n" };
        out.write_all(text.as_bytes())
            .and_then(|()| out.write_all(end.as_bytes()))
            .and_then(|()| out.flush())
            .map_err(|error| match error.kind() {
                io::ErrorKind::BrokenPipe => CommandError::new(Kind::BrokenPipe, ""),
                _ => CommandError::new(Kind::Internal, format!("cannot write the answer: {error}")),
            })
    }

    /// Prints a value as JSON: on one line, since programs read it, and indented on a terminal.
    pub(crate) fn print_json(&self, value: &impl Serialize) -> Result<(), CommandError> {
        let text = if io::stdout().is_terminal() {
            serde_json::to_string_pretty(value)
        } else {
            serde_json::to_string(value)
        };
        let text = text.map_err(|error| CommandError::new(Kind::Internal, error.to_string()))?;
        self.print(&text)
    }

    /// Prints a value as one line of JSON, whoever reads it.
    pub(crate) fn print_line(&self, value: &impl Serialize) -> Result<(), CommandError> {
        let text = serde_json::to_string(value);
        self.print(&text.map_err(|error| CommandError::new(Kind::Internal, error.to_string()))?)
    }

    /// Says something that is not an error.
    pub(crate) fn warn(&self, message: &str) {
        if self.talk != Talk::Quiet {
            say("warning", message);
        }
    }

    /// Says what could be done better.
    pub(crate) fn note(&self, message: &str) {
        if self.talk != Talk::Quiet {
            say("note", message);
        }
    }
}

/// Says why there is no answer.
pub(crate) fn report(error: &CommandError) {
    if error.kind == Kind::BrokenPipe {
        return;
    }
    say("error", &error.message);
    for hint in &error.hints {
        say("hint", hint);
    }
}

/// One line on stderr. That stderr is closed is nobody's concern. Text of paths and files can't move the cursor.
fn say(what: &str, message: &str) {
    let line: String = message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let _ = writeln!(io::stderr(), "{what}: {line}");
}
