//! `index --publish` and `index --prune-remote`: the index of a commit for other machines.

use std::time::Duration;

use retriever::{
    OpenIndex,
    config::{IndexConfig, LoadedConfig},
    configured_remote::{
        self, PruneOutcome, PublishError, PublishedCommit, RemoteError, open_remote,
    },
    workspace::Workspace,
};

use super::{
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
};

/// Milliseconds that a publisher waits for a byte: it has no other way.
const PATIENCE_MS: u64 = 30_000;
const NO_REMOTE: &str = "no remote is configured";
const REMOTE_HINT: &str = "give --remote URL, or set index.remote in your configuration";
const ROOT_HINT: &str = "give one --root that is the top of a git working tree";

/// Lets a publisher wait longer than a reader does.
pub(super) fn be_patient(loaded: &mut LoadedConfig) {
    let patience = &mut loaded.config.index.remote_patience_ms;
    *patience = (*patience).max(PATIENCE_MS);
}

/// Whether `--publish` means the remote: the flag names it, or one is configured that is not only read.
pub(super) fn is_meant(context: &CommandContext<'_>, config: &IndexConfig) -> bool {
    context.remote.is_some() || configured_remote::can_be_written(&config.remote)
}

/// Says why a remote that the command names is of no use for these roots. What is configured for all of them says nothing.
pub(super) fn warn_if_unused(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    config: &IndexConfig,
) {
    if context.remote.is_some()
        && let Err(error @ (RemoteError::NoRepository | RemoteError::NoWorkingTree)) =
            configured_remote::check(workspace, config)
    {
        context.output.warn(&configured_remote::unused(&error));
    }
}

/// Publishes an index that has just been refreshed.
pub(super) fn publish(
    open: &OpenIndex,
    config: &IndexConfig,
) -> Result<PublishedCommit, CommandError> {
    let Some(reader) = open.remote.as_ref().and_then(|remote| remote.reader()) else {
        // A reader goes on without the remote; a publisher is told why.
        open_remote(open.index.workspace(), config, None).map_err(|error| failed(&error))?;
        return Err(CommandError::new(CommandErrorKind::Setup, NO_REMOTE).hint(REMOTE_HINT));
    };
    configured_remote::publish(&open.index, &open.full_text, reader).map_err(|error| match error {
        PublishError::Remote(error) => failed(&error),
        error => CommandError::new(CommandErrorKind::Setup, error.to_string())
            .hint("publish from a folder whose index has no imported edges, and that has a cache"),
    })
}

const NAME_HINT: &str =
    "index.repository names a repository that has no remote \"origin\" in git's configuration";

/// Removes what was published longer ago than `keep`.
pub(super) fn prune(
    context: &CommandContext<'_>,
    loaded: &LoadedConfig,
    keep: Duration,
) -> Result<PruneOutcome, CommandError> {
    let workspace = context.open(loaded)?;
    let remote = open_remote(&workspace, &loaded.config.index, None).map_err(|e| failed(&e))?;
    let none = || CommandError::new(CommandErrorKind::Setup, NO_REMOTE).hint(REMOTE_HINT);
    remote.ok_or_else(none)?.prune(keep).map_err(|error| failed(&error))
}

/// Returns a line about what was removed.
pub(super) fn describe_pruned(pruned: &PruneOutcome) -> String {
    let PruneOutcome { manifests, objects, bytes, kept_manifests, kept_bytes } = pruned;
    format!(
        "{manifests} commits and {objects} objects removed, {bytes} bytes; {kept_manifests} commits left, {kept_bytes} bytes"
    )
}

/// Returns a line about what was published.
pub(super) fn describe(published: &PublishedCommit) -> String {
    let PublishedCommit { repository, commit, objects, bytes, uploaded, uploaded_bytes } =
        published;
    format!(
        "\n{repository} {commit}: {objects} objects, {bytes} bytes; {uploaded} of them new, {uploaded_bytes} bytes"
    )
}

fn failed(error: &RemoteError) -> CommandError {
    let hint = match error {
        RemoteError::NoRepository => NAME_HINT,
        RemoteError::SeveralRoots | RemoteError::BelowWorkingTree | RemoteError::NoWorkingTree => {
            ROOT_HINT
        }
        RemoteError::NoCommit => "commit, or check out a commit, before publishing",
        _ => {
            "http and https can only be read; the clouds take credentials from their usual variables"
        }
    };
    CommandError::new(CommandErrorKind::Setup, format!("the remote index can't be used: {error}"))
        .hint(hint)
}
