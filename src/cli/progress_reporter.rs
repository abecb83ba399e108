//! Reports a run's events as they happen: a progress line on a terminal, one line per event with `-v`, and JSON lines with
//! `--events`.

use std::{
    io::{self, Write},
    path::Path,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use retriever::{
    Observer, RunEvent,
    workspace::{clip, escape_to_one_line},
};
use serde_json::Value;

use super::{command_error::CommandError, console_output::Verbosity, output_file};

/// Maximum length of a tool's argument in a line, in characters.
const MAX_ARGUMENT_CHARS: usize = 60;

/// An [`Observer`] that writes to stderr and to the event log.
pub(crate) struct ProgressReporter {
    state: Mutex<State>,
    verbose: bool,
}

struct State {
    log: Option<Box<dyn Write + Send>>,
    failure: Option<String>,
    line: ProgressBar,
    step: String,
    tokens: u64,
    indexing_since: Option<Instant>,
}

impl ProgressReporter {
    /// Opens the log (`-` is stderr) and starts the progress line when stderr is a terminal.
    pub(crate) fn new(log: Option<&Path>, verbosity: Verbosity) -> Result<Self, CommandError> {
        let to_stderr = log == Some(Path::new("-"));
        let log: Option<Box<dyn Write + Send>> = match log {
            None => None,
            Some(_) if to_stderr => Some(Box::new(io::stderr())),
            Some(path) => Some(Box::new(output_file::create(path)?)),
        };
        // A log on stderr would be mixed with the progress line.
        let line = if verbosity == Verbosity::Normal && !to_stderr {
            progress_line()
        } else {
            ProgressBar::hidden()
        };
        let state = State {
            log,
            failure: None,
            line,
            step: "looking".to_owned(),
            tokens: 0,
            indexing_since: None,
        };
        Ok(Self {
            state: Mutex::new(state),
            verbose: verbosity == Verbosity::Verbose && !to_stderr,
        })
    }

    /// Shows the progress of a tree's first index.
    pub(crate) fn indexing(&self, done: usize, total: usize) {
        let mut state = self.state();
        let elapsed = state.indexing_since.get_or_insert_with(Instant::now).elapsed();
        let pace = if done < total {
            let rate = done as f64 / elapsed.as_secs_f64().max(0.1);
            let left = Duration::from_secs_f64((total - done) as f64 / rate.max(1.0));
            format!("  {rate:.0}/s  {:#} left", HumanDuration(left))
        } else {
            String::new()
        };
        state.line.set_message(format!("indexing  {done}/{total} files{pace}"));
    }

    /// Removes the progress line.
    pub(crate) fn finish(&self) {
        self.state().line.finish_and_clear();
    }

    /// Returns why the log is incomplete.
    pub(crate) fn failure(&self) -> Option<String> {
        self.state().failure.clone()
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for ProgressReporter {
    fn on_event(&self, event: &RunEvent) {
        let mut state = self.state();
        state.log(event);
        state.show(event);
        if self.verbose {
            let _ = writeln!(io::stderr(), "{}", describe(event));
        }
    }
}

impl State {
    /// Writes an event to the log. After a write error the log ends and the run continues.
    fn log(&mut self, event: &RunEvent) {
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

    fn show(&mut self, event: &RunEvent) {
        let activity = match event {
            RunEvent::StepStarted { step, of, .. } => {
                self.step = format!("step {step}/{of}");
                "thinking".to_owned()
            }
            RunEvent::ToolStarted { tool, arguments, .. } => call(tool, arguments),
            RunEvent::ToolFinished { tokens, .. } => {
                self.tokens += tokens;
                return;
            }
            RunEvent::DraftJudged { .. } => "checking the report".to_owned(),
            _ => return,
        };
        self.line.set_message(format!("{}  {activity}  {} tokens seen", self.step, self.tokens));
    }
}

fn progress_line() -> ProgressBar {
    // indicatif draws on stderr, and only when that is a terminal.
    let line = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}") {
        line.set_style(style);
    }
    line.enable_steady_tick(Duration::from_millis(120));
    line
}

/// Describes an event in one line.
fn describe(event: &RunEvent) -> String {
    match event {
        RunEvent::RunStarted { model, .. } => {
            format!("run: {}", model.as_deref().unwrap_or("offline"))
        }
        RunEvent::ReconFinished { files, candidates, packet_tokens, elapsed_ms, .. } => format!(
            "recon: {candidates} candidates in {files} files, packet of {packet_tokens} tokens, {elapsed_ms} ms"
        ),
        RunEvent::StepStarted { step, of, forced } => {
            format!("step {step}/{of}{}", if *forced { ", report forced" } else { "" })
        }
        RunEvent::Nudged { step } => format!("step {step}: nudged"),
        RunEvent::ModelAnswered { step, calls, usage, retries, elapsed_ms } => format!(
            "step {step}: {calls} calls, {} prompt and {} completion tokens, {retries} retries, {elapsed_ms} ms",
            usage.prompt_tokens, usage.completion_tokens
        ),
        RunEvent::ModelFailed { step, error, message } => {
            format!("step {step}: model failed ({error}): {}", escape_to_one_line(message))
        }
        RunEvent::ToolStarted { call: number, tool, arguments, .. } => {
            format!("call {number}: {}", call(tool, arguments))
        }
        RunEvent::ToolFinished { call, outcome, tokens, new_lines, elapsed_ms, .. } => format!(
            "call {call}: {}, {tokens} tokens, {new_lines} new lines, {elapsed_ms} ms",
            name_of(outcome)
        ),
        RunEvent::DraftJudged { step, accepted, kept, confidence, reasons } => format!(
            "step {step}: report {}{}, confidence {confidence}{}{}",
            if *accepted { "accepted" } else { "sent back" },
            if *kept { "" } else { " and an earlier one kept" },
            if reasons.is_empty() { "" } else { ": " },
            escape_to_one_line(&reasons.join(", "))
        ),
        RunEvent::RunFinished {
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

/// Returns the tool and its main argument, for example `grep fn main`.
fn call(tool: &str, arguments: &Value) -> String {
    let texts: Vec<&str> = ["pattern", "file", "target", "path"]
        .iter()
        .filter_map(|name| arguments.get(name)?.as_str())
        .collect();
    match texts.first() {
        Some(text) => clip(&escape_to_one_line(&format!("{tool} {text}")), MAX_ARGUMENT_CHARS),
        None => clip(&escape_to_one_line(tool), MAX_ARGUMENT_CHARS),
    }
}

fn name_of(outcome: &impl serde::Serialize) -> String {
    match serde_json::to_value(outcome) {
        Ok(Value::String(name)) => name,
        _ => String::new(),
    }
}
