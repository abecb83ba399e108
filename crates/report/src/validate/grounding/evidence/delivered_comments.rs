//! Finds delivered lines that are nothing but a comment.

use super::RunEvidence;
use crate::validate::citation::Citation;
use retriever_search::is_comment_line;
use retriever_workspace::{LineRange, RepoPath};

impl RunEvidence<'_> {
    /// Returns the first line of the comment that ends right above `line`; `line` itself without one.
    pub(in crate::validate::grounding) fn comment_start(&self, path: &RepoPath, line: u32) -> u32 {
        let is_above = |number: &u32| {
            self.is_comment(path, *number)
                || self.text_at(path, *number).is_some_and(|text| text.starts_with(['@', '#']))
        };
        (1..line).rev().take_while(is_above).last().unwrap_or(line)
    }

    /// Returns the lines of a declaration with those of the comment right above it.
    pub(in crate::validate::grounding) fn with_comment(
        &self,
        path: &RepoPath,
        declared: LineRange,
    ) -> LineRange {
        let start = self.comment_start(path, declared.start());
        LineRange::new(start, declared.end()).unwrap_or(declared)
    }

    /// Returns the cited lines that are no comments.
    pub(in crate::validate::grounding) fn code_of(&self, refs: &[Citation]) -> String {
        let mut code = String::new();
        for citation in refs {
            let lines = self.file(&citation.path).into_iter();
            let lines = lines.flat_map(|file| file.lines_in(citation.range));
            for (_, line) in lines.filter(|(number, _)| !self.is_comment(&citation.path, *number)) {
                code.push_str(line);
                code.push('\n');
            }
        }
        code
    }

    /// Whether a delivered line is a comment. One that begins with `*` can be a product, unless a comment is above it.
    pub(in crate::validate::grounding) fn is_comment(&self, path: &RepoPath, line: u32) -> bool {
        let is_one = |text: &str| is_comment_line(path.extension(), text);
        self.text_at(path, line).is_some_and(|text| {
            let is_inner = |above: u32| self.text_at(path, above).is_none_or(is_one);
            is_one(text) && (!text.starts_with("* ") || line.checked_sub(1).is_some_and(is_inner))
        })
    }

    /// Whether a delivered line is a comment or reads as a sentence, as those of a docstring do.
    pub(in crate::validate::grounding) fn is_written_text(
        &self,
        path: &RepoPath,
        line: u32,
    ) -> bool {
        const SIGNS_OF_CODE: &str = "(){}[]<>=;_$@:|&\"`";
        let is_sentence = |text: &str| {
            let words = text.split_whitespace().count();
            let is_import = text.starts_with("import ")
                || (text.starts_with("from ") && text.contains(" import "));
            words >= 4 && !is_import && !text.contains(|c: char| SIGNS_OF_CODE.contains(c))
        };
        self.is_comment(path, line) || self.text_at(path, line).is_some_and(is_sentence)
    }

    /// Returns a delivered line without its indentation.
    pub(super) fn text_at(&self, path: &RepoPath, line: u32) -> Option<&str> {
        let (_, text) = self.file(path)?.lines_in(LineRange::line(line)?).next()?;
        Some(text.trim_start())
    }
}
