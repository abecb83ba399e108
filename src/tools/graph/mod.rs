//! `graph`: who calls what, what implements what, and the way from one function to another, out of the code graph. Every
//! answer shows real lines of files as they are now: signatures, and the lines that make the relation.

mod answer_graph_question;
mod call_trace;
#[cfg(feature = "database")]
mod cross_repository_answer;
mod graph_output;
mod graph_question;
mod outside_names;
mod target_lookup;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) use self::graph_output::short_name;
use self::graph_question::GraphQuestion;
pub use self::{
    graph_output::{Definition, GraphAnswer, GraphOutput, PackageLink},
    graph_question::GraphOperation,
};
use super::{
    Excerpt, LineAnnotation, Tool, ToolContext, ToolError, ToolObservation, ToolOutcome,
    ToolOutput, ToolSpec, place_argument,
};
#[cfg(feature = "database")]
use crate::{config::GraphConfig, configured_database::ConfiguredDatabase};
use retriever_graph::{NodeKind, indexing::GraphIndex};
use retriever_report::schema;

/// Why there is no answer over all repositories.
#[cfg(feature = "database")]
const NOT_CONFIGURED: &str = "no graph database is configured";
#[cfg(not(feature = "database"))]
const NOT_BUILT_IN: &str =
    "this program was built without a graph database: build it with the feature database";
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
    fn answer_everywhere(
        &self,
        context: &ToolContext,
        question: &GraphQuestion<'_>,
    ) -> GraphOutput {
        #[cfg(feature = "database")]
        let reason = match &self.everywhere {
            Ok(everywhere) => {
                return cross_repository_answer::answer(
                    everywhere,
                    &context.cancellation,
                    question,
                );
            }
            Err(reason) => *reason,
        };
        #[cfg(not(feature = "database"))]
        let (_, reason) = (context, NOT_BUILT_IN);
        let operation = question.operation;
        GraphOutput::sentence(ToolOutcome::BadArguments, reason)
            .note(format!("leave everywhere out to ask for {operation} in this repository"))
    }
}

/// Ask the code graph, which knows definitions and not just text: who calls a function, what it calls, what implements an
/// interface, where a type is used, how one function reaches another. Example: {"operation": "callers", "target": "Store.save"}.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(example = json!({"operation": "callers", "target": "Store.save"}))]
pub struct GraphArguments {
    /// callers, callees, implementations, methods, usages, inheritors: what relates to the target. symbols: definitions in the
    /// file that is the target. search: definitions whose names hold the target's words. trace: the way to `to`.
    #[schemars(with = "GraphOperation")]
    #[serde(alias = "op")]
    pub operation: String,
    /// A name, `Type.member`, a full name, or an ID (c7). For symbols a path.
    #[serde(alias = "name", alias = "symbol", alias = "from")]
    pub target: String,
    /// Part of the path of the target's file, when its name is not unique.
    #[serde(default, alias = "path")]
    pub file: Option<String>,
    /// Kind of the target, when its name is not unique.
    #[serde(default)]
    #[schemars(with = "Option<NodeKind>")]
    pub kind: Option<String>,
    /// Steps to follow, 1 to 10. Default: 1.
    #[serde(default)]
    pub depth: Option<u32>,
    /// For trace: where the way leads to; like the target.
    #[serde(default)]
    pub to: Option<String>,
    /// Most results. Default: 20.
    #[serde(default)]
    pub limit: Option<u32>,
    /// Results to skip.
    #[serde(default)]
    pub offset: Option<u32>,
    /// Ask all published repositories, not this one. Their files can't be read here.
    #[serde(default)]
    pub everywhere: Option<bool>,
}

impl Tool for GraphTool {
    const NAME: &'static str = "graph";
    type Arguments = GraphArguments;
    type Output = GraphOutput;

    fn describe(&self) -> ToolSpec {
        let mut spec = schema::spec::<GraphArguments>(Self::NAME);
        let properties = spec.parameters.pointer_mut("/properties").and_then(Value::as_object_mut);
        if let Some(properties) = properties.filter(|_| !self.asks_everywhere()) {
            properties.remove("everywhere");
        }
        spec
    }

    fn run(
        &self,
        context: &ToolContext,
        arguments: GraphArguments,
    ) -> Result<GraphOutput, ToolError> {
        let question = match GraphQuestion::new(context, &arguments) {
            Ok(question) => question,
            Err(refusal) => return Ok(*refusal),
        };
        if question.is_everywhere {
            return Ok(self.answer_everywhere(context, &question));
        }
        let answer = self.index.ask(&context.cancellation, |graph| {
            let answer = answer_graph_question::answer(graph, context, &question);
            outside_names::answer(graph, &self.index, &question, answer)
        });
        let answer = answer.map_err(|error| ToolError::Model(error.to_string()))?;
        Ok(answer.with_lines(context))
    }
}
