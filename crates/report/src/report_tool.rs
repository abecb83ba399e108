//! `submit_report` as a model is told of it. The tools are sent again with every turn, so that what the schema of the report
//! says several times is said once: the list of roles, and what a field means that several lists have.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::{
    submitted_draft::{ReportDraft, SUBMIT},
    tool_schema::{self, ToolSpec},
};

/// Hints that are taken from a report and not asked for: nothing is required by them.
const NOT_ASKED_FOR: &str = "requested_roles";

/// Returns the tool by which a model submits its report.
pub fn submit_tool() -> ToolSpec {
    let mut spec = tool_schema::spec::<ReportDraft>(SUBMIT);
    if let Some(fields) = spec.parameters["properties"].as_object_mut() {
        fields.remove(NOT_ASKED_FOR);
        for list in fields.values_mut() {
            // The description of the list says it.
            list.get_mut("items")
                .and_then(Value::as_object_mut)
                .map(|item| item.remove("description"));
        }
    }
    say_once(&mut spec.parameters, &mut BTreeSet::new());
    spec
}

/// Removes the descriptions and lists of words that stand before in the schema.
fn say_once(schema: &mut Value, said: &mut BTreeSet<String>) {
    let Value::Object(schema) = schema else { return };
    let mut remove_said = |schema: &mut Map<String, Value>, keyword: &str| {
        let again = schema.get(keyword).is_some_and(|value| !said.insert(value.to_string()));
        if again {
            schema.remove(keyword);
        }
    };
    remove_said(schema, "description");
    remove_said(schema, "enum");
    if let Some(items) = schema.get_mut("items") {
        say_once(items, said);
    }
    let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
    for field in fields.into_iter().flat_map(Map::values_mut) {
        say_once(field, said);
    }
}
