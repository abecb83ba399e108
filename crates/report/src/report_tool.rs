//! `submit_report` as a model sees it. The tools are sent again with every turn, so what the report's schema would
//! repeat is said once: the list of roles, and the meaning of a field that several lists have.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::{
    report_limits::ReportRoom,
    submitted_draft::{ReportDraft, SUBMIT},
    tool_schema::{self, ToolSpec},
};

/// A field that is read if a model sends it, but that the schema does not mention.
const NOT_ASKED_FOR: &str = "requested_roles";

/// Returns the tool by which a model submits a report that has this room.
pub fn submit_tool(room: &ReportRoom) -> ToolSpec {
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
    ask_for(room, &mut spec.parameters);
    say_once(&mut spec.parameters, &mut BTreeSet::new());
    spec
}

/// Sets the limits of the report's schema to its room, as the prompt says them. What is longer is kept where it fits.
fn ask_for(room: &ReportRoom, schema: &mut Value) {
    let limits = [
        ("/primary/maxItems", room.places),
        ("/findings/maxItems", room.facts),
        ("/flow/maxLength", room.flow_chars),
        ("/findings/items/properties/fact/maxLength", room.fact_chars),
        ("/primary/items/properties/why/maxLength", room.reason_chars),
        ("/secondary/items/properties/why/maxLength", room.reason_chars),
        ("/read_targets/items/properties/purpose/maxLength", room.reason_chars),
    ];
    for (field, limit) in limits {
        if let Some(value) = schema.pointer_mut(&format!("/properties{field}")) {
            *value = limit.into();
        }
    }
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
