//! An entry as data, and its text in each format. Order is kept: it is what people read.

/// A value of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConfigEntryValue {
    Text(&'static str),
    Number(u32),
    Truth(bool),
    List(&'static [&'static str]),
    /// A table without members.
    Empty,
}

/// The members of an entry, in order.
pub(crate) type ConfigEntryMembers = &'static [(&'static str, ConfigEntryValue)];

/// Returns a JSON object on several lines. Each line but the first starts with `indent`; members have one `unit` more.
pub(crate) fn json_lines(
    members: ConfigEntryMembers,
    indent: &str,
    unit: &str,
    line_break: &str,
) -> String {
    let body: Vec<_> = members
        .iter()
        .map(|(key, value)| format!("{indent}{unit}\"{key}\": {}", json_value(*value, ", ")))
        .collect();
    format!("{{{line_break}{}{line_break}{indent}}}", body.join(&format!(",{line_break}")))
}

/// Returns a JSON object on one line, without blanks.
pub(crate) fn json_line(members: ConfigEntryMembers) -> String {
    let body: Vec<_> = members
        .iter()
        .map(|(key, value)| format!("\"{key}\":{}", json_value(*value, ",")))
        .collect();
    format!("{{{}}}", body.join(","))
}

fn json_value(value: ConfigEntryValue, comma: &str) -> String {
    match value {
        ConfigEntryValue::Text(text) => quoted(text),
        ConfigEntryValue::Number(number) => number.to_string(),
        ConfigEntryValue::Truth(truth) => truth.to_string(),
        ConfigEntryValue::List(items) => {
            let items: Vec<_> = items.iter().map(|item| quoted(item)).collect();
            format!("[{}]", items.join(comma))
        }
        ConfigEntryValue::Empty => "{}".to_owned(),
    }
}

/// Returns `key = value` lines of TOML.
pub(crate) fn toml_lines(members: ConfigEntryMembers, line_break: &str) -> String {
    members
        .iter()
        .map(|(key, value)| format!("{key} = {}{line_break}", json_value(*value, ", ")))
        .collect()
}

/// Returns an inline table of TOML.
pub(crate) fn toml_line(members: ConfigEntryMembers) -> String {
    let body: Vec<_> = members
        .iter()
        .map(|(key, value)| format!("{key} = {}", json_value(*value, ", ")))
        .collect();
    format!("{{ {} }}", body.join(", "))
}

/// Returns `key: value` lines of YAML, each starting with `indent`.
pub(crate) fn yaml_lines(members: ConfigEntryMembers, indent: &str, line_break: &str) -> String {
    members
        .iter()
        .map(|(key, value)| format!("{indent}{key}: {}{line_break}", json_value(*value, ", ")))
        .collect()
}

/// Texts of entries need no escape.
fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}
