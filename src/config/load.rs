//! Where the configuration comes from: defaults, the user's file, the workspace's `retriever.toml`, the environment, flags;
//! the later wins. This module and its neighbour `environment` are the only readers of configuration files and of the
//! environment.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use secrecy::SecretString;
use toml::Value;

use super::{
    Config,
    environment::{CONFIG_VARIABLE, Environment, KEY_VARIABLE, VARIABLES},
    layer::{self, Layers, Origin, Setting},
    untrusted,
};

/// Name of the workspace's own file.
pub const WORKSPACE_FILE: &str = "retriever.toml";

/// What to load from.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// Variables, and where the user's file may lie.
    pub environment: &'a Environment,
    /// The file named on the command line.
    pub file: Option<&'a Path>,
    /// The workspace's root.
    pub root: &'a Path,
    /// What the flags say.
    pub flags: &'a [Setting],
}

/// The effective configuration and how it came to be.
#[derive(Debug)]
pub struct Loaded {
    /// The values.
    pub config: Config,
    /// The key for the configured endpoint, and for nothing else.
    pub key: Option<ApiKey>,
    /// The values with their origins.
    pub layers: Layers,
    /// The files that were looked for.
    pub files: Vec<ConfigFile>,
    /// What was refused, one sentence each.
    pub warnings: Vec<String>,
}

/// A key and the variable it was found in.
#[derive(Clone, Debug)]
pub struct ApiKey {
    /// The key.
    pub secret: SecretString,
    /// Name of the variable.
    pub variable: String,
}

/// A configuration file that was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFile {
    /// Where.
    pub path: PathBuf,
    /// Whether it was there.
    pub found: bool,
}

/// Why there is no configuration. No message holds a value.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A file can't be read.
    #[error("cannot read {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A file isn't TOML.
    #[error("{}:{line}: not valid TOML: {detail}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// What the parser says.
        detail: String,
    },
    /// There is no such key.
    #[error("{place}: unknown key {key}")]
    UnknownKey {
        /// File and line.
        place: String,
        /// The key.
        key: String,
        /// The key that was probably meant.
        nearest: Option<String>,
    },
    /// A key holds what it can't.
    #[error("{place}: {key} must be {expected}")]
    BadValue {
        /// File and line, variable or flag.
        place: String,
        /// The key.
        key: String,
        /// What it may hold.
        expected: String,
    },
    /// A model on another network is configured, and no key.
    #[error("model {model} at {endpoint} needs a key, and none is set")]
    MissingKey {
        /// The model.
        model: String,
        /// The endpoint, without what may be secret.
        endpoint: String,
        /// The variable that would be looked at first.
        variable: String,
    },
    /// The defaults themselves don't hold together.
    #[error("the configuration cannot be put together: {0}")]
    Internal(String),
}

impl ConfigError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unreadable { .. } => {
                Some(format!("--config and {CONFIG_VARIABLE} take the path of a TOML file"))
            }
            Self::UnknownKey { nearest: Some(nearest), .. } => {
                Some(format!("did you mean {nearest}?"))
            }
            Self::UnknownKey { nearest: None, .. } => {
                Some("\"retriever config\" prints every key".to_owned())
            }
            Self::MissingKey { variable, .. } => Some(format!(
                "export {variable}=…, or run with --offline; an endpoint that wants no key takes any text"
            )),
            Self::Syntax { .. } | Self::BadValue { .. } => {
                Some("config.example.toml shows every key with its default".to_owned())
            }
            Self::Internal(_) => None,
        }
    }
}

impl Loaded {
    /// Fails when a model is configured at an endpoint that won't answer without a key.
    ///
    /// # Errors
    ///
    /// [`ConfigError::MissingKey`].
    pub fn require_key(&self) -> Result<(), ConfigError> {
        let model = &self.config.model;
        if model.name.is_empty()
            || self.key.is_some()
            || super::endpoint::is_local(&model.base_url)
            || model.headers.keys().any(|name| is_credential(name))
        {
            return Ok(());
        }
        Err(ConfigError::MissingKey {
            model: model.name.clone(),
            endpoint: super::endpoint::shown(&model.base_url),
            variable: model.api_key_env.clone(),
        })
    }
}

fn is_credential(header: &str) -> bool {
    ["authorization", "api-key", "x-api-key"].iter().any(|known| header.eq_ignore_ascii_case(known))
}

/// Loads the configuration.
///
/// # Errors
///
/// [`ConfigError`] for what the user controls. What is wrong in the workspace's file is only a warning: a repository must
/// not be able to stop the program.
pub fn load(sources: &Sources<'_>) -> Result<Loaded, ConfigError> {
    let mut layers = Layers::new()?;
    let mut files = Vec::new();
    for setting in user_settings(sources, &mut files)? {
        layers.apply(setting)?;
    }
    let path = sources.root.join(WORKSPACE_FILE);
    let text = untrusted::read(&path);
    files.push(ConfigFile { path: path.clone(), found: !matches!(text, Ok(None)) });
    let warnings = untrusted::narrow(&mut layers, &path, text)?;
    for (variable, key) in VARIABLES {
        if let Some(value) = sources.environment.get(variable) {
            let origin = Origin::Variable((*variable).to_owned());
            layers.apply(Setting::new(key, plain_value(key, value), origin))?;
        }
    }
    for setting in sources.flags {
        layers.apply(setting.clone())?;
    }
    let config = layers.config()?;
    let key = [config.model.api_key_env.as_str(), KEY_VARIABLE].iter().find_map(|variable| {
        let secret = sources.environment.get(variable)?.trim().to_owned();
        Some(ApiKey { secret: secret.into(), variable: (*variable).to_owned() })
    });
    Ok(Loaded { config, key, layers, files, warnings })
}

/// Returns the text of a file that the configuration names, such as a prompt.
///
/// # Errors
///
/// [`ConfigError::Unreadable`].
#[expect(clippy::disallowed_methods, reason = "the one door to configuration files")]
pub fn read_named_file(path: &Path) -> Result<String, ConfigError> {
    fs::read_to_string(path).map_err(|error| ConfigError::Unreadable {
        path: path.to_owned(),
        reason: error.to_string(),
    })
}

/// Returns a duration in seconds, rounded up, from `90`, `90s`, `2m 30s`.
pub fn seconds(text: &str) -> Option<u64> {
    if let Ok(seconds) = text.trim().parse() {
        return Some(seconds);
    }
    let duration = humantime::parse_duration(text.trim()).ok()?;
    Some(duration.as_secs() + u64::from(duration.subsec_nanos() > 0))
}

#[expect(clippy::disallowed_methods, reason = "the one door to configuration files")]
fn user_settings(
    sources: &Sources<'_>,
    files: &mut Vec<ConfigFile>,
) -> Result<Vec<Setting>, ConfigError> {
    let environment = sources.environment;
    let named = sources
        .file
        .map(Path::to_owned)
        .or_else(|| environment.get(CONFIG_VARIABLE).map(PathBuf::from))
        .map(|path| environment.folder().join(path));
    let Some(path) = named.clone().or_else(|| environment.default_file()) else {
        return Ok(Vec::new());
    };
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if named.is_none() && error.kind() == io::ErrorKind::NotFound => {
            files.push(ConfigFile { path, found: false });
            return Ok(Vec::new());
        }
        Err(error) => return Err(ConfigError::Unreadable { path, reason: error.to_string() }),
    };
    files.push(ConfigFile { path: path.clone(), found: true });
    let mut settings = layer::parse(&text, &Origin::User(path.clone()))
        .map_err(|(line, detail)| ConfigError::Syntax { path: path.clone(), line, detail })?;
    let folder = path.parent().unwrap_or(Path::new("."));
    for setting in &mut settings {
        // A path is meant from the file that names it.
        if let ("prompts" | "index", Value::String(file)) =
            (setting.key[0].as_str(), &mut setting.value)
            && !file.is_empty()
        {
            *file = folder.join(&*file).to_string_lossy().into_owned();
        }
    }
    Ok(settings)
}

/// A variable's text as the type that its key has; text that doesn't fit stays text, and its type is the error then.
fn plain_value(key: &str, text: &str) -> Value {
    let text = text.trim();
    if key.ends_with("_s")
        && let Some(seconds) = seconds(text)
    {
        return Value::Integer(i64::try_from(seconds).unwrap_or(i64::MAX));
    }
    if matches!(key, "model.name" | "model.base_url") {
        return Value::String(text.to_owned());
    }
    text.parse()
        .map(Value::Integer)
        .or_else(|_| text.parse().map(Value::Float))
        .unwrap_or_else(|_| Value::String(text.to_owned()))
}
