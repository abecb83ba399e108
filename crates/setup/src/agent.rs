//! The agents that are known by name, and the shape of what is known of each. The facts stand in `specs`.

use strum::{Display, EnumIter, EnumString, IntoStaticStr};

use crate::{entry::Members, specs, surroundings::Place};

/// A program that can use retriever.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Display,
    EnumIter,
    EnumString,
    IntoStaticStr,
    serde::Serialize,
    serde::Deserialize,
)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum Agent {
    /// Anthropic's Claude Code.
    ClaudeCode,
    /// OpenAI's Codex.
    Codex,
    /// Cursor and its command line.
    Cursor,
    /// Visual Studio Code.
    #[strum(serialize = "vscode")]
    #[serde(rename = "vscode")]
    VsCode,
    /// Google's Gemini CLI.
    Gemini,
    /// Google's Antigravity CLI.
    Antigravity,
    /// opencode.
    Opencode,
    /// The Zed editor.
    Zed,
    /// Windsurf, since 2026 Devin Desktop.
    Windsurf,
    /// Amp.
    Amp,
    /// Cline.
    Cline,
    /// Roo Code and its successors.
    Roo,
    /// Goose.
    Goose,
}

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
pub(crate) struct TwoPlaces {
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
    pub(crate) subagent: Option<(TwoPlaces, &'static str)>,
    pub(crate) skill: TwoPlaces,
    pub(crate) instructions: TwoPlaces,
    /// What is left to the user, a sentence each.
    pub(crate) afterwards: &'static [&'static str],
}

impl Agent {
    /// Returns its name for people.
    pub const fn title(self) -> &'static str {
        self.spec().title
    }

    pub(crate) const fn spec(self) -> Spec {
        match self {
            Self::ClaudeCode => specs::CLAUDE_CODE,
            Self::Codex => specs::CODEX,
            Self::Cursor => specs::CURSOR,
            Self::VsCode => specs::VS_CODE,
            Self::Gemini => specs::GEMINI,
            Self::Antigravity => specs::ANTIGRAVITY,
            Self::Opencode => specs::OPENCODE,
            Self::Zed => specs::ZED,
            Self::Windsurf => specs::WINDSURF,
            Self::Amp => specs::AMP,
            Self::Cline => specs::CLINE,
            Self::Roo => specs::ROO,
            Self::Goose => specs::GOOSE,
        }
    }
}
