//! Reads JSON values of the wrong type: numbers and booleans written as strings, one string in place of a list, an
//! object encoded as a string. Tool arguments and reports are both read through these functions, so they accept the
//! same spellings.

use serde_json::{Map, Value};

/// A value that does not fit its schema.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemaMismatch {
    /// The wanted type, as a noun phrase: "a whole number of at least 1".
    pub wanted: String,
    /// The value.
    pub found: Value,
}

/// Reads an object: also from a string that encodes one, once or twice. `null` and an empty string are the empty object.
///
/// # Errors
///
/// A sentence fragment that says what the value is instead.
pub fn object(value: &Value) -> Result<Map<String, Value>, String> {
    match value {
        Value::Object(object) => Ok(object.clone()),
        Value::Null => Ok(Map::new()),
        Value::String(text) => match parse_object(text)? {
            Value::String(_) => Err("a string, not a JSON object".to_owned()),
            inner => object(&inner),
        },
        Value::Bool(_) | Value::Number(_) | Value::Array(_) => Err("not a JSON object".to_owned()),
    }
}

/// Parses the text of an object; text that encodes a string is decoded once more.
fn parse_object(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    match serde_json::from_str(text) {
        Ok(Value::String(inner)) => {
            Ok(serde_json::from_str(&inner).unwrap_or(Value::String(inner)))
        }
        Ok(value) => Ok(value),
        Err(error) => Err(format!("not valid JSON ({error})")),
    }
}

/// Reads a text: a string, a number, a boolean, or a list of one string.
pub fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Array(items) => match items.as_slice() {
            [Value::String(only)] => Some(only.clone()),
            _ => None,
        },
        Value::Null | Value::Object(_) => None,
    }
}

/// Reads a boolean: also `"yes"`, `"no"`, `"1"`, `1` and the like.
pub fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "1" => Some(true),
            "false" | "no" | "0" | "" => Some(false),
            _ => None,
        },
        Value::Number(number) => match number.as_f64() {
            Some(0.0) => Some(false),
            Some(1.0) => Some(true),
            _ => None,
        },
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Reads a whole number: also from a string, or from a float without a fraction.
pub fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and small")]
        _ => value.as_i64().or_else(|| {
            value.as_f64().filter(|n| n.fract() == 0.0 && n.abs() < 1e15).map(|n| n as i64)
        }),
    }
}

/// Reads a member of a closed set of words.
pub fn word<T: std::str::FromStr>(value: Option<&Value>) -> Option<T> {
    value?.as_str()?.trim().parse().ok()
}

/// Converts `value` to the type of `schema`, a property's JSON Schema.
///
/// # Errors
///
/// [`SchemaMismatch`] when the value has no reading of that type.
pub fn to_schema(schema: &Value, value: &Value) -> Result<Value, SchemaMismatch> {
    let converted = match schema["type"].as_str() {
        Some("integer") => integer(value)
            .filter(|number| schema["minimum"].as_i64().is_none_or(|least| *number >= least))
            .map(Value::from),
        Some("number") => match value.as_str() {
            Some(text) => text.trim().parse::<f64>().ok().map(Value::from),
            None => value.is_number().then(|| value.clone()),
        },
        Some("boolean") => boolean(value).map(Value::from),
        Some("string") => text(value).map(Value::from),
        Some("array") => match value {
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
    converted.ok_or_else(|| SchemaMismatch { wanted: noun_phrase(schema), found: value.clone() })
}

/// Returns `value` without the `null` members of its objects and lists, to a bounded depth.
pub fn without_nulls(value: Value) -> Value {
    const MAX_DEPTH: usize = 8;
    fn strip(value: Value, depth: usize) -> Value {
        match value {
            Value::Object(object) if depth < MAX_DEPTH => object
                .into_iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(key, value)| (key, strip(value, depth + 1)))
                .collect::<Map<_, _>>()
                .into(),
            Value::Array(items) if depth < MAX_DEPTH => items
                .into_iter()
                .filter(|item| !item.is_null())
                .map(|item| strip(item, depth + 1))
                .collect::<Vec<_>>()
                .into(),
            other => other,
        }
    }
    strip(value, 0)
}

fn noun_phrase(schema: &Value) -> String {
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
