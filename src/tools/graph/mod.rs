//! `graph`: who calls what, what implements what, and the way from one function to another, out of the code graph. Every
//! answer shows real lines of files as they are now: signatures, and the lines that make the relation.

mod call_trace;
#[cfg(feature = "database")]
mod cross_repository_answer;
mod graph_answer;
mod graph_output;
mod graph_question;
mod lookup;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) use self::graph_output::short_name;
use self::graph_question::Question;
pub use self::{
    graph_output::{Definition, GraphAnswer, GraphOutput, PackageLink},
    graph_question::GraphOperation,
};
use super::{
    Excerpt, LineAnnotation, Tool, ToolContext, ToolError, ToolObservation, ToolOutcome,
    ToolOutput, ToolSpec, place_argument,
};
#[cfg(feature = "database")]
use crate::configured_database::ConfiguredDatabase;
use retriever_graph::{NodeKind, index::Index};
use retriever_report::schema;

/// The `graph` tool.
pub struct GraphTool {
    index: Arc<Index>,
    #[cfg(feature = "database")]
    everywhere: Option<ConfiguredDatabase>,
}

impl GraphTool {
    /// Returns the tool over `index`, which is brought up to date at every call.
    pub fn new(index: Arc<Index>) -> Self {
        Self {
            index,
            #[cfg(feature = "database")]
            everywhere: None,
        }
    }

    /// Answers questions over all repositories with this graph database.
    #[cfg(feature = "database")]
    #[must_use]
    pub fn everywhere(self, everywhere: ConfiguredDatabase) -> Self {
        Self { everywhere: Some(everywhere).filter(ConfiguredDatabase::is_configured), ..self }
    }

    fn asks_everywhere(&self) -> bool {
        #[cfg(feature = "database")]
        return self.everywhere.is_some();
        #[cfg(not(feature = "database"))]
        return false;
    }

    /// Answers over all published repositories.
    fn answer_everywhere(&self, context: &ToolContext, question: &Question<'_>) -> GraphOutput {
        #[cfg(feature = "database")]
        if let Some(everywhere) = &self.everywhere {
            return cross_repository_answer::answer(everywhere, &context.cancellation, question);
        }
        #[cfg(not(feature = "database"))]
        let _ = context;
        let operation = question.operation;
        GraphOutput::sentence(ToolOutcome::BadArguments, "no graph database is configured")
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
        let question = match Question::new(&arguments) {
            Ok(question) => question,
            Err(refusal) => return Ok(*refusal),
        };
        if arguments.everywhere == Some(true) {
            return Ok(self.answer_everywhere(context, &question));
        }
        let answer = self
            .index
            .ask(&context.cancellation, |graph| graph_answer::answer(graph, context, &question));
        let answer = answer.map_err(|error| ToolError::Model(error.to_string()))?;
        Ok(answer.with_lines(context))
    }
}
