//! The tools that a run offers, by name.

use std::sync::Arc;

use serde_json::Value;

use super::{
    ErasedTool, ToolContext, ToolError, ToolResult, ToolSpec, glob::GlobTool, graph::GraphTool,
    grep::GrepTool, read::ReadTool,
};
use crate::config::GraphConfig;
use retriever_graph::indexing::GraphIndex;
use retriever_workspace::truncate;

/// Tools in the order in which models receive them.
#[derive(Default)]
pub struct ToolRegistry {
    tools: Vec<Box<dyn ErasedTool>>,
}

impl ToolRegistry {
    /// Returns the tools that need only the files: `grep`, `glob` and `read`.
    pub fn standard() -> Self {
        Self::default().with(GrepTool::default()).with(GlobTool).with(ReadTool)
    }

    /// Returns these and `graph` over `index`; `grep` then also names callers.
    pub fn with_graph(index: Arc<GraphIndex>) -> Self {
        let grep = GrepTool::with_callers(Arc::clone(&index));
        Self::standard().with(grep).with(GraphTool::new(index))
    }

    /// Returns these for a configuration: `graph` also asks its graph database, if that is allowed.
    pub fn configured(index: &Arc<GraphIndex>, config: &GraphConfig) -> Self {
        let registry = Self::with_graph(Arc::clone(index));
        #[cfg(feature = "database")]
        let registry = registry.with(GraphTool::new(Arc::clone(index)).configured(config));
        #[cfg(not(feature = "database"))]
        let _ = config;
        registry
    }

    /// Adds a tool, or replaces the one of the same name, ignoring case.
    #[must_use]
    pub fn with(self, tool: impl ErasedTool + 'static) -> Self {
        self.with_boxed(Box::new(tool))
    }

    pub(crate) fn with_boxed(mut self, tool: Box<dyn ErasedTool>) -> Self {
        match self.tools.iter_mut().find(|known| known.name().eq_ignore_ascii_case(tool.name())) {
            Some(known) => *known = tool,
            None => self.tools.push(tool),
        }
        self
    }

    /// Returns the specification of each tool.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.tools.iter().map(|tool| tool.spec()).collect()
    }

    /// Returns the specifications, each with the JSON Schema of the typed result.
    pub fn specs_with_output(&self) -> Vec<(ToolSpec, Value)> {
        self.tools.iter().map(|tool| (tool.spec(), tool.output_schema())).collect()
    }

    /// Runs one call.
    ///
    /// # Errors
    ///
    /// [`ToolError::Model`] for an unknown name or arguments that can't be read; else as for [`ErasedTool::call`].
    pub fn call(
        &self,
        name: &str,
        context: &ToolContext,
        arguments: &Value,
    ) -> Result<ToolResult, ToolError> {
        let wanted = name.trim();
        match self.tools.iter().find(|tool| tool.name().eq_ignore_ascii_case(wanted)) {
            Some(tool) => tool.call(context, arguments),
            None => {
                let names: Vec<&str> = self.tools.iter().map(|tool| tool.name()).collect();
                Err(ToolError::Model(no_such_tool(wanted, &names)))
            }
        }
    }
}

/// Says that `names` are those of the tools, and which of them is meant.
pub(crate) fn no_such_tool(wanted: &str, names: &[&str]) -> String {
    let wanted = wanted.to_ascii_lowercase();
    let nearest = names
        .iter()
        .map(|name| (strsim::jaro_winkler(&wanted, name), name))
        .filter(|(likeness, _)| *likeness > 0.7)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map_or_else(String::new, |(_, name)| format!("; did you mean {name}?"));
    format!("there is no tool {:?}: use {}{nearest}", truncate(&wanted, 60), names.join(", "))
}
