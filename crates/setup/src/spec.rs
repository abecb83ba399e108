//! The shape of what is known of an agent. The facts stand in `specs`.

use crate::{entry::Members, surroundings::Place};

/// How an agent's MCP servers are written down.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Format {
    /// An object of servers below a path of keys.
    Json(&'static [&'static str]),
    /// A table a server.
    Toml(&'static str),
    /// A mapping of servers.
    Yaml(&'static str),
}

/// A file in which MCP servers are named.
#[derive(Clone, Copy, Debug)]
pub(crate) struct McpFile {
    /// Candidates: the first that exists is used, else the first.
    pub(crate) user: &'static [Place],
    pub(crate) project: &'static [Place],
    pub(crate) format: Format,
    pub(crate) members: Members,
}

/// A file that belongs to the user or to a project.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacePair {
    pub(crate) user: Option<Place>,
    pub(crate) project: Option<Place>,
}

/// What is known of an agent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spec {
    /// Its name for people.
    pub(crate) title: &'static str,
    /// Programs, any of which shows that it is installed.
    pub(crate) programs: &'static [&'static str],
    /// Files and folders that only the agent itself makes.
    pub(crate) signs: &'static [Place],
    /// The first is always written; each other only when its folder exists.
    pub(crate) mcp: &'static [McpFile],
    pub(crate) subagent: Option<(PlacePair, &'static str)>,
    pub(crate) skill: PlacePair,
    pub(crate) instructions: PlacePair,
    /// What is left to the user, a sentence each.
    pub(crate) afterwards: &'static [&'static str],
}
