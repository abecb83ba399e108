//! Finds the installed agents. A program on the path or a file that only the agent writes proves it; a folder that
//! other programs also create does not.

use std::path::PathBuf;

use strum::IntoEnumIterator;

use crate::{HostAgent, StandardPaths, host_agent_files};

/// Why an agent counts as installed.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InstallEvidence {
    /// Its program is on the path.
    Program(PathBuf),
    /// A file or folder exists that only it creates.
    File(PathBuf),
}

/// An agent that is installed.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct InstalledAgent {
    /// The agent.
    pub agent: HostAgent,
    /// Why it counts as installed.
    pub evidence: InstallEvidence,
}

/// Returns the installed agents, in the order of [`HostAgent`].
pub fn detect(surroundings: &StandardPaths) -> Vec<InstalledAgent> {
    HostAgent::iter()
        .filter_map(|agent| {
            Some(InstalledAgent { agent, evidence: evidence(agent, surroundings)? })
        })
        .collect()
}

fn evidence(agent: HostAgent, surroundings: &StandardPaths) -> Option<InstallEvidence> {
    let spec = agent.spec();
    let program = spec.programs.iter().find_map(|name| surroundings.program(name));
    program.map(InstallEvidence::Program).or_else(|| {
        let mut places = spec.signs.iter().filter_map(|place| place.of(surroundings));
        places.find(|path| host_agent_files::exists(path)).map(InstallEvidence::File)
    })
}
