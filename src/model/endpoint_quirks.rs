//! Adapts requests to an endpoint: what it refuses is recognised from its error, stored for the run as an edit of the
//! request's body, and applied to every later request. There is no list of providers; only their errors decide.

use std::fmt;

use serde_json::{Map, Value, json};

use super::attempt_error::EndpointErrorBody;

/// Keys without which there is no request.
const ESSENTIAL: [&str; 3] = ["model", "messages", "tools"];
/// Names of the limit of output tokens.
const LIMITS: [&str; 2] = ["max_tokens", "max_completion_tokens"];
/// Names of the field for reasoning.
const REASONING: [&str; 2] = ["reasoning_content", "reasoning"];

/// A change of the request that an endpoint requires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RequestAdjustment {
    /// The endpoint refuses a call of a certain tool as choice; the request asks for any call.
    AnyTool,
    /// A key has its other name.
    Rename { from: String, to: String },
    /// A key is left out.
    Drop(String),
    /// An assistant message without text has an empty one.
    EmptyContent,
    /// Reasoning is sent back with its message.
    EchoReasoning,
    /// Reasoning is not sent back.
    HideReasoning,
    /// Tools are called by actions.
    Actions,
}

impl fmt::Display for RequestAdjustment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AnyTool => f.write_str("tool_choice is sent as \"required\", not by name"),
            Self::Rename { from, to } => write!(f, "{from} is sent as {to}"),
            Self::Drop(key) => write!(f, "{key} is left out"),
            Self::EmptyContent => f.write_str("content is sent as \"\", not null"),
            Self::EchoReasoning => f.write_str("reasoning is sent back"),
            Self::HideReasoning => f.write_str("reasoning is not sent back"),
            Self::Actions => f.write_str("tools are called by JSON actions, not natively"),
        }
    }
}

impl RequestAdjustment {
    /// Changes the body.
    pub(super) fn apply(&self, body: &mut Map<String, Value>) {
        match self {
            Self::AnyTool => {
                if let Some(choice) = body.get_mut("tool_choice")
                    && choice.is_object()
                {
                    *choice = json!("required");
                }
            }
            Self::Rename { from, to } => {
                if let Some(value) = body.remove(from) {
                    body.insert(to.clone(), value);
                }
            }
            Self::Drop(key) => {
                body.remove(key);
            }
            Self::EmptyContent => {
                for message in messages_mut(body) {
                    if message.get("content").is_some_and(Value::is_null) {
                        message.insert("content".to_owned(), json!(""));
                    }
                }
            }
            Self::HideReasoning => {
                for message in messages_mut(body) {
                    REASONING.iter().for_each(|key| drop(message.remove(*key)));
                }
            }
            // Applied when the messages are built, which are not part of the body yet.
            Self::EchoReasoning | Self::Actions => {}
        }
    }

    /// Returns the change to requests that avoids the refusal of `body`; `known` has the changes that `body` was built
    /// with.
    pub(super) fn learn(
        body: &Map<String, Value>,
        refusal: &EndpointErrorBody,
        known: &[Self],
    ) -> Option<Self> {
        if !refusal.is_about_the_request() {
            return None;
        }
        Self::of_tool_choice(body, refusal)
            .or_else(|| Self::of_limit(body, refusal, known))
            .or_else(|| Self::of_messages(body, refusal))
            .or_else(|| {
                let optional = body.keys().filter(|key| !ESSENTIAL.contains(&key.as_str()));
                optional.into_iter().find(|key| refusal.names(key)).cloned().map(Self::Drop)
            })
            .or_else(|| {
                let of_tools =
                    body.contains_key("tools") && refusal.message.to_lowercase().contains("tool");
                of_tools.then_some(Self::Actions)
            })
            .filter(|adjustment| !known.contains(adjustment))
    }

    fn of_tool_choice(body: &Map<String, Value>, refusal: &EndpointErrorBody) -> Option<Self> {
        let choice = body.get("tool_choice")?;
        let spoken = refusal.message.to_lowercase();
        if !refusal.names("tool_choice") && !spoken.contains("tool choice") {
            return None;
        }
        Some(if choice.is_object() { Self::AnyTool } else { Self::Drop("tool_choice".to_owned()) })
    }

    fn of_limit(
        body: &Map<String, Value>,
        refusal: &EndpointErrorBody,
        known: &[Self],
    ) -> Option<Self> {
        let from = LIMITS.into_iter().find(|key| body.contains_key(*key) && refusal.names(key))?;
        let to = LIMITS.into_iter().find(|key| *key != from)?;
        let renamed = known.iter().any(|adjustment| matches!(adjustment, Self::Rename { .. }));
        let amount = ["too large", "too big", "too high", "at most", "must be"];
        let of_its_size = amount.iter().any(|phrase| refusal.message.contains(phrase));
        Some(if renamed || of_its_size {
            Self::Drop(from.to_owned())
        } else {
            Self::Rename { from: from.to_owned(), to: to.to_owned() }
        })
    }

    fn of_messages(body: &Map<String, Value>, refusal: &EndpointErrorBody) -> Option<Self> {
        let carries = |wanted: &dyn Fn(&Value) -> bool| {
            body.get("messages").and_then(Value::as_array).is_some_and(|all| all.iter().any(wanted))
        };
        let has = |key: &str| carries(&|message: &Value| message.get(key).is_some());
        if REASONING.iter().any(|key| has(key) && refusal.message.contains(key)) {
            return Some(Self::HideReasoning);
        }
        if refusal.names("reasoning_content") {
            return Some(Self::EchoReasoning);
        }
        let spoken = refusal.message.to_lowercase();
        let of_null = ["null", "nil", "none", "string"].iter().any(|word| spoken.contains(word));
        (of_null
            && spoken.contains("content")
            && carries(&|message| message.get("content").is_some_and(Value::is_null)))
        .then_some(Self::EmptyContent)
    }
}

fn messages_mut(body: &mut Map<String, Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    body.get_mut("messages")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
        .filter_map(Value::as_object_mut)
}
