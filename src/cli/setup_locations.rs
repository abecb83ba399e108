//! Paths of this machine for `init` and `doctor`: where agents keep their files, and the journal of what was written.

use std::path::PathBuf;

use retriever_setup::{Platform, StandardPaths};

use super::{
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
    own_launch_command,
};

/// Returns the standard paths, with the project whose files may be written.
pub(super) fn surroundings(
    context: &CommandContext<'_>,
    project: Option<PathBuf>,
) -> Result<StandardPaths, CommandError> {
    let home = context.environment.home().ok_or_else(|| {
        CommandError::new(CommandErrorKind::Setup, "there is no home folder").hint("set HOME")
    })?;
    Ok(StandardPaths {
        platform: Platform::current(),
        home,
        project,
        variables: context.environment.variables().clone(),
        launch: own_launch_command::of_running_program(context.environment),
    })
}

/// Returns the file that records what was written.
pub(super) fn journal_path(context: &CommandContext<'_>) -> Result<PathBuf, CommandError> {
    let folder = context.environment.state_folder().ok_or_else(|| {
        CommandError::new(
            CommandErrorKind::Setup,
            "there is no folder to remember what was written",
        )
        .hint("set HOME or XDG_STATE_HOME")
    })?;
    Ok(folder.join("init.json"))
}
