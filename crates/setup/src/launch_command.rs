//! How agents start the program.

use std::path::Path;

/// Arguments of the server. Only tools are listed that agents do not have under other names.
const SERVER: [&str; 3] = ["mcp", "--tools", "ask,explore,context"];

/// The command that starts this program. By default its name, which is found on the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchCommand {
    /// A name on the path, or a path.
    pub program: String,
    /// Arguments before the verb, for programs that run others.
    pub arguments: Vec<String>,
}

impl Default for LaunchCommand {
    fn default() -> Self {
        Self { program: "retriever".to_owned(), arguments: Vec::new() }
    }
}

impl LaunchCommand {
    /// Returns the command for files of a project, which cannot have a path of this machine.
    pub(crate) fn shared(&self) -> Self {
        if Path::new(&self.program).is_absolute() { Self::default() } else { self.clone() }
    }

    /// Returns the arguments that start the server.
    pub(crate) fn server_arguments(&self) -> Vec<&str> {
        self.arguments.iter().map(String::as_str).chain(SERVER).collect()
    }
}
