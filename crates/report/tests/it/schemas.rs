//! Schemas as endpoints and programs receive them, and the places that a draft claims.

use pretty_assertions::assert_eq;
use retriever_report::{
    CodeMap, ReportDraft, ReportRoom, claimed_places, parse, submit_tool, tool_schema,
};
use serde_json::json;

use crate::{cases::evidence, evidence::ROOT};

#[test]
fn a_tool_has_the_description_of_its_type_and_no_keyword_that_endpoints_refuse() {
    let spec = tool_schema::spec::<ReportDraft>("submit_report");
    assert_eq!(spec.name, "submit_report");
    assert!(spec.description.starts_with("Submit the final report"), "{}", spec.description);
    assert!(!spec.description.contains('\n'), "{}", spec.description);
    let text = spec.parameters.to_string();
    for keyword in ["$schema", "$defs", "\"title\"", "\"format\"", "\"default\"", "anyOf", "oneOf"]
    {
        assert!(!text.contains(keyword), "{keyword}: {text}");
    }
    assert!(spec.parameters.get("description").is_none());
    let action = &spec.parameters["properties"]["recommended_primary_action"];
    assert_eq!(action["type"], "string");
    assert!(
        action["enum"].as_array().unwrap().iter().all(serde_json::Value::is_string),
        "{action}"
    );
    assert_eq!(tool_schema::example::<ReportDraft>(), None);
}

#[test]
fn the_tool_of_the_report_says_each_list_and_description_once() {
    let spec = submit_tool(&ReportRoom::of(1_600));
    let text = spec.parameters.to_string();
    assert_eq!(text.matches("\"persistence\"").count(), 1, "{text}");
    assert!(!text.contains("requested_roles"), "{text}");
    let primary = &spec.parameters["properties"]["primary"]["items"];
    assert_eq!(primary["required"], json!(["ref", "why"]));
    assert_eq!(primary["properties"]["role"]["type"], "string");
    let whole = tool_schema::parameters::<ReportDraft>().to_string();
    assert!(text.len() * 10 < whole.len() * 7, "{} of {} bytes", text.len(), whole.len());
}

#[test]
fn the_output_schema_has_shared_definitions_and_no_format() {
    let output = tool_schema::output::<CodeMap>();
    assert!(output["$defs"].is_object(), "{output}");
    assert!(!output.to_string().contains("\"format\""), "{output}");
    assert_eq!(output["properties"]["primary"]["type"], "array");
}

#[test]
fn claimed_places_are_those_of_the_lists_in_their_order_as_they_are_written() {
    let submitted = json!({
        "read_targets": [{"ref": "src/auth.rs:12", "purpose": "p"}],
        "secondary": [{"ref": "c2", "why": "w"}, {"ref": "../x.rs:1", "why": "w"}],
        "primary": [{"ref": "c1; src/store.rs", "why": "w"}, {"ref": "c1:4, 7-8", "why": "w"}],
        "findings": [{"fact": "f", "refs": ["src/hits.rs:50"]}],
    });
    let draft = parse(&submitted).draft.unwrap();
    let places = claimed_places(&draft, &evidence().ledger, ROOT);
    let shown: Vec<String> = places
        .iter()
        .map(|(path, lines)| match lines {
            Some(lines) => format!("{path}:{lines}"),
            None => path.clone(),
        })
        .collect();
    let wanted = [
        "src/auth.rs:3-9",
        "src/store.rs",
        "src/auth.rs:4",
        "src/auth.rs:7-8",
        "src/store.rs:1-3",
        "../x.rs:1",
        "src/auth.rs:12",
    ];
    assert_eq!(shown, wanted);
}
