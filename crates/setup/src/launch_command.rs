//! How agents start the program.

use std::path::Path;

/// The verb, and the tools that an agent keeps in its context: those that it has anyway, under other names, are left out.
const SERVER: [&str; 3] = ["mcp", "--tools", "ask,explore,context"];

/// The words that start this program. By default its name, which is found on the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchCommand {
    /// A name on the path, or a path.
    pub program: String,
    /// What comes before the verb, as with programs that run others.
    pub arguments: Vec<String>,
}

impl Default for LaunchCommand {
    fn default() -> Self {
        Self { program: "retriever".to_owned(), arguments: Vec::new() }
    }
}

impl LaunchCommand {
    /// Returns the command for files that others share: a path of this machine is of no use to them.
    pub(crate) fn shared(&self) -> Self {
        if Path::new(&self.program).is_absolute() { Self::default() } else { self.clone() }
    }

    /// Returns what comes behind the program when it is to serve.
    pub(crate) fn server_arguments(&self) -> Vec<&str> {
        self.arguments.iter().map(String::as_str).chain(SERVER).collect()
    }
}
