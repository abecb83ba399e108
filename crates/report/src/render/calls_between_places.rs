//! Calls between the places of a map: a name that one place declares is used in the lines of another. Only the names of
//! declarations come from the report; the lines are read from disk.

use std::collections::BTreeSet;

use super::{
    places_by_file::{FilePlaces, file_groups},
    snippets::Snippets,
};
use crate::{code_map::CodeMap, prose_normalization::is_word_char_or_dollar};
use retriever_workspace::LineRange;

/// Most calls that are listed.
const MAX_CALLS: usize = 12;
/// Shortest name that is searched for; shorter ones match by chance.
const MIN_NAME_BYTES: usize = 3;

/// Starts of lines that are comments in some language.
const COMMENT_MARKS: [&str; 5] = ["//", "#", "*", "/*", "--"];

/// A use of one place in another.
pub struct CallBetweenPlaces<'a> {
    /// Name of the place that uses the other.
    pub caller: &'a str,
    /// Name of the place that is used.
    pub callee: &'a str,
    /// Number of the caller's file in the list of files, from 1.
    pub(super) file: usize,
    /// The line of the caller's file.
    pub line: u32,
}

/// Returns the calls between the places of `map`.
pub fn calls_between<'a>(map: &'a CodeMap, code: &Snippets<'_>) -> Vec<CallBetweenPlaces<'a>> {
    calls(&file_groups(map), code)
}

/// A declaration that the map names.
struct NamedPlace<'a> {
    name: &'a str,
    file: usize,
    path: &'a str,
    range: LineRange,
}

/// Returns the calls between the places, in the order of the callers.
pub(super) fn calls<'a>(
    groups: &[FilePlaces<'a>],
    code: &Snippets<'_>,
) -> Vec<CallBetweenPlaces<'a>> {
    let mut declared: Vec<NamedPlace<'a>> = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        for entry in &group.entries {
            let Some(name) = entry.symbols.first() else { continue };
            let known =
                declared.iter().any(|other| (other.path, other.range) == (group.path, entry.range));
            if !known {
                declared.push(NamedPlace {
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
                    calls.push(CallBetweenPlaces { caller, callee, file, line });
                }
            }
        }
    }
    calls.truncate(MAX_CALLS);
    calls
}

/// Whether the line is inside the callee's own declaration.
fn is_inside(line: u32, caller: &NamedPlace<'_>, callee: &NamedPlace<'_>) -> bool {
    caller.path == callee.path && callee.range.contains(line)
}

/// Whether the line calls, constructs or accesses a member of what `name` names.
fn uses(line: &str, name: &str) -> bool {
    let name = name.rsplit(['.', ':', '#']).next().unwrap_or(name);
    let code = line.trim_start();
    if name.len() < MIN_NAME_BYTES || COMMENT_MARKS.iter().any(|mark| code.starts_with(mark)) {
        return false;
    }
    code.match_indices(name).any(|(at, _)| {
        let after = code[at + name.len()..].trim_start();
        !code[..at].ends_with(is_word_char_or_dollar)
            && !code[at + name.len()..].starts_with(is_word_char_or_dollar)
            && after.starts_with(['(', '.', ':', '{', '!', '<', '?'])
    })
}
