//! Runs the tool calls of a turn, several at once, and returns one result for each, in order. A repeated call is
//! answered without running it. The turn loop decides whether calls are run.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{
    budget_tracker::{BudgetTracker, StepProgress, millis},
    cached_answer_dependencies::CallDependencies,
    conversation::{MalformedArguments, ParsedToolCall},
    file_states_on_disk::file_states,
    lines_already_shown::{ONCE_MORE, already_read, leave_out_known_context, leave_out_known_ends},
    run_events::{Observer, RunEvent},
};
use crate::tools::{
    ToolContext, ToolError, ToolObservation, ToolOutcome, ToolRegistry, ToolResult, ToolSpec,
    render_tool_result::{ObservationBudget, RenderedObservation, render},
};
use retriever_report::evidence_ledger::{EvidenceLedger, EvidenceSource};
use retriever_workspace::{
    Cancellation, ContentHash, FileState, RepoPath, Workspace, estimate_tokens, is_lock_file,
};

/// Calls that run at the same time.
const MAX_PARALLEL: usize = 8;

/// Interval at which a running tool is checked against the limits of the run.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Time for the tools of a step to return partial results after the end of the run. Later results are not waited for.
pub(super) const RETURN_TIME: Duration = Duration::from_millis(200);

/// The result of a call that the end of the run stopped.
const TIME_IS_UP: &str = "Stopped: the time of the run is up. Submit the report.";

/// The tool calls of a run so far.
#[derive(Debug, Default)]
pub(super) struct ToolCallHistory {
    /// Number of calls that were answered, including those that were not run.
    numbered: u32,
    /// Calls by name and arguments.
    calls: BTreeMap<CallKey, EarlierCall>,
    /// The first call that delivered each set of matching lines.
    matches: BTreeMap<Vec<MatchedLine>, String>,
    /// Calls that were answered without a new result.
    pub(super) redundant: u32,
    /// Calls that were refused as repetitions. A second repetition is run, since a shortened conversation may have lost
    /// the result.
    refused: BTreeSet<CallKey>,
    /// The explanations that earlier results gave.
    explained: BTreeSet<&'static str>,
    /// The texts in the arguments of all calls.
    pub(super) texts: CallDependencies,
}

/// Name and arguments of a call. `serde_json` sorts the keys of objects, so equal arguments have equal text.
type CallKey = (String, String);
/// A file with its content, and the number of a line.
type MatchedLine = (RepoPath, ContentHash, u32);

/// A call that has a result.
#[derive(Debug)]
struct EarlierCall {
    step: u32,
    /// The files of the result, with the content that was delivered.
    files: Vec<(RepoPath, ContentHash)>,
}

/// The results of the calls of one step.
pub(super) struct StepToolResults {
    /// One text for each call, in order.
    pub(super) texts: Vec<String>,
    pub(super) progress: StepProgress,
    /// The first error after which the run cannot go on.
    pub(super) fatal: Option<String>,
}

/// Runs the calls of one step.
pub(super) struct ToolDispatcher<'a> {
    pub(super) registry: &'a Arc<ToolRegistry>,
    pub(super) workspace: &'a Arc<Workspace>,
    pub(super) observer: &'a dyn Observer,
    pub(super) cancellation: Cancellation,
    pub(super) step: u32,
    pub(super) ledger: &'a mut EvidenceLedger,
    pub(super) budget: &'a mut BudgetTracker,
    pub(super) history: &'a mut ToolCallHistory,
    /// Whether the question asks for tests.
    pub(super) wants_tests: bool,
    /// Time for which calls of the step are waited for after the end of the run; [`RETURN_TIME`] at first.
    pub(super) time_left: Duration,
}

/// A running call.
struct PendingCall {
    /// Number of the call in the run, from 1.
    number: u32,
    started: Instant,
    state: CallState,
}

enum CallState {
    /// Answered without running the tool.
    Answered(ToolOutcome, String),
    Running(RunningTool),
}

/// A running tool; it returns its result and its time.
type RunningTool = tokio::task::JoinHandle<(Result<ToolResult, ToolError>, Duration)>;

/// A result as the model receives it.
struct RenderedResult {
    text: String,
    outcome: ToolOutcome,
    new_lines: u32,
    /// Time of the tool, if it ended.
    took: Option<Duration>,
    /// Why the run cannot go on.
    fatal: Option<String>,
}

impl RenderedResult {
    fn sentence(outcome: ToolOutcome, text: String) -> Self {
        Self { text, outcome, new_lines: 0, took: None, fatal: None }
    }
}

impl ToolDispatcher<'_> {
    /// Runs `calls`.
    pub(super) async fn run(&mut self, calls: &[ParsedToolCall]) -> StepToolResults {
        let mut texts = Vec::with_capacity(calls.len());
        let (mut progress, mut fatal) = (StepProgress::None, None);
        for batch in calls.chunks(MAX_PARALLEL) {
            let mut pending: Vec<PendingCall> = Vec::with_capacity(batch.len());
            for call in batch {
                pending.push(self.begin(call).await);
            }
            for (call, pending) in batch.iter().zip(pending) {
                let places_before = self.ledger.places().len();
                let (number, started) = (pending.number, pending.started);
                let result = self.finish(call, pending.state).await;
                if result.new_lines > 0 || self.ledger.places().len() > places_before {
                    progress = StepProgress::New;
                }
                self.budget.set_tokens(self.ledger.tokens());
                self.observer.on_event(&RunEvent::ToolFinished {
                    step: self.step,
                    call: number,
                    tool: call.name.clone(),
                    outcome: result.outcome,
                    tokens: estimate_tokens(&result.text),
                    new_lines: result.new_lines,
                    // Results are taken in order, so a call's time includes the wait for those before it.
                    elapsed_ms: millis(result.took.unwrap_or_else(|| started.elapsed())),
                });
                fatal = fatal.or(result.fatal);
                texts.push(result.text);
            }
        }
        StepToolResults { texts, progress, fatal }
    }

    /// Starts a call, or answers it without running the tool.
    async fn begin(&mut self, call: &ParsedToolCall) -> PendingCall {
        self.history.numbered = self.history.numbered.saturating_add(1);
        let number = self.history.numbered;
        let arguments = match &call.arguments {
            Ok(arguments) => arguments.clone(),
            Err(malformed) => Value::String(malformed.text.clone()),
        };
        self.observer.on_event(&RunEvent::ToolStarted {
            step: self.step,
            call: number,
            tool: call.name.clone(),
            arguments,
        });
        let state = if self.budget.has_call() {
            self.budget.begin_call();
            self.start(call).await
        } else {
            let text = "Not run: no tool calls are left. Submit the report.";
            CallState::Answered(ToolOutcome::Truncated, text.to_owned())
        };
        PendingCall { number, started: Instant::now(), state }
    }

    async fn start(&mut self, call: &ParsedToolCall) -> CallState {
        let arguments = match &call.arguments {
            Ok(arguments) => arguments,
            Err(malformed) => {
                let text = self.malformed(call, malformed);
                return CallState::Answered(ToolOutcome::BadArguments, text);
            }
        };
        self.history.texts.add_call(&call.name, arguments);
        if self.budget.observation_tokens().is_none() {
            let text = "Not run: the budget of tool output is used up. Submit the report.";
            return CallState::Answered(ToolOutcome::Truncated, text.to_owned());
        }
        if self.time_left.is_zero() {
            return CallState::Answered(ToolOutcome::Truncated, TIME_IS_UP.to_owned());
        }
        let key = key(call);
        if !self.history.refused.contains(&key)
            && let Some(step) = self.answered_in(&key).await
        {
            self.history.redundant += 1;
            self.history.refused.insert(key);
            let text = format!(
                "The same call was answered in step {step}; its result is above. Ask something else; the same once more \
                 brings it again."
            );
            return CallState::Answered(ToolOutcome::Redundant, text);
        }
        self.history.calls.insert(key, EarlierCall { step: self.step, files: Vec::new() });
        CallState::Running(self.spawn(call.name.clone(), arguments.clone()))
    }

    /// Returns the step that answered the same call, if its result is still valid: a call is run again when a file of
    /// its result has changed.
    async fn answered_in(&self, key: &CallKey) -> Option<u32> {
        let earlier = self.history.calls.get(key)?;
        let paths = earlier.files.iter().map(|(path, _)| path.clone()).collect();
        let states = file_states(self.workspace, paths).await;
        let is_current = |(path, hash): &(RepoPath, ContentHash)| {
            states.get(path) == Some(&FileState::Current(*hash))
        };
        earlier.files.iter().all(is_current).then_some(earlier.step)
    }

    fn malformed(&self, call: &ParsedToolCall, malformed: &MalformedArguments) -> String {
        let is_called = |spec: &ToolSpec| spec.name.eq_ignore_ascii_case(call.name.trim());
        let spec = self.registry.specs().into_iter().find(is_called);
        let parameters = spec.map_or_else(String::new, |spec| {
            let fields = spec.parameters["properties"].as_object();
            let names = fields.map(|fields| fields.keys().cloned().collect::<Vec<_>>());
            format!(" Parameters: {}.", names.unwrap_or_default().join(", "))
        });
        let MalformedArguments { problem, .. } = malformed;
        format!("Not run: {problem}. Call {} again with a JSON object.{parameters}", call.name)
    }

    fn spawn(&self, name: String, arguments: Value) -> RunningTool {
        let workspace = Arc::clone(self.workspace);
        let context = ToolContext {
            wants_tests: self.wants_tests,
            ..ToolContext::new(workspace, self.ledger, self.cancellation.clone())
        };
        let registry = Arc::clone(self.registry);
        let started = Instant::now();
        tokio::task::spawn_blocking(move || {
            let result = registry.call(&name, &context, &arguments);
            (result, started.elapsed())
        })
    }

    /// Waits for the result and renders it.
    async fn finish(&mut self, call: &ParsedToolCall, state: CallState) -> RenderedResult {
        let running = match state {
            CallState::Answered(outcome, text) => return RenderedResult::sentence(outcome, text),
            CallState::Running(running) => running,
        };
        let Some((result, took)) = self.wait(running).await else {
            self.forget(call);
            return self.sentence(ToolOutcome::Truncated, TIME_IS_UP.to_owned());
        };
        let rendered = match result {
            Ok(result) => self.render(call, &result),
            Err(ToolError::Model(text)) => self.sentence(ToolOutcome::BadArguments, text),
            Err(ToolError::Unavailable(text)) => self.sentence(ToolOutcome::Failed, text),
            Err(ToolError::Fatal(text)) => {
                let fatal = Some(text.clone());
                RenderedResult { fatal, ..self.sentence(ToolOutcome::Failed, text) }
            }
        };
        RenderedResult { took, ..rendered }
    }

    /// Waits for a tool. A tool checks the cancellation and returns a partial result early; if it does not, it is
    /// abandoned at the end of the run, and `None` is returned.
    async fn wait(
        &mut self,
        mut running: RunningTool,
    ) -> Option<(Result<ToolResult, ToolError>, Option<Duration>)> {
        loop {
            let pause = POLL_INTERVAL.min(self.time_left);
            tokio::select! {
                biased;
                ended = &mut running => return Some(match ended {
                    Ok((result, took)) => (result, Some(took)),
                    Err(_) => {
                        let failed = "the tool failed on this input; try another way";
                        (Err(ToolError::Model(failed.to_owned())), None)
                    }
                }),
                () = tokio::time::sleep(pause) => {}
            }
            if self.time_left.is_zero() {
                return None;
            }
            if self.cancellation.is_cancelled() {
                self.time_left = self.time_left.saturating_sub(pause);
            }
        }
    }

    /// Renders a result within the rest of the budget, and records the rendered lines.
    fn render(&mut self, call: &ParsedToolCall, result: &ToolResult) -> RenderedResult {
        let key = key(call);
        let is_search = result.observation.source == EvidenceSource::Grep;
        let matched = if is_search { matched_lines(&result.observation) } else { Vec::new() };
        let mut observation = Cow::Borrowed(&result.observation);
        if !self.history.refused.remove(&key) {
            if let Some(text) = self.already_shown(&observation) {
                self.history.redundant += 1;
                self.history.refused.insert(key);
                self.record_search(result);
                return self.sentence(ToolOutcome::Redundant, text);
            }
            if leave_out_known_ends(&mut observation, self.ledger)
                || leave_out_known_context(&mut observation, self.ledger)
            {
                self.history.refused.insert(key);
            }
        }
        if observation.explanation.is_some_and(|it| !self.history.explained.insert(it)) {
            observation.to_mut().explanation = None;
        }
        let observation = observation.as_ref();
        self.budget.set_tokens(self.ledger.tokens());
        let Some(tokens) = self.budget.observation_tokens() else {
            self.forget(call);
            let text = "Left out: the budget of tool output is used up. Submit the report.";
            return self.sentence(ToolOutcome::Truncated, text.to_owned());
        };
        self.record_search(result);
        let allowance = ObservationBudget { tokens, per_file_total: self.budget.file_tokens() };
        let RenderedObservation { text, new_lines, truncated, .. } =
            render(observation, self.ledger, &allowance);
        let outcome = if truncated { ToolOutcome::Truncated } else { observation.outcome };
        self.remember(call, observation, matched, outcome);
        RenderedResult { text, outcome, new_lines, took: None, fatal: None }
    }

    /// Records what was looked for, and that no code has it.
    fn record_search(&mut self, result: &ToolResult) {
        let Some(searched) = &result.searched else { return };
        let observation = &result.observation;
        if searched.is_exhaustive && is_absent(observation) {
            self.ledger.record_unmatched(&searched.text);
        }
        // Only these results repeat the request.
        if matches!(
            observation.outcome,
            ToolOutcome::Found | ToolOutcome::Truncated | ToolOutcome::NoMatch
        ) {
            self.ledger.record_asked(&searched.text);
        }
    }

    /// Returns a sentence in place of a result, and counts its tokens.
    fn sentence(&mut self, outcome: ToolOutcome, text: String) -> RenderedResult {
        self.ledger.record_tokens(None, estimate_tokens(&text));
        RenderedResult::sentence(outcome, text)
    }

    /// Records the files of a result; of a search that was delivered completely also its lines.
    fn remember(
        &mut self,
        call: &ParsedToolCall,
        observation: &ToolObservation,
        matched: Vec<MatchedLine>,
        outcome: ToolOutcome,
    ) {
        let key = key(call);
        let name = format!("{} {}", call.name, key.1);
        if let Some(earlier) = self.history.calls.get_mut(&key) {
            let files = observation.excerpts.iter().map(|excerpt| &excerpt.file);
            earlier.files = files.map(|file| (file.path.clone(), file.hash)).collect();
            earlier.files.dedup();
        }
        if observation.source == EvidenceSource::Grep && outcome != ToolOutcome::Truncated {
            self.history.matches.entry(matched).or_insert(name);
        }
    }

    /// Removes a call whose result did not reach the model.
    fn forget(&mut self, call: &ParsedToolCall) {
        self.history.calls.remove(&key(call));
    }

    /// Returns where a result was delivered before, if all of it was.
    fn already_shown(&self, observation: &ToolObservation) -> Option<String> {
        if observation.excerpts.is_empty() {
            return None;
        }
        match observation.source {
            EvidenceSource::Read => already_read(observation, self.ledger),
            EvidenceSource::Grep => {
                let earlier = self.history.matches.get(&matched_lines(observation))?;
                let headline = &observation.headline;
                Some(format!(
                    "{headline} These are the very lines that {earlier} has shown. {ONCE_MORE}"
                ))
            }
            EvidenceSource::Packet | EvidenceSource::Listing | EvidenceSource::Graph => None,
        }
    }
}

fn matched_lines(observation: &ToolObservation) -> Vec<MatchedLine> {
    let lines = observation.excerpts.iter().flat_map(|excerpt| {
        let file = &excerpt.file;
        excerpt.lines.iter().map(|(number, _)| (file.path.clone(), file.hash, *number))
    });
    lines.collect()
}

/// Returns the key by which calls are compared.
fn key(call: &ParsedToolCall) -> CallKey {
    let arguments = call.arguments.as_ref().map_or(String::new(), Value::to_string);
    (call.name.trim().to_ascii_lowercase(), arguments)
}

/// Whether nothing was found, or only lines of lock files, since names in those are not in the code.
fn is_absent(observation: &ToolObservation) -> bool {
    match observation.outcome {
        ToolOutcome::NoMatch => true,
        ToolOutcome::Found => {
            let mut files = observation.excerpts.iter().map(|excerpt| &excerpt.file);
            !observation.excerpts.is_empty() && files.all(|file| is_lock_file(&file.path))
        }
        _ => false,
    }
}
