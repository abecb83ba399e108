//! The result of a tool as text: lines under their paths, with links if the terminal supports them, and calls that can
//! be pasted into a shell.

use std::{fmt::Write as _, sync::Arc};

use retriever::{
    tools::{ObservationExcerpt, SuggestedCallSyntax, ToolObservation},
    workspace::{PlaceLinkBuilder, Workspace, escape_control, link_to_place},
};
use serde_json::Value;

use super::{command_context::CommandContext, command_line_paths::as_typed};

/// Placeholder for a command that cannot be written.
const NO_COMMAND: &str = "(no command: it would contain unprintable characters)";

/// Returns how results suggest calls: as commands of this program with the same root and configuration.
pub(super) fn command_syntax(
    context: &CommandContext<'_>,
    workspace: &Arc<Workspace>,
) -> SuggestedCallSyntax {
    let program = program(context);
    let folder = context.environment.folder().to_owned();
    let workspace = Arc::clone(workspace);
    SuggestedCallSyntax::Command(Arc::new(move |tool, arguments| {
        let is_here = !arguments.contains(&("everywhere", Value::Bool(true)));
        let typed = arguments.iter().map(|(name, value)| match value {
            Value::String(path) if is_here && ["path", "file"].contains(name) => {
                (*name, as_typed(&folder, &workspace, path).into())
            }
            value => (*name, value.clone()),
        });
        let typed: Vec<_> = typed.collect();
        let line = program.as_deref().and_then(|program| command(program, tool, &typed));
        line.unwrap_or_else(|| NO_COMMAND.to_owned())
    }))
}

/// Returns the start of a command with the same root and configuration; `None` when their paths cannot be quoted.
pub(super) fn program(context: &CommandContext<'_>) -> Option<String> {
    let mut program = vec!["retriever".to_owned()];
    for root in &context.named_roots {
        program.push(option("root", root.to_str()?)?);
    }
    if let Some(file) = &context.config_file {
        program.push(option("config", file.to_str()?)?);
    }
    Some(program.join(" "))
}

/// Writes a call as a command; options have the names of arguments. Returns `None` when a value cannot be quoted.
fn command(program: &str, tool: &str, arguments: &[(&str, Value)]) -> Option<String> {
    let positional: &[&str] = match tool {
        "graph" => &["operation", "target"],
        "read" => &["file"],
        _ => &["pattern"],
    };
    let (mut operands, mut options) = (Vec::new(), Vec::new());
    for (name, value) in arguments {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match value {
            _ if positional.contains(name) => operands.push(quoted(&text)?),
            Value::Bool(false) => {}
            Value::Bool(true) => options.push(format!("--{}", name.replace('_', "-"))),
            _ => options.push(option(&name.replace('_', "-"), &text)?),
        }
    }
    let call = [program, tool].map(str::to_owned).into_iter();
    let is_like_option = |(name, value): &(&str, Value)| {
        positional.contains(name) && value.as_str().is_some_and(|text| text.starts_with('-'))
    };
    let words: Vec<String> = if arguments.iter().any(is_like_option) {
        call.chain(options).chain(["--".to_owned()]).chain(operands).collect()
    } else {
        call.chain(operands).chain(options).collect()
    };
    Some(words.join(" "))
}

/// Writes an option. A value with a leading dash is joined by `=`, since it would be read as an option.
fn option(name: &str, value: &str) -> Option<String> {
    let between = if value.starts_with('-') { '=' } else { ' ' };
    Some(format!("--{name}{between}{}", quoted(value)?))
}

/// Quotes a text for a shell. Returns `None` when it has characters that are not shown as they are typed.
fn quoted(text: &str) -> Option<String> {
    let is_shown = escape_control(text) == text;
    shlex::try_quote(text).ok().filter(|_| is_shown).map(Into::into)
}

/// Returns a result as text, with colours and links if there is an `address`.
pub(super) fn text(
    observation: &ToolObservation,
    address: Option<&PlaceLinkBuilder<'_>>,
) -> String {
    let mut page = Page { out: String::new(), address };
    if !observation.headline.is_empty() {
        page.line(&escape_control(&observation.headline));
    }
    let mut before = None;
    for excerpt in &observation.excerpts {
        let path = excerpt.file.path.as_str();
        if before.replace(path) != Some(path) {
            page.path(path, excerpt.lines.first().map_or(1, |(number, _)| *number));
        }
        page.excerpt(excerpt);
    }
    observation.listing.iter().for_each(|listed| page.path(listed.path.as_str(), 1));
    let notes = observation.footer.iter().map(String::as_str).chain(observation.explanation);
    notes.for_each(|line| page.line(&escape_control(line)));
    page.out
}

struct Page<'a> {
    out: String,
    address: Option<&'a PlaceLinkBuilder<'a>>,
}

impl Page<'_> {
    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn path(&mut self, path: &str, line: u32) {
        let shown = match self.address {
            Some(_) => format!("\u{1b}[1m{}\u{1b}[0m", escape_control(path)),
            None => escape_control(path),
        };
        let linked = link_to_place(self.address, (path, line), &shown);
        self.line(&linked);
    }

    fn excerpt(&mut self, excerpt: &ObservationExcerpt) {
        let path = excerpt.file.path.as_str();
        let mut before = None;
        for (number, text) in &excerpt.lines {
            let around = excerpt.labels.get(number).map(|label| label.context.as_str());
            if before.is_some_and(|before: u32| before.saturating_add(1) < *number) {
                self.line("    ⋮");
            }
            if let Some(around) = around.filter(|around| !around.is_empty()) {
                self.line(&format!("       {}", escape_control(around)));
            }
            let shown = link_to_place(self.address, (path, *number), &format!("{number:>5}"));
            let _ = writeln!(self.out, "{shown}| {}", escape_control(text));
            before = Some(*number);
        }
    }
}
