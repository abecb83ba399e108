//! Tool calls that a model wrote as text: small models and some endpoints answer with JSON in the content instead of a
//! tool call.

use serde_json::Value;

use super::conversation::MAX_CALLS_PER_ANSWER;
use crate::model::ToolCall;
use retriever_report::json::extract_all;

/// Deepest nesting of lists and wrappers around a call.
const MAX_DEPTH: u8 = 3;

/// Returns the tool calls in `text`, each once; there may be several values, each in a fence. A truncated call is
/// ignored, since half an argument is another argument. `next_id` numbers the calls of a conversation.
///
/// Recognised: `{"name"|"tool"|"function": "grep", "arguments"|"parameters"|"args"|"input": {…}}`, the same inside
/// `{"function": {…}}`, `{"calls"|"tool_calls": […]}`, a list of them, and `{"grep": {…}}` with the name of a known tool.
pub fn parse(text: &str, known_tools: &[&str], next_id: &mut u32) -> Vec<ToolCall> {
    let calls_in = |value: &Value| {
        let mut calls = Vec::new();
        collect(value, known_tools, &mut calls, 0);
        calls
    };
    let mut calls: Vec<(String, String)> = Vec::new();
    for value in extract_all(text, |value| !calls_in(value).is_empty()) {
        for call in calls_in(&value) {
            if calls.len() < MAX_CALLS_PER_ANSWER && !calls.contains(&call) {
                calls.push(call);
            }
        }
    }
    calls
        .into_iter()
        .map(|(name, arguments)| {
            *next_id += 1;
            ToolCall { id: format!("spoken_{next_id}"), name, arguments }
        })
        .collect()
}

/// Adds name and arguments of every call in `value`.
fn collect(value: &Value, known_tools: &[&str], calls: &mut Vec<(String, String)>, depth: u8) {
    if depth > MAX_DEPTH || calls.len() >= MAX_CALLS_PER_ANSWER {
        return;
    }
    match value {
        Value::Array(items) => {
            for item in items {
                collect(item, known_tools, calls, depth + 1);
            }
        }
        Value::Object(fields) => {
            if let Some(list) = ["calls", "tool_calls"].iter().find_map(|key| fields.get(*key)) {
                return collect(list, known_tools, calls, depth + 1);
            }
            if let Some(inner @ Value::Object(_)) = fields.get("function") {
                return collect(inner, known_tools, calls, depth + 1);
            }
            let name =
                ["name", "tool", "function"].iter().find_map(|key| fields.get(*key)?.as_str());
            let arguments = ["arguments", "parameters", "args", "input"]
                .iter()
                .find_map(|key| fields.get(*key));
            if let (Some(name), Some(arguments)) = (name, arguments) {
                let text = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
                calls.push((name.to_owned(), text));
            } else if let (1, Some((name, arguments))) = (fields.len(), fields.iter().next())
                && known_tools.contains(&name.as_str())
                && arguments.is_object()
            {
                calls.push((name.clone(), arguments.to_string()));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
