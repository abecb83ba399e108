//! An entry as data, and its text in each format. The order of members is kept, since users read it.

use crate::LaunchCommand;

/// A value of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostAgentEntryValue {
    Text(&'static str),
    Number(u32),
    Truth(bool),
    /// The program that starts the server.
    Program,
    /// Its arguments.
    Arguments,
    /// The program and its arguments as one list.
    CommandLine,
    /// A list without items.
    EmptyList,
    /// A table without members.
    Empty,
}

/// The members of an entry, in order.
pub(crate) type HostAgentEntryMembers = &'static [(&'static str, HostAgentEntryValue)];

/// The members of an entry, and the command for their placeholders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FilledEntryMembers<'a> {
    pub(crate) members: HostAgentEntryMembers,
    pub(crate) launch: &'a LaunchCommand,
}

impl FilledEntryMembers<'_> {
    /// Returns a value as JSON, which is also valid TOML and YAML.
    fn value(&self, value: HostAgentEntryValue, comma: &str) -> String {
        let list = |items: &[&str]| {
            let items: Vec<_> = items.iter().map(|item| quoted(item)).collect();
            format!("[{}]", items.join(comma))
        };
        match value {
            HostAgentEntryValue::Text(text) => quoted(text),
            HostAgentEntryValue::Number(number) => number.to_string(),
            HostAgentEntryValue::Truth(truth) => truth.to_string(),
            HostAgentEntryValue::Program => quoted(&self.launch.program),
            HostAgentEntryValue::Arguments => list(&self.launch.server_arguments()),
            HostAgentEntryValue::CommandLine => {
                let program = std::iter::once(self.launch.program.as_str());
                list(&program.chain(self.launch.server_arguments()).collect::<Vec<_>>())
            }
            HostAgentEntryValue::EmptyList => list(&[]),
            HostAgentEntryValue::Empty => "{}".to_owned(),
        }
    }
}

/// Returns a JSON object on several lines. Each line but the first starts with `indent`; members are indented by one
/// more `unit`.
pub(crate) fn json_lines(
    entry: FilledEntryMembers<'_>,
    indent: &str,
    unit: &str,
    line_break: &str,
) -> String {
    let body: Vec<_> = entry
        .members
        .iter()
        .map(|(key, value)| format!("{indent}{unit}\"{key}\": {}", entry.value(*value, ", ")))
        .collect();
    format!("{{{line_break}{}{line_break}{indent}}}", body.join(&format!(",{line_break}")))
}

/// Returns a JSON object on one line, without spaces.
pub(crate) fn json_line(entry: FilledEntryMembers<'_>) -> String {
    let body: Vec<_> = entry
        .members
        .iter()
        .map(|(key, value)| format!("\"{key}\":{}", entry.value(*value, ",")))
        .collect();
    format!("{{{}}}", body.join(","))
}

/// Returns `key = value` lines of TOML.
pub(crate) fn toml_lines(entry: FilledEntryMembers<'_>, line_break: &str) -> String {
    entry
        .members
        .iter()
        .map(|(key, value)| format!("{key} = {}{line_break}", entry.value(*value, ", ")))
        .collect()
}

/// Returns an inline table of TOML.
pub(crate) fn toml_line(entry: FilledEntryMembers<'_>) -> String {
    let body: Vec<_> = entry
        .members
        .iter()
        .map(|(key, value)| format!("{key} = {}", entry.value(*value, ", ")))
        .collect();
    format!("{{ {} }}", body.join(", "))
}

/// Returns `key: value` lines of YAML, each starting with `indent`.
pub(crate) fn yaml_lines(entry: FilledEntryMembers<'_>, indent: &str, line_break: &str) -> String {
    entry
        .members
        .iter()
        .map(|(key, value)| format!("{indent}{key}: {}{line_break}", entry.value(*value, ", ")))
        .collect()
}

/// Returns a JSON string, since a path may need escapes.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
