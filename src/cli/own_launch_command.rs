//! The command by which agents start this program: its name if that is on the path, the runner of its package, or its
//! own path.

use retriever::config::ProcessEnvironment;
use retriever_setup::LaunchCommand;

use super::upgrade_instructions::{
    NPX_FOLDER, PACKAGE, PIPX_FOLDER, UVX_FOLDER, exists, running_program,
};

/// Returns the command for the running program.
pub(super) fn of_running_program(environment: &ProcessEnvironment) -> LaunchCommand {
    let Ok(program) = running_program() else { return LaunchCommand::default() };
    let has = |name: &str| program.iter().any(|part| part == name);
    let runner = |program: &str, arguments: &[&str]| LaunchCommand {
        program: program.to_owned(),
        arguments: arguments.iter().map(|&word| word.to_owned()).collect(),
    };
    if has(NPX_FOLDER) {
        runner("npx", &["-y", PACKAGE])
    } else if has(UVX_FOLDER) {
        runner("uvx", &["--from", PACKAGE, "retriever"])
    } else if has(PIPX_FOLDER) && !has("venvs") {
        runner("pipx", &["run", PACKAGE])
    } else if is_on_path(environment) {
        LaunchCommand::default()
    } else {
        runner(&program.to_string_lossy(), &[])
    }
}

/// Whether the program's name is on the path of every shell, not only of one with an active environment.
fn is_on_path(environment: &ProcessEnvironment) -> bool {
    let file = if cfg!(windows) { "retriever.exe" } else { "retriever" };
    let path = environment.get("PATH").unwrap_or_default();
    std::env::split_paths(path).any(|folder| {
        let is_of_environment = folder.ends_with("node_modules/.bin")
            || folder.parent().is_some_and(|outer| exists(&outer.join("pyvenv.cfg")));
        !is_of_environment && exists(&folder.join(file))
    })
}
