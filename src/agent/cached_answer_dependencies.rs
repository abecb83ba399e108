//! The dependencies of a cached answer besides files: the strings in the arguments of its tool calls, and the tools.

use std::collections::BTreeSet;

use serde_json::Value;

/// The texts in the arguments of a run's calls, and the tools that were called.
#[derive(Debug, Default)]
pub(super) struct CallDependencies {
    pub(super) texts: BTreeSet<String>,
    pub(super) tools: BTreeSet<String>,
    /// Whether a call asked the graph database.
    pub(super) asks_everywhere: bool,
}

impl CallDependencies {
    /// Adds a call.
    pub(super) fn add_call(&mut self, tool: &str, arguments: &Value) {
        self.tools.insert(tool.trim().to_ascii_lowercase());
        self.asks_everywhere |= asks_everywhere(arguments);
        self.add_texts(arguments);
    }

    fn add_texts(&mut self, value: &Value) {
        match value {
            Value::String(text) => drop(self.texts.insert(text.clone())),
            Value::Array(items) => items.iter().for_each(|item| self.add_texts(item)),
            Value::Object(fields) => fields.values().for_each(|field| self.add_texts(field)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Whether a call's arguments may be a question to the graph database. Tools also accept `"yes"`, `1` and an object as
/// a string, so everything except a clear no counts.
fn asks_everywhere(arguments: &Value) -> bool {
    match arguments {
        Value::String(text) => serde_json::from_str(text)
            .is_ok_and(|object: Value| object.is_object() && asks_everywhere(&object)),
        arguments => !matches!(arguments["everywhere"], Value::Null | Value::Bool(false)),
    }
}
