//! The map as Markdown, for planners that read prose and want code with it. Files are numbered, so that findings cite them
//! without repeating paths.

use std::fmt::Write;

use super::{Snippets, citations, groups, search_line, snippets, verdict};
use crate::report::CodeMap;

/// Writes the map as Markdown; with `snippets` the code of its ranges follows each file.
pub fn markdown(map: &CodeMap, code: Option<&Snippets<'_>>) -> String {
    let groups = groups(map);
    let code = code.map(|code| snippets::collect(&groups, code));
    let mut out = String::new();
    // Writing to a string can't fail.
    let _ = writeln!(out, "# {}\n\n{}", inline(&map.question), verdict(map));
    for text in [&map.summary, &map.flow] {
        if !text.is_empty() {
            let _ = writeln!(out, "\n{}", inline(text));
        }
    }
    if !groups.is_empty() {
        out.push_str("\n## Places\n");
    }
    for (at, group) in groups.iter().enumerate() {
        let _ = writeln!(out, "\n{}. {}", at + 1, ticked(group.path));
        for entry in &group.entries {
            let symbols: Vec<String> = entry.symbols.iter().map(|name| ticked(name)).collect();
            let symbols =
                if symbols.is_empty() { String::new() } else { format!(" {}", symbols.join(", ")) };
            let text = if entry.text.is_empty() {
                String::new()
            } else {
                format!(": {}", inline(entry.text))
            };
            let _ = writeln!(out, "   - {}{symbols} ({}){text}", entry.range, entry.label);
        }
        let Some(code) = code.as_ref().and_then(|code| code.get(at)) else { continue };
        for block in &code.blocks {
            let body = snippets::numbered(block);
            let fence = "`".repeat(longest_ticks(&body).max(2) + 1);
            let _ = writeln!(out, "\n{fence}{}\n{body}{fence}", language(group.path));
        }
        for run in code.left_out.runs() {
            let _ = writeln!(out, "\nnot shown: lines {run}");
        }
    }
    if !map.findings.is_empty() {
        out.push_str("\n## Findings\n\n");
        for finding in &map.findings {
            let role = finding.role.map(|role| format!(" ({role})")).unwrap_or_default();
            let cited = citations(&finding.refs, &groups);
            let _ = writeln!(out, "- {}{role} {cited}", inline(&finding.fact));
        }
    }
    if !map.missing.is_empty() {
        out.push_str("\n## Missing\n\n");
        for gap in &map.missing {
            let critical = if gap.critical { " (critical)" } else { "" };
            let _ = writeln!(out, "- {}{critical}", inline(&gap.what));
        }
    }
    if let Some(search) = search_line(map) {
        let _ = writeln!(out, "\nSearch: {search}");
    }
    if !map.meta.reasons.is_empty() {
        let _ = writeln!(out, "\nHeld against it: {}", map.meta.reasons.join(", "));
    }
    out
}

/// Text on one line that can't open a block of its own.
fn inline(text: &str) -> String {
    crate::report::prose::clean(text).replace("```", "'''")
}

/// `name` as inline code, whatever backticks it holds.
fn ticked(name: &str) -> String {
    let ticks = "`".repeat(longest_ticks(name) + 1);
    let pad = if name.starts_with('`') || name.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{name}{pad}{ticks}")
}

fn longest_ticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// The info string of a fence: what the extension is called by highlighters.
fn language(path: &str) -> &str {
    let extension = path.rsplit('/').next().and_then(|name| name.rsplit_once('.'));
    let extension = extension.map_or("", |(_, extension)| extension);
    match extension {
        "rs" => "rust",
        "py" | "pyi" => "python",
        "ts" | "mts" | "cts" => "typescript",
        "js" | "mjs" | "cjs" => "javascript",
        "kt" | "kts" => "kotlin",
        "rb" => "ruby",
        "cs" => "csharp",
        "h" => "c",
        "cc" | "cxx" | "hpp" | "hh" => "cpp",
        "yml" => "yaml",
        "md" => "markdown",
        "sc" => "scala",
        other if other.chars().all(|c| c.is_ascii_alphanumeric()) => other,
        _ => "",
    }
}
