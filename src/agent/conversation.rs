//! The conversation of a run: append-only while it fits the model, and always one that a strict server accepts. Every call in it has arguments
//! that are a JSON object and exactly one answer.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::model::{ChatResponse, Message, ToolCall};

/// A call whose arguments were looked at.
#[derive(Clone, Debug)]
pub struct Call {
    /// Unique in its conversation.
    pub id: String,
    /// The tool.
    pub name: String,
    /// A JSON object.
    pub arguments: Result<Value, Broken>,
}

/// Arguments that are not a JSON object.
#[derive(Clone, Debug)]
pub struct Broken {
    /// What the model wrote.
    pub text: String,
    /// What is wrong with it.
    pub problem: String,
}

/// The messages so far.
#[derive(Debug)]
pub struct Conversation {
    messages: Vec<Message>,
    ids: BTreeSet<String>,
}

impl Conversation {
    /// Opens a conversation with a system prompt and the user's question.
    pub fn open(system: String, question: String) -> Self {
        let messages =
            vec![Message::System { content: system }, Message::User { content: question }];
        Self { messages, ids: BTreeSet::new() }
    }

    /// The messages so far.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Says something to the model. Joined to the last message when that was the runtime's too, since some chat
    /// templates refuse two user turns in a row.
    pub fn say(&mut self, text: &str) {
        if let Some(Message::User { content }) = self.messages.last_mut() {
            content.push_str("\n\n");
            content.push_str(text);
        } else {
            self.messages.push(Message::User { content: text.to_owned() });
        }
    }

    /// Keeps the model's answer and returns its calls. A call with malformed arguments stays in the history with empty
    /// ones: servers answer 500 to what they wrote themselves.
    pub fn keep(&mut self, response: &ChatResponse) -> Vec<Call> {
        let calls: Vec<(ToolCall, Call)> =
            response.calls.iter().map(|call| self.admit(call)).collect();
        let content = response.content.clone().filter(|text| !text.trim().is_empty());
        let (kept, read): (Vec<_>, Vec<_>) = calls.into_iter().unzip();
        if content.is_some() || !kept.is_empty() {
            self.messages.push(Message::Assistant { content, calls: kept });
        }
        read
    }

    /// Halves the conversation for a model that it has become too long for: the oldest tool results give way first, each to
    /// its first line. The lines in them were delivered and stay evidence.
    pub(crate) fn halve(&mut self) {
        let size = |message: &Message| match message {
            Message::System { content }
            | Message::User { content }
            | Message::Tool { content, .. } => content.len(),
            Message::Assistant { content, .. } => content.as_ref().map_or(0, String::len),
        };
        let mut left: usize = self.messages.iter().map(size).sum();
        let wanted = left / 2;
        for message in &mut self.messages {
            if left <= wanted {
                break;
            }
            if let Message::Tool { content, .. } = message {
                let short = format!(
                    "{} (left out to save room)",
                    content.lines().next().unwrap_or_default()
                );
                left = (left + short.len()).saturating_sub(content.len());
                *content = short;
            }
        }
    }

    /// Answers a call.
    pub fn answer(&mut self, call: &Call, content: String) {
        self.messages.push(Message::Tool {
            call_id: call.id.clone(),
            name: call.name.clone(),
            content,
        });
    }

    fn admit(&mut self, call: &ToolCall) -> (ToolCall, Call) {
        let mut id = call.id.clone();
        let mut suffix = 1;
        while id.is_empty() || !self.ids.insert(id.clone()) {
            suffix += 1;
            id = format!("{}_{suffix}", if call.id.is_empty() { "call" } else { &call.id });
        }
        let broken = |problem| Broken { text: call.arguments.clone(), problem };
        let arguments = read_arguments(&call.arguments).map_err(broken);
        let kept = match &arguments {
            Ok(value) => value.to_string(),
            Err(_) => "{}".to_owned(),
        };
        let name = call.name.trim().to_owned();
        (
            ToolCall { id: id.clone(), name: name.clone(), arguments: kept },
            Call { id, name, arguments },
        )
    }
}

fn read_arguments(text: &str) -> Result<Value, String> {
    let text = text.trim();
    if text.is_empty() || text == "null" {
        return Ok(Value::Object(Map::new()));
    }
    match serde_json::from_str(text) {
        Ok(value @ Value::Object(_)) => Ok(value),
        // Some models encode the object twice.
        Ok(Value::String(inner)) => match serde_json::from_str(&inner) {
            Ok(value @ Value::Object(_)) => Ok(value),
            _ => Err("the arguments are a string, not a JSON object".to_owned()),
        },
        Ok(_) => Err("the arguments are not a JSON object".to_owned()),
        Err(error) => Err(format!("the arguments are not valid JSON ({error})")),
    }
}
