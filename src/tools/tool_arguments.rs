//! Reading a call's arguments the way models write them: numbers and booleans as strings, `null` for "not given", one
//! string where a list is wanted, the whole object as a string. Unknown keys are ignored. What can't be read becomes a
//! sentence with an example of a good call.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{ToolError, schema};
use retriever_workspace::truncate;

/// Reads the arguments of a call of `tool`.
///
/// # Errors
///
/// [`ToolError::Model`], a sentence for the model.
pub(crate) fn parse<A>(tool: &'static str, arguments: &Value) -> Result<A, ToolError>
where
    A: DeserializeOwned + JsonSchema,
{
    let wrong = |what: String| {
        let example = schema::example::<A>()
            .map_or_else(String::new, |example| format!("; for example: {tool} {example}"));
        ToolError::Model(format!("{tool}: {what}{example}"))
    };
    let object = as_object(arguments).ok_or_else(|| {
        wrong(format!("the arguments must be a JSON object, not {}", shown(arguments)))
    })?;
    let properties = schema::spec::<A>(tool).parameters["properties"].take();
    let mut read = Map::new();
    for (name, value) in object {
        if value.is_null() {
            continue;
        }
        let value = match properties.get(&name) {
            Some(property) => fit(property, value).map_err(|(wanted, value)| {
                wrong(format!("\"{name}\" must be {wanted}, not {}", shown(&value)))
            })?,
            None => value,
        };
        read.insert(name, value);
    }
    serde_json::from_value(Value::Object(read)).map_err(|error| wrong(error.to_string()))
}

fn as_object(arguments: &Value) -> Option<Map<String, Value>> {
    match arguments {
        Value::Object(object) => Some(object.clone()),
        Value::Null => Some(Map::new()),
        Value::String(text) if text.trim().is_empty() => Some(Map::new()),
        Value::String(text) => serde_json::from_str(text).ok(),
        _ => None,
    }
}

/// Turns `value` into the type that `schema` wants, or says what is wanted.
fn fit(schema: &Value, value: Value) -> Result<Value, (String, Value)> {
    let text = || value.as_str().map(str::trim);
    let fitted = match schema["type"].as_str() {
        Some("integer") => whole(&value)
            .filter(|number| schema["minimum"].as_i64().is_none_or(|least| *number >= least))
            .map(Value::from),
        Some("number") => match text() {
            Some(text) => text.parse::<f64>().ok().map(Value::from),
            None => value.is_number().then(|| value.clone()),
        },
        Some("boolean") => match (text().map(str::to_ascii_lowercase).as_deref(), value.as_i64()) {
            (Some("true" | "yes" | "1"), _) | (_, Some(1)) => Some(true.into()),
            (Some("false" | "no" | "0" | ""), _) | (_, Some(0)) => Some(false.into()),
            _ => value.is_boolean().then(|| value.clone()),
        },
        Some("string") => match &value {
            Value::String(_) => Some(value.clone()),
            Value::Number(number) => Some(number.to_string().into()),
            Value::Bool(flag) => Some(flag.to_string().into()),
            Value::Array(items) => match items.as_slice() {
                [Value::String(only)] => Some(only.clone().into()),
                _ => None,
            },
            _ => None,
        },
        Some("array") => match &value {
            Value::Array(_) => Some(value.clone()),
            Value::String(text) => Some(
                serde_json::from_str(text)
                    .ok()
                    .filter(Value::is_array)
                    .unwrap_or_else(|| vec![value.clone()].into()),
            ),
            _ => None,
        },
        _ => Some(value.clone()),
    };
    fitted.ok_or_else(|| (wanted(schema), value))
}

fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and small")]
        _ => value.as_i64().or_else(|| {
            value.as_f64().filter(|n| n.fract() == 0.0 && n.abs() < 1e15).map(|n| n as i64)
        }),
    }
}

fn wanted(schema: &Value) -> String {
    match schema["type"].as_str().unwrap_or_default() {
        "integer" => match schema["minimum"].as_i64() {
            Some(least) => format!("a whole number of at least {least}"),
            None => "a whole number".to_owned(),
        },
        "number" => "a number".to_owned(),
        "boolean" => "true or false".to_owned(),
        "array" => "a list".to_owned(),
        _ => "a string".to_owned(),
    }
}

fn shown(value: &Value) -> String {
    truncate(&value.to_string(), 80)
}
