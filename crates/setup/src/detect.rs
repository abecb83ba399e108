//! Which agents are installed. A program on the path or a file that only the agent makes shows it; a folder that others write
//! to as well does not.

use std::path::PathBuf;

use strum::IntoEnumIterator;

use crate::{Agent, Surroundings, files};

/// What shows that an agent is installed.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// Its program, on the path.
    Program(PathBuf),
    /// A file or folder that only it makes.
    File(PathBuf),
}

/// An agent that is installed.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Detected {
    /// Which.
    pub agent: Agent,
    /// Why it is believed to be.
    pub evidence: Evidence,
}

/// Returns the agents that are installed, in the order of [`Agent`].
pub fn detect(surroundings: &Surroundings) -> Vec<Detected> {
    Agent::iter()
        .filter_map(|agent| Some(Detected { agent, evidence: evidence(agent, surroundings)? }))
        .collect()
}

fn evidence(agent: Agent, surroundings: &Surroundings) -> Option<Evidence> {
    let spec = agent.spec();
    let program = spec.programs.iter().find_map(|name| surroundings.program(name));
    program.map(Evidence::Program).or_else(|| {
        let mut places = spec.signs.iter().filter_map(|place| place.of(surroundings));
        places.find(|path| files::exists(path)).map(Evidence::File)
    })
}
