//! The run: steps, calls, what was delivered, truncated and rejected, and the tokens that were spent.

use std::collections::BTreeSet;

use maud::{Markup, html};
use retriever::{RunEvent, report::meaning_of_reason, tools::ToolOutcome};
use serde_json::Value;

use super::value_formatting::{bar, count, seconds, word};

/// Most characters of a call's arguments.
const MAX_ARGUMENT_CHARS: usize = 160;

/// Returns the events as a table.
pub(super) fn timeline(events: &[RunEvent]) -> Markup {
    let delivered = events.iter().filter_map(|event| match event {
        RunEvent::ToolFinished { tokens, .. } => Some(*tokens),
        RunEvent::ReconFinished { packet_tokens, .. } => Some(*packet_tokens),
        _ => None,
    });
    let longest = delivered.max().unwrap_or(0).max(1);
    html! {
        h2 { "Run" }
        (totals(events))
        div.wide.stack tabindex="0" role="region" aria-label="Run" { table {
            caption { "Delivered: tokens that the model was shown. New: lines that it had not seen before." }
            thead { tr { th scope="col" { "What" } th scope="col" { "Ended" } th.number scope="col" { "Delivered" } th.number scope="col" { "New" } th.number scope="col" { "Time" } } }
            tbody { @for event in events { (row(event, events, longest)) } }
        } }
    }
}

fn totals(events: &[RunEvent]) -> Markup {
    let (mut cut, mut refused, mut failed, mut calls, mut delivered) = (0, 0, 0, 0, 0);
    let (mut prompt, mut completion) = (0, 0);
    for event in events {
        match event {
            RunEvent::ToolFinished { outcome, tokens, .. } => {
                calls += 1;
                delivered += tokens;
                cut += u32::from(*outcome == ToolOutcome::Truncated);
                failed += u32::from(*outcome == ToolOutcome::Failed);
                refused += u32::from(is_refusal(*outcome));
            }
            RunEvent::ReconFinished { packet_tokens, .. } => delivered += packet_tokens,
            RunEvent::ModelAnswered { usage, .. } => {
                prompt += usage.prompt_tokens;
                completion += usage.completion_tokens;
            }
            _ => {}
        }
    }
    html! {
        ul.chips {
            li.chip { (count(delivered)) " tokens delivered" }
            li.chip { (calls) " calls: " (cut) " cut, " (refused) " refused, " (failed) " failed" }
            @if prompt + completion > 0 { li.chip { "model: " (count(prompt)) " prompt, " (count(completion)) " completion tokens" } }
        }
    }
}

fn is_refusal(outcome: ToolOutcome) -> bool {
    matches!(
        outcome,
        ToolOutcome::BadPattern
            | ToolOutcome::BadPath
            | ToolOutcome::BadArguments
            | ToolOutcome::Redundant
    )
}

fn row(event: &RunEvent, events: &[RunEvent], longest: u64) -> Markup {
    let bar = |tokens: u64| bar(tokens as f64 / longest as f64, &count(tokens));
    let is_offline = |event: &RunEvent| matches!(event, RunEvent::RunStarted { model: None, .. });
    let author = if events.iter().any(is_offline) { "Offline driver" } else { "Model" };
    match event {
        RunEvent::ReconFinished { files, candidates, packet_tokens, elapsed_ms, .. } => html! {
            tr { td.full { "Search of " (count(*files)) " files" } td { (candidates) " candidates" } td.number { (bar(*packet_tokens)) } td.number {} td.number { (seconds(*elapsed_ms)) } }
        },
        RunEvent::StepStarted { step, of, forced } => html! {
            tr.step { td.full colspan="5" { "Step " (step) " of " (of) @if *forced { ": only a report is accepted" } } }
        },
        RunEvent::ModelAnswered { calls, usage, retries, elapsed_ms, .. } => html! {
            tr { td.full { (author) " answered" @if *retries > 0 { ", after " (retries) " retries" } } td { @if *calls > 0 { "calls: " (calls) } }
                td.number { @if usage.prompt_tokens > 0 { (count(usage.prompt_tokens)) " in, " (count(usage.completion_tokens)) " out" } } td.number {} td.number { (seconds(*elapsed_ms)) } }
        },
        RunEvent::ModelFailed { error, message, .. } => html! {
            tr { td.full { "Model failed: " (message) } td.bad { (error) } td.number {} td.number {} td.number {} }
        },
        RunEvent::Nudged { .. } => {
            html! { tr { td.full { "Told to finish" } td {} td.number {} td.number {} td.number {} } }
        }
        RunEvent::ToolFinished { call, tool, outcome, tokens, new_lines, elapsed_ms, .. } => {
            html! {
                tr { td.full { code { (tool) " " (arguments_of(*call, events)) } } td class=(class_of(*outcome)) { (ending(*outcome)) }
                    td.number { (bar(*tokens)) } td.number data-label="new" { (new_lines) } td.number { (seconds(*elapsed_ms)) } }
            }
        }
        RunEvent::DraftJudged { accepted, kept, confidence, reasons, .. } => html! {
            tr { td.full { "Report " @if *accepted { "accepted" } @else { "sent back" } ", confidence " (confidence)
                @if !kept { "; an earlier report is kept: its confidence is higher, or it says what this one leaves out" } }
                td class=(if *accepted { "good" } else { "fair" }) { (reasons.len()) " remarks" } td.number {} td.number {} td.number {} }
            @if !reasons.is_empty() { tr { td.full colspan="5" { ul.plain { (remarks(reasons)) } } } }
        },
        RunEvent::RunFinished { status, confidence, stop_reason, elapsed_ms, .. } => html! {
            tr.step { td.full { "End: " (word(stop_reason)) } td { (status) ", confidence " (confidence) } td.number {} td.number {} td.number { (seconds(*elapsed_ms)) } }
        },
        _ => html! {},
    }
}

/// Returns each remark: its code, its subject and, if it starts with a reason code, the meaning of that.
fn remarks(reasons: &[String]) -> Markup {
    let mut explained = BTreeSet::new();
    html! {
        @for reason in reasons {
            @let (code, about) = reason.split_once(' ').unwrap_or((reason.as_str(), ""));
            @let meaning = meaning_of_reason(code).filter(|_| explained.insert(code));
            li { code { (code) } " " (about) @if let Some(meaning) = meaning { " " span.soft { "– " (meaning) } } }
        }
    }
}

fn arguments_of(call: u32, events: &[RunEvent]) -> String {
    let arguments = events.iter().find_map(|event| match event {
        RunEvent::ToolStarted { call: number, arguments, .. } if *number == call => Some(arguments),
        _ => None,
    });
    let Some(Value::Object(fields)) = arguments else { return String::new() };
    let shown: Vec<String> = fields
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| match value {
            Value::String(text) => format!("{name}={text}"),
            other => format!("{name}={other}"),
        })
        .collect();
    let shown = shown.join(" ");
    if shown.chars().nth(MAX_ARGUMENT_CHARS).is_none() {
        return shown;
    }
    format!("{}…", shown.chars().take(MAX_ARGUMENT_CHARS).collect::<String>())
}

fn ending(outcome: ToolOutcome) -> &'static str {
    match outcome {
        ToolOutcome::Found => "found",
        ToolOutcome::Truncated => "cut",
        ToolOutcome::NoMatch => "nothing",
        ToolOutcome::Redundant => "refused: seen already",
        ToolOutcome::BadPattern => "refused: pattern",
        ToolOutcome::BadPath => "refused: path",
        ToolOutcome::BadArguments => "refused: arguments",
        ToolOutcome::Failed => "failed",
    }
}

fn class_of(outcome: ToolOutcome) -> &'static str {
    match outcome {
        ToolOutcome::Found => "good",
        ToolOutcome::Truncated | ToolOutcome::NoMatch => "fair",
        _ => "bad",
    }
}
