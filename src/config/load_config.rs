//! Loads the configuration from its layers: defaults, the user's file, the workspace's `retriever.toml`, the environment and
//! flags; a later layer wins. Only this module and `process_environment` read configuration files and the environment.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use secrecy::SecretString;
use toml::Value;

use super::{
    Config, ModelConfig,
    config_error::ConfigError,
    endpoint, find_roots,
    process_environment::{CONFIG_VARIABLE, KEY_VARIABLE, ProcessEnvironment, VARIABLES},
    settings_layers::{self, Setting, SettingSource, SettingsLayers},
    untrusted_config::{self, WORKSPACE_FILE},
};
use retriever_workspace::RootSpec;

/// The sources to load from.
#[derive(Clone, Copy, Debug)]
pub struct ConfigSources<'a> {
    /// The environment, which also gives the path of the user's file.
    pub environment: &'a ProcessEnvironment,
    /// The file named on the command line.
    pub config_file: Option<&'a Path>,
    /// The roots that the caller names; if there are none, [`find_roots::find`] finds them.
    pub roots: &'a [PathBuf],
    /// The settings of the flags.
    pub flags: &'a [Setting],
}

/// The effective configuration with the sources of its values.
#[derive(Debug)]
pub struct LoadedConfig {
    /// The values.
    pub config: Config,
    /// The folders of the workspace.
    pub roots: Vec<RootSpec>,
    /// The key; only for the configured endpoint.
    pub key: Option<ApiKey>,
    /// The key of the embedding model; only for its configured endpoint.
    pub embedding_key: Option<ApiKey>,
    /// The values with their sources.
    pub layers: SettingsLayers,
    /// The files that the loader looked for.
    pub files: Vec<ConfigFile>,
    /// One sentence for each refused key.
    pub warnings: Vec<String>,
}

/// An API key and the variable that holds it.
#[derive(Clone, Debug)]
pub struct ApiKey {
    /// The key.
    pub secret: SecretString,
    /// Name of the variable.
    pub variable: String,
}

/// A configuration file that the loader looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFile {
    /// Its path.
    pub path: PathBuf,
    /// Whether it exists.
    pub found: bool,
}

impl LoadedConfig {
    /// Checks that there is an API key when the configured endpoint needs one.
    ///
    /// # Errors
    ///
    /// [`ConfigError::MissingKey`].
    pub fn require_key(&self) -> Result<(), ConfigError> {
        let model = &self.config.model;
        if model.name.is_empty()
            || self.key.is_some()
            || endpoint::is_local(&model.base_url)
            || model.has_secrets()
        {
            return Ok(());
        }
        Err(ConfigError::MissingKey {
            model: model.name.clone(),
            endpoint: endpoint::shown(&model.base_url),
            variable: model.api_key_env.clone(),
        })
    }
}

/// Loads the configuration.
///
/// # Errors
///
/// [`ConfigError`] for sources that the user controls. Errors in the workspace's file are warnings: a repository must not be
/// able to stop the program.
pub fn load(sources: &ConfigSources<'_>) -> Result<LoadedConfig, ConfigError> {
    let mut layers = SettingsLayers::new()?;
    let mut files = Vec::new();
    for setting in user_settings(sources, &mut files)? {
        layers.apply(setting)?;
    }
    let trusted = layers.config()?;
    let mut roots = find_roots::find(sources.environment, sources.roots, &trusted.workspace.roots);
    let has_several = roots.len() > 1;
    let mut warnings = Vec::new();
    for root in &mut roots {
        let path = root.path.join(WORKSPACE_FILE);
        let text = untrusted_config::read(&path);
        files.push(ConfigFile { path: path.clone(), found: !matches!(text, Ok(None)) });
        let own_globs = has_several.then_some(root);
        warnings.extend(untrusted_config::narrow(&mut layers, own_globs, &path, text)?);
    }
    for (variable, key) in VARIABLES {
        if let Some(value) = sources.environment.get(variable) {
            let origin = SettingSource::Variable((*variable).to_owned());
            layers.apply(Setting::new(key, plain_value(key, value), origin))?;
        }
    }
    for setting in sources.flags {
        layers.apply(setting.clone())?;
    }
    let mut config = layers.config()?;
    untrusted_config::take_ceiling(&layers, &trusted, &mut config);
    #[cfg(feature = "remote")]
    {
        let variables = sources.environment.variables();
        config.index.remote_credentials = retriever_remote::ObjectStoreCredentials::of(variables);
    }
    let key = api_key(&config.model, sources.environment);
    let embedding_key = api_key(&config.embedding.endpoint(), sources.environment);
    Ok(LoadedConfig { config, roots, key, embedding_key, layers, files, warnings })
}

/// Returns the key for the endpoint. The value of OpenAI's variable is sent to OpenAI's servers only.
fn api_key(model: &ModelConfig, environment: &ProcessEnvironment) -> Option<ApiKey> {
    let usual = Some(KEY_VARIABLE).filter(|_| endpoint::is_openai(&model.base_url));
    [Some(model.api_key_env.as_str()), usual].into_iter().flatten().find_map(|variable| {
        let secret = environment.get(variable)?.trim().to_owned();
        Some(ApiKey { secret: secret.into(), variable: variable.to_owned() })
    })
}

/// Returns the text of a file that the configuration names, such as a prompt.
///
/// # Errors
///
/// [`ConfigError::UnreadableNamedFile`].
#[expect(clippy::disallowed_methods, reason = "only `src/config` reads configuration files")]
pub fn read_named_file(path: &Path) -> Result<String, ConfigError> {
    fs::read_to_string(path).map_err(|error| ConfigError::UnreadableNamedFile {
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

#[expect(clippy::disallowed_methods, reason = "only `src/config` reads configuration files")]
fn user_settings(
    sources: &ConfigSources<'_>,
    files: &mut Vec<ConfigFile>,
) -> Result<Vec<Setting>, ConfigError> {
    let environment = sources.environment;
    let named = sources
        .config_file
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
    let mut settings = settings_layers::parse(&text, &SettingSource::User(path.clone()))
        .map_err(|(line, detail)| ConfigError::Syntax { path: path.clone(), line, detail })?;
    let folder = path.parent().unwrap_or(Path::new("."));
    for setting in &mut settings {
        // A relative path starts at the folder of the file that has it.
        let is_path = setting.key[0] == "prompts"
            || matches!(setting.dotted().as_str(), "index.dir" | "embedding.folder");
        if let Value::String(file) = &mut setting.value
            && is_path
            && !file.is_empty()
        {
            *file = folder.join(&*file).to_string_lossy().into_owned();
        }
        if matches!(setting.dotted().as_str(), "workspace.roots" | "serve.roots") {
            locate_roots(setting, folder, environment);
        }
    }
    Ok(settings)
}

/// Makes the paths of a list of roots absolute. A relative path starts at `folder`.
fn locate_roots(setting: &mut Setting, folder: &Path, environment: &ProcessEnvironment) {
    let home = environment.home();
    for root in setting.value.as_array_mut().into_iter().flatten() {
        if let Some(Value::String(path)) = root.get_mut("path") {
            let from_home =
                path.strip_prefix("~/").and_then(|below| Some(home.as_ref()?.join(below)));
            let absolute = from_home.unwrap_or_else(|| folder.join(&*path));
            *path = absolute.to_string_lossy().into_owned();
        }
    }
}

/// Parses a variable's text as the type of its key. Text that does not parse stays a string, and is reported as a type
/// error.
fn plain_value(key: &str, text: &str) -> Value {
    let text = text.trim();
    if key.ends_with("_s")
        && let Some(seconds) = seconds(text)
    {
        return Value::Integer(i64::try_from(seconds).unwrap_or(i64::MAX));
    }
    if matches!(key, "model.name" | "model.base_url" | "index.remote" | "index.repository") {
        return Value::String(text.to_owned());
    }
    text.parse()
        .map(Value::Integer)
        .or_else(|_| text.parse().map(Value::Float))
        .unwrap_or_else(|_| Value::String(text.to_owned()))
}
