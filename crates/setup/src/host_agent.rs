//! The supported host agents, by name.

use strum::{Display, EnumIter, EnumString, IntoStaticStr};

use crate::host_agent_specs::{self, HostAgentSpec};

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
pub enum HostAgent {
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

impl HostAgent {
    /// Returns the display name.
    pub const fn title(self) -> &'static str {
        self.spec().title
    }

    pub(crate) const fn spec(self) -> HostAgentSpec {
        match self {
            Self::ClaudeCode => host_agent_specs::CLAUDE_CODE,
            Self::Codex => host_agent_specs::CODEX,
            Self::Cursor => host_agent_specs::CURSOR,
            Self::VsCode => host_agent_specs::VS_CODE,
            Self::Gemini => host_agent_specs::GEMINI,
            Self::Antigravity => host_agent_specs::ANTIGRAVITY,
            Self::Opencode => host_agent_specs::OPENCODE,
            Self::Zed => host_agent_specs::ZED,
            Self::Windsurf => host_agent_specs::WINDSURF,
            Self::Amp => host_agent_specs::AMP,
            Self::Cline => host_agent_specs::CLINE,
            Self::Roo => host_agent_specs::ROO,
            Self::Goose => host_agent_specs::GOOSE,
        }
    }
}
