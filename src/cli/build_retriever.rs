//! Builds the [`Retriever`] of a verb from its configuration: roots, model, embedding model, prompts, cache and receipts.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use retriever::{
    Prompt, PromptTemplateError, Prompts, Retriever, RetrieverBuildError,
    config::{LoadedConfig, load_config},
    embedding::configured_embedder,
    search::Embedder,
};

use super::{
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
    selected_model::{ModelArgs, SelectedModel},
};

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
