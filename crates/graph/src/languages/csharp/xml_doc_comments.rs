//! C#'s documentation comments, whose markup is left out.

use crate::{lowering::LoweringContext, syntax::SyntaxNode};

/// Keeps the first line of a comment that says something without its markup.
pub(super) fn comment(lower: &mut LoweringContext<'_>, node: SyntaxNode<'_>) {
    let (start, end) = (node.start_position().row, node.end_position().row);
    let text = lower.text(node);
    let mut plain = String::new();
    let mut inside = false;
    for c in text.chars().take(4_000) {
        match c {
            '<' if text.starts_with("///") => inside = true,
            '>' if inside => inside = false,
            c if !inside => plain.push(c),
            _ => {}
        }
    }
    let said = crate::lowering::summary(&plain);
    match &mut lower.doc {
        Some((first, last)) if *last + 1 == start => {
            if first.is_empty() {
                *first = said;
            }
            *last = end;
        }
        _ => lower.doc = Some((said, end)),
    }
}
