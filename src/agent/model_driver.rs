//! Drives a model through an exploration: carries out the actions of the [`TurnLoop`] with the model, the tools and the
//! validator, and returns the resulting events.

use std::{
    borrow::Cow,
    fmt::Write as _,
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    budget_tracker::{RunLimit, millis},
    conversation::{Conversation, ParsedToolCall},
    prompts::Prompt,
    report_check::{CheckedReport, ReportAcceptance, ReportChecker, ReportChoice, SubmittedReport},
    run_events::RunEvent,
    run_state::RunState,
    text_tool_calls,
    turn_state_machine::{
        AllowedModelReply, ExplorationOutcome, ForcedReportReason, ModelFailure, NoticeToModel,
        ReplyContent, TurnAction, TurnEvent, TurnLoop,
    },
};
use crate::{
    model::{ChatModel, ChatRequest, ChatResponse, ModelError, ModelFinishReason, ToolChoice},
    tools::ToolSpec,
};
use retriever_report::{ParsedReport, ReportRoom, SUBMIT, StopReason, parse_text, submit_tool};
use retriever_workspace::{escape_for_model, estimate_tokens, truncate};
use serde_json::Value;

/// A request that fails this close to the end of the exploring time counts as out of time.
const DEADLINE_TOLERANCE: Duration = Duration::from_millis(20);
/// Most characters of a call in the heading of its result.
const MAX_HEADING_CHARS: usize = 160;
/// Upper bound of the tokens of the line with the remaining budget.
const LEFT_TOKENS: u64 = 36;

/// How an exploration ended.
pub(super) struct TurnLoopOutcome {
    pub(super) stop: StopReason,
    /// The accepted report, or the best one of a run that was cut short.
    pub(super) best: Option<CheckedReport>,
    /// The model's failure, if it ended the exploration.
    pub(super) error: Option<ModelError>,
}

/// An exploration with a model.
pub(super) struct ModelDriver<'d, 'r> {
    model: &'d dyn ChatModel,
    run: &'d mut RunState<'r>,
    checker: ReportChecker,
    conversation: Conversation,
    specs: Vec<ToolSpec>,
    turns: TurnLoop,
    answer: TurnAnswer,
    /// A checked report, before the turn loop decides on it.
    last: Option<CheckedReport>,
    best: Option<CheckedReport>,
    error: Option<ModelError>,
    text_call_ids: u32,
}

/// The parts of the current answer.
#[derive(Default)]
struct TurnAnswer {
    /// Calls of tools.
    calls: Vec<ParsedToolCall>,
    /// Calls that submit a report.
    reports: Vec<ParsedToolCall>,
    /// A report that was written as text.
    written: Option<ParsedReport>,
    finish: ModelFinishReason,
    /// The note of the check, for a repair turn.
    repair_note: String,
}

impl<'d, 'r> ModelDriver<'d, 'r> {
    pub(super) fn new(
        model: &'d dyn ChatModel,
        run: &'d mut RunState<'r>,
        checker: ReportChecker,
        conversation: Conversation,
    ) -> Self {
        let mut specs = run.shared.registry.specs();
        specs.push(submit_tool(&ReportRoom::of(run.context.budget.limits().map_tokens)));
        Self {
            model,
            run,
            checker,
            conversation,
            specs,
            turns: TurnLoop::new(),
            answer: TurnAnswer::default(),
            last: None,
            best: None,
            error: None,
            text_call_ids: 0,
        }
    }

    /// Explores until a report is accepted or a limit is reached.
    pub(super) async fn explore(mut self) -> TurnLoopOutcome {
        let mut event = TurnEvent::Ready(self.run.context.status());
        loop {
            let action = self.turns.step(event);
            self.settle_check(action);
            event = match action {
                TurnAction::AskModel { notice, mode } => {
                    self.announce(notice);
                    self.ask_model(mode).await
                }
                TurnAction::RunCalls => self.run_calls().await,
                TurnAction::CheckReport => self.check_report().await,
                TurnAction::RemindToCall => {
                    self.conversation.add_user_message(&reminder(self.answer.finish));
                    self.ready()
                }
                TurnAction::ShortenConversation => {
                    self.conversation.shorten();
                    self.ready()
                }
                TurnAction::RequestRepair => {
                    self.request_repair();
                    self.ready()
                }
                TurnAction::NextTurn => self.ready(),
                TurnAction::End(ExplorationOutcome { stop, accepted }) => {
                    let best = match self.best.take() {
                        Some(best) if !accepted => {
                            Some(self.checker.check_as_partial(best, self.run).await)
                        }
                        best => best,
                    };
                    return TurnLoopOutcome { stop, best, error: self.error };
                }
            };
        }
    }

    fn ready(&mut self) -> TurnEvent {
        self.error = None;
        TurnEvent::Ready(self.run.context.status())
    }

    /// Tells the model that its budget is low, or that only a report is accepted.
    fn announce(&mut self, notice: Option<NoticeToModel>) {
        let prompts = &self.run.shared.prompts;
        let submit = ("submit", Cow::Borrowed(SUBMIT));
        let text = match notice {
            None => return,
            Some(NoticeToModel::LowBudget) => {
                let step = self.run.context.budget.steps() + 1;
                self.run.observer.on_event(&RunEvent::Nudged { step });
                let left = Cow::Owned(self.run.context.budget.status_sentence());
                prompts.fill(Prompt::Nudge, &[("left", left), submit])
            }
            Some(NoticeToModel::Finish(reason)) => {
                let why = Cow::Borrowed(finish_sentence(reason));
                prompts.fill(Prompt::Finish, &[("why", why), submit])
            }
        };
        self.conversation.add_user_message(&text);
    }

    async fn ask_model(&mut self, mode: AllowedModelReply) -> TurnEvent {
        let context = &mut self.run.context;
        context.budget.begin_step();
        let (step, steps) = (context.budget.steps(), context.budget.limits().steps);
        let forced = mode == AllowedModelReply::ReportOnly;
        self.run.observer.on_event(&RunEvent::StepStarted { step, of: steps, forced });
        self.run.ledger_when_asked = Arc::new(self.run.ledger.clone());
        let (tool_choice, deadline) = match mode {
            AllowedModelReply::Explore => (ToolChoice::Auto, context.exploring_deadline()),
            AllowedModelReply::ReportOnly => (ToolChoice::Named(SUBMIT), context.model_deadline()),
        };
        let request = ChatRequest {
            messages: self.conversation.messages(),
            tools: &self.specs,
            tool_choice,
            deadline,
        };
        let asked = Instant::now();
        let response = tokio::select! {
            response = self.model.complete(&request) => response,
            () = context.interrupted() => return self.ready(),
            () = tokio::time::sleep_until(deadline.into()) => {
                Err(ModelError::Timeout(asked.elapsed()))
            }
        };
        match response {
            Ok(response) => {
                self.run.usage += response.usage;
                self.run.observer.on_event(&RunEvent::ModelAnswered {
                    step,
                    calls: response.calls.len() as u64,
                    usage: response.usage,
                    retries: response.retries,
                    elapsed_ms: millis(asked.elapsed()),
                });
                self.take_answer(&response)
            }
            Err(error) => self.take_failure(error),
        }
    }

    fn take_failure(&mut self, error: ModelError) -> TurnEvent {
        let context = &mut self.run.context;
        self.run.observer.on_event(&RunEvent::ModelFailed {
            step: context.budget.steps(),
            error: error.label().to_owned(),
            message: error.to_string(),
        });
        let failure = if matches!(error, ModelError::ContextLength { .. }) {
            ModelFailure::ContextTooLong
        } else if Instant::now() + DEADLINE_TOLERANCE >= context.exploring_deadline() {
            ModelFailure::OutOfExploringTime
        } else {
            ModelFailure::Other
        };
        self.error = Some(error);
        TurnEvent::Failed(failure, context.status())
    }

    /// Adds the answer to the conversation. Calls and reports that were written as text are recognised.
    fn take_answer(&mut self, response: &ChatResponse) -> TurnEvent {
        let mut written = None;
        let calls = if response.calls.is_empty() {
            let content = response.content.as_deref().unwrap_or_default();
            let known: Vec<&str> = self.specs.iter().map(|spec| spec.name).collect();
            let calls = text_tool_calls::parse(content, &known, &mut self.text_call_ids);
            if calls.is_empty() {
                written = parse_text(content);
                self.conversation.add_answer(response)
            } else {
                let called = ChatResponse { calls, ..ChatResponse::default() };
                self.conversation.add_answer(&called)
            }
        } else {
            self.conversation.add_answer(response)
        };
        let (reports, calls): (Vec<_>, Vec<_>) =
            calls.into_iter().partition(|call| call.name.trim().eq_ignore_ascii_case(SUBMIT));
        let has_report = !reports.is_empty() || written.is_some();
        let content = match (calls.is_empty(), has_report) {
            (true, false) => ReplyContent::Nothing,
            (false, false) => ReplyContent::Calls,
            (true, true) => ReplyContent::Report,
            (false, true) => ReplyContent::CallsAndReport,
        };
        let event = TurnEvent::Answered(content);
        let finish = response.finish;
        self.answer = TurnAnswer { calls, reports, written, finish, ..TurnAnswer::default() };
        event
    }

    async fn run_calls(&mut self) -> TurnEvent {
        let calls = std::mem::take(&mut self.answer.calls);
        // A heading also takes tokens: it is counted before the calls run, so that results are cut to the rest. If no
        // tokens are left, results have no heading.
        let has_tokens = self.run.context.budget.observation_tokens().is_some();
        let headings: Vec<String> =
            if has_tokens { calls.iter().map(heading).collect() } else { Vec::new() };
        let overhead: u64 = headings.iter().map(|heading| estimate_tokens(heading)).sum();
        let left_tokens = if headings.is_empty() { 0 } else { LEFT_TOKENS };
        self.run.ledger.record_tokens(None, overhead + left_tokens);
        self.run.context.budget.set_tokens(self.run.ledger.tokens());
        let cancellation = self.run.context.exploring_cancellation();
        let results = self.run.call_tools(&calls, cancellation).await;
        self.run.context.budget.set_tokens(self.run.ledger.tokens());
        let left = self.run.context.budget.short_status();
        for (index, (call, text)) in calls.iter().zip(results.texts).enumerate() {
            let text = match headings.get(index) {
                Some(heading) if index + 1 == headings.len() => {
                    format!("{heading}\n{text}\n({left})")
                }
                Some(heading) => format!("{heading}\n{text}"),
                None => text,
            };
            self.conversation.add_result(call, text);
        }
        if results.fatal.is_some() { TurnEvent::ToolFailed } else { TurnEvent::CallsAnswered }
    }

    async fn check_report(&mut self) -> TurnEvent {
        let reports = &self.answer.reports;
        let called = reports.iter().find(|call| call.arguments.is_ok()).or(reports.first());
        let submitted = match (called, self.answer.written.take()) {
            (Some(call), _) => SubmittedReport::Called(call.arguments.clone()),
            (None, Some(written)) => SubmittedReport::Written(Box::new(written)),
            (None, None) => return self.ready(),
        };
        let checked = self.checker.check(submitted, self.best.as_ref(), self.run).await;
        if self.run.first_draft.is_none() {
            self.run.first_draft.clone_from(&checked.draft);
        }
        let status = self.run.context.status();
        let event = TurnEvent::ReportChecked(checked.verdict(), status);
        self.answer.repair_note = checked.repair_note();
        self.last = Some(checked);
        event
    }

    /// Sends the event of a check after the turn loop has decided on the report, and keeps the better report.
    fn settle_check(&mut self, action: TurnAction) {
        let Some(checked) = self.last.take() else { return };
        let acceptance = match action {
            TurnAction::End(ExplorationOutcome { accepted: true, .. }) => {
                ReportAcceptance::Accepted
            }
            _ => ReportAcceptance::Rejected,
        };
        let step = self.run.context.budget.steps();
        let kept = CheckedReport::kept_of(self.best.as_ref(), &checked);
        self.run.observer.on_event(&checked.event(step, acceptance, kept));
        if kept == ReportChoice::Later {
            self.best = Some(checked);
        }
    }

    /// Answers a rejected report: as the result of its call, or as a message if it was written as text.
    fn request_repair(&mut self) {
        let problems = ("problems", Cow::Borrowed(self.answer.repair_note.as_str()));
        let submit = ("submit", Cow::Borrowed(SUBMIT));
        let text = self.run.shared.prompts.fill(Prompt::Repair, &[problems, submit]);
        let Some((first, rest)) = self.answer.reports.split_first() else {
            return self.conversation.add_user_message(&text);
        };
        self.conversation.add_result(first, text);
        for call in rest {
            self.conversation.add_result(call, "Only one report is taken a turn.".to_owned());
        }
    }
}

/// Returns the first line of a result: its call.
fn heading(call: &ParsedToolCall) -> String {
    let arguments = call.arguments.as_ref().ok().and_then(Value::as_object);
    let mut heading = call.name.clone();
    for (name, value) in arguments.into_iter().flatten() {
        let _ = write!(heading, " {name}={value}");
    }
    format!("{}:", escape_for_model(&truncate(&heading, MAX_HEADING_CHARS)))
}

const fn finish_sentence(reason: ForcedReportReason) -> &'static str {
    match reason {
        ForcedReportReason::WorkBudgetExhausted(RunLimit::Steps) => "This is the last step.",
        ForcedReportReason::WorkBudgetExhausted(RunLimit::Calls) => "No tool calls are left.",
        ForcedReportReason::WorkBudgetExhausted(RunLimit::Tokens) => {
            "The budget of tool output is used up."
        }
        ForcedReportReason::WorkBudgetExhausted(RunLimit::Time) => "Time is up.",
        ForcedReportReason::WorkBudgetExhausted(RunLimit::NoProgress) => {
            "The last steps brought nothing new."
        }
        ForcedReportReason::ContextTooLong => "The conversation has become too long.",
        ForcedReportReason::NoCalls => "No tool was called.",
    }
}

/// Returns the reminder for an answer without a call.
fn reminder(finish: ModelFinishReason) -> String {
    match finish {
        ModelFinishReason::Length => format!(
            "The answer was cut at the limit of output tokens. Answer with one short call, or call {SUBMIT}."
        ),
        ModelFinishReason::Filtered => {
            format!("The answer was withheld by a filter. Call a tool, or call {SUBMIT}.")
        }
        ModelFinishReason::Done => {
            format!("Nothing was called. Call a tool to go on, or {SUBMIT} to end.")
        }
    }
}
