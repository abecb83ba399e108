//! Prints answers to stdout, which carries nothing else, and warnings, notes and errors to stderr. Beside it, `graph_export` writes
//! to stdout, and `progress_reporter` and `terminal_prompt` to stderr.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

use super::{
    args::{ColorChoice, FormatChoice, GlobalArgs},
    command_error::{CommandError, CommandErrorKind},
    pager_and_editor,
    terminal_capabilities::Terminal,
};
use retriever::{config::ProcessEnvironment, workspace::escape_to_one_line};

/// How much is written to stderr.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// Errors only.
    Quiet,
    /// Errors and warnings, and progress on a terminal.
    Normal,
    /// A line for every event.
    Verbose,
}

/// The format of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputFormat {
    /// For programs.
    Json,
    /// For documents and models.
    Markdown,
    /// For a terminal.
    Text,
}

/// A form of an answer of the graph as a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiagramFormat {
    /// For Graphviz.
    Dot,
    /// For Markdown with Mermaid.
    Mermaid,
    /// For a browser.
    Svg,
}

/// Prints answers to stdout and messages to stderr.
#[derive(Clone, Debug)]
pub(crate) struct ConsoleOutput {
    environment: ProcessEnvironment,
    /// Whether a text that does not fit the terminal is shown in the pager.
    pages: bool,
    /// The terminal of stdout.
    pub(crate) terminal: Option<Terminal>,
    /// The format of the answer.
    pub(crate) format: OutputFormat,
    /// The picture that `--format` names; only `graph` has one.
    pub(crate) picture: Option<DiagramFormat>,
    /// Whether `--format` was given, other than `auto`.
    pub(crate) format_is_explicit: bool,
    /// Whether the answer may contain ANSI colours.
    pub(crate) color: bool,
    /// How much is written to stderr.
    pub(crate) verbosity: Verbosity,
}

impl ConsoleOutput {
    /// Resolves `auto` by whether stdout is a terminal.
    pub(crate) fn new(args: &GlobalArgs, environment: &ProcessEnvironment) -> Self {
        let terminal = io::stdout().is_terminal();
        let format = match args.format {
            FormatChoice::Auto if terminal => OutputFormat::Text,
            FormatChoice::Auto | FormatChoice::Json => OutputFormat::Json,
            FormatChoice::Markdown => OutputFormat::Markdown,
            FormatChoice::Text => OutputFormat::Text,
            FormatChoice::Dot | FormatChoice::Mermaid | FormatChoice::Svg => OutputFormat::Text,
        };
        let picture = match args.format {
            FormatChoice::Dot => Some(DiagramFormat::Dot),
            FormatChoice::Mermaid => Some(DiagramFormat::Mermaid),
            FormatChoice::Svg => Some(DiagramFormat::Svg),
            _ => None,
        };
        let color = match args.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                // Conventions of https://no-color.org and https://bixense.com/clicolors.
                let is_set = |name| environment.get(name).is_some_and(|value| !value.is_empty());
                let is_forced =
                    is_set("CLICOLOR_FORCE") && environment.get("CLICOLOR_FORCE") != Some("0");
                let is_wanted = terminal && environment.get("TERM") != Some("dumb");
                !is_set("NO_COLOR") && (is_forced || is_wanted)
            }
        };
        let verbosity = match (args.quiet, args.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        };
        Self {
            environment: environment.clone(),
            pages: !args.no_pager && io::stdin().is_terminal(),
            terminal: Terminal::of_stdout(environment),
            format,
            picture,
            format_is_explicit: !matches!(args.format, FormatChoice::Auto),
            color,
            verbosity,
        }
    }

    /// Prints the answer, and a newline unless it ends with one. On a terminal that it is too long for, the pager shows it.
    pub(crate) fn print(&self, text: &str) -> Result<(), CommandError> {
        let is_long = |terminal: &Terminal| text.lines().count() >= terminal.height;
        if self.pages
            && self.terminal.as_ref().is_some_and(is_long)
            && let Some(pager) = pager_and_editor::pager(&self.environment)
            && pager_and_editor::page(&pager, text, &self.environment)
        {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        let end = if text.ends_with('\n') { "" } else { "\n" };
        out.write_all(text.as_bytes())
            .and_then(|()| out.write_all(end.as_bytes()))
            .and_then(|()| out.flush())
            .map_err(|error| match error.kind() {
                io::ErrorKind::BrokenPipe => CommandError::new(CommandErrorKind::BrokenPipe, ""),
                _ => CommandError::new(
                    CommandErrorKind::Internal,
                    format!("cannot write the answer: {error}"),
                ),
            })
    }

    /// Prints a value as JSON: indented on a terminal, else on one line.
    pub(crate) fn print_json(&self, value: &impl Serialize) -> Result<(), CommandError> {
        let text = if io::stdout().is_terminal() {
            serde_json::to_string_pretty(value)
        } else {
            serde_json::to_string(value)
        };
        let text =
            text.map_err(|error| CommandError::new(CommandErrorKind::Internal, error.to_string()))?;
        self.print(&text)
    }

    /// Prints a value as one line of JSON, also on a terminal.
    pub(crate) fn print_line(&self, value: &impl Serialize) -> Result<(), CommandError> {
        let text = serde_json::to_string(value);
        self.print(
            &text.map_err(|error| {
                CommandError::new(CommandErrorKind::Internal, error.to_string())
            })?,
        )
    }

    /// Writes a value as one line of JSON to stderr, for log collectors.
    #[cfg(feature = "serve")]
    pub(crate) fn log(&self, value: &impl Serialize) {
        if self.verbosity != Verbosity::Quiet
            && let Ok(line) = serde_json::to_string(value)
        {
            let _ = writeln!(io::stderr(), "{line}");
        }
    }

    /// Prints a warning.
    pub(crate) fn warn(&self, message: &str) {
        if self.verbosity != Verbosity::Quiet {
            print_message("warning", message);
        }
    }

    /// Prints a note.
    pub(crate) fn note(&self, message: &str) {
        if self.verbosity != Verbosity::Quiet {
            print_message("note", message);
        }
    }
}

/// Prints an error and its hints.
pub(crate) fn report(error: &CommandError) {
    if error.kind == CommandErrorKind::BrokenPipe {
        return;
    }
    print_message("error", &error.message);
    for hint in &error.hints {
        print_message("hint", hint);
    }
}

/// Writes one line to stderr. Messages quote paths and files. Write errors of stderr are ignored.
fn print_message(label: &str, message: &str) {
    let _ = writeln!(io::stderr(), "{label}: {}", escape_to_one_line(message));
}
