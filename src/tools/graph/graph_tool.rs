//! The tool `graph`, and whether it asks this repository or all that are published.

use std::sync::Arc;

use retriever_graph::indexing::GraphIndex;
use retriever_report::tool_schema;
use serde_json::Value;

#[cfg(feature = "database")]
use super::cross_repository_answer;
use super::{
    graph_output::GraphOutput,
    graph_question::{GraphQuestion, GraphToolArguments},
};
use crate::tools::{
    SearchedText, Tool, ToolContext, ToolError, ToolOutcome, ToolSpec,
    graph::{
        answer_graph_question,
        external_name_uses::{self, ImportedNames},
        renamed_definitions::own_names,
    },
};
#[cfg(feature = "database")]
use crate::{config::GraphConfig, configured_database::ConfiguredDatabase};

#[cfg(not(feature = "database"))]
const NOT_BUILT_IN: &str =
    "this program was built without a graph database: build it with the feature database";

/// Why there is no answer over all repositories.
#[cfg(feature = "database")]
const NOT_CONFIGURED: &str = "no graph database is configured";

#[cfg(feature = "database")]
const TURNED_OFF: &str = "graph.everywhere is off";

/// The `graph` tool.
pub struct GraphTool {
    index: Arc<GraphIndex>,
    /// The graph database, or why it is not asked.
    #[cfg(feature = "database")]
    everywhere: Result<ConfiguredDatabase, &'static str>,
}

impl GraphTool {
    /// Returns the tool over `index`, which is brought up to date at every call.
    pub fn new(index: Arc<GraphIndex>) -> Self {
        Self {
            index,
            #[cfg(feature = "database")]
            everywhere: Err(NOT_CONFIGURED),
        }
    }

    /// Answers questions over all repositories with the graph database of `config`, if that is allowed.
    #[cfg(feature = "database")]
    #[must_use]
    pub fn configured(self, config: &GraphConfig) -> Self {
        let everywhere = ConfiguredDatabase::new(config);
        let everywhere = match (everywhere.is_configured(), config.everywhere) {
            (true, true) => Ok(everywhere),
            (true, false) => Err(TURNED_OFF),
            (false, _) => Err(NOT_CONFIGURED),
        };
        Self { everywhere, ..self }
    }

    fn asks_everywhere(&self) -> bool {
        #[cfg(feature = "database")]
        return self.everywhere.is_ok();
        #[cfg(not(feature = "database"))]
        return false;
    }

    /// Answers over all published repositories.
    fn answer_everywhere(&self, question: &GraphQuestion<'_>) -> GraphOutput {
        #[cfg(feature = "database")]
        let reason = match &self.everywhere {
            Ok(everywhere) => return cross_repository_answer::answer(everywhere, question),
            Err(reason) => *reason,
        };
        #[cfg(not(feature = "database"))]
        let reason = NOT_BUILT_IN;
        let operation = question.operation;
        GraphOutput::sentence(ToolOutcome::BadArguments, reason)
            .note(format!("leave everywhere out to ask for {operation} in this repository"))
    }
}

impl Tool for GraphTool {
    const NAME: &'static str = "graph";
    type Arguments = GraphToolArguments;
    type Output = GraphOutput;

    fn searched(arguments: &GraphToolArguments) -> Option<SearchedText> {
        Some(SearchedText { text: arguments.target.clone(), is_exhaustive: false })
    }

    fn describe(&self) -> ToolSpec {
        let mut spec = tool_schema::spec::<GraphToolArguments>(Self::NAME);
        let properties = spec.parameters.pointer_mut("/properties").and_then(Value::as_object_mut);
        if let Some(properties) = properties.filter(|_| !self.asks_everywhere()) {
            properties.remove("everywhere");
        }
        spec
    }

    fn run(
        &self,
        context: &ToolContext,
        arguments: GraphToolArguments,
    ) -> Result<GraphOutput, ToolError> {
        let question = match GraphQuestion::new(context, &arguments) {
            Ok(question) => question,
            Err(refusal) => return Ok(*refusal),
        };
        if question.is_everywhere {
            return Ok(self.answer_everywhere(&question));
        }
        let answer = self.index.ask(&context.cancellation, |graph| {
            let answer = answer_graph_question::answer(graph, &self.index, &question);
            let imported = ImportedNames::new(graph, &self.index, &context.cancellation);
            if answer.unknown_name.is_some()
                && let Some(own) = own_names(&imported, &question)
            {
                let target = own.target.as_deref().unwrap_or(question.target);
                let to = own.to.as_deref().or(question.to);
                let asked = GraphQuestion { target, to, ..question };
                let mut answer = answer_graph_question::answer(graph, &self.index, &asked);
                let given = own.target.as_ref().map(|_| question.target);
                let given = given.into_iter().chain(question.to.filter(|_| own.to.is_some()));
                answer.notes.extend(given.map(|name| format!("files import it as {name}")));
                return answer;
            }
            external_name_uses::answer(&imported, &question, answer)
        });
        let answer = answer.map_err(|error| ToolError::Unavailable(error.to_string()))?;
        Ok(answer.saying_where_the_text_has_it(context).with_lines(context))
    }
}
