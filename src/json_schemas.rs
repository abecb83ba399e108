//! JSON Schemas of inputs and outputs, made from the Rust types. `schemas/*.schema.json` are their checked-in copies;
//! [`retriever_report::tool_schema`] makes the plainer form for models.

use std::collections::BTreeMap;

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Value, json};

use crate::{
    agent::RunEvent,
    config::Config,
    cost_receipts::{CostReceipt, SavingsReport},
    tools::{
        Tool, ToolRegistry, ToolSpec,
        graph::{GraphTool, GraphToolArguments},
    },
};
use retriever_report::{CodeMap, MapLimits, ReportDraft, ReportRoom, submit_tool, tool_schema};
use retriever_search::{
    Question,
    explore::{Exploration, PlaceContext},
};
use retriever_workspace::cache_folders::{CacheReport, PruneReport};

/// Returns every checked-in schema by name.
pub fn schemas() -> BTreeMap<&'static str, Value> {
    BTreeMap::from([
        ("cache", full::<CacheReport>("Cache")),
        ("cache_prune", full::<PruneReport>("Removed from the cache")),
        ("code_map", full::<CodeMap>("Code map")),
        ("config", full::<Config>("Configuration")),
        ("context", full::<PlaceContext>("Context")),
        ("event", full::<RunEvent>("Event")),
        ("exploration", full::<Exploration>("Exploration")),
        ("question", batch_question()),
        ("receipt", full::<CostReceipt>("Receipt")),
        ("report", full::<ReportDraft>("Report")),
        ("savings", full::<SavingsReport>("Savings")),
    ])
}

/// Returns the specifications of the tools as models receive them, including that of the report.
pub fn tool_specs() -> Vec<ToolSpec> {
    let mut specs = ToolRegistry::standard().specs();
    specs.push(tool_schema::spec::<GraphToolArguments>(GraphTool::NAME));
    specs.push(submit_tool(&ReportRoom::of(MapLimits::default().max_tokens)));
    specs
}

/// Returns the tools of a root that cannot be opened, each with the schema of its result.
#[cfg(feature = "mcp")]
pub(crate) fn tool_specs_with_output() -> Vec<(ToolSpec, Value)> {
    let mut specs = ToolRegistry::standard().specs_with_output();
    let graph = tool_schema::spec::<GraphToolArguments>(GraphTool::NAME);
    specs.push((graph, tool_schema::output::<<GraphTool as Tool>::Output>()));
    specs
}

/// Returns the schema of a line of a batch: a question with an `id`.
fn batch_question() -> Value {
    let mut schema = full::<Question>("Question");
    schema["properties"]["id"] = json!({
        "description": "The caller's own name for the question, repeated beside its map.",
    });
    schema
}

fn full<T: JsonSchema>(title: &str) -> Value {
    let mut schema =
        SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value();
    if let Some(object) = schema.as_object_mut() {
        object.insert("title".to_owned(), title.into());
    }
    schema
}
