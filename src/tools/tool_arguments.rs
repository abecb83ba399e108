//! Parses a call's arguments in the forms that models write: numbers and booleans as strings, `null` for "not given",
//! one string in place of a list, the whole object as a string. Unknown keys are ignored. Invalid arguments become a
//! sentence with an example of a valid call.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{ToolError, tool_schema};
use retriever_report::json::json_coercion;
use retriever_workspace::truncate;

/// Parses the arguments of a call of `tool`.
///
/// # Errors
///
/// [`ToolError::Model`], a sentence for the model.
pub(crate) fn parse<A>(tool: &'static str, arguments: &Value) -> Result<A, ToolError>
where
    A: DeserializeOwned + JsonSchema,
{
    let wrong = |what: String| {
        let example = tool_schema::example::<A>()
            .map_or_else(String::new, |example| format!("; for example: {tool} {example}"));
        ToolError::Model(format!("{tool}: {what}{example}"))
    };
    let object = json_coercion::object(arguments).map_err(|_| {
        wrong(format!("the arguments must be a JSON object, not {}", shown(arguments)))
    })?;
    let properties = tool_schema::spec::<A>(tool).parameters["properties"].take();
    let mut read = Map::new();
    for (name, value) in object {
        if value.is_null() {
            continue;
        }
        let value = match properties.get(&name) {
            Some(property) => json_coercion::to_schema(property, &value).map_err(|mismatch| {
                let found = shown(&mismatch.found);
                wrong(format!("\"{name}\" must be {}, not {found}", mismatch.wanted))
            })?,
            None => value,
        };
        read.insert(name, value);
    }
    serde_json::from_value(Value::Object(read)).map_err(|error| wrong(error.to_string()))
}

fn shown(value: &Value) -> String {
    truncate(&value.to_string(), 80)
}
