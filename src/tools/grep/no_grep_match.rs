//! The answer of a `grep` without matches: what was searched, and what to try.

use retriever_workspace::truncate;
use serde_json::json;

use super::{
    GrepHits,
    grep_arguments::GrepToolArguments,
    grep_output::{GrepOutput, count, not_searched, nothing, shown},
    grep_search::PreparedGrepSearch,
};
use crate::tools::{ToolContext, ToolOutcome};

impl PreparedGrepSearch {
    pub(super) fn no_match(
        &self,
        context: &ToolContext,
        arguments: &GrepToolArguments,
        hits: &GrepHits,
    ) -> GrepOutput {
        let syntax = &context.call_syntax;
        let pattern = shown(&arguments.pattern);
        let scope = &self.scope;
        let place = if scope.as_str().is_empty() { String::new() } else { format!(" in {scope}") };
        let mut notes = Vec::new();
        let (outcome, headline) = match &self.retried {
            Some(reason) => {
                notes.push("correct the pattern, or escape special characters with \\".to_owned());
                (
                    ToolOutcome::BadPattern,
                    format!(
                        "{pattern} is not a regular expression that can be used ({}); taken as plain text \
                     it matches nothing{place}",
                        truncate(reason, 120)
                    ),
                )
            }
            None => (
                ToolOutcome::NoMatch,
                format!(
                    "no match for {pattern}{place}: {} searched",
                    count(hits.searched, "file", "files")
                ),
            ),
        };
        if let (0, Some(include)) = (hits.included, &arguments.include) {
            notes.push(format!(
                "none of {} has a path that {} takes",
                count(hits.visited, "file", "files"),
                syntax.argument("include", &json!(truncate(include, 120)))
            ));
        } else if arguments.literal == Some(true) && arguments.pattern.contains(['\\', '*', '|']) {
            let regular = syntax.argument("literal", &json!(false));
            notes.push(format!("the pattern looks like a regular expression: try {regular}"));
        } else if arguments.ignore_case != Some(true)
            && arguments.pattern.chars().any(char::is_alphabetic)
        {
            let any_case = syntax.argument("ignore_case", &json!(true));
            notes.push(format!("try {any_case}, a shorter part of the name, or another spelling"));
        }
        let mut skipped = hits.skipped;
        skipped.add(&context.workspace.count_skipped(&self.scope, hits.visited));
        notes.extend(not_searched(&skipped, &hits.binary));
        GrepOutput { skipped, ..nothing(outcome, headline, notes) }
    }
}
