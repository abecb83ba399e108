//! The turns of an exploration as a state machine without I/O: [`TurnLoop::step`] takes an event and returns the next
//! action. It decides when the model is told to finish, when only a report is accepted, whether a report is accepted or
//! repaired, and when the exploration ends. A driver owns time, model and tools.

use super::budget_tracker::RunLimit;
use retriever_report::StopReason;

/// Consecutive turns without a call after which only a report is accepted.
const MAX_IDLE_TURNS: u32 = 2;

/// Turns that may pass without a report after only a report is accepted.
const MAX_REPORT_TURNS: u32 = 2;

/// The state of a run's limits at the time of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunStatus {
    /// The caller has requested the end of the run.
    pub(crate) interrupted: bool,
    /// No answer of the model is accepted any more.
    pub(crate) time_is_up: bool,
    /// Whether another step may be taken.
    pub(crate) has_step: bool,
    /// Why the exploration cannot go on, if it cannot.
    pub(crate) exhausted: Option<RunLimit>,
    /// Whether most of some limit is used.
    pub(crate) is_low: bool,
}

/// An event of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnEvent {
    /// A turn may begin.
    Ready(RunStatus),
    /// The model answered.
    Answered(ReplyContent),
    /// The model gave no answer.
    Failed(ModelFailure, RunStatus),
    /// The tool calls are answered.
    CallsAnswered,
    /// A tool failed, and the run cannot go on.
    ToolFailed,
    /// The report is validated.
    ReportChecked(ReportVerdict, RunStatus),
}

/// What an answer of the model contains. A report is not counted as a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplyContent {
    Nothing,
    Calls,
    Report,
    CallsAndReport,
}

/// How a request to the model failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModelFailure {
    /// The conversation is too long for the model.
    ContextTooLong,
    /// The time for exploring ended during the request.
    OutOfExploringTime,
    /// Anything else.
    Other,
}

/// The result of validating a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReportVerdict {
    /// Whether enough of the report is valid for a map.
    pub(crate) usable: bool,
    /// Whether a repair turn could improve it.
    pub(crate) repairable: bool,
}

/// The next action of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnAction {
    /// Send `notice` to the model, then request an answer.
    AskModel { notice: Option<NoticeToModel>, mode: AllowedModelReply },
    /// Run the tool calls of the answer.
    RunCalls,
    /// Validate the report of the answer.
    CheckReport,
    /// Tell the model that its answer has no call.
    RemindToCall,
    /// Shorten the conversation.
    ShortenConversation,
    /// Ask the model to repair its report.
    RequestRepair,
    /// Begin the next turn.
    NextTurn,
    /// End the exploration.
    End(ExplorationOutcome),
}

/// What a turn may consist of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AllowedModelReply {
    /// Tool calls or the report.
    Explore,
    /// The report only.
    ReportOnly,
}

/// A notice to the model before a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoticeToModel {
    /// Most of some limit is used.
    LowBudget,
    /// Only a report is accepted from now on.
    Finish(ForcedReportReason),
}

/// Why only a report is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ForcedReportReason {
    WorkBudgetExhausted(RunLimit),
    ContextTooLong,
    NoCalls,
}

/// How the exploration ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExplorationOutcome {
    pub(crate) stop: StopReason,
    /// Whether the last report was accepted.
    pub(crate) accepted: bool,
}

/// The phase of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The model explores, and may report.
    Exploring,
    /// Only a report is accepted.
    Finishing(ForcedReportReason),
    /// Only a corrected report is accepted.
    Repairing,
}

/// The state of an exploration between two events.
#[derive(Debug)]
pub(crate) struct TurnLoop {
    phase: Phase,
    /// The limit that was exhausted when the current turn began.
    exhausted: Option<RunLimit>,
    /// Consecutive turns without a call.
    idle_turns: u32,
    /// Answered turns in which only a report was accepted.
    report_turns: u32,
    /// Whether the conversation was shortened. It is done once.
    shortened: bool,
    /// Whether the current answer has a report that is not yet checked.
    unchecked_report: bool,
    /// Whether the notice of a low budget was sent. It is sent once.
    low_budget_announced: bool,
    finish_announced: bool,
}

impl TurnLoop {
    pub(crate) fn new() -> Self {
        Self {
            phase: Phase::Exploring,
            exhausted: None,
            idle_turns: 0,
            report_turns: 0,
            shortened: false,
            unchecked_report: false,
            low_budget_announced: false,
            finish_announced: false,
        }
    }

    /// Takes an event and returns what to do next.
    pub(crate) fn step(&mut self, event: TurnEvent) -> TurnAction {
        match event {
            TurnEvent::Ready(status) => self.begin_turn(status),
            TurnEvent::Answered(content) => self.take_answer(content),
            TurnEvent::Failed(failure, status) => self.take_failure(failure, status),
            TurnEvent::CallsAnswered if self.unchecked_report => TurnAction::CheckReport,
            TurnEvent::CallsAnswered => TurnAction::NextTurn,
            TurnEvent::ToolFailed => end(StopReason::ToolError),
            TurnEvent::ReportChecked(verdict, status) => self.take_verdict(verdict, status),
        }
    }

    fn begin_turn(&mut self, status: RunStatus) -> TurnAction {
        self.exhausted = status.exhausted;
        if status.interrupted {
            return end(StopReason::Interrupted);
        }
        if status.time_is_up || !status.has_step {
            return self.end_without_report();
        }
        self.enter_phase(status);
        if self.mode() == AllowedModelReply::ReportOnly && self.report_turns >= MAX_REPORT_TURNS {
            return self.end_without_report();
        }
        TurnAction::AskModel { notice: self.notice(status), mode: self.mode() }
    }

    /// Repairing lasts until the end. The model may leave the finishing phase by calling tools again, or by making
    /// progress if the lack of progress was the reason for finishing.
    fn enter_phase(&mut self, status: RunStatus) {
        if self.phase == Phase::Repairing {
            return;
        }
        self.phase = if let Some(limit) = status.exhausted {
            Phase::Finishing(ForcedReportReason::WorkBudgetExhausted(limit))
        } else if self.shortened {
            Phase::Finishing(ForcedReportReason::ContextTooLong)
        } else if self.idle_turns >= MAX_IDLE_TURNS {
            Phase::Finishing(ForcedReportReason::NoCalls)
        } else {
            Phase::Exploring
        };
    }

    fn mode(&self) -> AllowedModelReply {
        match self.phase {
            Phase::Exploring => AllowedModelReply::Explore,
            Phase::Finishing(_) | Phase::Repairing => AllowedModelReply::ReportOnly,
        }
    }

    fn notice(&mut self, status: RunStatus) -> Option<NoticeToModel> {
        match self.phase {
            Phase::Exploring if status.is_low && !self.low_budget_announced => {
                self.low_budget_announced = true;
                Some(NoticeToModel::LowBudget)
            }
            Phase::Finishing(reason) if !self.finish_announced => {
                self.finish_announced = true;
                Some(NoticeToModel::Finish(reason))
            }
            Phase::Exploring | Phase::Finishing(_) | Phase::Repairing => None,
        }
    }

    fn take_answer(&mut self, content: ReplyContent) -> TurnAction {
        self.report_turns += u32::from(self.mode() == AllowedModelReply::ReportOnly);
        self.unchecked_report =
            matches!(content, ReplyContent::Report | ReplyContent::CallsAndReport);
        if content == ReplyContent::Nothing {
            self.idle_turns += 1;
            return TurnAction::RemindToCall;
        }
        self.idle_turns = 0;
        match content {
            ReplyContent::Report => TurnAction::CheckReport,
            _ => TurnAction::RunCalls,
        }
    }

    fn take_failure(&mut self, failure: ModelFailure, status: RunStatus) -> TurnAction {
        match failure {
            // A report on the lines so far needs less space than the exploration.
            ModelFailure::ContextTooLong if !self.shortened => {
                self.shortened = true;
                TurnAction::ShortenConversation
            }
            // The rest of the time is reserved for a report.
            ModelFailure::OutOfExploringTime if self.mode() == AllowedModelReply::Explore => {
                TurnAction::NextTurn
            }
            _ if status.time_is_up => end(StopReason::Deadline),
            _ => end(StopReason::ModelError),
        }
    }

    fn take_verdict(&mut self, verdict: ReportVerdict, status: RunStatus) -> TurnAction {
        self.unchecked_report = false;
        let may_repair = self.phase != Phase::Repairing
            && status.has_step
            && !status.time_is_up
            && !status.interrupted;
        if verdict.usable && !(verdict.repairable && may_repair) {
            let stop = self.exhausted.map_or(StopReason::Submitted, RunLimit::stop_reason);
            return TurnAction::End(ExplorationOutcome { stop, accepted: true });
        }
        if !may_repair {
            return self.end_without_report();
        }
        self.phase = Phase::Repairing;
        // The repair turn itself must be possible.
        self.report_turns = self.report_turns.min(MAX_REPORT_TURNS - 1);
        TurnAction::RequestRepair
    }

    fn end_without_report(&self) -> TurnAction {
        end(self.exhausted.map_or(StopReason::NoReport, RunLimit::stop_reason))
    }
}

pub(super) fn end(stop: StopReason) -> TurnAction {
    TurnAction::End(ExplorationOutcome { stop, accepted: false })
}
