//! `explore` as a tool of the main agent: the same text that agents get over MCP.

use std::fmt::Write as _;

use retriever::{
    Retriever,
    explore::{Exploration, ExplorationTextFormat, ExploreOptions, text},
    report::tool_schema,
    tools::{ToolError, ToolSpec},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Name of the tool.
pub(super) const EXPLORE: &str = "explore";

/// Find the code that answers a question: ranked places, the source of the best of them, and the calls between them.
#[derive(Deserialize, JsonSchema)]
struct ExploreToolArguments {
    /// A question, words, or names of symbols
    query: String,
}

/// The tool, over one checkout.
pub(super) struct ExploreTool {
    retriever: Retriever,
    /// The lines that were printed so far, as `path:start-end`.
    pub(super) printed: Vec<String>,
}

impl ExploreTool {
    pub(super) fn new(retriever: Retriever) -> Self {
        Self { retriever, printed: Vec::new() }
    }

    pub(super) fn spec() -> ToolSpec {
        tool_schema::spec::<ExploreToolArguments>(EXPLORE)
    }

    /// Runs a call and returns the text for the agent, at most `max_chars` characters.
    pub(super) async fn call(
        &mut self,
        arguments: &Value,
        max_chars: usize,
    ) -> Result<String, ToolError> {
        let asked = match ExploreToolArguments::deserialize(arguments) {
            Ok(asked) => asked,
            Err(error) => return Ok(format!("{EXPLORE}: {error}")),
        };
        let retriever = self.retriever.clone();
        let usual = ExploreOptions::from(&retriever.config().explore);
        let budget = usual.budget.unwrap_or(usize::MAX).min(max_chars);
        let options = ExploreOptions { budget: Some(budget), ..usual };
        let exploring =
            tokio::task::spawn_blocking(move || retriever.explore(&asked.query, &options));
        let found = exploring.await.map_err(|error| ToolError::Fatal(error.to_string()))?;
        let found = match found {
            Ok(found) => found,
            Err(error) => return Ok(format!("{EXPLORE}: {error}")),
        };
        self.printed.extend(printed(&found));
        let mut shown = text(&found, ExplorationTextFormat::Markdown);
        if shown.chars().count() > max_chars {
            shown = shown.chars().take(max_chars).collect();
            let _ = write!(shown, "\n… cut");
        }
        Ok(shown)
    }
}

/// Returns the printed lines of an exploration, file by file: a place can be printed in part.
fn printed(found: &Exploration) -> impl Iterator<Item = String> + '_ {
    found.files.iter().flat_map(|file| {
        let sections = file.sections.iter();
        sections.map(|section| format!("{}:{}-{}", file.path, section.start, section.end))
    })
}
