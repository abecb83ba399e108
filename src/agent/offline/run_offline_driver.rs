//! The loop of an offline driver: rounds of tool calls until it reports or a limit is reached.

use serde_json::Value;

use super::{default_offline_driver::DefaultOfflineDriver, offline_draft};
use crate::agent::{
    budget_tracker::RunLimit,
    conversation::ParsedToolCall,
    file_states_on_disk::file_states,
    offline_driver_trait::{OfflineDriver, OfflineState},
    report_check::{ReportAcceptance, ReportChecker, ReportChoice},
    run_events::RunEvent,
    run_state::RunState,
};
use retriever_report::{CodeMap, StopReason, TokenUsage, Verdict, evidence_ledger::FileEvidence};
use retriever_workspace::FileState;

/// How an exploration without a model ended.
pub(in crate::agent) struct OfflineOutcome {
    pub(in crate::agent) stop: StopReason,
    /// The map; `None` if nothing that the report cites is valid.
    pub(in crate::agent) map: Option<CodeMap>,
}

/// Explores with `driver` until it reports or a limit is reached. Every round of calls is a step, and so is the report.
pub(in crate::agent) async fn explore(
    driver: &dyn OfflineDriver,
    run: &mut RunState<'_>,
    checker: &ReportChecker,
) -> OfflineOutcome {
    let mut round = 1;
    loop {
        let status = run.context.status();
        if status.interrupted {
            return OfflineOutcome { stop: StopReason::Interrupted, map: None };
        }
        let limit = status.exhausted.map(RunLimit::stop_reason);
        if status.time_is_up || !status.has_step {
            return OfflineOutcome { stop: limit.unwrap_or(StopReason::NoReport), map: None };
        }
        run.context.budget.begin_step();
        let (step, of) = (run.context.budget.steps(), run.context.budget.limits().steps);
        run.observer.on_event(&RunEvent::StepStarted { step, of, forced: limit.is_some() });
        // The last step is for the report; a report without any read would be empty.
        let may_call = limit.is_none() && (round == 1 || step < of);
        let calls = if may_call { driver.calls(&state(run, round, &[])) } else { Vec::new() };
        run.observer.on_event(&RunEvent::ModelAnswered {
            step,
            calls: calls.len().max(1) as u64,
            usage: TokenUsage::default(),
            retries: 0,
            elapsed_ms: 0,
        });
        if calls.is_empty() {
            let map = submit(driver, run, round, checker).await;
            return OfflineOutcome { stop: limit.unwrap_or(StopReason::Submitted), map };
        }
        call_tools(calls, run).await;
        if run.tool_error.is_some() {
            return OfflineOutcome { stop: StopReason::ToolError, map: None };
        }
        round += 1;
    }
}

/// Makes a map after an exploration without a usable report, within the rest of the run's limits: from the candidates
/// that were read, else from everything that was delivered. Always returns a map.
pub(in crate::agent) async fn fall_back(
    run: &mut RunState<'_>,
    checker: &ReportChecker,
    reading: CandidateReadPolicy,
) -> CodeMap {
    if reading == CandidateReadPolicy::Candidates && !run.context.is_over() {
        for round in 1..=2 {
            let calls = DefaultOfflineDriver.calls(&state(run, round, &[]));
            call_tools(calls, run).await;
        }
    }
    let delivered = run.ledger.files().map(|file| file.version.path.clone()).collect();
    let file_states = file_states(&run.shared.workspace, delivered).await;
    let is_current = |file: &FileEvidence| {
        file_states.get(&file.version.path) == Some(&FileState::Current(file.version.hash))
    };
    let draft = offline_draft::fallback_report(&state(run, 1, &[]), &is_current);
    let map = checker.validate(&draft, &[], run).await.map;
    let refused = refused_reasons(&map);
    if refused.is_empty() {
        return map;
    }
    let draft = offline_draft::fallback_report(&state(run, 1, &refused), &is_current);
    checker.validate(&draft, &[], run).await.map
}

/// Whether a fallback reads the best candidates first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::agent) enum CandidateReadPolicy {
    Candidates,
    Nothing,
}

fn state<'a>(run: &'a RunState<'_>, round: u32, refused: &'a [String]) -> OfflineState<'a> {
    OfflineState {
        question: run.question,
        candidates: &run.candidates.candidates,
        no_answer: run.candidates.no_answer.as_ref(),
        flow: &run.flow,
        ledger: &run.ledger,
        round,
        refused,
    }
}

/// Runs the calls. Their results are recorded in the ledger; the texts are for models and dropped.
async fn call_tools(calls: Vec<(&'static str, Value)>, run: &mut RunState<'_>) {
    let calls: Vec<ParsedToolCall> = calls
        .into_iter()
        .map(|(name, arguments)| ParsedToolCall {
            id: String::new(),
            name: name.to_owned(),
            arguments: Ok(arguments),
        })
        .collect();
    let cancellation = run.context.cancellation().clone();
    run.call_tools(&calls, cancellation).await;
}

/// Validates the report of a driver; if reasons were cut, it is written once more without the refused parts. Returns
/// the map, or `None` if the report has references and none is valid.
async fn submit(
    driver: &dyn OfflineDriver,
    run: &mut RunState<'_>,
    round: u32,
    checker: &ReportChecker,
) -> Option<CodeMap> {
    let draft = driver.report(&state(run, round, &[]));
    let mut checked = checker.check_draft(draft, Vec::new(), run).await;
    let refused = checked.map.as_ref().map_or_else(Vec::new, refused_reasons);
    if !refused.is_empty() {
        let draft = driver.report(&state(run, round, &refused));
        checked = checker.check_draft(draft, Vec::new(), run).await;
    }
    run.first_draft.clone_from(&checked.draft);
    let accepted =
        if checked.map.is_some() { ReportAcceptance::Accepted } else { ReportAcceptance::Rejected };
    run.observer.on_event(&checked.event(
        run.context.budget.steps(),
        accepted,
        ReportChoice::Later,
    ));
    checked.map
}

/// Returns the references of the places whose reasons were changed.
fn refused_reasons(map: &CodeMap) -> Vec<String> {
    let primary = map.primary.iter().map(|item| (&item.place, item.verdict));
    let secondary = map.secondary.iter().map(|item| (&item.place, item.verdict));
    let refused = primary.chain(secondary).filter(|(_, verdict)| *verdict == Verdict::Cut);
    refused.map(|(place, _)| format!("{}:{}-{}", place.path, place.start, place.end)).collect()
}
