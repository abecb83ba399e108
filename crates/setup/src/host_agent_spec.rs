//! The type that describes a host agent. Its values are in `host_agent_specs`.

use crate::{host_agent_config_entry::HostAgentEntryMembers, standard_paths::HostAgentPath};

/// How an agent's MCP servers are written down.
#[derive(Clone, Copy, Debug)]
pub(crate) enum McpFileFormat {
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
    pub(crate) user: &'static [HostAgentPath],
    pub(crate) project: &'static [HostAgentPath],
    pub(crate) format: McpFileFormat,
    pub(crate) members: HostAgentEntryMembers,
}

/// A file that belongs to the user or to a project.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UserAndProjectPath {
    pub(crate) user: Option<HostAgentPath>,
    pub(crate) project: Option<HostAgentPath>,
}

/// Describes a host agent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostAgentSpec {
    /// Its name for people.
    pub(crate) title: &'static str,
    /// Programs, any of which shows that it is installed.
    pub(crate) programs: &'static [&'static str],
    /// Files and folders that only the agent itself makes.
    pub(crate) signs: &'static [HostAgentPath],
    /// The first is always written; each other only when its folder exists.
    pub(crate) mcp: &'static [McpFile],
    pub(crate) subagent: Option<(UserAndProjectPath, &'static str)>,
    pub(crate) skill: UserAndProjectPath,
    pub(crate) instructions: UserAndProjectPath,
    /// What is left to the user, a sentence each.
    pub(crate) afterwards: &'static [&'static str],
    /// The same, where files of a project are written.
    pub(crate) afterwards_in_project: &'static [&'static str],
}
