//! Prints the effective configuration, each value with its source and without secrets.

use serde_json::{Value as Json, json};
use toml::Value;

use super::{endpoint, load_config::LoadedConfig, settings_layers::dotted};

const HIDDEN: &str = "(hidden)";

impl LoadedConfig {
    /// Returns the configuration as TOML, with `# from …` after every value that is not a default.
    pub fn to_toml(&self) -> String {
        let mut lines: Vec<String> = self
            .files
            .iter()
            .map(|file| {
                let state = if file.found { "read" } else { "not there" };
                format!("# {} ({state})", file.path.display())
            })
            .collect();
        lines.push(format!("# key: {}", self.describe_key()));
        let mut section = String::new();
        for (key, value, origin) in self.layers.values() {
            let Some((first, rest)) = key.split_first() else { continue };
            if *first != section {
                lines.push(format!("\n[{first}]"));
                section.clone_from(first);
            }
            let name = rest.iter().map(|part| bare(part)).collect::<Vec<_>>().join(".");
            let mut remarks: Vec<String> = Vec::new();
            remarks.extend(
                self.by_preset(&key, value)
                    .map(|amount| format!("{amount} by effort {}", self.config.budget.effort)),
            );
            remarks.extend(origin.map(|origin| format!("from {origin}")));
            let remark = remarks.join(", ");
            let remark = if remark.is_empty() { remark } else { format!("  # {remark}") };
            lines.push(format!("{name} = {}{remark}", safe(&key, value)));
        }
        lines.join("\n") + "\n"
    }

    /// Returns the configuration as JSON: `{config, effective, origins, key, files, warnings}`. In `effective` each 0
    /// of `config` is replaced by the value in force.
    pub fn to_json(&self) -> Json {
        let mut config = json!({});
        let (mut origins, mut effective) = (serde_json::Map::new(), serde_json::Map::new());
        for (key, value, origin) in self.layers.values() {
            if let Some(amount) = self.by_preset(&key, value) {
                effective.insert(dotted(&key), amount.into());
            }
            let value = serde_json::to_value(safe(&key, value)).unwrap_or_default();
            let place = key.iter().fold(&mut config, |place, part| &mut place[part.as_str()]);
            *place = value;
            if let Some(origin) = origin {
                origins.insert(dotted(&key), origin.to_string().into());
            }
        }
        let files: Vec<Json> = self
            .files
            .iter()
            .map(|file| json!({ "path": file.path.to_string_lossy(), "found": file.found }))
            .collect();
        json!({
            "config": config,
            "effective": effective,
            "origins": origins,
            "key": { "set": self.key.is_some(), "from": self.key.as_ref().map(|key| &key.variable) },
            "files": files,
            "warnings": self.warnings,
        })
    }

    /// Returns the value in force of a limit that is 0: that of the effort's preset. In repositories of 5,000 files and
    /// more a run may make up to half more calls and see up to half more tokens.
    fn by_preset(&self, key: &[String], value: &Value) -> Option<u64> {
        let limits = self.config.limits(&self.config.budget, 0);
        let parts: Vec<&str> = key.iter().map(String::as_str).collect();
        let amount = match parts.as_slice() {
            ["budget", "max_steps"] => limits.steps.into(),
            ["budget", "max_tool_calls"] => limits.calls.into(),
            ["budget", "observation_tokens"] => limits.tokens,
            ["budget", "timeout_s"] => limits.time.as_secs(),
            ["report", "max_tokens"] => limits.map_tokens,
            _ => return None,
        };
        (value.as_integer() == Some(0)).then_some(amount)
    }

    /// Describes the API key: `set (from OPENAI_API_KEY)` or `not set`.
    pub fn describe_key(&self) -> String {
        match &self.key {
            Some(key) => format!("set (from {})", key.variable),
            None => "not set".to_owned(),
        }
    }
}

fn safe(key: &[String], value: &Value) -> Value {
    let parts: Vec<&str> = key.iter().map(String::as_str).collect();
    match (parts.as_slice(), value) {
        (["model", "base_url"], Value::String(url)) => Value::String(endpoint::shown(url)),
        (["graph", "database"] | ["index", "remote"], Value::String(addresses))
            if addresses.contains(['@', '?']) =>
        {
            Value::String(HIDDEN.to_owned())
        }
        (["model", "headers", ..], _) => Value::String(HIDDEN.to_owned()),
        (["model", "extra_body", rest @ ..], _)
            if rest.iter().any(|part| endpoint::sounds_secret(part)) =>
        {
            Value::String(HIDDEN.to_owned())
        }
        (_, value) => value.clone(),
    }
}

fn bare(part: &str) -> String {
    let plain = !part.is_empty()
        && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if plain { part.to_owned() } else { Value::String(part.to_owned()).to_string() }
}
