//! Lines that are comments as a whole.

use super::RunEvidence;
use retriever_workspace::{LineRange, RepoPath};

impl RunEvidence<'_> {
    /// Returns the first line of the comment that ends right above `line`; `line` itself without one.
    pub(in crate::validate::grounding) fn comment_start(&self, path: &RepoPath, line: u32) -> u32 {
        let Some(file) = self.file(path) else { return line };
        let is_above = |number: &u32| {
            LineRange::line(*number).is_some_and(|range| {
                let mut lines = file.lines_in(range);
                lines.any(|(_, text)| {
                    is_comment(text, path.extension()) || text.trim_start().starts_with(['@', '#'])
                })
            })
        };
        (1..line).rev().take_while(is_above).last().unwrap_or(line)
    }
}

/// Whether a line is a comment as a whole, in a file with this extension.
pub(super) fn is_comment(line: &str, extension: &str) -> bool {
    const HASH: [&str; 14] = [
        "py", "pyi", "rb", "sh", "bash", "pl", "r", "jl", "ex", "exs", "yml", "yaml", "toml", "php",
    ];
    const DASHES: [&str; 4] = ["lua", "sql", "hs", "elm"];
    let start = line.trim_start();
    let is_inner = start.strip_prefix('*').is_some_and(|rest| {
        rest.is_empty() || rest.starts_with(|c: char| c == '/' || c.is_whitespace())
    });
    is_inner
        || ["//", "/*", "\"\"\""].iter().any(|sign| start.starts_with(sign))
        || (start.starts_with('#') && HASH.contains(&extension))
        || (start.starts_with("--") && DASHES.contains(&extension))
}
