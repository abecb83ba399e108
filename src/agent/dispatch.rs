//! From calls to answers: runs the tools, several at once, and answers every call exactly once, in order. What is
//! asked twice is answered at no cost. Which calls may come at all is the loop's decision.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    budget::{News, Spending},
    conversation::{Broken, Call},
    event::{Event, Observer},
    session::Named,
};
use crate::tools::{
    Observation, Outcome, Registry, ToolContext, ToolError, ToolResult,
    render::{Allowance, render},
};
use retriever_report::ledger::{EvidenceSource, Ledger};
use retriever_workspace::{LineRange, RepoPath, Workspace, estimate_tokens};

/// Calls that run at the same time; the rest waits its turn.
const PARALLEL: usize = 8;

/// What was asked before in this run.
#[derive(Debug, Default)]
pub(super) struct Memory {
    calls: BTreeMap<(String, String), u32>,
    hits: BTreeMap<Vec<(RepoPath, u32)>, String>,
    pub(super) redundant: u32,
    pub(super) named: Named,
}

/// What dispatching needs of the run.
pub(super) struct Dispatcher<'a> {
    pub(super) registry: &'a Arc<Registry>,
    pub(super) workspace: &'a Arc<Workspace>,
    pub(super) observer: &'a dyn Observer,
    pub(super) cancel: &'a CancellationToken,
    pub(super) deadline: Instant,
    pub(super) step: u32,
}

impl Dispatcher<'_> {
    /// Runs `calls` and returns their answers in the same order, and whether they brought anything new.
    pub(super) async fn run(
        &self,
        calls: &[Call],
        ledger: &mut Ledger,
        spending: &mut Spending,
        memory: &mut Memory,
    ) -> Result<(Vec<String>, News), ToolError> {
        let mut answers = Vec::with_capacity(calls.len());
        let mut news = News::Nothing;
        for batch in calls.chunks(PARALLEL) {
            let mut running = Vec::with_capacity(batch.len());
            for call in batch {
                running.push(self.begin(call, ledger, spending, memory));
            }
            for (call, begun) in batch.iter().zip(running) {
                let places_before = ledger.places().len();
                let (answer, outcome, new_lines, started) = match begun {
                    Begun::Answered(outcome, sentence) => (sentence, outcome, 0, Instant::now()),
                    Begun::Running { handle, started } => {
                        let result = self.wait(handle).await?;
                        let shown = show(call, result, ledger, spending, memory);
                        (shown.text, shown.outcome, shown.new_lines, started)
                    }
                };
                if new_lines > 0 || ledger.places().len() > places_before {
                    news = News::Something;
                }
                spending.observe(ledger.tokens());
                self.observer.on_event(&Event::ToolFinished {
                    step: self.step,
                    call: spending.calls(),
                    tool: call.name.clone(),
                    outcome,
                    tokens: estimate_tokens(&answer),
                    new_lines,
                    elapsed_ms: millis(started.elapsed()),
                });
                answers.push(answer);
            }
        }
        Ok((answers, news))
    }

    fn begin(
        &self,
        call: &Call,
        ledger: &Ledger,
        spending: &mut Spending,
        memory: &mut Memory,
    ) -> Begun {
        if !spending.may_call() {
            return Begun::sentence(
                Outcome::Truncated,
                "Not run: no tool calls are left. Submit the report.",
            );
        }
        spending.count_call();
        let arguments = match &call.arguments {
            Ok(arguments) => arguments,
            Err(Broken { problem, .. }) => {
                let spec = self.registry.specs().into_iter().find(|spec| spec.name == call.name);
                let shape = spec.map_or_else(String::new, |spec| {
                    format!(" Parameters: {}.", keys(&spec.parameters))
                });
                let sentence = format!(
                    "Not run: {problem}. Call {} again with a JSON object.{shape}",
                    call.name
                );
                return Begun::Answered(Outcome::BadArguments, sentence);
            }
        };
        memory.named.call(&call.name, arguments);
        self.observer.on_event(&Event::ToolStarted {
            step: self.step,
            call: spending.calls(),
            tool: call.name.clone(),
            arguments: arguments.clone(),
        });
        if spending.observation_tokens().is_none() {
            return Begun::sentence(
                Outcome::Truncated,
                "Not run: the budget of tool output is used up. Submit the report.",
            );
        }
        // `serde_json` keeps object keys sorted, so equal arguments have equal text.
        let key = (call.name.clone(), arguments.to_string());
        if let Some(step) = memory.calls.get(&key) {
            memory.redundant += 1;
            return Begun::Answered(
                Outcome::Redundant,
                format!(
                    "The same call was answered in step {step}; its result is above. Ask something else."
                ),
            );
        }
        memory.calls.insert(key, self.step);
        let cancelled = Arc::new(AtomicBool::new(false));
        let context = ToolContext {
            workspace: Arc::clone(self.workspace),
            cancelled: Arc::clone(&cancelled),
            places: Arc::new(
                ledger
                    .places()
                    .iter()
                    .map(|place| (place.id, (place.path.clone(), place.range)))
                    .collect(),
            ),
        };
        let (registry, name, arguments) =
            (Arc::clone(self.registry), call.name.clone(), arguments.clone());
        let task = tokio::task::spawn_blocking(move || registry.call(&name, &context, &arguments));
        Begun::Running { handle: Running { task, cancelled }, started: Instant::now() }
    }

    /// Waits for a tool. At the deadline, or when the run is cancelled, the tool is told to stop; it answers with what
    /// it has.
    async fn wait(&self, mut running: Running) -> Result<Result<ToolResult, ToolError>, ToolError> {
        let joined = tokio::select! {
            joined = &mut running.task => joined,
            () = self.cancel.cancelled() => running.stop().await,
            () = tokio::time::sleep_until(self.deadline.into()) => running.stop().await,
        };
        match joined {
            Ok(result) => Ok(result),
            Err(_) => Ok(Err(ToolError::Model(
                "the tool failed on this input; try another way".to_owned(),
            ))),
        }
    }
}

enum Begun {
    Answered(Outcome, String),
    Running { handle: Running, started: Instant },
}

impl Begun {
    fn sentence(outcome: Outcome, text: &str) -> Self {
        Self::Answered(outcome, text.to_owned())
    }
}

struct Running {
    task: tokio::task::JoinHandle<Result<ToolResult, ToolError>>,
    cancelled: Arc<AtomicBool>,
}

impl Running {
    async fn stop(&mut self) -> Result<Result<ToolResult, ToolError>, tokio::task::JoinError> {
        self.cancelled.store(true, Ordering::Relaxed);
        (&mut self.task).await
    }
}

struct Shown {
    text: String,
    outcome: Outcome,
    new_lines: u32,
}

/// Prints a result into the conversation: cut to what is left, registered as far as it was printed.
fn show(
    call: &Call,
    result: Result<ToolResult, ToolError>,
    ledger: &mut Ledger,
    spending: &mut Spending,
    memory: &mut Memory,
) -> Shown {
    let sentence = |outcome, text: String, ledger: &mut Ledger| {
        ledger.record_tokens(None, estimate_tokens(&text));
        Shown { text, outcome, new_lines: 0 }
    };
    let observation = match result {
        Ok(result) => result.observation,
        Err(ToolError::Model(text) | ToolError::Fatal(text)) => {
            return sentence(Outcome::BadArguments, text, ledger);
        }
    };
    if let Some(text) = known_already(call, &observation, ledger, memory) {
        memory.redundant += 1;
        return sentence(Outcome::Redundant, text, ledger);
    }
    spending.observe(ledger.tokens());
    let Some(tokens) = spending.observation_tokens() else {
        let text = "Left out: the budget of tool output is used up. Submit the report.".to_owned();
        return sentence(Outcome::Truncated, text, ledger);
    };
    let allowance = Allowance { tokens, per_file_total: spending.file_tokens() };
    let rendered = render(&observation, ledger, &allowance);
    let outcome = if rendered.truncated { Outcome::Truncated } else { observation.outcome };
    Shown { text: rendered.text, outcome, new_lines: rendered.new_lines }
}

/// Says where a result was shown before, when all of it was.
fn known_already(
    call: &Call,
    observation: &Observation,
    ledger: &Ledger,
    memory: &mut Memory,
) -> Option<String> {
    let lines = || {
        observation.excerpts.iter().flat_map(|excerpt| {
            excerpt.lines.iter().map(|(number, _)| (excerpt.file.path.clone(), *number))
        })
    };
    if observation.excerpts.is_empty() {
        return None;
    }
    match observation.source {
        EvidenceSource::Read => {
            let excerpt =
                observation.excerpts.first().filter(|_| observation.excerpts.len() == 1)?;
            let (first, last) = (excerpt.lines.first()?.0, excerpt.lines.last()?.0);
            let range = LineRange::new(first, last)?;
            let file = ledger.file(&excerpt.file.path)?;
            if file.stamp.hash != excerpt.file.hash || !file.read.contains(range) {
                return None;
            }
            let named = ledger.places().iter().find(|place| {
                place.path == excerpt.file.path
                    && place.range.is_some_and(|shown| shown.covers(range))
            });
            let name = named.map_or_else(String::new, |place| format!(" as {}", place.id));
            Some(format!(
                "Already shown{name}: {}:{range}. Nothing in it has changed.",
                excerpt.file.path
            ))
        }
        EvidenceSource::Grep => {
            let asked = format!(
                "{} {}",
                call.name,
                call.arguments.as_ref().map_or(String::new(), Value::to_string)
            );
            match memory.hits.entry(lines().collect()) {
                std::collections::btree_map::Entry::Occupied(earlier) => Some(format!(
                    "{} These are the very lines that {} has shown.",
                    observation.headline,
                    earlier.get()
                )),
                std::collections::btree_map::Entry::Vacant(free) => {
                    free.insert(asked);
                    None
                }
            }
        }
        EvidenceSource::Packet | EvidenceSource::Listing | EvidenceSource::Graph => None,
    }
}

fn keys(parameters: &Value) -> String {
    let names = parameters["properties"]
        .as_object()
        .map(|fields| fields.keys().cloned().collect::<Vec<_>>());
    names.unwrap_or_default().join(", ")
}

pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
