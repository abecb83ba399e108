//! The map as Markdown. Files are numbered, and findings cite them by number.

use std::fmt::Write;

use super::{
    calls_between_places,
    places_by_file::{FilePlaces, citations, file_groups, known_label},
    shared_report_lines::{doubt, not_listed, reason_lines, search_line, verdict_line},
    snippets::{self, FileSnippets, Snippets},
};
use crate::{
    code_map::{CodeMap, KnownPlace, StopReason},
    prose_normalization::single_line,
    validation_reason_codes::ReasonCode,
};
use retriever_graph::indexing::Language;
use retriever_search::PlaceRole;
use retriever_workspace::escape_control;

/// Writes the map as Markdown. With `code`, the code of its ranges follows each file, and the calls between them are listed.
pub fn markdown(map: &CodeMap, code: Option<&Snippets<'_>>) -> String {
    let groups = file_groups(map);
    let mut out = String::new();
    // Writing to a string cannot fail.
    if !map.question.is_empty() {
        let _ = writeln!(out, "# {}\n", inline(&map.question));
    }
    let _ = writeln!(out, "{}", verdict_line(map));
    if !map.summary.is_empty() {
        let _ = writeln!(out, "\n{}{}", inline(&map.summary), doubt(map.summary_verdict));
    }
    if !map.flow.is_empty() {
        let _ = writeln!(out, "\n## Flow\n\n{}{}", inline(&map.flow), doubt(map.flow_verdict));
    }
    if !map.findings.is_empty() {
        out.push_str("\n## Findings\n\n");
        for finding in &map.findings {
            let role = finding.role.map(|role| format!(" ({role})")).unwrap_or_default();
            let cited = citations(finding, &groups);
            let (fact, doubt) = (inline(&finding.fact), doubt(finding.verdict));
            let _ = writeln!(out, "- {fact}{doubt}{role} {cited}");
        }
    }
    places(&mut out, &groups, code);
    if !map.known.is_empty() {
        out.push_str("\n## Places of earlier answers\n\n");
        for place in &map.known {
            let _ = writeln!(out, "- {}", known_place(place));
        }
    }
    let calls = code.map(|code| calls_between_places::calls(&groups, code)).unwrap_or_default();
    if !calls.is_empty() {
        out.push_str("\n## Call chain\n\n");
        for call in calls {
            let (caller, callee) = (inline_code(call.caller), inline_code(call.callee));
            let _ = writeln!(out, "- {caller} → {callee} [{}:{}]", call.file, call.line);
        }
    }
    observations(&mut out, map);
    not_explored(&mut out, map);
    out
}

fn places(out: &mut String, groups: &[FilePlaces<'_>], code: Option<&Snippets<'_>>) {
    if groups.is_empty() {
        return;
    }
    let code = code.map(|code| snippets::collect(groups, code));
    out.push_str("\n## Places\n");
    for (at, group) in groups.iter().enumerate() {
        let _ = writeln!(out, "\n{}. {}", at + 1, inline_code(group.path));
        for entry in &group.entries {
            let symbols: Vec<String> = entry.symbols.iter().map(|name| inline_code(name)).collect();
            let symbols =
                if symbols.is_empty() { String::new() } else { format!(" {}", symbols.join(", ")) };
            let id = entry.id.map(|id| format!(" [{id}]")).unwrap_or_default();
            let text = if entry.text.is_empty() {
                String::new()
            } else {
                format!(": {}{}", inline(&entry.text), doubt(entry.verdict))
            };
            let _ = writeln!(out, "   - {}{id}{symbols} ({}){text}", entry.range, entry.label);
        }
        if let Some(code) = code.as_ref().and_then(|code| code.get(at)) {
            file_code(out, group.path, code);
        }
    }
}

fn file_code(out: &mut String, path: &str, code: &FileSnippets) {
    for block in &code.blocks {
        let body = snippets::numbered(block);
        let fence = "`".repeat(longest_backticks(&body).max(2) + 1);
        let place = inline_code(&format!("{path}:{}", block.range));
        let _ = writeln!(out, "\n{place}\n\n{fence}{}\n{body}{fence}", info_string(path));
    }
    for run in code.omitted.runs() {
        let _ = writeln!(out, "\nnot shown: lines {run}");
    }
}

fn known_place(place: &KnownPlace) -> String {
    let mut label = place.role.map_or_else(|| place.list.to_string(), |role| role.to_string());
    if place.required {
        label.push_str(", required");
    }
    format!("{} ({label}): {}", known_label(&place.place), inline(&place.why))
}

/// Writes the figures of the run and the reasons against its report.
fn observations(out: &mut String, map: &CodeMap) {
    let meta = &map.meta;
    let _ = writeln!(
        out,
        "\n## Observations\n\n- {} tokens of the repository were seen, in {} steps with {} tool calls; it ended with {}",
        meta.observed_tokens, meta.steps, meta.tool_calls, meta.stop_reason
    );
    if !meta.reasons.is_empty() {
        let _ = writeln!(out, "- held against it:");
        for reason in reason_lines(map) {
            let _ = writeln!(out, "  - {reason}");
        }
    }
    if let Some(session) = &meta.session {
        let again = if session.hit { "; this one again" } else { "" };
        let _ = writeln!(
            out,
            "- {} of the session's {} answers were given again{again}",
            session.hits, session.questions
        );
    }
}

/// Writes gaps, why the run ended early, and the suggested search.
fn not_explored(out: &mut String, map: &CodeMap) {
    let mut lines = Vec::new();
    for gap in &map.missing {
        let critical = if gap.critical { " (critical)" } else { "" };
        lines.push(format!("{}{critical}", inline(&gap.what)));
    }
    let is_uncovered = |reason: &String| reason == ReasonCode::RoleMissingCritical.as_ref();
    if map.meta.reasons.iter().any(is_uncovered) && !map.requested_roles.is_empty() {
        let roles: Vec<&str> = map.requested_roles.iter().map(PlaceRole::as_ref).collect();
        let of = if roles.len() == 1 { "" } else { "one of " };
        lines.push(format!("no place was found for {of}{}", roles.join(", ")));
    }
    let ended_early = match map.meta.stop_reason {
        StopReason::Submitted | StopReason::DiminishingReturns => None,
        StopReason::StepBudget
        | StopReason::CallBudget
        | StopReason::ObservationBudget
        | StopReason::Deadline => Some("the budget ended the exploration"),
        StopReason::Interrupted => Some("the exploration was interrupted"),
        StopReason::ModelError | StopReason::NoReport => Some("the model did not finish it"),
        StopReason::ToolError => Some("a tool failed"),
    };
    lines.extend(ended_early.map(str::to_owned));
    lines.extend(not_listed(map, inline_code));
    lines.extend(search_line(map).map(|search| format!("search: {search}")));
    if !lines.is_empty() {
        out.push_str("\n## Not explored\n\n");
        for line in lines {
            let _ = writeln!(out, "- {line}");
        }
    }
}

/// Returns `text` on one line, without anything that opens a block.
fn inline(text: &str) -> String {
    single_line(text).replace("```", "'''")
}

/// Returns `text` as inline code, whatever backticks it contains. Control and direction characters are escaped.
fn inline_code(text: &str) -> String {
    let text = escape_control(text);
    let fence = "`".repeat(longest_backticks(&text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

fn longest_backticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Returns the info string of a fence: the language name that highlighters use for the extension.
fn info_string(path: &str) -> &str {
    let language = Language::of_path(path).map(Language::name);
    if let Some(name) = language.or_else(|| Language::left_out(path)) {
        return name;
    }
    let extension = path.rsplit('/').next().and_then(|name| name.rsplit_once('.'));
    let extension = extension.map_or("", |(_, extension)| extension);
    match extension {
        "yml" => "yaml",
        "md" => "markdown",
        other if other.chars().all(|c| c.is_ascii_alphanumeric()) => other,
        _ => "",
    }
}
