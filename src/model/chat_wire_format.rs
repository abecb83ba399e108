//! The chat-completions wire format: requests with as few fields as possible, and answers parsed leniently, since
//! servers differ. `endpoint_quirks` removes what an endpoint refuses.

use serde_json::{Map, Value, json};

use super::{
    ChatRequest, ChatResponse, Message, ModelFinishReason, ToolCall, ToolChoice,
    attempt_error::{EndpointErrorBody, RequestAttemptError},
};
use crate::{
    config::{ModelConfig, endpoint},
    tools::ToolSpec,
};
use retriever_report::TokenUsage;

/// Reasoning text of an answer, with the field in which the endpoint sent it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReasoningText {
    /// `reasoning_content` or `reasoning`.
    pub(super) field: &'static str,
    /// The text.
    pub(super) text: String,
}

/// Builds the request's body. `reasoning` brings the reasoning to send along with the message of an index.
///
/// `parallel_tool_calls` is left to the endpoint, whose default is what we want, and `tool_choice: "auto"` is what tools
/// mean anyway: a field that isn't sent can't be refused.
pub(super) fn request_body(
    config: &ModelConfig,
    request: &ChatRequest<'_>,
    reasoning: impl Fn(usize) -> Option<ReasoningText>,
) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(config.name));
    let messages = request.messages.iter().enumerate();
    let messages = messages.map(|(index, message)| wire_message(message, reasoning(index)));
    body.insert("messages".to_owned(), messages.collect());
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(wire_tool).collect());
        if let ToolChoice::Named(name) = request.tool_choice {
            let choice = json!({"type": "function", "function": {"name": name}});
            body.insert("tool_choice".to_owned(), choice);
        }
    }
    if config.temperature >= 0.0 {
        body.insert("temperature".to_owned(), json!(config.temperature));
    }
    if config.max_output_tokens > 0 {
        // Most servers know the older name; OpenAI has deprecated it.
        let newer = endpoint::is_openai(&config.base_url);
        let key = if newer { "max_completion_tokens" } else { "max_tokens" };
        body.insert(key.to_owned(), json!(config.max_output_tokens));
    }
    for (key, value) in &config.extra_body {
        body.insert(key.clone(), value.clone());
    }
    body
}

fn wire_tool(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
        },
    })
}

fn wire_message(message: &Message, reasoning: Option<ReasoningText>) -> Value {
    match message {
        Message::System { content } => json!({"role": "system", "content": content}),
        Message::User { content } => json!({"role": "user", "content": content}),
        Message::Tool { call_id, content, .. } => {
            json!({"role": "tool", "tool_call_id": call_id, "content": content})
        }
        Message::Assistant { content, calls } => {
            let mut wire = Map::new();
            wire.insert("role".to_owned(), json!("assistant"));
            // Servers refuse a message with neither content nor calls, so an empty answer is sent as an empty text.
            let content = content.as_deref().or(calls.is_empty().then_some(""));
            wire.insert("content".to_owned(), json!(content));
            if !calls.is_empty() {
                wire.insert("tool_calls".to_owned(), calls.iter().map(wire_call).collect());
            }
            if let Some(ReasoningText { field, text }) = reasoning {
                wire.insert(field.to_owned(), json!(text));
            }
            Value::Object(wire)
        }
    }
}

fn wire_call(call: &ToolCall) -> Value {
    let is_object = matches!(serde_json::from_str(&call.arguments), Ok(Value::Object(_)));
    let arguments = if is_object { call.arguments.as_str() } else { "{}" };
    json!({
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
    })
}

/// Parses an answer. `turn` makes generated call IDs unique in the conversation.
pub(super) fn read_answer(
    answer: &Value,
    turn: usize,
) -> Result<(ChatResponse, Option<ReasoningText>), RequestAttemptError> {
    if let Some(refusal) = EndpointErrorBody::in_success(answer) {
        return Err(RequestAttemptError::Refusal(refusal));
    }
    let Some(choice) = answer.pointer("/choices/0") else {
        return Err(RequestAttemptError::Malformed("it has no choices".to_owned()));
    };
    let message = match choice.get("message") {
        Some(message @ Value::Object(_)) => message,
        // The legacy completions form has its text in place of the message.
        _ if choice.get("text").is_some_and(Value::is_string) => choice,
        _ => {
            return Err(RequestAttemptError::Malformed(
                "its first choice has no message".to_owned(),
            ));
        }
    };
    let mut finish = read_finish(choice);
    let (mut content, mut thoughts) = read_content(message);
    if content.is_none()
        && let Some(refusal) = message.get("refusal").and_then(Value::as_str)
    {
        content = text(refusal);
        finish = ModelFinishReason::Filtered;
    }
    let mut field = "reasoning_content";
    for name in ["reasoning_content", "reasoning"] {
        if let Some(text) = message.get(name).and_then(Value::as_str).and_then(text) {
            (field, thoughts) = (name, Some(text));
            break;
        }
    }
    let response = ChatResponse {
        content,
        calls: read_calls(message, turn),
        finish,
        usage: read_usage(answer.get("usage").unwrap_or(&Value::Null)),
        retries: 0,
    };
    Ok((response, thoughts.map(|text| ReasoningText { field, text })))
}

fn read_finish(choice: &Value) -> ModelFinishReason {
    let reason = choice.get("finish_reason").and_then(Value::as_str).unwrap_or_default();
    match reason.to_lowercase().as_str() {
        "length" | "max_tokens" | "max_output_tokens" | "model_length" => ModelFinishReason::Length,
        "content_filter" | "safety" | "recitation" | "sensitive" => ModelFinishReason::Filtered,
        _ => ModelFinishReason::Done,
    }
}

/// Returns the text, and the reasoning that was part of it.
fn read_content(message: &Value) -> (Option<String>, Option<String>) {
    let content = message.get("content").filter(|content| !content.is_null());
    let raw = match content.or_else(|| message.get("text")) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let parts = parts.iter().filter_map(|part| part.get("text").unwrap_or(part).as_str());
            parts.collect()
        }
        _ => return (None, None),
    };
    let start = raw.trim_start();
    if let Some(thinking) = start.strip_prefix("<think>") {
        return match thinking.split_once("</think>") {
            Some((thoughts, rest)) => (text(rest), text(thoughts)),
            // The answer was truncated within its reasoning.
            None => (None, text(thinking)),
        };
    }
    // Templates that open the tag themselves leave only its end, on a separate line.
    match start.split_once("\n</think>\n") {
        Some((thoughts, rest)) => (text(rest), text(thoughts)),
        None => (text(&raw), None),
    }
}

fn text(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn read_calls(message: &Value, turn: usize) -> Vec<ToolCall> {
    let listed = message.get("tool_calls").and_then(Value::as_array).filter(|all| !all.is_empty());
    let all: Vec<&Value> = match listed {
        Some(calls) => calls.iter().collect(),
        None => message.get("function_call").into_iter().collect(),
    };
    let mut calls: Vec<ToolCall> = Vec::new();
    for (index, call) in all.into_iter().enumerate() {
        let function = call.get("function").unwrap_or(call);
        let Some(name) = function.get("name").and_then(Value::as_str).and_then(text) else {
            // A call without a name cannot be answered, and servers would refuse it in the history.
            continue;
        };
        let id = call.get("id").and_then(Value::as_str).unwrap_or_default();
        let taken = id.is_empty() || calls.iter().any(|earlier| earlier.id == id);
        // Nine letters and digits satisfy the strictest rule that servers have for IDs.
        let id = if taken { format!("m{turn:05}{index:03}") } else { id.to_owned() };
        calls.push(ToolCall { id, name, arguments: read_arguments(function.get("arguments")) });
    }
    calls
}

fn read_arguments(arguments: Option<&Value>) -> String {
    match arguments {
        None | Some(Value::Null) => "{}".to_owned(),
        Some(Value::String(written)) if written.trim().is_empty() => "{}".to_owned(),
        // Some gateways encode arguments twice.
        Some(Value::String(written)) => {
            serde_json::from_str::<String>(written).unwrap_or_else(|_| written.clone())
        }
        Some(object) => object.to_string(),
    }
}

fn read_usage(usage: &Value) -> TokenUsage {
    let first = |paths: &[&str]| {
        let value = paths.iter().find_map(|path| usage.pointer(path).and_then(Value::as_f64));
        // Some servers send counts as floats; the cast saturates.
        value.unwrap_or_default() as u64
    };
    TokenUsage {
        prompt_tokens: first(&["/prompt_tokens", "/input_tokens"]),
        cached_tokens: first(&[
            "/prompt_tokens_details/cached_tokens",
            "/input_tokens_details/cached_tokens",
            "/prompt_cache_hit_tokens",
        ]),
        completion_tokens: first(&["/completion_tokens", "/output_tokens"]),
        reasoning_tokens: first(&[
            "/completion_tokens_details/reasoning_tokens",
            "/output_tokens_details/reasoning_tokens",
        ]),
    }
}
