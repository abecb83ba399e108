//! The file that holds each part of a host agent's setup, and how a part is added to its text and removed again.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

use crate::{
    HostAgent, LaunchCommand, SpliceRefusal, StandardPaths, TextInsertion,
    host_agent_config_entry::{FilledEntryMembers, HostAgentEntryMembers},
    host_agent_files,
    host_agent_specs::{McpFile, McpFileFormat, UserAndProjectPath},
    splice::{AddedText, json, markdown, toml, yaml},
    standard_paths::HostAgentPath,
};

/// Name of the server's entry.
const NAME: &str = "retriever";

/// The scope of the written files.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Display, EnumIter, EnumString, IntoStaticStr, Serialize,
)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum SetupScope {
    /// The user's, for all projects.
    User,
    /// Those of one project, which others may share.
    Project,
}

/// A part of an agent's setup.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Display,
    EnumIter,
    EnumString,
    IntoStaticStr,
    Serialize,
    Deserialize,
)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum SetupPart {
    /// The entry that starts the MCP server.
    Mcp,
    /// A sub-agent that asks and returns the map.
    Subagent,
    /// A skill: when to ask, and how.
    Skill,
    /// A marked block in the file of instructions.
    Instructions,
}

/// A part and its file.
#[derive(Clone, Debug)]
pub(crate) struct SetupTarget {
    pub(crate) agent: HostAgent,
    pub(crate) part: SetupPart,
    pub(crate) path: PathBuf,
    /// The root of the project that the file belongs to.
    pub(crate) project: Option<PathBuf>,
    content: Content,
    launch: LaunchCommand,
}

#[derive(Clone, Copy, Debug)]
enum Content {
    Server(McpFileFormat, HostAgentEntryMembers),
    /// A file of its own.
    File(&'static str),
    Block(&'static str),
}

impl SetupTarget {
    /// Returns the part with another path of its file.
    pub(crate) fn at(&self, path: &Path) -> Self {
        Self { path: path.to_owned(), ..self.clone() }
    }

    /// Returns the insertion of the part, or `None` if the text has it.
    pub(crate) fn add(&self, text: &str) -> Result<Option<AddedText>, SpliceRefusal> {
        let plain = |insertions: Option<Vec<TextInsertion>>| {
            insertions.map(|insertions| AddedText { insertions, made: 0 })
        };
        let filled = |members| FilledEntryMembers { members, launch: &self.launch };
        Ok(match self.content {
            Content::Server(McpFileFormat::Json(path), members) => {
                json::add(text, path, NAME, filled(members))?
            }
            Content::Server(McpFileFormat::Toml(group), members) => {
                plain(toml::add(text, group, NAME, filled(members))?)
            }
            Content::Server(McpFileFormat::Yaml(group), members) => {
                yaml::add(text, group, NAME, filled(members))?
            }
            Content::Block(block) => plain(markdown::add(text, block)?),
            Content::File(wanted) if text == wanted => None,
            Content::File(wanted) if text.is_empty() => Some(AddedText {
                insertions: vec![TextInsertion { at: 0, text: wanted.to_owned() }],
                made: 0,
            }),
            Content::File(_) => {
                return Err(SpliceRefusal::Taken { line: 1, name: NAME.to_owned() });
            }
        })
    }

    /// Returns the text without the part, or `None` if it does not have it. `made` is the value of [`AddedText::made`].
    pub(crate) fn remove(&self, text: &str, made: usize) -> Result<Option<String>, SpliceRefusal> {
        match self.content {
            Content::Server(McpFileFormat::Json(path), _) => json::remove(text, path, NAME, made),
            Content::Server(McpFileFormat::Toml(group), _) => toml::remove(text, group, NAME),
            Content::Server(McpFileFormat::Yaml(group), _) => yaml::remove(text, group, NAME, made),
            Content::Block(_) => markdown::remove(text),
            Content::File(wanted) if text == wanted => Ok(Some(String::new())),
            Content::File(_) => Err(SpliceRefusal::Taken { line: 1, name: NAME.to_owned() }),
        }
    }
}

/// Returns the files of a part; empty if the agent has no such file in the scope.
pub(crate) fn targets(
    agent: HostAgent,
    part: SetupPart,
    scope: SetupScope,
    surroundings: &StandardPaths,
) -> Vec<SetupTarget> {
    let spec = agent.spec();
    let project = surroundings.project.clone().filter(|_| scope == SetupScope::Project);
    let launch = match scope {
        SetupScope::User => surroundings.launch.clone(),
        SetupScope::Project => surroundings.launch.shared(),
    };
    let target = |path, content| {
        let (project, launch) = (project.clone(), launch.clone());
        SetupTarget { agent, part, path, project, content, launch }
    };
    let file = |places: UserAndProjectPath, content| {
        let place = match scope {
            SetupScope::User => places.user,
            SetupScope::Project => places.project,
        };
        let path = place.and_then(|place| place.of(surroundings));
        path.map(|path| target(path, content)).into_iter().collect()
    };
    match part {
        SetupPart::Mcp => {
            let all = spec.mcp.iter().enumerate().filter_map(|(index, mcp)| {
                let path = of_candidates(mcp, scope, surroundings)?;
                let wanted = index == 0 || path.parent().is_some_and(host_agent_files::exists);
                wanted.then(|| target(path, Content::Server(mcp.format, mcp.members)))
            });
            all.collect()
        }
        SetupPart::Subagent => {
            spec.subagent.map_or_else(Vec::new, |(places, text)| file(places, Content::File(text)))
        }
        SetupPart::Skill => file(spec.skill, Content::File(include_str!("../texts/skill.md"))),
        SetupPart::Instructions => {
            file(spec.instructions, Content::Block(include_str!("../texts/instructions.md")))
        }
    }
}

/// Returns the first candidate that exists, else the first.
fn of_candidates(
    mcp: &McpFile,
    scope: SetupScope,
    surroundings: &StandardPaths,
) -> Option<PathBuf> {
    let candidates: &[HostAgentPath] = match scope {
        SetupScope::User => mcp.user,
        SetupScope::Project => mcp.project,
    };
    let paths: Vec<_> = candidates.iter().filter_map(|place| place.of(surroundings)).collect();
    paths.iter().find(|path| host_agent_files::exists(path)).or(paths.first()).cloned()
}
