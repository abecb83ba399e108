//! Builds the [`Retriever`] of a verb: chooses the model (endpoint, recording or offline driver) and loads the prompts.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use retriever::{
    Prompt, PromptTemplateError, Prompts, Retriever, RetrieverBuildError,
    config::{LoadedConfig, endpoint, load_config},
    embedding::configured_embedder,
    model::{ChatModel, ModelSetupError, OpenAiModel, RecordingModel, ReplayModel},
    sandbox::{NetworkAccess, Sandbox},
    search::Embedder,
    workspace::{Workspace, cache_file_io::create_private_folder},
};

use super::{
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
    output_file,
};

#[cfg(feature = "mcp")]
use super::{args::ServerModelArgs, console_output::ConsoleOutput};
#[cfg(feature = "mcp")]
use retriever::config::{ProcessEnvironment, Setting};

/// Variables that name proxies.
const PROXIES: &[&str] = &["http_proxy", "https_proxy", "all_proxy"];

/// Arguments that choose the model and are not settings.
#[derive(Default)]
pub(super) struct ModelArgs<'a> {
    pub(super) offline: bool,
    pub(super) record: Option<&'a Path>,
    pub(super) replay: Option<&'a Path>,
}

/// Builds the retriever for the configured roots.
pub(super) fn build(
    context: &CommandContext<'_>,
    loaded: &LoadedConfig,
    model_args: &ModelArgs<'_>,
) -> Result<(Retriever, SelectedModel), CommandError> {
    let selected = SelectedModel::new(model_args, loaded)?;
    let mut builder = Retriever::builder(".")
        .roots(loaded.roots.clone())
        .config(loaded.config.clone())
        .prompts(prompts(loaded)?)
        .cache(context.cache(loaded))
        .receipts(receipts(context, loaded))
        .embedder(embedder(loaded)?);
    let model = selected.model();
    let answers_offline = model.is_none();
    if let Some(model) = model {
        builder = builder.model(model);
    }
    let retriever = builder.build()?;
    if answers_offline && !model_args.offline {
        context.output.note(
            "no model is configured, so the built-in offline driver answers; configure a model with retriever init, or with \
             RETRIEVER_MODEL and RETRIEVER_BASE_URL; --offline suppresses this note",
        );
    }
    Ok((retriever, selected))
}

/// Opens the roots of a server's clients, with the configuration and the flags of the command.
#[cfg(feature = "mcp")]
pub(super) struct RootOpener {
    environment: ProcessEnvironment,
    file: Option<PathBuf>,
    remote: Option<String>,
    roots: Vec<PathBuf>,
    output: ConsoleOutput,
    flags: Vec<Setting>,
    offline: bool,
}

#[cfg(feature = "mcp")]
impl RootOpener {
    pub(super) fn new(context: &CommandContext<'_>, args: &ServerModelArgs) -> Self {
        let text = |flag, key, value: &Option<String>| {
            value.as_ref().map(|value| Setting::flag(flag, key, value.as_str()))
        };
        let insecure = || Setting::flag("--insecure", "model.insecure", true);
        let flags = [
            text("--model", "model.name", &args.model),
            text("--base-url", "model.base_url", &args.base_url),
            args.insecure.then(insecure),
        ];
        Self {
            environment: context.environment.clone(),
            file: context.file.clone(),
            remote: context.remote.clone(),
            roots: context.named_roots.clone(),
            output: context.output.clone(),
            flags: flags.into_iter().flatten().collect(),
            offline: args.offline,
        }
    }

    /// Opens `roots` as one workspace, or those of the command when there are none.
    pub(super) fn open(&self, roots: &[PathBuf]) -> Result<Retriever, CommandError> {
        let named_roots = if roots.is_empty() { &self.roots } else { roots };
        let context = CommandContext {
            environment: &self.environment,
            file: self.file.clone(),
            named_roots: named_roots.to_vec(),
            remote: self.remote.clone(),
            output: self.output.clone(),
        };
        let loaded = context.load(&self.flags)?;
        let model_args = ModelArgs { offline: self.offline, ..ModelArgs::default() };
        Ok(build(&context, &loaded, &model_args)?.0)
    }
}

/// Returns the configured embedding model, if there is one.
pub(super) fn embedder(loaded: &LoadedConfig) -> Result<Option<Arc<dyn Embedder>>, CommandError> {
    let key = loaded.embedding_key.as_ref().map(|key| key.secret.clone());
    configured_embedder(&loaded.config.embedding, key).map_err(|error| {
        CommandError::new(CommandErrorKind::Setup, error.to_string())
            .hint("\"retriever config\" prints where each value comes from")
    })
}

/// Returns the folder for the log of receipts, unless none are wanted.
fn receipts(context: &CommandContext<'_>, loaded: &LoadedConfig) -> Option<PathBuf> {
    loaded.config.report.receipts.then(|| context.environment.state_folder()).flatten()
}

/// Returns the sandbox of a verb that reads `reads` and the system's folders, and writes the cache and the state
/// folder. `None` if the sandbox is disabled.
pub(super) fn sandbox(
    context: &CommandContext<'_>,
    loaded: &LoadedConfig,
    reads: impl IntoIterator<Item = PathBuf>,
    network: NetworkAccess,
) -> Option<Sandbox> {
    let kept = [context.cache(loaded), context.environment.state_folder()];
    let writes: Vec<PathBuf> = kept.into_iter().flatten().collect();
    // A rule needs an existing folder. A folder that cannot be created cannot be written either.
    writes.iter().for_each(|folder| drop(create_private_folder(folder)));
    let certificates = ["SSL_CERT_FILE", "SSL_CERT_DIR"].into_iter();
    let certificates =
        certificates.filter_map(|name| context.environment.get(name)).map(PathBuf::from);
    let index = &loaded.config.index;
    let remote = index.remote.strip_prefix("file://").map(PathBuf::from);
    let model = Some(&loaded.config.embedding.folder).filter(|folder| !folder.is_empty());
    let model = model.map(PathBuf::from);
    let reads = reads.into_iter().chain(certificates).chain(remote).chain(model).collect();
    let is_server = |address: &str| !address.is_empty() && !address.starts_with("file://");
    let has_servers = !loaded.config.graph.database.is_empty() || is_server(&index.remote);
    let network = if has_servers { NetworkAccess::Any } else { network };
    let network = with_embedding(context, loaded, network);
    loaded.config.sandbox.enabled.then_some(Sandbox { reads, writes, network })
}

/// Returns `network` with the port of the embedding model's endpoint added. With a proxy any port may be needed.
fn with_embedding(
    context: &CommandContext<'_>,
    loaded: &LoadedConfig,
    network: NetworkAccess,
) -> NetworkAccess {
    let has_proxy = PROXIES.iter().any(|name| {
        let upper = context.environment.get(&name.to_ascii_uppercase());
        upper.or_else(|| context.environment.get(name)).is_some()
    });
    let address = endpoint::parse(&loaded.config.embedding.base_url).ok();
    let port = address.and_then(|address| address.port_or_known_default());
    match (network, port) {
        (NetworkAccess::None, Some(_)) if has_proxy => NetworkAccess::Any,
        (NetworkAccess::None, Some(port)) => NetworkAccess::Port(port),
        (network, _) => network,
    }
}

/// Returns the folders that questions about a workspace read: its roots, and git's folder, which tells which trees are
/// of the same repository.
pub(super) fn read_folders(workspace: &Workspace) -> Vec<PathBuf> {
    workspace.roots().map(|(_, path)| PathBuf::from(path)).chain(workspace.repository()).collect()
}

/// Runs the part of a verb that answers questions, in the sandbox if there is one. If the kernel refuses the sandbox,
/// prints a warning and runs without it.
pub(super) fn confined<T: Send>(
    context: &CommandContext<'_>,
    sandbox: Option<&Sandbox>,
    work: impl FnOnce() -> T + Send,
) -> T {
    let Some(sandbox) = sandbox else { return work() };
    sandbox.run(|entered| {
        if let Err(error) = entered {
            context.output.warn(&format!("questions are answered without a sandbox: {error}"));
        }
        work()
    })
}

/// Starts the runtime that questions run on.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, CommandError> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| {
        CommandError::new(CommandErrorKind::Internal, format!("cannot start the runtime: {error}"))
    })
}

/// The model of a run. Each concrete type has its variant, since a recording reports its errors after the run.
pub(super) enum SelectedModel {
    Offline,
    Endpoint(Arc<OpenAiModel>),
    Recorded(Arc<RecordingModel<OpenAiModel>>),
    Replayed(Arc<ReplayModel>),
}

impl SelectedModel {
    fn new(model_args: &ModelArgs<'_>, loaded: &LoadedConfig) -> Result<Self, CommandError> {
        if let Some(path) = model_args.replay {
            let model = ReplayModel::new(&read_cassette(path)?)
                .map_err(|error| unusable(path, "replayed", &error.to_string()))?;
            return Ok(Self::Replayed(Arc::new(model)));
        }
        if model_args.offline || loaded.config.model.name.trim().is_empty() {
            return match model_args.record {
                Some(_) => {
                    Err(CommandError::new(CommandErrorKind::Usage, "--record needs a model")
                        .hint("name one with --model or RETRIEVER_MODEL"))
                }
                None => Ok(Self::Offline),
            };
        }
        loaded.require_key()?;
        let key = loaded.key.as_ref().map(|key| key.secret.clone());
        let model = OpenAiModel::new(&loaded.config.model, key)?;
        Ok(match model_args.record {
            Some(path) => Self::Recorded(Arc::new(RecordingModel::new(
                model,
                Box::new(output_file::create(path)?),
            ))),
            None => Self::Endpoint(Arc::new(model)),
        })
    }

    fn model(&self) -> Option<Arc<dyn ChatModel>> {
        match self {
            Self::Offline => None,
            Self::Endpoint(model) => Some(Arc::clone(model) as Arc<dyn ChatModel>),
            Self::Recorded(model) => Some(Arc::clone(model) as Arc<dyn ChatModel>),
            Self::Replayed(model) => Some(Arc::clone(model) as Arc<dyn ChatModel>),
        }
    }

    /// Returns which connections the model needs.
    pub(super) const fn network(&self) -> NetworkAccess {
        match self {
            Self::Offline | Self::Replayed(_) => NetworkAccess::None,
            Self::Endpoint(_) | Self::Recorded(_) => NetworkAccess::Any,
        }
    }

    /// Returns why a recording is incomplete or stale, once the run has ended.
    pub(super) fn failure(&self) -> Option<String> {
        match self {
            Self::Offline | Self::Endpoint(_) => None,
            Self::Recorded(model) => model.failure(),
            Self::Replayed(model) => model.staleness(),
        }
    }
}

pub(super) fn prompts(loaded: &LoadedConfig) -> Result<Prompts, CommandError> {
    let files = &loaded.config.prompts;
    let mut prompts = Prompts::default();
    for (prompt, file) in [
        (Prompt::System, &files.system),
        (Prompt::Question, &files.question),
        (Prompt::Nudge, &files.nudge),
        (Prompt::Finish, &files.finish),
        (Prompt::Repair, &files.repair),
    ] {
        if !file.is_empty() {
            prompts.replace(prompt, load_config::read_named_file(Path::new(file))?)?;
        }
    }
    Ok(prompts)
}

#[expect(clippy::disallowed_methods, reason = "a file that the user names on the command line")]
fn read_cassette(path: &Path) -> Result<String, CommandError> {
    std::fs::read_to_string(path).map_err(|error| unusable(path, "read", &error.to_string()))
}

fn unusable(path: &Path, verb: &str, reason: &str) -> CommandError {
    CommandError::new(
        CommandErrorKind::Usage,
        format!("{} cannot be {verb}: {reason}", path.display()),
    )
    .hint("--replay takes a file that --record has written")
}

impl From<RetrieverBuildError> for CommandError {
    fn from(error: RetrieverBuildError) -> Self {
        match error {
            RetrieverBuildError::Workspace(error) => error.into(),
            error => Self::new(CommandErrorKind::Setup, error.to_string())
                .hint("\"retriever config\" prints where each value comes from"),
        }
    }
}

impl From<PromptTemplateError> for CommandError {
    fn from(error: PromptTemplateError) -> Self {
        Self::new(CommandErrorKind::Setup, error.to_string())
            .hint("check the files under [prompts]")
    }
}

impl From<ModelSetupError> for CommandError {
    fn from(error: ModelSetupError) -> Self {
        Self::new(CommandErrorKind::Setup, error.to_string())
            .hint("\"retriever config\" prints where each value comes from")
    }
}
