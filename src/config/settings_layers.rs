//! One layer of settings and how it overrides the layers below: which keys exist, which values each accepts, and errors that
//! name the place, the key and what was expected. Messages never contain values, which may be secrets.

use std::{collections::BTreeMap, fmt, path::PathBuf};

use serde::Deserialize;
use toml::{
    Table, Value,
    de::{DeTable, DeValue},
};

use super::{Config, config_error::ConfigError, endpoint};
use retriever_search::PlaceRole;
use retriever_workspace::PathGlobs;

/// Maximum of every time limit, in seconds: a week.
const MAX_SECONDS: i64 = 7 * 24 * 3600;

/// The source of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingSource {
    /// The user's configuration file.
    User(PathBuf),
    /// `retriever.toml` of the workspace.
    Workspace(PathBuf),
    /// An environment variable.
    Variable(String),
    /// A flag of the command line, with its dashes.
    Flag(String),
}

impl fmt::Display for SettingSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(path) | Self::Workspace(path) => write!(f, "{}", path.display()),
            Self::Variable(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}

/// One key with its new value.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The parts of the key.
    pub key: Vec<String>,
    /// The new value.
    pub value: Value,
    /// The source.
    pub origin: SettingSource,
    /// The line, when the source is a file.
    pub line: Option<usize>,
}

impl Setting {
    /// Returns the setting of a flag. `key` is dotted.
    pub fn flag(flag: &str, key: &str, value: impl Into<Value>) -> Self {
        Self::new(key, value.into(), SettingSource::Flag(flag.to_owned()))
    }

    pub(super) fn new(key: &str, value: Value, origin: SettingSource) -> Self {
        Self { key: key.split('.').map(str::to_owned).collect(), value, origin, line: None }
    }

    /// Returns the dotted key.
    pub fn dotted(&self) -> String {
        dotted(&self.key)
    }

    /// Returns the source for messages, for example `config.toml:3` or `RETRIEVER_EFFORT`.
    pub fn place(&self) -> String {
        match self.line {
            Some(line) => format!("{}:{line}", self.origin),
            None => self.origin.to_string(),
        }
    }

    fn bad(&self, expected: impl Into<String>) -> ConfigError {
        ConfigError::BadValue { place: self.place(), key: self.dotted(), expected: expected.into() }
    }
}

/// The configuration as one table, with the source of every value that is not a default.
#[derive(Clone, Debug)]
pub struct SettingsLayers {
    table: Table,
    defaults: Table,
    origins: BTreeMap<Vec<String>, SettingSource>,
}

impl SettingsLayers {
    pub(super) fn new() -> Result<Self, ConfigError> {
        let table = Table::try_from(Config::default())
            .map_err(|error| ConfigError::Internal(error.to_string()))?;
        Ok(Self { defaults: table.clone(), table, origins: BTreeMap::new() })
    }

    /// Returns the values of all layers.
    pub(super) fn config(&self) -> Result<Config, ConfigError> {
        Config::deserialize(self.table.clone())
            .map_err(|error| ConfigError::Internal(error.to_string()))
    }

    /// Returns every value that is not a table, by key, with its source; `None` is the default.
    pub fn values(&self) -> Vec<(Vec<String>, &Value, Option<&SettingSource>)> {
        let mut values = Vec::new();
        collect_values(&self.table, &mut Vec::new(), &mut values);
        values
            .into_iter()
            .map(|(key, value)| {
                let origin = self.origins.get(&key);
                (key, value, origin)
            })
            .collect()
    }

    /// Checks a setting without applying it.
    pub(super) fn check(&self, setting: &Setting) -> Result<(), ConfigError> {
        if !self.knows(&setting.key) {
            return Err(ConfigError::UnknownKey {
                place: setting.place(),
                key: setting.dotted(),
                nearest: self.suggest_paths(&setting.dotted()),
            });
        }
        let mut alone = Table::new();
        put(&mut alone, &setting.key, setting.value.clone());
        let config = Config::deserialize(alone)
            .map_err(|error| setting.bad(expectation(error.message())))?;
        check_meaning(setting, &config)
    }

    /// Applies a setting; its value replaces the earlier one.
    pub(super) fn apply(&mut self, setting: Setting) -> Result<(), ConfigError> {
        self.check(&setting)?;
        self.replace(setting);
        Ok(())
    }

    /// Applies a setting; the strings of its list are appended to the earlier ones.
    pub(super) fn extend(&mut self, mut setting: Setting) {
        let mut all =
            get(&self.table, &setting.key).and_then(Value::as_array).cloned().unwrap_or_default();
        if let Value::Array(more) = setting.value {
            all.extend(more);
        }
        setting.value = Value::Array(all);
        self.replace(setting);
    }

    fn replace(&mut self, setting: Setting) {
        put(&mut self.table, &setting.key, setting.value);
        self.origins.insert(setting.key, setting.origin);
    }

    /// Returns whether the key exists. A table that is empty by default accepts any key.
    fn knows(&self, key: &[String]) -> bool {
        let mut table = &self.defaults;
        for (at, part) in key.iter().enumerate() {
            match table.get(part) {
                Some(Value::Table(inner)) if inner.is_empty() => return true,
                Some(Value::Table(inner)) => table = inner,
                Some(_) => return at + 1 == key.len(),
                None => return false,
            }
        }
        // A table's name with a value that is not a table is reported as a type error.
        true
    }

    fn suggest_paths(&self, wanted: &str) -> Option<String> {
        let mut known = Vec::new();
        collect_values(&self.defaults, &mut Vec::new(), &mut known);
        // The key may belong to another table, as likely as it is misspelt.
        let last = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
        known
            .iter()
            .map(|(key, _)| dotted(key))
            .map(|key| {
                let whole = strsim::jaro_winkler(wanted, &key);
                let name = strsim::jaro_winkler(&last(wanted), &last(&key));
                (whole.max(name), key)
            })
            .filter(|(likeness, _)| *likeness > 0.8)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, key)| key)
    }
}

/// Returns the settings of a TOML text in their order.
///
/// # Errors
///
/// Returns the line of the first syntax error and its description.
pub(super) fn parse(text: &str, origin: &SettingSource) -> Result<Vec<Setting>, (usize, String)> {
    let at = |error: &toml::de::Error| {
        let line = error.span().map_or(1, |span| line_of(text, span.start));
        (line, error.message().lines().next().unwrap_or_default().to_owned())
    };
    let spelled = DeTable::parse(text).map_err(|error| at(&error))?;
    let values: Table = toml::from_str(text).map_err(|error| at(&error))?;
    let mut found = Vec::new();
    collect_settings(spelled.get_ref(), &values, &mut Vec::new(), &mut found);
    found.sort_by_key(|(offset, _, _)| *offset);
    Ok(found
        .into_iter()
        .map(|(offset, key, value)| Setting {
            key,
            value,
            origin: origin.clone(),
            line: Some(line_of(text, offset)),
        })
        .collect())
}

/// Returns a key in its dotted form.
pub(super) fn dotted(key: &[String]) -> String {
    key.join(".")
}

fn collect_settings(
    spelled: &DeTable<'_>,
    values: &Table,
    above: &mut Vec<String>,
    found: &mut Vec<(usize, Vec<String>, Value)>,
) {
    for (name, inner) in spelled {
        let Some(value) = values.get(name.get_ref().as_ref()) else { continue };
        above.push(name.get_ref().to_string());
        match (inner.get_ref(), value) {
            (DeValue::Table(inner), Value::Table(values)) => {
                collect_settings(inner, values, above, found);
            }
            _ => found.push((name.span().start, above.clone(), value.clone())),
        }
        above.pop();
    }
}

fn collect_values<'a>(
    table: &'a Table,
    above: &mut Vec<String>,
    values: &mut Vec<(Vec<String>, &'a Value)>,
) {
    for (name, value) in table {
        above.push(name.clone());
        match value {
            Value::Table(inner) => collect_values(inner, above, values),
            value => values.push((above.clone(), value)),
        }
        above.pop();
    }
}

fn get<'a>(table: &'a Table, key: &[String]) -> Option<&'a Value> {
    let (name, above) = key.split_last()?;
    above.iter().try_fold(table, |table, part| table.get(part).and_then(Value::as_table))?.get(name)
}

fn put(table: &mut Table, key: &[String], value: Value) {
    let Some((name, above)) = key.split_last() else { return };
    let mut table = table;
    for part in above {
        let inner = table.entry(part.clone()).or_insert_with(|| Value::Table(Table::new()));
        let Value::Table(inner) = inner else { return };
        table = inner;
    }
    table.insert(name.clone(), value);
}

fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count() + 1
}

/// Describes what serde expected, without the value.
fn expectation(message: &str) -> String {
    let expected = message.lines().next().unwrap_or_default();
    let expected = expected.rsplit_once("expected ").map_or(expected, |(_, expected)| expected);
    match expected {
        "u32" | "u64" => "a whole number, 0 or more".to_owned(),
        "f64" => "a number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a sequence" => "a list of strings".to_owned(),
        "a string" => "a string, in quotes".to_owned(),
        other if other.starts_with("struct ") || other == "a map" => "a table".to_owned(),
        other => other.replace('`', ""),
    }
}

/// Checks what types cannot express.
fn check_meaning(setting: &Setting, alone: &Config) -> Result<(), ConfigError> {
    let parts: Vec<&str> = setting.key.iter().map(String::as_str).collect();
    match (parts.as_slice(), &setting.value) {
        (["embedding", "base_url"], Value::String(url)) if url.is_empty() => Ok(()),
        (["model" | "embedding", "base_url"], Value::String(url)) => {
            endpoint::parse(url).map(drop).map_err(|expected| setting.bad(expected))
        }
        (["workspace", "ignore" | "secrets"] | ["traits", _], Value::Array(globs)) => {
            let globs: Vec<&str> = globs.iter().filter_map(Value::as_str).collect();
            match PathGlobs::new(&globs) {
                Ok(_) => Ok(()),
                Err(_) => Err(setting.bad("a list of globs, each of them valid")),
            }
        }
        (["roles", role, ..], _) => match role.trim().parse::<PlaceRole>() {
            Ok(_) => Ok(()),
            Err(unknown) => Err(setting.bad(format!("under a role: {unknown}"))),
        },
        (["model" | "embedding", "request_timeout_s"], Value::Integer(seconds))
            if !(1..=MAX_SECONDS).contains(seconds) =>
        {
            Err(setting.bad(format!("between 1 and {MAX_SECONDS} seconds")))
        }
        (["budget", "timeout_s"], Value::Integer(seconds)) if *seconds > MAX_SECONDS => {
            Err(setting.bad(format!("at most {MAX_SECONDS} seconds")))
        }
        (["explore", "budget_chars"], Value::Integer(1..1000)) => {
            Err(setting.bad("0, or 1000 and more"))
        }
        (["embedding", "batch"], Value::Integer(texts)) if !(1..=2048).contains(texts) => {
            Err(setting.bad("between 1 and 2048"))
        }
        (["workspace", "max_file_bytes"], Value::Integer(0)) => Err(setting.bad("1 or more")),
        (_, Value::Float(number)) if !number.is_finite() => Err(setting.bad("a finite number")),
        (["model", "headers", name], _) if !header_is_valid(name, &alone.model.headers) => {
            Err(setting.bad("an HTTP header: a plain name and a one-line value"))
        }
        (["model", "api_key_header"], Value::String(name))
            if !header_is_valid(name, &BTreeMap::new()) =>
        {
            Err(setting.bad("the name of an HTTP header, such as \"api-key\""))
        }
        _ => Ok(()),
    }
}

fn header_is_valid(name: &str, headers: &BTreeMap<String, String>) -> bool {
    reqwest::header::HeaderName::from_bytes(name.as_bytes()).is_ok()
        && headers.values().all(|value| reqwest::header::HeaderValue::from_str(value).is_ok())
}
