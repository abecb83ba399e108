//! The checked-in schemas are the types' schemas, and the defaults satisfy them.

use std::{fs, path::Path};

use retriever::{
    config::Config,
    report::{ReportDraft, parse},
    schemas, tool_specs,
    tools::tool_schema::parameters,
};
use serde_json::Value;

#[test]
fn checked_in_schemas_are_the_types_schemas() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let mut all: Vec<(String, Value)> = schemas()
        .into_iter()
        .map(|(name, schema)| (format!("{name}.schema.json"), schema))
        .collect();
    all.push(("tools.json".to_owned(), serde_json::to_value(tool_specs()).unwrap()));
    for (name, value) in all {
        let file = folder.join(&name);
        let fresh = format!("{}\n", serde_json::to_string_pretty(&value).unwrap());
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&file, &fresh).unwrap();
        }
        let checked_in = fs::read_to_string(&file).unwrap_or_default();
        assert!(
            checked_in.replace("\r\n", "\n") == fresh,
            "schemas/{name} is not what the types say; run the tests once with UPDATE=1"
        );
    }
}

#[test]
fn every_schema_is_a_schema_with_a_title() {
    for (name, schema) in schemas() {
        assert!(schema["$schema"].is_string(), "{name}");
        assert!(schema["title"].is_string(), "{name}");
        jsonschema::validator_for(&schema).unwrap();
    }
}

#[test]
fn defaults_satisfy_their_schemas() {
    let all = schemas();
    for (name, value) in [
        ("config", serde_json::to_value(Config::default()).unwrap()),
        ("report", serde_json::to_value(ReportDraft::default()).unwrap()),
        ("report", serde_json::json!({})),
    ] {
        let validator = jsonschema::validator_for(&all[name]).unwrap();
        let errors: Vec<String> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn the_models_schema_is_plain() {
    fn walk(value: &Value, path: &str) {
        match value {
            Value::Object(object) => {
                // Under `properties` a key is a name, not a keyword.
                let names = path.ends_with("/properties");
                for (key, inner) in object {
                    let banned =
                        ["$schema", "$ref", "$defs", "format", "default", "oneOf", "anyOf"];
                    assert!(names || !banned.contains(&key.as_str()), "{path}/{key}");
                    walk(inner, &format!("{path}/{key}"));
                }
            }
            Value::Array(items) => items.iter().for_each(|item| walk(item, path)),
            other => assert!(!other.is_null() && other != "null", "{path}"),
        }
    }
    let schema = parameters::<ReportDraft>();
    walk(&schema, "");
    let required = &schema["properties"]["primary"]["items"]["required"];
    assert_eq!(required, &serde_json::json!(["ref", "why"]));
    assert!(schema["properties"]["primary"]["items"]["properties"]["role"]["enum"].is_array());
}

#[test]
fn a_report_that_satisfies_the_models_schema_parses_without_a_problem() {
    let report = serde_json::json!({
        "summary": "s", "flow": "f",
        "primary": [{"ref": "c1", "role": "entry", "why": "w", "symbols": ["a"]}],
        "secondary": [{"ref": "c2", "why": "w"}],
        "findings": [{"fact": "f", "refs": ["c1"]}],
        "read_targets": [{"ref": "c1", "purpose": "p", "required": true}],
        "missing": [{"what": "w", "critical": false}],
        "gap_search": {"terms": ["t"], "scopes": ["src"]},
        "requested_roles": ["entry"],
        "recommended_primary_action": "read_targets", "confidence": "high",
    });
    assert!(jsonschema::is_valid(&parameters::<ReportDraft>(), &report));
    let parsed = parse(&report);
    assert_eq!(parsed.problems, []);
    assert_eq!(serde_json::to_value(parsed.draft.unwrap()).unwrap()["primary"], report["primary"]);
}
