//! The other way to drive an endpoint: one JSON object a turn, constrained by `response_format`, in place of tool calls.
//! The conversation stays as it is; here its calls and their answers are written as plain messages. Reading an object back
//! is the agent's work, which takes calls and reports that are written as text from every model.

use serde_json::{Map, Value, json};

use super::{ChatRequest, ChatResponse, Message, ModelFinishReason, ToolCall, ToolChoice};
use crate::tools::ToolSpec;
use retriever_report::SUBMIT;

/// Answers in a row without a usable call after which native calls are given up.
const FAILURES: u32 = 2;
/// Calls that one answer may make.
const CALLS: usize = 8;
/// What no report goes without.
const REPORT: [&str; 2] = ["primary", "summary"];

/// How native tool calls went so far, over all conversations with an endpoint.
#[derive(Debug, Default)]
pub(super) struct ToolCallStatistics {
    called: bool,
    failures: u32,
}

impl ToolCallStatistics {
    /// Takes an answer to a request that offered tools, and returns whether to give native calls up. A model that has
    /// called before may answer with text; one that never did has no other way to go on.
    pub(super) fn gives_up(&mut self, request: &ChatRequest<'_>, response: &ChatResponse) -> bool {
        let usable = |call: &ToolCall| {
            request.tools.iter().any(|tool| tool.name == call.name)
                && matches!(serde_json::from_str(&call.arguments), Ok(Value::Object(_)))
        };
        if response.calls.iter().any(usable) {
            *self = Self { called: true, failures: 0 };
            return false;
        }
        // An answer that was withheld, or spent on thinking, says nothing about calls.
        let says_nothing = response.content.is_none() && response.finish != ModelFinishReason::Done;
        if says_nothing || (self.called && response.calls.is_empty()) {
            return false;
        }
        self.failures += 1;
        self.failures >= FAILURES
    }
}

/// Puts the body of a request that offers tools into this form.
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

/// Calls of any tools, or the report.
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
        // Calls that are no calls must not pass for a report of nothing, and what a report is about comes before the rest:
        // servers make a model write required keys first.
        report["additionalProperties"] = false.into();
        report["required"] =
            REPORT.into_iter().filter(|key| !report["properties"][key].is_null()).collect();
        return report;
    }
    let one = json!({"type": "array", "items": call(tool), "minItems": 1, "maxItems": 1});
    object("calls", &one)
}

/// The tool's name is the key: keys are sorted here, and a name that came behind its arguments would come too late for a
/// model that writes them in the order of the schema.
fn call(tool: &ToolSpec) -> Value {
    object(tool.name, &tool.parameters)
}

fn object(key: &str, value: &Value) -> Value {
    json!({
        "type": "object", "properties": { key: value }, "required": [key],
        "additionalProperties": false,
    })
}

/// The conversation in plain messages: rules extended by the tools, calls as objects, answers as what the user says.
fn messages(request: &ChatRequest<'_>) -> Value {
    let mut plain: Vec<(&str, String)> = Vec::new();
    let mut say = |role, text: String| match plain.last_mut() {
        // Some chat templates refuse two turns of the same role in a row.
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

/// Calls as the model would have written them in this form.
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

/// A schema in the few words that a small model needs: `{"pattern": string, "limit"?: integer}`.
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
