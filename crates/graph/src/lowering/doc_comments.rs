//! Documentation comments: the one above a definition, and the line of it that is kept.

use retriever_workspace::clip;

use crate::{lowering::lowering_context::LoweringContext, syntax::SyntaxNode};

impl<'t> LoweringContext<'t> {
    /// Keeps a comment for the definition below it.
    pub(crate) fn comment(&mut self, node: SyntaxNode<'t>) {
        let (start, end) = (node.start_position().row, last_row(node));
        let text = self.text(node);
        match &mut self.doc {
            // Lines of one comment: the first line stays the summary.
            Some((_, last)) if *last + 1 == start => *last = end,
            _ => self.doc = Some((summary(text), end)),
        }
    }

    /// Keeps a comment alive across an attribute or decorator between it and its definition.
    pub(crate) fn doc_reaches(&mut self, node: SyntaxNode<'_>) {
        if let Some((_, last)) = &mut self.doc
            && *last + 1 >= node.start_position().row
        {
            *last = node.end_position().row;
        }
    }

    pub(crate) fn take_doc(&mut self, node: SyntaxNode<'_>) -> String {
        match self.doc.take() {
            Some((text, last))
                if last + 1 >= node.start_position().row && last <= node.start_position().row =>
            {
                text
            }
            _ => String::new(),
        }
    }
}

/// Returns the row of a comment's last character. A grammar may count the line break behind it.
fn last_row(comment: SyntaxNode<'_>) -> usize {
    let (start, end) = (comment.start_position(), comment.end_position());
    if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row }
}

/// The first line of a comment that says something, without its marks.
pub(crate) fn summary(comment: &str) -> String {
    let marks =
        |c: char| matches!(c, '/' | '*' | '#' | '!' | '-' | '"' | '\'') || c.is_whitespace();
    let line = comment.lines().map(|line| line.trim_matches(marks)).find(|line| !line.is_empty());
    clip(line.unwrap_or_default(), 160)
}
