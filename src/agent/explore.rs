//! The loop: one model, one conversation, tool calls until a report stands or the budget ends. It decides when to
//! nudge, when to force the report and when to stop; judging a report and falling back are its neighbours' work.

use std::{
    borrow::Cow,
    time::{Duration, Instant},
};

use super::{
    budget::{Exhausted, News, Spending},
    conversation::{Call, Conversation},
    dispatch::{Dispatcher, millis},
    event::Event,
    prompt::Prompt,
    run::Run,
    spoken,
    submission::{Judge, Submission, Submitted},
};
use crate::{
    model::{ChatModel, ChatRequest, ChatResponse, Finish, ModelError, Situation, ToolChoice},
    tools::{ToolError, ToolSpec},
};
use retriever_report::{Draft, ParsedReport, SUBMIT, StopReason, schema};

/// Turns without any call after which the report is forced.
const IDLE_TURNS: u32 = 2;
/// Forced turns that may pass without a report.
const FORCED_TURNS: u32 = 2;

/// How an exploration ended.
pub(super) struct Ended {
    pub(super) stop: StopReason,
    /// The best report so far; accepted when `stop` says that it was submitted or forced.
    pub(super) best: Option<Submission>,
    pub(super) accepted: bool,
    pub(super) error: Option<ModelError>,
}

/// Time limits of an exploration.
#[derive(Clone, Copy)]
struct Clock {
    started: Instant,
    /// From here on only a report is accepted.
    soft: Instant,
    hard: Instant,
}

struct Turns {
    idle: u32,
    forced: u32,
    nudged: bool,
    finish_said: bool,
    repairing: bool,
    halved: bool,
    spoken_ids: u32,
}

impl Run<'_> {
    /// Explores with `model` until a report is accepted or nothing is left to spend.
    pub(super) async fn explore(
        &mut self,
        model: &dyn ChatModel,
        judge: &Judge<'_>,
        conversation: &mut Conversation,
        spending: &mut Spending,
    ) -> Result<Ended, ToolError> {
        let started = Instant::now();
        let hard = started + spending.budget().time;
        let clock = Clock { started, soft: hard - spending.grace(), hard };
        let specs = self.specs();
        let mut turns = Turns {
            idle: 0,
            forced: 0,
            nudged: false,
            finish_said: false,
            repairing: false,
            halved: false,
            spoken_ids: 0,
        };
        let mut best: Option<Submission> = None;
        let ended = |stop, best, error| Ok(Ended { stop, best, accepted: false, error });
        loop {
            if self.cancel.is_cancelled() {
                return ended(StopReason::Interrupted, best, None);
            }
            spending.pass(clock.started.elapsed());
            let exhausted = spending.exhausted();
            if Instant::now() >= clock.hard || spending.steps() >= spending.budget().steps {
                return ended(stop_reason(exhausted, StopReason::NoReport), best, None);
            }
            let idle = turns.idle >= IDLE_TURNS;
            let forced = turns.repairing || turns.halved || idle || exhausted.is_some();
            if forced && turns.forced >= FORCED_TURNS {
                return ended(stop_reason(exhausted, StopReason::NoReport), best, None);
            }
            self.speak(forced, exhausted, idle, spending, &mut turns, conversation);
            spending.begin_step();
            self.steps += 1;
            let step = spending.steps();
            self.observer.on_event(&Event::StepStarted {
                step,
                of: spending.budget().steps,
                forced,
            });
            let request = ChatRequest {
                messages: conversation.messages(),
                tools: &specs,
                tool_choice: if forced { ToolChoice::Named(SUBMIT) } else { ToolChoice::Auto },
                deadline: if forced { clock.hard } else { clock.soft },
                situation: Situation {
                    question: self.question,
                    candidates: &self.survey.candidates,
                    absence: self.survey.no_answer.as_ref(),
                    ledger: &self.ledger,
                    step,
                },
            };
            let asked = Instant::now();
            let response = tokio::select! {
                response = model.complete(&request) => response,
                () = self.cancel.cancelled() => return ended(StopReason::Interrupted, best, None),
                () = tokio::time::sleep_until(request.deadline.into()) => {
                    Err(ModelError::Timeout(asked.elapsed()))
                }
            };
            let response = match response {
                Ok(response) => response,
                Err(error) => {
                    self.observer.on_event(&Event::ModelFailed {
                        step,
                        error: error.label().to_owned(),
                        message: error.to_string(),
                    });
                    // A report on what was shown is worth more than nothing: it needs less room than the exploration.
                    if matches!(error, ModelError::ContextLength { .. }) && !turns.halved {
                        turns.halved = true;
                        conversation.halve();
                        continue;
                    }
                    // What is left of the time is the grace in which a report may still come.
                    if !forced && Instant::now() + Duration::from_millis(20) >= clock.soft {
                        continue;
                    }
                    let stop = if Instant::now() >= clock.hard {
                        StopReason::Deadline
                    } else {
                        StopReason::ModelError
                    };
                    return ended(stop, best, Some(error));
                }
            };
            self.usage += response.usage;
            self.observer.on_event(&Event::ModelAnswered {
                step,
                calls: response.calls.len() as u64,
                usage: response.usage,
                retries: response.retries,
                elapsed_ms: millis(asked.elapsed()),
            });
            turns.forced += u32::from(forced);
            let (calls, written) = self.read(&response, &mut turns, conversation);
            let (reports, calls): (Vec<_>, Vec<_>) =
                calls.into_iter().partition(|call| call.name == SUBMIT);
            if calls.is_empty() && reports.is_empty() && written.is_none() {
                turns.idle += 1;
                conversation.say(&unanswered(&response));
                continue;
            }
            turns.idle = 0;
            if !calls.is_empty() {
                let news = self.answer(&calls, step, clock.hard, spending, conversation).await?;
                spending.end_step(news);
            }
            let Some(submitted) = submitted(&reports, written) else { continue };
            let submission = judge.judge(submitted, self).await;
            let may_repair = !turns.repairing
                && spending.steps() < spending.budget().steps
                && Instant::now() < clock.hard
                && !self.cancel.is_cancelled();
            let accepted = submission.map.is_some() && !(submission.repairable && may_repair);
            self.observer.on_event(&submission.event(step, accepted));
            let note = submission.note.clone();
            best = Submission::better(best, submission);
            if accepted {
                let stop = stop_reason(exhausted, StopReason::Submitted);
                return Ok(Ended { stop, best, accepted: true, error: None });
            }
            if !may_repair {
                return ended(stop_reason(exhausted, StopReason::NoReport), best, None);
            }
            turns.repairing = true;
            turns.forced = turns.forced.min(FORCED_TURNS - 1);
            let text = self.shared.prompts.fill(
                Prompt::Repair,
                &[("problems", Cow::Borrowed(note.as_str())), ("submit", Cow::Borrowed(SUBMIT))],
            );
            self.refuse(&reports, &text, conversation);
        }
    }

    fn specs(&self) -> Vec<ToolSpec> {
        let mut specs = self.shared.registry.specs();
        specs.push(schema::spec::<Draft>(SUBMIT));
        specs
    }

    /// Tells the model, before its turn, that the budget runs low or that only a report is accepted.
    fn speak(
        &self,
        forced: bool,
        exhausted: Option<Exhausted>,
        idle: bool,
        spending: &Spending,
        turns: &mut Turns,
        conversation: &mut Conversation,
    ) {
        let submit = ("submit", Cow::Borrowed(SUBMIT));
        if forced && !turns.repairing && !turns.finish_said {
            turns.finish_said = true;
            let why = match exhausted {
                Some(Exhausted::Steps) => "This is the last step.",
                Some(Exhausted::Calls) => "No tool calls are left.",
                Some(Exhausted::Tokens) => "The budget of tool output is used up.",
                Some(Exhausted::Time) => "Time is up.",
                Some(Exhausted::Dry) => "The last steps brought nothing new.",
                None if turns.halved => "The conversation has become too long.",
                None if idle => "No tool was called.",
                None => "The exploration ends here.",
            };
            conversation.say(
                &self.shared.prompts.fill(Prompt::Finish, &[("why", Cow::Borrowed(why)), submit]),
            );
        } else if !forced && !turns.nudged && spending.runs_low() {
            turns.nudged = true;
            self.observer.on_event(&Event::Nudged { step: spending.steps() + 1 });
            let left = Cow::Owned(spending.left());
            conversation.say(&self.shared.prompts.fill(Prompt::Nudge, &[("left", left), submit]));
        }
    }

    /// Keeps the answer in the conversation; calls and reports that were written as text are taken as such.
    fn read(
        &self,
        response: &ChatResponse,
        turns: &mut Turns,
        conversation: &mut Conversation,
    ) -> (Vec<Call>, Option<ParsedReport>) {
        if !response.calls.is_empty() {
            return (conversation.keep(response), None);
        }
        let content = response.content.as_deref().unwrap_or_default();
        let specs = self.specs();
        let known: Vec<&str> = specs.iter().map(|spec| spec.name).collect();
        let calls = spoken::calls(content, &known, &mut turns.spoken_ids);
        if !calls.is_empty() {
            return (conversation.keep(&ChatResponse { calls, ..ChatResponse::default() }), None);
        }
        conversation.keep(response);
        (Vec::new(), retriever_report::parse_text(content))
    }

    async fn answer(
        &mut self,
        calls: &[Call],
        step: u32,
        deadline: Instant,
        spending: &mut Spending,
        conversation: &mut Conversation,
    ) -> Result<News, ToolError> {
        let dispatcher = Dispatcher {
            registry: &self.shared.registry,
            workspace: &self.shared.workspace,
            observer: self.observer,
            cancel: self.cancel,
            deadline,
            step,
        };
        let before = spending.calls();
        let (answers, news) =
            dispatcher.run(calls, &mut self.ledger, spending, &mut self.memory).await?;
        self.calls += spending.calls() - before;
        for (call, answer) in calls.iter().zip(answers) {
            conversation.answer(call, answer);
        }
        Ok(news)
    }

    /// Answers a report that can't stand: in the call's place, or as a message when it came as text.
    fn refuse(&self, reports: &[Call], text: &str, conversation: &mut Conversation) {
        let Some((first, rest)) = reports.split_first() else { return conversation.say(text) };
        conversation.answer(first, text.to_owned());
        for call in rest {
            conversation.answer(call, "Only one report is taken a turn.".to_owned());
        }
    }
}

/// Returns what to judge: the first report that was called for, else the one that was written as text.
fn submitted(reports: &[Call], written: Option<ParsedReport>) -> Option<Submitted> {
    let called = reports.iter().find(|call| call.arguments.is_ok()).or(reports.first());
    called
        .map(|call| Submitted::Call(call.arguments.clone()))
        .or(written.map(|parsed| Submitted::Report(Box::new(parsed))))
}

fn unanswered(response: &ChatResponse) -> String {
    match response.finish {
        Finish::Length => {
            format!(
                "The answer was cut at the limit of output tokens. Answer with one short call, or call {SUBMIT}."
            )
        }
        Finish::Filtered => {
            format!("The answer was withheld by a filter. Call a tool, or call {SUBMIT}.")
        }
        Finish::Done => format!("Nothing was called. Call a tool to go on, or {SUBMIT} to end."),
    }
}

fn stop_reason(exhausted: Option<Exhausted>, otherwise: StopReason) -> StopReason {
    match exhausted {
        Some(Exhausted::Steps) => StopReason::StepBudget,
        Some(Exhausted::Calls) => StopReason::CallBudget,
        Some(Exhausted::Tokens) => StopReason::ObservationBudget,
        Some(Exhausted::Time) => StopReason::Deadline,
        Some(Exhausted::Dry) => StopReason::DiminishingReturns,
        None => otherwise,
    }
}
