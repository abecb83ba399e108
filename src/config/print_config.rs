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
        lines.push(format!("# key: {}", self.key_in_words()));
        let mut section = String::new();
        for (key, value, origin) in self.layers.values() {
            let Some((first, rest)) = key.split_first() else { continue };
            if *first != section {
                lines.push(format!("\n[{first}]"));
                section.clone_from(first);
            }
            let name = rest.iter().map(|part| bare(part)).collect::<Vec<_>>().join(".");
            let from = origin.map(|origin| format!("  # from {origin}")).unwrap_or_default();
            lines.push(format!("{name} = {}{from}", safe(&key, value)));
        }
        lines.join("\n") + "\n"
    }

    /// Returns the configuration as JSON: `{config, origins, key, files, warnings}`.
    pub fn to_json(&self) -> Json {
        let mut config = json!({});
        let mut origins = serde_json::Map::new();
        for (key, value, origin) in self.layers.values() {
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
            "origins": origins,
            "key": { "set": self.key.is_some(), "from": self.key.as_ref().map(|key| &key.variable) },
            "files": files,
            "warnings": self.warnings,
        })
    }

    /// Describes the API key: `set (from OPENAI_API_KEY)` or `not set`.
    pub fn key_in_words(&self) -> String {
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
