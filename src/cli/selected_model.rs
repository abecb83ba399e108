//! The model of a run: an endpoint, a recording of one, or the built-in offline driver, as the arguments and the configuration say.

use std::{path::Path, sync::Arc};

use retriever::{
    config::LoadedConfig,
    model::{ChatModel, ModelSetupError, OpenAiModel, RecordingModel, ReplayModel},
    sandbox::NetworkAccess,
};

use super::{
    command_error::{CommandError, CommandErrorKind},
    output_file,
};

/// Arguments that choose the model and are not settings.
#[derive(Default)]
pub(super) struct ModelArgs<'a> {
    pub(super) offline: bool,
    pub(super) record: Option<&'a Path>,
    pub(super) replay: Option<&'a Path>,
}

/// The model of a run. Each concrete type has its variant, since a recording reports its errors after the run.
pub(super) enum SelectedModel {
    Offline,
    Endpoint(Arc<OpenAiModel>),
    Recorded(Arc<RecordingModel<OpenAiModel>>),
    Replayed(Arc<ReplayModel>),
}

impl SelectedModel {
    pub(super) fn new(
        model_args: &ModelArgs<'_>,
        loaded: &LoadedConfig,
    ) -> Result<Self, CommandError> {
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

    pub(super) fn model(&self) -> Option<Arc<dyn ChatModel>> {
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

impl From<ModelSetupError> for CommandError {
    fn from(error: ModelSetupError) -> Self {
        Self::new(CommandErrorKind::Setup, error.to_string())
            .hint("\"retriever config\" prints where each value comes from")
    }
}
