//! Runs the tool calls of a turn, several at once, and returns one result for each, in order. A repeated call is answered
//! without running it. Whether calls are run at all is decided by the turn loop.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::Arc,
    time::Instant,
};

use serde_json::Value;

use super::{
    budget_tracker::{BudgetTracker, Progress, millis},
    cached_answer::CallTexts,
    conversation::{MalformedArguments, ParsedCall},
    event::{Event, Observer},
};
use crate::tools::{
    Observation, Outcome, Registry, ToolContext, ToolError, ToolResult,
    render::{Allowance, render},
};
use retriever_report::ledger::{EvidenceSource, Ledger};
use retriever_workspace::{Cancellation, LineRange, RepoPath, Workspace, estimate_tokens};

/// Calls that run at the same time.
const MAX_PARALLEL: usize = 8;

/// The tool calls of a run so far.
#[derive(Debug, Default)]
pub(super) struct CallHistory {
    /// The step in which each call, by name and arguments, was made.
    steps: BTreeMap<(String, String), u32>,
    /// The first call that found each set of matching lines.
    matches: BTreeMap<Vec<(RepoPath, u32)>, String>,
    /// Calls that were answered without a new result.
    pub(super) redundant: u32,
    /// The texts in the arguments of all calls.
    pub(super) texts: CallTexts,
}

/// Runs the calls of one step.
pub(super) struct Dispatcher<'a> {
    pub(super) registry: &'a Arc<Registry>,
    pub(super) workspace: &'a Arc<Workspace>,
    pub(super) observer: &'a dyn Observer,
    pub(super) cancellation: Cancellation,
    pub(super) step: u32,
    pub(super) ledger: &'a mut Ledger,
    pub(super) budget: &'a mut BudgetTracker,
    pub(super) history: &'a mut CallHistory,
}

/// A call under way.
struct PendingCall {
    /// Number of the call in the run, from 1.
    number: u32,
    started: Instant,
    state: CallState,
}

enum CallState {
    /// Answered without running the tool.
    Answered(Outcome, String),
    Running(tokio::task::JoinHandle<Result<ToolResult, ToolError>>),
}

/// A result as the model receives it.
struct RenderedResult {
    text: String,
    outcome: Outcome,
    new_lines: u32,
}

impl Dispatcher<'_> {
    /// Runs `calls` and returns their results in the same order.
    pub(super) async fn run(&mut self, calls: &[ParsedCall]) -> (Vec<String>, Progress) {
        let mut results = Vec::with_capacity(calls.len());
        let mut progress = Progress::None;
        for batch in calls.chunks(MAX_PARALLEL) {
            let pending: Vec<PendingCall> = batch.iter().map(|call| self.begin(call)).collect();
            for (call, pending) in batch.iter().zip(pending) {
                let places_before = self.ledger.places().len();
                let (number, started) = (pending.number, pending.started);
                let result = self.finish(call, pending.state).await;
                if result.new_lines > 0 || self.ledger.places().len() > places_before {
                    progress = Progress::New;
                }
                self.budget.set_tokens(self.ledger.tokens());
                self.observer.on_event(&Event::ToolFinished {
                    step: self.step,
                    call: number,
                    tool: call.name.clone(),
                    outcome: result.outcome,
                    tokens: estimate_tokens(&result.text),
                    new_lines: result.new_lines,
                    elapsed_ms: millis(started.elapsed()),
                });
                results.push(result.text);
            }
        }
        (results, progress)
    }

    /// Starts a call, or answers it without running the tool.
    fn begin(&mut self, call: &ParsedCall) -> PendingCall {
        let state = if self.budget.has_call() {
            self.budget.begin_call();
            self.start(call)
        } else {
            let text = "Not run: no tool calls are left. Submit the report.";
            CallState::Answered(Outcome::Truncated, text.to_owned())
        };
        PendingCall { number: self.budget.calls(), started: Instant::now(), state }
    }

    fn start(&mut self, call: &ParsedCall) -> CallState {
        let arguments = match &call.arguments {
            Ok(arguments) => arguments,
            Err(malformed) => {
                let text = self.malformed(call, malformed);
                return CallState::Answered(Outcome::BadArguments, text);
            }
        };
        self.history.texts.add_call(&call.name, arguments);
        self.observer.on_event(&Event::ToolStarted {
            step: self.step,
            call: self.budget.calls(),
            tool: call.name.clone(),
            arguments: arguments.clone(),
        });
        if self.budget.observation_tokens().is_none() {
            let text = "Not run: the budget of tool output is used up. Submit the report.";
            return CallState::Answered(Outcome::Truncated, text.to_owned());
        }
        // `serde_json` sorts the keys of objects, so equal arguments have equal text.
        match self.history.steps.entry((call.name.clone(), arguments.to_string())) {
            Entry::Occupied(earlier) => {
                self.history.redundant += 1;
                let step = earlier.get();
                let text = format!(
                    "The same call was answered in step {step}; its result is above. Ask something else."
                );
                CallState::Answered(Outcome::Redundant, text)
            }
            Entry::Vacant(new) => {
                new.insert(self.step);
                CallState::Running(self.spawn(call.name.clone(), arguments.clone()))
            }
        }
    }

    fn malformed(&self, call: &ParsedCall, malformed: &MalformedArguments) -> String {
        let spec = self.registry.specs().into_iter().find(|spec| spec.name == call.name);
        let parameters = spec.map_or_else(String::new, |spec| {
            let fields = spec.parameters["properties"].as_object();
            let names = fields.map(|fields| fields.keys().cloned().collect::<Vec<_>>());
            format!(" Parameters: {}.", names.unwrap_or_default().join(", "))
        });
        let MalformedArguments { problem, .. } = malformed;
        format!("Not run: {problem}. Call {} again with a JSON object.{parameters}", call.name)
    }

    fn spawn(
        &self,
        name: String,
        arguments: Value,
    ) -> tokio::task::JoinHandle<Result<ToolResult, ToolError>> {
        let workspace = Arc::clone(self.workspace);
        let context = ToolContext::new(workspace, self.ledger, self.cancellation.clone());
        let registry = Arc::clone(self.registry);
        tokio::task::spawn_blocking(move || registry.call(&name, &context, &arguments))
    }

    /// Waits for the result and renders it. A tool returns early with what it has when the run is cancelled or its time is
    /// up, since it looks at the cancellation.
    async fn finish(&mut self, call: &ParsedCall, state: CallState) -> RenderedResult {
        let handle = match state {
            CallState::Answered(outcome, text) => {
                return RenderedResult { text, outcome, new_lines: 0 };
            }
            CallState::Running(handle) => handle,
        };
        let result = handle.await.unwrap_or_else(|_| {
            Err(ToolError::Model("the tool failed on this input; try another way".to_owned()))
        });
        match result {
            Ok(result) => self.render(call, &result.observation),
            Err(ToolError::Model(text) | ToolError::Fatal(text)) => {
                self.sentence(Outcome::BadArguments, text)
            }
        }
    }

    /// Renders a result, cut to what is left of the budget, and records what was rendered.
    fn render(&mut self, call: &ParsedCall, observation: &Observation) -> RenderedResult {
        if let Some(text) = self.already_shown(call, observation) {
            self.history.redundant += 1;
            return self.sentence(Outcome::Redundant, text);
        }
        self.budget.set_tokens(self.ledger.tokens());
        let Some(tokens) = self.budget.observation_tokens() else {
            let text = "Left out: the budget of tool output is used up. Submit the report.";
            return self.sentence(Outcome::Truncated, text.to_owned());
        };
        let allowance = Allowance { tokens, per_file_total: self.budget.file_tokens() };
        let rendered = render(observation, self.ledger, &allowance);
        let outcome = if rendered.truncated { Outcome::Truncated } else { observation.outcome };
        RenderedResult { text: rendered.text, outcome, new_lines: rendered.new_lines }
    }

    /// Returns a sentence in place of a result, and counts its tokens.
    fn sentence(&mut self, outcome: Outcome, text: String) -> RenderedResult {
        self.ledger.record_tokens(None, estimate_tokens(&text));
        RenderedResult { text, outcome, new_lines: 0 }
    }

    /// Returns where a result was delivered before, if all of it was.
    fn already_shown(&mut self, call: &ParsedCall, observation: &Observation) -> Option<String> {
        if observation.excerpts.is_empty() {
            return None;
        }
        match observation.source {
            EvidenceSource::Read => already_read(observation, self.ledger),
            EvidenceSource::Grep => self.already_found(call, observation),
            EvidenceSource::Packet | EvidenceSource::Listing | EvidenceSource::Graph => None,
        }
    }

    fn already_found(&mut self, call: &ParsedCall, observation: &Observation) -> Option<String> {
        let lines = observation.excerpts.iter().flat_map(|excerpt| {
            excerpt.lines.iter().map(|(number, _)| (excerpt.file.path.clone(), *number))
        });
        match self.history.matches.entry(lines.collect()) {
            Entry::Occupied(earlier) => Some(format!(
                "{} These are the very lines that {} has shown.",
                observation.headline,
                earlier.get()
            )),
            Entry::Vacant(new) => {
                let arguments = call.arguments.as_ref().map_or(String::new(), Value::to_string);
                new.insert(format!("{} {arguments}", call.name));
                None
            }
        }
    }
}

fn already_read(observation: &Observation, ledger: &Ledger) -> Option<String> {
    let [excerpt] = observation.excerpts.as_slice() else { return None };
    let (first, last) = (excerpt.lines.first()?.0, excerpt.lines.last()?.0);
    let range = LineRange::new(first, last)?;
    let path = &excerpt.file.path;
    let file = ledger.file(path)?;
    if file.stamp.hash != excerpt.file.hash || !file.read.contains(range) {
        return None;
    }
    let named = ledger
        .places()
        .iter()
        .find(|place| place.path == *path && place.range.is_some_and(|shown| shown.covers(range)));
    let name = named.map_or_else(String::new, |place| format!(" as {}", place.id));
    Some(format!("Already shown{name}: {path}:{range}. Nothing in it has changed."))
}
