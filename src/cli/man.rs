//! `man FOLDER`: writes the man pages, for packaging.

use std::path::Path;

use clap::CommandFactory;

use super::{
    args::{Cli, ManArgs},
    command_error::{CommandError, CommandErrorKind},
    exit_status::Exit,
};

pub(super) fn run(args: &ManArgs) -> Result<Exit, CommandError> {
    write(&args.folder).map_err(|error| {
        CommandError::new(
            CommandErrorKind::Usage,
            format!("cannot write to {}: {error}", args.folder.display()),
        )
        .hint("give a folder that is there")
    })?;
    Ok(Exit::Done)
}

fn write(folder: &Path) -> std::io::Result<()> {
    clap_mangen::generate_to(Cli::command(), folder)
}
