//! The agents that are known, by name.

use strum::{Display, EnumIter, EnumString, IntoStaticStr};

use crate::{spec::Spec, specs};

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
