//! Calls that a model wrote as text: small models and some endpoints answer with JSON in the content where a tool call
//! was wanted. Finding JSON in prose is [`retriever_report::json::extract`]'s work; this file only recognises calls in it.

use serde_json::Value;

use crate::model::ToolCall;
use retriever_report::json::extract;

/// Returns the calls that `text` spells, or nothing when it says something else. A call that broke off is not taken: half
/// a pattern is another pattern.
///
/// Taken: `{"name"|"tool"|"function": "grep", "arguments"|"parameters"|"args"|"input": {…}}`, the same inside
/// `{"function": {…}}`, `{"calls"|"tool_calls": […]}`, a list of them, and `{"grep": {…}}` with a known tool's name.
pub fn calls(text: &str, known: &[&str], next_id: &mut u32) -> Vec<ToolCall> {
    let read = |value: &Value| {
        let mut calls = Vec::new();
        collect(value, known, &mut calls, 0);
        calls
    };
    let found = extract(text, |value| !read(value).is_empty()).filter(|found| !found.truncated);
    let calls = found.map(|found| read(&found.value)).unwrap_or_default();
    calls
        .into_iter()
        .map(|(name, arguments)| {
            *next_id += 1;
            ToolCall { id: format!("spoken_{next_id}"), name, arguments }
        })
        .collect()
}

fn collect(value: &Value, known: &[&str], found: &mut Vec<(String, String)>, depth: u8) {
    if depth > 3 {
        return;
    }
    match value {
        Value::Array(items) => {
            for item in items {
                collect(item, known, found, depth + 1);
            }
        }
        Value::Object(fields) => {
            if let Some(list) = ["calls", "tool_calls"].iter().find_map(|key| fields.get(*key)) {
                return collect(list, known, found, depth + 1);
            }
            if let Some(inner @ Value::Object(_)) = fields.get("function") {
                return collect(inner, known, found, depth + 1);
            }
            let name =
                ["name", "tool", "function"].iter().find_map(|key| fields.get(*key)?.as_str());
            let arguments = ["arguments", "parameters", "args", "input"]
                .iter()
                .find_map(|key| fields.get(*key));
            if let (Some(name), Some(arguments)) = (name, arguments) {
                let text = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
                found.push((name.to_owned(), text));
            } else if fields.len() == 1 {
                let only = fields
                    .iter()
                    .next()
                    .filter(|(key, value)| known.contains(&key.as_str()) && value.is_object());
                found.extend(only.map(|(key, value)| (key.clone(), value.to_string())));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
