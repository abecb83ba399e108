//! The workspace's `retriever.toml`. It comes with the repository and is untrusted: it may exclude files, lower budgets and
//! add to tables. Every other key is refused with a warning that does not contain the value, so that a hostile repository
//! cannot redirect the code or the API key.

use std::{fs, io, mem::replace, ops::RangeInclusive, path::Path, time::Duration};

use toml::Value;

use super::{
    Config, RunBudget,
    config_error::ConfigError,
    settings_layers::{self, Setting, SettingSource, SettingsLayers},
};
use crate::config::EffortPreset;
use retriever_workspace::{RootSpec, escape_to_one_line, truncate};

/// Name of the file.
pub(super) const WORKSPACE_FILE: &str = "retriever.toml";

/// Maximum size of the file, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// Maximum number of entries of a list. Bounds the cost of compiling globs.
const MAX_ENTRIES: usize = 200;
/// Maximum length of an entry, in bytes.
const MAX_ENTRY_BYTES: usize = 200;

// The least values that a workspace may set. Within them a run can still read a few places and report them, so that a
// workspace cannot make maps empty.

/// Least number of steps.
const MIN_STEPS: u64 = 3;
/// Least number of tool calls.
const MIN_TOOL_CALLS: u64 = 6;
/// Least number of observed tokens.
const MIN_OBSERVATION_TOKENS: u64 = 4_000;
/// Least time, in seconds.
const MIN_TIMEOUT_S: u64 = 10;
/// Least size of a map, in tokens.
const MIN_REPORT_TOKENS: u64 = 600;

/// Maximum number of warnings about one file.
const MAX_WARNINGS: usize = 20;

/// Returns the text of the workspace's file, `None` when it does not exist. Errors if it is ignored, with the reason.
#[expect(clippy::disallowed_methods, reason = "only `src/config` reads configuration files")]
pub(super) fn read(path: &Path) -> Result<Option<String>, &'static str> {
    let file = match fs::symlink_metadata(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        // Opening the workspace reports a root that cannot be opened.
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(None),
        Err(_) => return Err("cannot be read"),
    };
    if !file.is_file() {
        return Err("is not a regular file");
    }
    if file.len() > MAX_BYTES {
        return Err("is larger than 64 KiB");
    }
    fs::read_to_string(path).map(Some).map_err(|_| "is not readable text")
}

/// Applies the settings that a workspace may make to `layers`, and returns warnings about the others. With several
/// roots, globs apply to the files of their own root only.
pub(super) fn narrow(
    layers: &mut SettingsLayers,
    mut root: Option<&mut RootSpec>,
    path: &Path,
    text: Result<Option<String>, &'static str>,
) -> Result<Vec<String>, ConfigError> {
    let text = match text {
        Ok(Some(text)) => text,
        Ok(None) => return Ok(Vec::new()),
        Err(reason) => return Ok(vec![format!("{} {reason}; it is ignored", path.display())]),
    };
    let settings = match settings_layers::parse(&text, &SettingSource::Workspace(path.to_owned())) {
        Ok(settings) => settings,
        Err((line, _)) => {
            return Ok(vec![format!("{}:{line} is not valid TOML; it is ignored", path.display())]);
        }
    };
    let before = layers.config()?;
    let mut warnings = Vec::new();
    for setting in settings {
        let key = printable(&setting.dotted());
        let place = setting.place();
        match judge(&setting, &before, layers) {
            Verdict::Adds => match (&mut root, setting.dotted().as_str()) {
                (Some(root), "workspace.ignore") => root.ignore.extend(strings(&setting.value)),
                (Some(root), "workspace.secrets") => root.secrets.extend(strings(&setting.value)),
                _ => layers.extend(setting),
            },
            Verdict::Lowers => layers.apply(setting)?,
            Verdict::Refused(reason) => warnings.push(format!("{place}: {key} {reason}")),
        }
    }
    let more = warnings.len().saturating_sub(MAX_WARNINGS);
    if more > 0 {
        warnings.truncate(MAX_WARNINGS);
        warnings.push(format!("{}: {more} more keys are refused", path.display()));
    }
    Ok(warnings)
}

/// Moves the limits that a workspace sets from the values to a ceiling; the values become those of `trusted`, the
/// configuration without the workspace. So a workspace limits runs of any effort, and never raises a preset.
pub(super) fn take_ceiling(layers: &SettingsLayers, trusted: &Config, config: &mut Config) {
    let (budget, report) = (&mut config.budget, &mut config.report);
    let (user, room) = (&trusted.budget, trusted.report.max_tokens);
    let mut ceiling = RunBudget::UNLIMITED;
    for (key, _, origin) in layers.values() {
        if !matches!(origin, Some(SettingSource::Workspace(_))) {
            continue;
        }
        match key.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            ["budget", "max_steps"] => {
                ceiling.steps = replace(&mut budget.max_steps, user.max_steps);
            }
            ["budget", "max_tool_calls"] => {
                ceiling.calls = replace(&mut budget.max_tool_calls, user.max_tool_calls);
            }
            ["budget", "observation_tokens"] => {
                ceiling.tokens = replace(&mut budget.observation_tokens, user.observation_tokens);
            }
            ["budget", "timeout_s"] => {
                ceiling.time = Duration::from_secs(replace(&mut budget.timeout_s, user.timeout_s));
            }
            ["report", "max_tokens"] => ceiling.map_tokens = replace(&mut report.max_tokens, room),
            _ => {}
        }
    }
    config.ceiling = (ceiling != RunBudget::UNLIMITED).then_some(ceiling);
}

enum Verdict {
    Adds,
    Lowers,
    Refused(&'static str),
}

fn judge(setting: &Setting, before: &Config, layers: &SettingsLayers) -> Verdict {
    let parts: Vec<&str> = setting.key.iter().map(String::as_str).collect();
    let allowed = matches!(
        parts.as_slice(),
        ["workspace", "ignore" | "secrets"]
            | ["budget", _]
            | ["traits", _]
            | ["roles", _]
            | ["report", "max_tokens"]
    );
    if !allowed {
        return Verdict::Refused("is refused: a workspace may only narrow");
    }
    if layers.check(setting).is_err() {
        return Verdict::Refused("is ignored: there is no such key, or it can't hold this value");
    }
    let ceiling = before.limits(&before.budget, 0);
    let allowed = match parts.as_slice() {
        ["budget", "max_steps"] => MIN_STEPS..=u64::from(ceiling.steps),
        ["budget", "max_tool_calls"] => MIN_TOOL_CALLS..=u64::from(ceiling.calls),
        ["budget", "observation_tokens"] => MIN_OBSERVATION_TOKENS..=ceiling.tokens,
        ["budget", "timeout_s"] => MIN_TIMEOUT_S..=ceiling.time.as_secs(),
        ["report", "max_tokens"] => MIN_REPORT_TOKENS..=ceiling.map_tokens,
        ["budget", "effort"] => {
            let wanted =
                setting.value.as_str().and_then(|word| word.trim().parse::<EffortPreset>().ok());
            return match wanted {
                Some(effort) if effort <= before.budget.effort => Verdict::Lowers,
                _ => Verdict::Refused("is refused: a workspace may only lower it"),
            };
        }
        _ => return adds(&setting.value),
    };
    lowers(&setting.value, allowed)
}

fn lowers(value: &Value, allowed: RangeInclusive<u64>) -> Verdict {
    let wanted = value.as_integer().and_then(|number| u64::try_from(number).ok());
    match wanted {
        Some(wanted) if allowed.contains(&wanted) => Verdict::Lowers,
        Some(wanted) if 0 < wanted && wanted < *allowed.start() => {
            Verdict::Refused("is refused: it is too low for a map with places")
        }
        _ => Verdict::Refused("is refused: a workspace may only lower it"),
    }
}

fn strings(value: &Value) -> impl Iterator<Item = String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned)
}

fn adds(value: &Value) -> Verdict {
    let entries: Vec<String> = strings(value).collect();
    // In some glob dialects `!` re-includes files, which would widen the workspace.
    if entries.iter().any(|entry| entry.trim_start().starts_with('!')) {
        return Verdict::Refused("is refused: a workspace may only narrow, and \"!\" does not");
    }
    if entries.len() > MAX_ENTRIES || entries.iter().any(|entry| entry.len() > MAX_ENTRY_BYTES) {
        return Verdict::Refused("is refused: it is too long");
    }
    Verdict::Adds
}

/// Returns a key for messages. It comes from the repository, so it is truncated and escaped.
fn printable(key: &str) -> String {
    escape_to_one_line(&truncate(key, 80))
}
