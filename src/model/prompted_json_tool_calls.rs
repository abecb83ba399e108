//! Actions mode: one JSON object per turn, constrained by `response_format`, in place of tool calls. The conversation
//! stays the same; this module writes its calls and results as plain messages. The agent parses the objects, since it
//! accepts calls and reports as text from every model.

use serde_json::{Map, Value, json};

use super::{ChatRequest, ChatResponse, Message, ModelFinishReason, ToolCall, ToolChoice};
use crate::tools::ToolSpec;
use retriever_report::SUBMIT;

/// Consecutive answers without a usable call after which native calls are given up.
const FAILURES: u32 = 2;
/// Most calls of one answer.
const CALLS: usize = 8;
/// Required fields of a report.
const REPORT: [&str; 2] = ["primary", "summary"];

/// Results of native tool calls so far, over all conversations with an endpoint.
#[derive(Debug, Default)]
pub(super) struct ToolCallStatistics {
    called: bool,
    failures: u32,
}

impl ToolCallStatistics {
    /// Counts an answer to a request that offered tools, and returns whether to give up native calls. Text without a
    /// call is a failure only for a model that has never called a tool.
    pub(super) fn gives_up(&mut self, request: &ChatRequest<'_>, response: &ChatResponse) -> bool {
        let usable = |call: &ToolCall| {
            request.tools.iter().any(|tool| tool.name == call.name)
                && matches!(serde_json::from_str(&call.arguments), Ok(Value::Object(_)))
        };
        if response.calls.iter().any(usable) {
            *self = Self { called: true, failures: 0 };
            return false;
        }
        // An answer that was filtered, or has only reasoning, shows nothing about calls.
        let says_nothing = response.content.is_none() && response.finish != ModelFinishReason::Done;
        if says_nothing || (self.called && response.calls.is_empty()) {
            return false;
        }
        self.failures += 1;
        self.failures >= FAILURES
    }
}

/// Rewrites the body of a request with tools for actions mode.
pub(super) fn rewrite(body: &mut Map<String, Value>, request: &ChatRequest<'_>) {
    body.remove("tools");
    body.remove("tool_choice");
    body.insert("messages".to_owned(), messages(request));
    let forced = match request.tool_choice {
        ToolChoice::Named(name) => request.tools.iter().find(|tool| tool.name == name),
        ToolChoice::Auto => None,
    };
    let schema = forced.map_or_else(|| turn(request.tools), form);
    let format = json!({"type": "json_schema", "json_schema": {"name": "turn", "schema": schema}});
    body.insert("response_format".to_owned(), format);
}

/// Returns the schema of a turn: calls of tools, or the report.
fn turn(tools: &[ToolSpec]) -> Value {
    let (reports, others): (Vec<_>, Vec<_>) = tools.iter().partition(|tool| tool.name == SUBMIT);
    let call = json!({ "anyOf": others.iter().map(|tool| call(tool)).collect::<Vec<_>>() });
    let calls = json!({"type": "array", "items": call, "minItems": 1, "maxItems": CALLS});
    let calls = object("calls", &calls);
    json!({ "anyOf": std::iter::once(calls).chain(reports.into_iter().map(form)).collect::<Vec<_>>() })
}

/// Returns the schema of an answer that calls this tool.
fn form(tool: &ToolSpec) -> Value {
    if tool.name == SUBMIT {
        let mut report = tool.parameters.clone();
        // A malformed call must not be accepted as an empty report, and the report's subject must come first: servers
        // make a model write required keys first.
        report["additionalProperties"] = false.into();
        report["required"] =
            REPORT.into_iter().filter(|key| !report["properties"][key].is_null()).collect();
        return report;
    }
    let one = json!({"type": "array", "items": call(tool), "minItems": 1, "maxItems": 1});
    object("calls", &one)
}

/// Returns the schema of a call, with the tool's name as key: models write keys in the sorted order of the schema, and
/// a name after its arguments would come too late.
fn call(tool: &ToolSpec) -> Value {
    object(tool.name, &tool.parameters)
}

fn object(key: &str, value: &Value) -> Value {
    json!({
        "type": "object", "properties": { key: value }, "required": [key],
        "additionalProperties": false,
    })
}

/// Returns the conversation as plain messages: rules with the tools, calls as objects, results as user messages.
fn messages(request: &ChatRequest<'_>) -> Value {
    let mut plain: Vec<(&str, String)> = Vec::new();
    let mut say = |role, text: String| match plain.last_mut() {
        // Some chat templates refuse two consecutive turns of the same role.
        Some((last, said)) if *last == role => {
            said.push_str("\n\n");
            said.push_str(&text);
        }
        _ => plain.push((role, text)),
    };
    for message in request.messages {
        match message {
            Message::System { content } => {
                say("system", format!("{content}\n\n{}", rules(request.tools)));
            }
            Message::User { content } => say("user", content.clone()),
            Message::Assistant { content, calls } if calls.is_empty() => {
                say("assistant", content.clone().unwrap_or_default());
            }
            Message::Assistant { calls, .. } => say("assistant", spelled(calls).to_string()),
            Message::Tool { name, content, .. } => {
                say("user", format!("Result of {name}:\n{content}"));
            }
        }
    }
    plain.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

/// Returns calls as the model would have written them in this mode.
fn spelled(calls: &[ToolCall]) -> Value {
    let arguments = |call: &ToolCall| {
        serde_json::from_str(&call.arguments).unwrap_or_else(|_| Value::Object(Map::new()))
    };
    match calls {
        [report] if report.name == SUBMIT => arguments(report),
        calls => {
            let calls = calls.iter().map(|call| json!({ call.name.as_str(): arguments(call) }));
            json!({ "calls": calls.collect::<Vec<_>>() })
        }
    }
}

fn rules(tools: &[ToolSpec]) -> String {
    let described = |tool: &ToolSpec| format!("{}\n{}", tool.description, shape(&tool.parameters));
    let (reports, others): (Vec<_>, Vec<_>) = tools.iter().partition(|tool| tool.name == SUBMIT);
    let others = others.iter().map(|tool| format!("- {}: {}", tool.name, described(tool)));
    let reports = reports.into_iter().map(described);
    include_str!("../../prompts/actions.md")
        .replace("{tools}", &others.collect::<Vec<_>>().join("\n"))
        .replace("{report}", &reports.collect::<String>())
        .trim()
        .to_owned()
}

/// Returns a short form of a schema for small models: `{"pattern": string, "limit"?: integer}`.
fn shape(schema: &Value) -> String {
    if let Some(words) = schema["enum"].as_array() {
        return words.iter().map(Value::to_string).collect::<Vec<_>>().join("|");
    }
    match schema["type"].as_str() {
        Some("object") => {
            let required = |name: &String| {
                let all = schema["required"].as_array();
                all.is_some_and(|all| all.iter().any(|known| known == name.as_str()))
            };
            let fields = schema["properties"].as_object().into_iter().flatten();
            let fields = fields.map(|(name, field)| {
                let mark = if required(name) { "" } else { "?" };
                format!("\"{name}\"{mark}: {}", shape(field))
            });
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        Some("array") => format!("[{}, ...]", shape(&schema["items"])),
        Some(other) => other.to_owned(),
        None => "any".to_owned(),
    }
}
