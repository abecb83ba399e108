//! Which files the parts of an agent stand in, and how a part is added to a text and cut out of it again.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

use crate::{
    Agent, Insertion, Refusal, Surroundings,
    entry::Members,
    files,
    spec::{Format, McpFile, PlacePair},
    splice::{json, markdown, toml, yaml},
    surroundings::Place,
};

/// Name of the server's entry.
const NAME: &str = "retriever";

/// Whose files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString, Serialize)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// The user's, for all projects.
    User,
    /// Those of one project, which others may share.
    Project,
}

/// What can be written for an agent.
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
pub enum Part {
    /// The entry that starts the MCP server.
    Mcp,
    /// A sub-agent that asks and returns the map.
    Subagent,
    /// A skill: when to ask, and how.
    Skill,
    /// A marked block in the file of instructions.
    Instructions,
}

/// A part in its file.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) agent: Agent,
    pub(crate) part: Part,
    pub(crate) path: PathBuf,
    /// The root of the project that the file belongs to.
    pub(crate) project: Option<PathBuf>,
    content: Content,
}

#[derive(Clone, Copy, Debug)]
enum Content {
    Server(Format, Members),
    /// A file of its own.
    File(&'static str),
    Block(&'static str),
}

/// What has to be inserted.
pub(crate) struct Addition {
    pub(crate) insertions: Vec<Insertion>,
    /// Enclosing objects or mappings that were missing.
    pub(crate) made: usize,
}

impl Target {
    /// Returns the part under another name of its file.
    pub(crate) fn at(&self, path: &Path) -> Self {
        Self { path: path.to_owned(), ..self.clone() }
    }

    /// Returns what adds the part to the text, or `None` if it is there.
    pub(crate) fn add(&self, text: &str) -> Result<Option<Addition>, Refusal> {
        let plain = |insertions: Option<Vec<Insertion>>, made| {
            insertions.map(|insertions| Addition { insertions, made })
        };
        Ok(match self.content {
            Content::Server(Format::Json(path), members) => json::add(text, path, NAME, members)?
                .map(|added| Addition { insertions: added.insertions, made: added.made }),
            Content::Server(Format::Toml(group), members) => {
                plain(toml::add(text, group, NAME, members)?, 0)
            }
            Content::Server(Format::Yaml(group), members) => {
                let made = usize::from(!text.lines().any(|line| line.starts_with(group)));
                plain(yaml::add(text, group, NAME, members)?, made)
            }
            Content::Block(block) => plain(markdown::add(text, block)?, 0),
            Content::File(wanted) if text == wanted => None,
            Content::File(wanted) if text.is_empty() => Some(Addition {
                insertions: vec![Insertion { at: 0, text: wanted.to_owned() }],
                made: 0,
            }),
            Content::File(_) => return Err(Refusal::Taken { line: 1, name: NAME.to_owned() }),
        })
    }

    /// Returns the text without the part, or `None` if it is not there. `made` is what [`Addition::made`] was.
    pub(crate) fn remove(&self, text: &str, made: usize) -> Result<Option<String>, Refusal> {
        match self.content {
            Content::Server(Format::Json(path), _) => json::remove(text, path, NAME, made),
            Content::Server(Format::Toml(group), _) => toml::remove(text, group, NAME),
            Content::Server(Format::Yaml(group), _) => yaml::remove(text, group, NAME, made),
            Content::Block(_) => markdown::remove(text),
            Content::File(wanted) if text == wanted => Ok(Some(String::new())),
            Content::File(_) => Err(Refusal::Taken { line: 1, name: NAME.to_owned() }),
        }
    }
}

/// Returns the files of a part. None if the agent has no such thing in the scope.
pub(crate) fn targets(
    agent: Agent,
    part: Part,
    scope: Scope,
    surroundings: &Surroundings,
) -> Vec<Target> {
    let spec = agent.spec();
    let project = surroundings.project.clone().filter(|_| scope == Scope::Project);
    let target = |path, content| Target { agent, part, path, project: project.clone(), content };
    let file = |places: PlacePair, content| {
        let place = match scope {
            Scope::User => places.user,
            Scope::Project => places.project,
        };
        let path = place.and_then(|place| place.of(surroundings));
        path.map(|path| target(path, content)).into_iter().collect()
    };
    match part {
        Part::Mcp => {
            let all = spec.mcp.iter().enumerate().filter_map(|(index, mcp)| {
                let path = of_candidates(mcp, scope, surroundings)?;
                let wanted = index == 0 || path.parent().is_some_and(files::exists);
                wanted.then(|| target(path, Content::Server(mcp.format, mcp.members)))
            });
            all.collect()
        }
        Part::Subagent => {
            spec.subagent.map_or_else(Vec::new, |(places, text)| file(places, Content::File(text)))
        }
        Part::Skill => file(spec.skill, Content::File(include_str!("../texts/skill.md"))),
        Part::Instructions => {
            file(spec.instructions, Content::Block(include_str!("../texts/instructions.md")))
        }
    }
}

/// Returns the first candidate that exists, else the first.
fn of_candidates(mcp: &McpFile, scope: Scope, surroundings: &Surroundings) -> Option<PathBuf> {
    let candidates: &[Place] = match scope {
        Scope::User => mcp.user,
        Scope::Project => mcp.project,
    };
    let paths: Vec<_> = candidates.iter().filter_map(|place| place.of(surroundings)).collect();
    paths.iter().find(|path| files::exists(path)).or(paths.first()).cloned()
}
