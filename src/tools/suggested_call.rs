//! Formats the calls that a result suggests: as tool calls for models, as commands for users.

use std::sync::Arc;

use serde_json::Value;

/// Writes a call of a tool as a command, from its arguments.
pub type SuggestedCommandWriter = Arc<dyn Fn(&str, &[(&str, Value)]) -> String + Send + Sync>;

/// How results suggest calls.
#[derive(Clone, Default)]
pub enum SuggestedCallSyntax {
    /// `grep pattern="a" offset=40`, for models. A known ID stands for its place.
    #[default]
    Tool,
    /// As the writer formats it. IDs mean nothing to the next command.
    Command(SuggestedCommandWriter),
}

impl SuggestedCallSyntax {
    /// Whether the next call can use the IDs of this result.
    pub(super) const fn has_ids(&self) -> bool {
        self.is_of_model()
    }

    /// Whether the caller is a model; its odd spellings must not cost a step.
    pub(super) const fn is_of_model(&self) -> bool {
        matches!(self, Self::Tool)
    }

    /// Writes one argument of a call, for a sentence.
    pub(super) fn argument(&self, name: &str, value: &Value) -> String {
        let option = name.replace('_', "-");
        match (self, value) {
            (Self::Tool, value) => format!("{name}={value}"),
            (Self::Command(_), Value::Bool(true)) => format!("--{option}"),
            (Self::Command(_), Value::Bool(false)) => format!("no --{option}"),
            (Self::Command(_), value) => format!("--{option} {value}"),
        }
    }

    /// Writes a call. Arguments that are `null` are left out.
    pub(super) fn write(&self, tool: &str, arguments: &[(&str, Value)]) -> String {
        let given = arguments.iter().filter(|(_, value)| !value.is_null());
        match self {
            Self::Tool => {
                given.fold(tool.to_owned(), |call, (name, value)| format!("{call} {name}={value}"))
            }
            Self::Command(write) => write(tool, &given.cloned().collect::<Vec<_>>()),
        }
    }
}
