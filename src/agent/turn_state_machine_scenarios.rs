//! Scenarios of the turn loop, each a list of `event -> action` lines. `ready` and `fails` are followed by the limits that
//! are reached: `low`, `steps`, `calls`, `tokens`, `time`, `dry`, `last step used`, `deadline`, `interrupted`.

use pretty_assertions::assert_eq;

use super::{budget_tracker::RunLimit, turn_state_machine::*};

const SCENARIOS: &[(&str, &str)] = &[
    (
        "a clean run",
        "ready -> ask
         calls -> run calls
         done -> next
         ready -> ask
         report -> check
         usable -> end submitted, accepted",
    ),
    (
        "a report beside calls is checked after they ran",
        "ready -> ask
         calls and report -> run calls
         done -> check
         usable -> end submitted, accepted",
    ),
    (
        "a tool that fails for good ends the run, even beside a report",
        "ready -> ask
         calls and report -> run calls
         a tool fails -> end tool_error",
    ),
    (
        "one repair turn, and no second",
        "ready -> ask
         report -> check
         repairable -> repair
         ready -> ask for the report
         report -> check
         repairable -> end submitted, accepted",
    ),
    (
        "an unusable report is repaired once, then the run ends without one",
        "ready -> ask
         report -> check
         unusable -> repair
         ready -> ask for the report
         report -> check
         unusable -> end no_report",
    ),
    (
        "a repairable report in the last step is accepted",
        "ready steps -> say last step, ask for the report
         report -> check
         repairable, last step used -> end step_budget, accepted",
    ),
    (
        "an unusable report in the last step ends the run with the limit",
        "ready steps -> say last step, ask for the report
         report -> check
         unusable, last step used -> end step_budget",
    ),
    (
        "the repair turn comes even after two forced turns",
        "ready calls -> say no calls, ask for the report
         calls -> run calls
         done -> next
         ready calls -> ask for the report
         report -> check
         unusable -> repair
         ready calls -> ask for the report
         report -> check
         usable -> end call_budget, accepted",
    ),
    (
        "two turns that only accept a report pass without one",
        "ready tokens -> say no tokens, ask for the report
         calls -> run calls
         done -> next
         ready tokens -> ask for the report
         nothing -> remind
         ready tokens -> end observation_budget",
    ),
    (
        "a low budget is announced once, the end once",
        "ready low -> say low, ask
         calls -> run calls
         done -> next
         ready low -> ask
         calls -> run calls
         done -> next
         ready steps low -> say last step, ask for the report
         report -> check
         usable -> end step_budget, accepted",
    ),
    (
        "two idle turns force the report; a call afterwards goes on",
        "ready -> ask
         nothing -> remind
         ready -> ask
         nothing -> remind
         ready -> say no calls made, ask for the report
         calls -> run calls
         done -> next
         ready -> ask
         report -> check
         usable -> end submitted, accepted",
    ),
    (
        "four idle turns end the run",
        "ready -> ask
         nothing -> remind
         ready -> ask
         nothing -> remind
         ready -> say no calls made, ask for the report
         nothing -> remind
         ready -> ask for the report
         nothing -> remind
         ready -> end no_report",
    ),
    (
        "progress ends the lack of it",
        "ready dry -> say nothing new, ask for the report
         calls -> run calls
         done -> next
         ready -> ask
         calls -> run calls
         done -> next
         ready dry -> ask for the report
         nothing -> remind
         ready dry -> end diminishing_returns",
    ),
    (
        "a conversation that is too long is shortened once",
        "ready -> ask
         fails: too long -> shorten
         ready -> say too long, ask for the report
         fails: too long -> end model_error",
    ),
    (
        "a shortened conversation ends in a report",
        "ready -> ask
         fails: too long -> shorten
         ready -> say too long, ask for the report
         report -> check
         usable -> end submitted, accepted",
    ),
    (
        "a request that takes the exploring time leaves the time for the report",
        "ready -> ask
         fails: out of time -> next
         ready time -> say time is up, ask for the report
         report -> check
         usable -> end deadline, accepted",
    ),
    (
        "a request that takes all the time ends the run",
        "ready time -> say time is up, ask for the report
         fails: out of time, deadline -> end deadline",
    ),
    ("a failing model ends the run", "ready -> ask\n fails -> end model_error"),
    ("no step is left", "ready last step used -> end no_report"),
    ("no step is left and a limit is named", "ready steps last step used -> end step_budget"),
    ("the deadline has passed", "ready time deadline -> end deadline"),
    (
        "an interrupt ends the run before anything else",
        "ready -> ask
         calls -> run calls
         done -> next
         ready steps deadline interrupted -> end interrupted",
    ),
    (
        "after an interrupt there is no repair",
        "ready -> ask
         report -> check
         unusable, interrupted -> end no_report",
    ),
];

fn status(words: &str) -> RunStatus {
    let has = |word: &str| words.contains(word);
    let limits = [
        ("tokens", RunLimit::Tokens),
        ("calls", RunLimit::Calls),
        ("steps", RunLimit::Steps),
        ("dry", RunLimit::NoProgress),
    ];
    let is_out_of_time = has("deadline") || has("ready time");
    RunStatus {
        interrupted: has("interrupted"),
        time_is_up: has("deadline"),
        has_step: !has("last step used"),
        exhausted: limits
            .into_iter()
            .find(|(word, _)| has(word))
            .map(|(_, limit)| limit)
            .or(is_out_of_time.then_some(RunLimit::Time)),
        is_low: has("low"),
    }
}

fn event(words: &str) -> TurnEvent {
    let verdict = |usable, repairable| {
        TurnEvent::ReportChecked(ReportVerdict { usable, repairable }, status(words))
    };
    match words {
        "calls" => TurnEvent::Answered(ReplyContent::Calls),
        "report" => TurnEvent::Answered(ReplyContent::Report),
        "calls and report" => TurnEvent::Answered(ReplyContent::CallsAndReport),
        "nothing" => TurnEvent::Answered(ReplyContent::Nothing),
        "done" => TurnEvent::CallsAnswered,
        "a tool fails" => TurnEvent::ToolFailed,
        words if words.starts_with("ready") => TurnEvent::Ready(status(words)),
        words if words.starts_with("usable") => verdict(true, false),
        words if words.starts_with("repairable") => verdict(true, true),
        words if words.starts_with("unusable") => verdict(false, true),
        words => {
            let failure = match words.trim_start_matches("fails").trim_start_matches(": ") {
                "too long" => ModelFailure::ContextTooLong,
                failure if failure.starts_with("out of time") => ModelFailure::OutOfExploringTime,
                _ => ModelFailure::Other,
            };
            TurnEvent::Failed(failure, status(words))
        }
    }
}

fn described(action: TurnAction) -> String {
    match action {
        TurnAction::AskModel { notice, mode } => {
            let notice = notice.map_or("", |notice| match notice {
                NoticeToModel::LowBudget => "say low, ",
                NoticeToModel::Finish(ForcedReportReason::ContextTooLong) => "say too long, ",
                NoticeToModel::Finish(ForcedReportReason::NoCalls) => "say no calls made, ",
                NoticeToModel::Finish(ForcedReportReason::WorkBudgetExhausted(limit)) => {
                    match limit {
                        RunLimit::Steps => "say last step, ",
                        RunLimit::Calls => "say no calls, ",
                        RunLimit::Tokens => "say no tokens, ",
                        RunLimit::Time => "say time is up, ",
                        RunLimit::NoProgress => "say nothing new, ",
                    }
                }
            });
            let request = match mode {
                AllowedModelReply::Explore => "ask",
                AllowedModelReply::ReportOnly => "ask for the report",
            };
            format!("{notice}{request}")
        }
        TurnAction::RunCalls => "run calls".to_owned(),
        TurnAction::CheckReport => "check".to_owned(),
        TurnAction::RemindToCall => "remind".to_owned(),
        TurnAction::ShortenConversation => "shorten".to_owned(),
        TurnAction::RequestRepair => "repair".to_owned(),
        TurnAction::NextTurn => "next".to_owned(),
        TurnAction::End(ExplorationOutcome { stop, accepted }) => {
            format!("end {stop}{}", if accepted { ", accepted" } else { "" })
        }
    }
}

#[test]
fn every_scenario_takes_its_course() {
    for (name, lines) in SCENARIOS {
        let mut turns = TurnLoop::new();
        for line in lines.lines().map(str::trim) {
            let Some((words, expected)) = line.split_once(" -> ") else {
                unreachable!("{name}: {line} has no arrow")
            };
            assert_eq!(described(turns.step(event(words))), expected, "{name}: {line}");
        }
    }
}
