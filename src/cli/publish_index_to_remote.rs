//! `index --publish` and `index --prune-remote`: publishes the index of a commit to the remote, and prunes the remote.

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

/// Milliseconds that a publisher waits for a byte. It cannot go on without the remote, so it waits longer than a
/// reader.
const PATIENCE_MS: u64 = 30_000;
const NO_REMOTE: &str = "no remote is configured";
const REMOTE_HINT: &str = "give --remote URL, or set index.remote in your configuration";
const NAME_HINT: &str =
    "git has no remote \"origin\" here; name the repository with --repository or index.repository";
const ADDRESS_HINT: &str = "a remote begins with s3://, gs://, az:// or file://; one with http:// or https:// can only be read";
const ROOT_HINT: &str = "give one --root that is the top of a git working tree";

/// Sets the longer wait of a publisher.
pub(super) fn use_publisher_timeout(loaded: &mut LoadedConfig) {
    let patience = &mut loaded.config.index.remote_patience_ms;
    *patience = (*patience).max(PATIENCE_MS);
}

/// Whether `--publish` includes the remote: the flag names one, or the configured one can be written.
pub(super) fn is_meant(context: &CommandContext<'_>, config: &IndexConfig) -> bool {
    context.remote.is_some() || configured_remote::can_be_written(&config.remote)
}

/// Warns that a remote of the command line is unused for these roots. For the configured remote, which is for all
/// roots, it stays silent.
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
        // A reader goes on without the remote; a publisher gets the error.
        open_remote(open.index.workspace(), config, None).map_err(|error| failed(&error))?;
        return Err(CommandError::new(CommandErrorKind::Setup, NO_REMOTE).hint(REMOTE_HINT));
    };
    configured_remote::publish(&open.index, &open.full_text, reader).map_err(|error| match error {
        PublishError::Remote(error) => failed(&error),
        error => CommandError::new(CommandErrorKind::Setup, error.to_string())
            .hint("publish from a folder whose index has no imported edges, and that has a cache"),
    })
}

/// Removes publications that are older than `keep`.
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
        "removed: commits: {manifests}, objects: {objects}, bytes: {bytes}; kept: commits: {kept_manifests}, bytes: {kept_bytes}"
    )
}

/// Returns a line about what was published.
pub(super) fn describe(published: &PublishedCommit) -> String {
    let PublishedCommit { repository, commit, objects, bytes, uploaded, uploaded_bytes } =
        published;
    format!(
        "\npublished {repository} {commit}: objects: {objects}, bytes: {bytes}; uploaded: objects: {uploaded}, bytes: {uploaded_bytes}"
    )
}

fn failed(error: &RemoteError) -> CommandError {
    let hint = match error {
        RemoteError::NoRepository => NAME_HINT,
        RemoteError::SeveralRoots | RemoteError::BelowWorkingTree | RemoteError::NoWorkingTree => {
            ROOT_HINT
        }
        RemoteError::NoCommit => "commit, or check out a commit, before publishing",
        RemoteError::Address { .. } => ADDRESS_HINT,
        RemoteError::Slow => "try again; --remote or RETRIEVER_REMOTE names another remote",
        RemoteError::Refused(_) => "publish the commit again, so that its objects are replaced",
        _ => {
            "http and https can only be read; the clouds take credentials from their usual variables"
        }
    };
    CommandError::new(CommandErrorKind::Setup, format!("the remote index can't be used: {error}"))
        .hint(hint)
}
