//! The tool `grep`, with an answer for each kind of empty result.

use std::{sync::Arc, time::Duration};

use retriever_graph::indexing::GraphIndex;
use retriever_workspace::PathEntryKind;

use super::super::{SearchedText, Tool, ToolContext, ToolError, ToolOutcome};
use super::{
    MatchPageInput,
    callers_of_matches::CallersOfMatches,
    grep_arguments::{DEFAULT_LIMIT, GrepToolArguments, MAX_LIMIT},
    grep_output::GrepOutput,
    grep_search::{self, PreparedGrepSearch},
};

/// The `grep` tool.
#[derive(Default)]
pub struct GrepTool {
    /// Names the callers of functions around matches, if a graph has been built.
    callers: Option<CallersOfMatches>,
}

impl GrepTool {
    /// Returns the tool with notes on the callers of functions around matches. A graph that is not built yet is not
    /// built for it.
    pub fn with_callers(index: Arc<GraphIndex>) -> Self {
        Self { callers: Some(CallersOfMatches::new(index)) }
    }

    /// Sets the longest wait for the graph to be brought up to date.
    #[must_use]
    pub fn waiting(self, patience: Duration) -> Self {
        Self { callers: self.callers.map(|callers| callers.waiting(patience)) }
    }
}

impl Tool for GrepTool {
    const NAME: &'static str = "grep";
    type Arguments = GrepToolArguments;
    type Output = GrepOutput;

    fn searched(arguments: &GrepToolArguments) -> Option<SearchedText> {
        let text = arguments.pattern.clone();
        let is_whole_tree = arguments.path.is_none() && arguments.include.is_none();
        // Plain text has no alternatives, which are told apart by their bar.
        let is_plain_bar = arguments.literal == Some(true) && text.contains('|');
        let is_exhaustive = is_whole_tree && arguments.ignore_case == Some(true) && !is_plain_bar;
        Some(SearchedText { text, is_exhaustive })
    }

    fn run(
        &self,
        context: &ToolContext,
        arguments: GrepToolArguments,
    ) -> Result<GrepOutput, ToolError> {
        let search = match PreparedGrepSearch::prepare(context, &arguments) {
            Ok(search) => search,
            Err(output) => return Ok(*output),
        };
        // An explicit limit is the only one.
        let per_file = match arguments.limit {
            _ if search.kind == PathEntryKind::File => usize::MAX,
            // One match more shows whether there are more.
            Some(limit) => {
                let shown = limit.clamp(1, MAX_LIMIT).saturating_add(arguments.offset.unwrap_or(0));
                shown.saturating_add(1) as usize
            }
            None => {
                let shown = DEFAULT_LIMIT.saturating_add(arguments.offset.unwrap_or(0));
                shown.saturating_add(1) as usize
            }
        };
        let include = search.include.as_ref();
        let hits = grep_search::search(context, &search.matcher, &search.scope, include, per_file);
        let is_stopped = context.is_cancelled();
        let mut output = if hits.files.is_empty() {
            search.no_match(context, &arguments, &hits)
        } else {
            let page = MatchPageInput {
                context,
                callers: self.callers.as_ref(),
                arguments: &arguments,
                search: &search,
                hits: &hits,
            };
            page.output()
        };
        if is_stopped {
            output.outcome = ToolOutcome::Truncated;
            output.notes.push("the search was stopped early: there may be more matches".to_owned());
        }
        Ok(output)
    }
}
