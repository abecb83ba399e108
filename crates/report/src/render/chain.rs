//! Which of a map's places call which, as far as their own code shows it: a name that one place declares is used in the lines
//! of another. Nothing is taken from what a model wrote but the names of declarations, and each line is read from disk.

use std::collections::BTreeSet;

use super::{Group, Snippets};
use retriever_workspace::LineRange;

/// Most calls that are listed.
const MOST: usize = 12;
/// Shortest name that is looked for; shorter ones are in every line.
const SHORTEST: usize = 3;

/// One place's use of another.
pub(super) struct Call<'a> {
    pub(super) caller: &'a str,
    pub(super) callee: &'a str,
    /// The caller's file, by its number in the list, from 1.
    pub(super) file: usize,
    pub(super) line: u32,
}

/// A declaration that a map names.
struct Declared<'a> {
    name: &'a str,
    file: usize,
    path: &'a str,
    range: LineRange,
}

/// Finds the calls between the places, in the order of the callers.
pub(super) fn calls<'a>(groups: &[Group<'a>], code: &Snippets<'_>) -> Vec<Call<'a>> {
    let mut declared: Vec<Declared<'a>> = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        for entry in &group.entries {
            let Some(name) = entry.symbols.first() else { continue };
            let known =
                declared.iter().any(|other| (other.path, other.range) == (group.path, entry.range));
            if !known {
                declared.push(Declared {
                    name,
                    file: at + 1,
                    path: group.path,
                    range: entry.range,
                });
            }
        }
    }
    let mut calls = Vec::new();
    for caller in &declared {
        let Some(lines) = (code.read)(caller.path, caller.range) else { continue };
        let mut seen = BTreeSet::new();
        for (line, text) in (caller.range.start()..).zip(&lines) {
            for callee in &declared {
                let is_other = caller.name != callee.name && !is_inside(line, caller, callee);
                if is_other && uses(text, callee.name) && seen.insert(callee.name) {
                    let (caller, callee, file) = (caller.name, callee.name, caller.file);
                    calls.push(Call { caller, callee, file, line });
                }
            }
        }
    }
    calls.truncate(MOST);
    calls
}

/// Whether the line is the callee's own declaration.
fn is_inside(line: u32, caller: &Declared<'_>, callee: &Declared<'_>) -> bool {
    caller.path == callee.path && callee.range.contains(line)
}

/// Whether code on this line calls, builds or reaches into what `name` names.
fn uses(line: &str, name: &str) -> bool {
    let name = name.rsplit(['.', ':', '#']).next().unwrap_or(name);
    let code = line.trim_start();
    if name.len() < SHORTEST || ["//", "#", "*", "/*", "--"].iter().any(|it| code.starts_with(it)) {
        return false;
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    code.match_indices(name).any(|(at, _)| {
        let behind = code[at + name.len()..].trim_start();
        !code[..at].ends_with(is_part)
            && !code[at + name.len()..].starts_with(is_part)
            && behind.starts_with(['(', '.', ':', '{', '!', '<', '?'])
    })
}
