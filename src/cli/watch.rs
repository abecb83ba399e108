//! What is seen of a run while it runs: one live line on a terminal, a line an event with `-v`, JSON lines with `--events`.

use std::{
    fs::File,
    io::{self, Write},
    path::Path,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};
use retriever::{Event, Observer};
use serde_json::Value;

use super::{
    error::{CommandError, Kind},
    output::Talk,
};

/// Longest text of a tool's argument that a line shows, in characters.
const SHOWN: usize = 60;

/// Shows a run's events as they happen.
pub(crate) struct Watch {
    state: Mutex<State>,
    verbose: bool,
}

struct State {
    log: Option<Box<dyn Write + Send>>,
    failure: Option<String>,
    line: ProgressBar,
    step: String,
    tokens: u64,
}

impl Watch {
    /// Opens the log, `-` being stderr, and starts the live line where there is a terminal to show it.
    pub(crate) fn new(log: Option<&Path>, talk: Talk) -> Result<Self, CommandError> {
        let to_stderr = log == Some(Path::new("-"));
        let log: Option<Box<dyn Write + Send>> = match log {
            None => None,
            Some(_) if to_stderr => Some(Box::new(io::stderr())),
            Some(path) => Some(create(path)?),
        };
        // Lines of a log and the live line would run through each other.
        let line =
            if talk == Talk::Usual && !to_stderr { live_line() } else { ProgressBar::hidden() };
        let state = State { log, failure: None, line, step: "looking".to_owned(), tokens: 0 };
        Ok(Self { state: Mutex::new(state), verbose: talk == Talk::Verbose && !to_stderr })
    }

    /// Takes the live line away.
    pub(crate) fn finish(&self) {
        self.state().line.finish_and_clear();
    }

    /// Why the log is incomplete.
    pub(crate) fn failure(&self) -> Option<String> {
        self.state().failure.clone()
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Watch {
    fn on_event(&self, event: &Event) {
        let mut state = self.state();
        state.log(event);
        state.show(event);
        if self.verbose {
            let _ = writeln!(io::stderr(), "{}", describe(event));
        }
    }
}

impl State {
    /// A log that can't be written ends with the last whole line; the run goes on.
    fn log(&mut self, event: &Event) {
        let Some(log) = &mut self.log else { return };
        let written = serde_json::to_string(event)
            .map_err(io::Error::from)
            .and_then(|line| writeln!(log, "{line}"))
            .and_then(|()| log.flush());
        if let Err(error) = written {
            self.failure = Some(format!("the event log is incomplete: {error}"));
            self.log = None;
        }
    }

    fn show(&mut self, event: &Event) {
        let doing = match event {
            Event::StepStarted { step, of, .. } => {
                self.step = format!("step {step}/{of}");
                "thinking".to_owned()
            }
            Event::ToolStarted { tool, arguments, .. } => call(tool, arguments),
            Event::ToolFinished { tokens, .. } => {
                self.tokens += tokens;
                return;
            }
            Event::DraftJudged { .. } => "checking the report".to_owned(),
            _ => return,
        };
        self.line.set_message(format!("{}  {doing}  {} tokens seen", self.step, self.tokens));
    }
}

/// Creates a file that the user names on the command line.
#[expect(clippy::disallowed_methods, reason = "the user names it on the command line")]
pub(crate) fn create(path: &Path) -> Result<Box<dyn Write + Send>, CommandError> {
    match File::create(path) {
        Ok(file) => Ok(Box::new(file)),
        Err(error) => {
            Err(CommandError::new(Kind::Usage, format!("cannot write {}: {error}", path.display()))
                .hint("--events and --record take the path of a file that can be written"))
        }
    }
}

fn live_line() -> ProgressBar {
    // indicatif draws on stderr, and only when that is a terminal.
    let line = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}") {
        line.set_style(style);
    }
    line.enable_steady_tick(Duration::from_millis(120));
    line
}

/// An event in one line.
fn describe(event: &Event) -> String {
    match event {
        Event::RunStarted { model, .. } => {
            format!("run: {}", model.as_deref().unwrap_or("offline"))
        }
        Event::ReconFinished { files, candidates, packet_tokens, elapsed_ms, .. } => format!(
            "recon: {candidates} candidates in {files} files, packet of {packet_tokens} tokens, {elapsed_ms} ms"
        ),
        Event::StepStarted { step, of, forced } => {
            format!("step {step}/{of}{}", if *forced { ", report forced" } else { "" })
        }
        Event::Nudged { step } => format!("step {step}: nudged"),
        Event::ModelAnswered { step, calls, usage, retries, elapsed_ms } => format!(
            "step {step}: {calls} calls, {} prompt and {} completion tokens, {retries} retries, {elapsed_ms} ms",
            usage.prompt_tokens, usage.completion_tokens
        ),
        Event::ModelFailed { step, error, message } => {
            format!("step {step}: model failed ({error}): {}", printable(message))
        }
        Event::ToolStarted { call: number, tool, arguments, .. } => {
            format!("call {number}: {}", call(tool, arguments))
        }
        Event::ToolFinished { call, outcome, tokens, new_lines, elapsed_ms, .. } => format!(
            "call {call}: {}, {tokens} tokens, {new_lines} new lines, {elapsed_ms} ms",
            word(outcome)
        ),
        Event::DraftJudged { step, accepted, confidence, reasons } => format!(
            "step {step}: report {}, confidence {confidence}{}{}",
            if *accepted { "accepted" } else { "sent back" },
            if reasons.is_empty() { "" } else { ": " },
            printable(&reasons.join(", "))
        ),
        Event::RunFinished {
            status,
            confidence,
            stop_reason,
            steps,
            tool_calls,
            elapsed_ms,
            ..
        } => {
            format!(
                "done: {status}, confidence {confidence}, {stop_reason} after {steps} steps and {tool_calls} calls, {elapsed_ms} ms"
            )
        }
        _ => serde_json::to_string(event).unwrap_or_default(),
    }
}

/// `grep "fn main"`: the tool and its first argument that is text.
fn call(tool: &str, arguments: &Value) -> String {
    let texts: Vec<&str> = ["pattern", "file", "target", "path"]
        .iter()
        .filter_map(|name| arguments.get(name)?.as_str())
        .collect();
    match texts.first() {
        Some(text) => clip(&printable(&format!("{tool} {text}"))),
        None => clip(&printable(tool)),
    }
}

fn clip(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// What a model or an endpoint wrote can't move the cursor.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn word(outcome: &impl serde::Serialize) -> String {
    match serde_json::to_value(outcome) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}
