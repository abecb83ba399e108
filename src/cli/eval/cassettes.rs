//! Cassettes of an eval: a file for every conversation, `<folder>/<suite>/<case>.jsonl`, so that a run with a model can be
//! scored again without it. Cassettes are defined in [`retriever::model`].

use std::{
    fmt::Display,
    path::{Path, PathBuf},
    sync::Arc,
};

use retriever::model::{ChatModel, RecordingModel, ReplayModel};
use retriever_eval::{EvalRequest, EvaluatedSystem};

/// Whether conversations are recorded, or come from recordings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum CassetteFolder {
    /// Asks the model and records nothing.
    #[default]
    Off,
    /// Asks the model and records every conversation below this folder.
    Record(PathBuf),
    /// Answers from the recordings below this folder, without a model.
    Replay(PathBuf),
}

/// The model of one conversation.
pub(super) enum ConversationModel {
    /// The configured model.
    Plain(Option<Arc<dyn ChatModel>>),
    Recording(PathBuf, Arc<RecordingModel<Arc<dyn ChatModel>>>),
    Replaying(PathBuf, Arc<ReplayModel>),
}

impl CassetteFolder {
    /// Returns the file of a conversation. Its name includes the system, unless that is the retriever, and the number
    /// of a repeat.
    pub(super) fn path(
        &self,
        request: &EvalRequest<'_>,
        system: EvaluatedSystem,
    ) -> Option<PathBuf> {
        let (Self::Record(folder) | Self::Replay(folder)) = self else { return None };
        let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
        let mut name: String = request.case.chars().map(plain).collect();
        if system != EvaluatedSystem::Retriever {
            name = format!("{name}.{system}");
        }
        if request.repeat > 0 {
            name = format!("{name}.{}", request.repeat + 1);
        }
        Some(folder.join(request.suite).join(format!("{name}.jsonl")))
    }

    /// Returns the model of a conversation, with the cassette at `path`. An error names the
    /// file.
    pub(super) fn open(
        &self,
        model: Option<&Arc<dyn ChatModel>>,
        path: Option<PathBuf>,
    ) -> Result<ConversationModel, String> {
        let about = |path: &Path, error: &dyn Display| format!("{}: {error}", path.display());
        match (self, path, model) {
            (Self::Replay(_), Some(path), _) => {
                let text = read(&path).map_err(|error| {
                    about(&path, &format!("{error}; --record makes it, with a model"))
                })?;
                let replay = ReplayModel::new(&text).map_err(|error| about(&path, &error))?;
                Ok(ConversationModel::Replaying(path, Arc::new(replay)))
            }
            (Self::Record(_), Some(path), Some(model)) => {
                let file = create(&path).map_err(|error| about(&path, &error))?;
                let recorder = RecordingModel::new(Arc::clone(model), Box::new(file));
                Ok(ConversationModel::Recording(path, Arc::new(recorder)))
            }
            _ => Ok(ConversationModel::Plain(model.cloned())),
        }
    }
}

impl ConversationModel {
    pub(super) fn model(&self) -> Option<Arc<dyn ChatModel>> {
        match self {
            Self::Plain(model) => model.clone(),
            Self::Recording(_, model) => Some(Arc::clone(model) as Arc<dyn ChatModel>),
            Self::Replaying(_, model) => Some(Arc::clone(model) as Arc<dyn ChatModel>),
        }
    }

    /// Returns why the cassette is stale or incomplete, once the conversation has ended.
    pub(super) fn problem(&self) -> Option<String> {
        let (path, problem) = match self {
            Self::Plain(_) => return None,
            Self::Recording(path, model) => (path, model.failure()),
            Self::Replaying(path, model) => (path, model.staleness()),
        };
        problem.map(|problem| format!("{}: {problem}", path.display()))
    }
}

#[expect(clippy::disallowed_methods, reason = "the user names the folder of cassettes")]
fn read(path: &Path) -> std::io::Result<String> {
    std::fs::read_to_string(path)
}

#[expect(clippy::disallowed_methods, reason = "the user names the folder of cassettes")]
fn create(path: &Path) -> std::io::Result<std::fs::File> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::File::create(path)
}
