//! The first sentence of a page of answers, and the call for the next page.

use super::{graph_output::GraphOutput, graph_question::GraphQuestion};
use crate::tools::ToolOutcome;

/// Says how many answers follow those `shown`, and the call that gives them.
pub(super) fn next_page(question: &GraphQuestion<'_>, more: usize, shown: usize) -> String {
    format!("{more} more: {}", question.call_from(question.offset + shown))
}

/// Returns the first sentence of a page of `shown` answers.
pub(super) fn headline(relations: &str, total: usize, offset: usize, shown: usize) -> GraphOutput {
    if total == 0 {
        return GraphOutput::sentence(ToolOutcome::NoMatch, format!("no {relations}"));
    }
    if shown == 0 {
        let sentence = format!("{total} {relations}: offset {offset} is behind the last");
        return GraphOutput::sentence(ToolOutcome::BadArguments, sentence);
    }
    let part = if shown == total {
        String::new()
    } else {
        format!("{}-{} of ", offset + 1, offset + shown)
    };
    GraphOutput::sentence(ToolOutcome::Found, format!("{part}{total} {relations}"))
}
