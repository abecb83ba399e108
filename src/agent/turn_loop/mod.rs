//! The turns of an exploration as a state machine without I/O: [`TurnLoop::step`] takes what happened and returns what to
//! do next. It decides when the model is told to finish, when only a report is accepted, whether a report is accepted or
//! repaired, and when the exploration ends. A driver owns time, model and tools.

#[cfg(test)]
mod turn_loop_scenarios;
mod turn_state_machine;
pub(super) use self::turn_state_machine::{
    AllowedModelReply, ExplorationOutcome, ForcedReportReason, ModelFailure, NoticeToModel,
    ReplyContent, ReportVerdict, RunStatus, TurnAction, TurnEvent, TurnLoop,
};
