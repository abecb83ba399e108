//! The conversation of a run. Messages are added and never removed; [`Conversation::shorten`] cuts old tool results to their first
//! line. A strict server accepts it at any time: every tool call in it has a JSON object as arguments, and exactly one result.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::model::{ChatResponse, Message, ToolCall};
use retriever_report::json::json_coercion;

/// Most tool calls that are taken from one answer; the others are as if they had not been made. A turn runs eight at once, and an
/// answer may hold 8 MiB of them.
pub(super) const MAX_CALLS_PER_ANSWER: usize = 64;

/// A tool call with parsed arguments.
#[derive(Clone, Debug)]
pub struct ParsedToolCall {
    /// Unique in its conversation.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// A JSON object.
    pub arguments: Result<Value, MalformedArguments>,
}

/// Arguments that are not a JSON object.
#[derive(Clone, Debug)]
pub struct MalformedArguments {
    /// The text that the model wrote.
    pub text: String,
    /// The problem.
    pub problem: String,
}

/// The messages so far.
#[derive(Debug)]
pub struct Conversation {
    messages: Vec<Message>,
    call_ids: BTreeSet<String>,
}

impl Conversation {
    /// Opens a conversation with a system prompt and the first user message.
    pub fn new(system: String, user: String) -> Self {
        let messages = vec![Message::System { content: system }, Message::User { content: user }];
        Self { messages, call_ids: BTreeSet::new() }
    }

    /// The messages so far.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Adds a user message. It is joined to a preceding user message, since some chat templates refuse two consecutive
    /// user turns.
    pub fn add_user_message(&mut self, text: &str) {
        if let Some(Message::User { content }) = self.messages.last_mut() {
            content.push_str("\n\n");
            content.push_str(text);
        } else {
            self.messages.push(Message::User { content: text.to_owned() });
        }
    }

    /// Adds the model's answer and returns its tool calls, [`MAX_CALLS_PER_ANSWER`] at most. A call with malformed arguments is stored with empty ones,
    /// since servers answer 500 to malformed arguments in the history.
    pub fn add_answer(&mut self, response: &ChatResponse) -> Vec<ParsedToolCall> {
        let calls = response.calls.iter().take(MAX_CALLS_PER_ANSWER);
        let calls = calls.map(|call| self.admit(call));
        let (kept, parsed): (Vec<ToolCall>, Vec<ParsedToolCall>) = calls.unzip();
        let content = response.content.clone().filter(|text| !text.trim().is_empty());
        if content.is_some() || !kept.is_empty() {
            self.messages.push(Message::Assistant { content, calls: kept });
        }
        parsed
    }

    /// Adds the result of a call.
    pub fn add_result(&mut self, call: &ParsedToolCall, content: String) {
        self.messages.push(Message::Tool {
            call_id: call.id.clone(),
            name: call.name.clone(),
            content,
        });
    }

    /// Reduces the conversation to about half its size for a model that it is too long for: tool results, oldest first,
    /// are cut to their first line. The cut lines were delivered and remain evidence.
    pub fn shorten(&mut self) {
        let size = |message: &Message| match message {
            Message::System { content }
            | Message::User { content }
            | Message::Tool { content, .. } => content.len(),
            Message::Assistant { content, .. } => content.as_ref().map_or(0, String::len),
        };
        let mut bytes: usize = self.messages.iter().map(size).sum();
        let target = bytes / 2;
        for message in &mut self.messages {
            if bytes <= target {
                break;
            }
            if let Message::Tool { content, .. } = message {
                let first_line = content.lines().next().unwrap_or_default();
                let short = format!("{first_line} (left out to save room)");
                bytes = (bytes + short.len()).saturating_sub(content.len());
                *content = short;
            }
        }
    }

    /// Returns the stored form of a call, and the call with parsed arguments, under an ID that is unique in the
    /// conversation.
    fn admit(&mut self, call: &ToolCall) -> (ToolCall, ParsedToolCall) {
        let mut id = call.id.clone();
        let mut suffix = 1;
        while id.is_empty() || !self.call_ids.insert(id.clone()) {
            suffix += 1;
            id = format!("{}_{suffix}", if call.id.is_empty() { "call" } else { &call.id });
        }
        let name = call.name.trim().to_owned();
        let arguments = parse_arguments(&call.arguments);
        let kept = arguments.as_ref().map_or_else(|_| "{}".to_owned(), Value::to_string);
        (
            ToolCall { id: id.clone(), name: name.clone(), arguments: kept },
            ParsedToolCall { id, name, arguments },
        )
    }
}

fn parse_arguments(text: &str) -> Result<Value, MalformedArguments> {
    let written = Value::String(text.trim().to_owned());
    json_coercion::object(&written).map(Value::Object).map_err(|problem| MalformedArguments {
        text: text.to_owned(),
        problem: format!("the arguments are {problem}"),
    })
}
