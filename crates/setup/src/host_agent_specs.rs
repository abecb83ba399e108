//! The description of each supported host agent: what shows that it is installed, and which files it reads. From the
//! agents' documentation and sources as of November 2026; `docs/agents.md` names them.

use crate::{
    host_agent_config_entry::{HostAgentEntryMembers, HostAgentEntryValue},
    standard_paths::HostAgentPath,
};

/// The format of an agent's list of MCP servers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum McpFileFormat {
    /// An object of servers below a path of keys.
    Json(&'static [&'static str]),
    /// One table per server.
    Toml(&'static str),
    /// A mapping of servers.
    Yaml(&'static str),
}

/// A file with an agent's MCP servers.
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
    /// Its display name.
    pub(crate) title: &'static str,
    /// Names of its programs; any of them on the path shows that it is installed.
    pub(crate) programs: &'static [&'static str],
    /// Files and folders that only this agent creates.
    pub(crate) signs: &'static [HostAgentPath],
    /// The first file is always written, the others only when their folder exists.
    pub(crate) mcp: &'static [McpFile],
    pub(crate) subagent: Option<(UserAndProjectPath, &'static str)>,
    pub(crate) skill: UserAndProjectPath,
    pub(crate) instructions: UserAndProjectPath,
    /// Steps that are left to the user, one sentence each.
    pub(crate) afterwards: &'static [&'static str],
    /// The same for files of a project.
    pub(crate) afterwards_in_project: &'static [&'static str],
}

const COMMAND: (&str, HostAgentEntryValue) = ("command", HostAgentEntryValue::Program);
const ARGS: (&str, HostAgentEntryValue) = ("args", HostAgentEntryValue::Arguments);
const PLAIN: HostAgentEntryMembers = &[COMMAND, ARGS];
const STDIO: HostAgentEntryMembers = &[("type", HostAgentEntryValue::Text("stdio")), COMMAND, ARGS];

const SHARED_SKILL: UserAndProjectPath = UserAndProjectPath {
    user: Some(HostAgentPath::home(".agents/skills/retriever/SKILL.md")),
    project: Some(HostAgentPath::project(".agents/skills/retriever/SKILL.md")),
};

const fn agents_md(user: Option<HostAgentPath>) -> UserAndProjectPath {
    UserAndProjectPath { user, project: Some(HostAgentPath::project("AGENTS.md")) }
}

const ZED_FOLDER: HostAgentPath = HostAgentPath::config("zed").on_windows("Zed");
const GOOSE_FILE: HostAgentPath =
    HostAgentPath::config("goose/config.yaml").on_windows("Block/goose/config/config.yaml");

pub(crate) const CLAUDE_CODE: HostAgentSpec = HostAgentSpec {
    title: "Claude Code",
    programs: &["claude"],
    signs: &[HostAgentPath::home(".claude.json")],
    mcp: &[McpFile {
        user: &[HostAgentPath::variable("CLAUDE_CONFIG_DIR", "", ".claude.json")],
        project: &[HostAgentPath::project(".mcp.json")],
        format: McpFileFormat::Json(&["mcpServers"]),
        members: STDIO,
    }],
    subagent: Some((
        UserAndProjectPath {
            user: Some(HostAgentPath::variable(
                "CLAUDE_CONFIG_DIR",
                ".claude",
                "agents/retriever.md",
            )),
            project: Some(HostAgentPath::project(".claude/agents/retriever.md")),
        },
        include_str!("../texts/subagent.claude.md"),
    )),
    skill: UserAndProjectPath {
        user: Some(HostAgentPath::variable(
            "CLAUDE_CONFIG_DIR",
            ".claude",
            "skills/retriever/SKILL.md",
        )),
        project: Some(HostAgentPath::project(".claude/skills/retriever/SKILL.md")),
    },
    instructions: UserAndProjectPath {
        user: Some(HostAgentPath::variable("CLAUDE_CONFIG_DIR", ".claude", "CLAUDE.md")),
        project: Some(HostAgentPath::project("CLAUDE.md")),
    },
    afterwards: &[],
    afterwards_in_project: &[],
};

pub(crate) const CODEX: HostAgentSpec = HostAgentSpec {
    title: "Codex",
    programs: &["codex"],
    signs: &[
        HostAgentPath::variable("CODEX_HOME", ".codex", "config.toml"),
        HostAgentPath::variable("CODEX_HOME", ".codex", "auth.json"),
    ],
    mcp: &[McpFile {
        user: &[HostAgentPath::variable("CODEX_HOME", ".codex", "config.toml")],
        project: &[HostAgentPath::project(".codex/config.toml")],
        format: McpFileFormat::Toml("mcp_servers"),
        members: &[
            COMMAND,
            ARGS,
            ("startup_timeout_sec", HostAgentEntryValue::Number(30)),
            ("tool_timeout_sec", HostAgentEntryValue::Number(600)),
        ],
    }],
    subagent: Some((
        UserAndProjectPath {
            user: Some(HostAgentPath::variable("CODEX_HOME", ".codex", "agents/retriever.toml")),
            project: Some(HostAgentPath::project(".codex/agents/retriever.toml")),
        },
        include_str!("../texts/subagent.codex.toml"),
    )),
    skill: SHARED_SKILL,
    instructions: agents_md(Some(HostAgentPath::variable("CODEX_HOME", ".codex", "AGENTS.md"))),
    afterwards: &[],
    afterwards_in_project: &["the project's .codex/config.toml is read only when it is trusted"],
};

pub(crate) const CURSOR: HostAgentSpec = HostAgentSpec {
    title: "Cursor",
    programs: &["cursor", "cursor-agent"],
    signs: &[HostAgentPath::app_data("Cursor")],
    mcp: &[McpFile {
        user: &[HostAgentPath::home(".cursor/mcp.json")],
        project: &[HostAgentPath::project(".cursor/mcp.json")],
        format: McpFileFormat::Json(&["mcpServers"]),
        members: PLAIN,
    }],
    subagent: Some((
        UserAndProjectPath {
            user: Some(HostAgentPath::home(".cursor/agents/retriever.md")),
            project: Some(HostAgentPath::project(".cursor/agents/retriever.md")),
        },
        include_str!("../texts/subagent.plain.md"),
    )),
    skill: SHARED_SKILL,
    instructions: agents_md(None),
    afterwards: &["on the command line: cursor-agent mcp enable retriever"],
    afterwards_in_project: &[],
};

pub(crate) const VS_CODE: HostAgentSpec = HostAgentSpec {
    title: "VS Code",
    programs: &["code", "code-insiders"],
    signs: &[HostAgentPath::app_data("Code/User")],
    mcp: &[McpFile {
        user: &[HostAgentPath::app_data("Code/User/mcp.json")],
        project: &[HostAgentPath::project(".vscode/mcp.json")],
        format: McpFileFormat::Json(&["servers"]),
        members: STDIO,
    }],
    subagent: Some((
        UserAndProjectPath {
            user: Some(HostAgentPath::home(".copilot/agents/retriever.agent.md")),
            project: Some(HostAgentPath::project(".github/agents/retriever.agent.md")),
        },
        include_str!("../texts/subagent.vscode.md"),
    )),
    skill: SHARED_SKILL,
    instructions: agents_md(None),
    afterwards: &["VS Code asks once whether the server may be started"],
    afterwards_in_project: &[],
};

pub(crate) const GEMINI: HostAgentSpec = HostAgentSpec {
    title: "Gemini CLI",
    programs: &["gemini"],
    signs: &[HostAgentPath::variable("GEMINI_CLI_HOME", "", ".gemini/settings.json")],
    mcp: &[McpFile {
        user: &[HostAgentPath::variable("GEMINI_CLI_HOME", "", ".gemini/settings.json")],
        project: &[HostAgentPath::project(".gemini/settings.json")],
        format: McpFileFormat::Json(&["mcpServers"]),
        members: &[COMMAND, ARGS, ("timeout", HostAgentEntryValue::Number(600_000))],
    }],
    subagent: Some((
        UserAndProjectPath {
            user: Some(HostAgentPath::variable(
                "GEMINI_CLI_HOME",
                "",
                ".gemini/agents/retriever.md",
            )),
            project: Some(HostAgentPath::project(".gemini/agents/retriever.md")),
        },
        include_str!("../texts/subagent.gemini.md"),
    )),
    skill: SHARED_SKILL,
    instructions: UserAndProjectPath {
        user: Some(HostAgentPath::variable("GEMINI_CLI_HOME", "", ".gemini/GEMINI.md")),
        project: Some(HostAgentPath::project("GEMINI.md")),
    },
    afterwards: &[
        "servers are off in a folder that is not trusted: gemini trust",
        "variables named like *KEY* reach the server only when its `env` names them",
    ],
    afterwards_in_project: &[],
};

pub(crate) const ANTIGRAVITY: HostAgentSpec = HostAgentSpec {
    title: "Antigravity CLI",
    programs: &["agy"],
    signs: &[HostAgentPath::home(".gemini/antigravity-cli")],
    mcp: &[McpFile {
        user: &[HostAgentPath::home(".gemini/config/mcp_config.json")],
        project: &[HostAgentPath::project(".agents/mcp_config.json")],
        format: McpFileFormat::Json(&["mcpServers"]),
        members: PLAIN,
    }],
    subagent: Some((
        UserAndProjectPath {
            user: Some(HostAgentPath::home(".gemini/config/agents/retriever.md")),
            project: Some(HostAgentPath::project(".agents/agents/retriever.md")),
        },
        include_str!("../texts/subagent.plain.md"),
    )),
    skill: UserAndProjectPath { user: None, ..SHARED_SKILL },
    instructions: agents_md(None),
    afterwards: &[],
    afterwards_in_project: &[],
};

pub(crate) const OPENCODE: HostAgentSpec = HostAgentSpec {
    title: "opencode",
    programs: &["opencode"],
    signs: &[HostAgentPath::home(".local/share/opencode")],
    mcp: &[McpFile {
        user: &[
            HostAgentPath::config("opencode/opencode.json"),
            HostAgentPath::config("opencode/opencode.jsonc"),
        ],
        project: &[
            HostAgentPath::project("opencode.json"),
            HostAgentPath::project("opencode.jsonc"),
        ],
        format: McpFileFormat::Json(&["mcp"]),
        members: &[
            ("type", HostAgentEntryValue::Text("local")),
            ("command", HostAgentEntryValue::CommandLine),
            ("enabled", HostAgentEntryValue::Truth(true)),
        ],
    }],
    subagent: Some((
        UserAndProjectPath {
            user: Some(HostAgentPath::config("opencode/agents/retriever.md")),
            project: Some(HostAgentPath::project(".opencode/agents/retriever.md")),
        },
        include_str!("../texts/subagent.opencode.md"),
    )),
    skill: SHARED_SKILL,
    instructions: agents_md(Some(HostAgentPath::config("opencode/AGENTS.md"))),
    afterwards: &[],
    afterwards_in_project: &[],
};

pub(crate) const ZED: HostAgentSpec = HostAgentSpec {
    title: "Zed",
    programs: &["zed", "zeditor"],
    signs: &[ZED_FOLDER],
    mcp: &[McpFile {
        user: &[HostAgentPath::config("zed/settings.json").on_windows("Zed/settings.json")],
        project: &[HostAgentPath::project(".zed/settings.json")],
        format: McpFileFormat::Json(&["context_servers"]),
        members: &[COMMAND, ARGS, ("env", HostAgentEntryValue::Empty)],
    }],
    subagent: None,
    skill: SHARED_SKILL,
    instructions: agents_md(Some(
        HostAgentPath::config("zed/AGENTS.md").on_windows("Zed/AGENTS.md"),
    )),
    afterwards: &[],
    afterwards_in_project: &["the project's .zed/settings.json is read only when it is trusted"],
};

pub(crate) const WINDSURF: HostAgentSpec = HostAgentSpec {
    title: "Windsurf / Devin",
    programs: &["windsurf", "devin"],
    signs: &[HostAgentPath::app_data("Windsurf"), HostAgentPath::app_data("devin")],
    mcp: &[
        McpFile {
            user: &[HostAgentPath::app_data("devin/mcp_config.json")],
            project: &[HostAgentPath::project(".devin/mcp_config.json")],
            format: McpFileFormat::Json(&["mcpServers"]),
            members: PLAIN,
        },
        McpFile {
            user: &[HostAgentPath::home(".codeium/windsurf/mcp_config.json")],
            project: &[],
            format: McpFileFormat::Json(&["mcpServers"]),
            members: PLAIN,
        },
    ],
    subagent: Some((
        UserAndProjectPath {
            user: Some(HostAgentPath::app_data("devin/agents/retriever/AGENT.md")),
            project: Some(HostAgentPath::project(".devin/agents/retriever/AGENT.md")),
        },
        include_str!("../texts/subagent.plain.md"),
    )),
    skill: SHARED_SKILL,
    instructions: agents_md(None),
    afterwards: &[],
    afterwards_in_project: &[],
};

pub(crate) const AMP: HostAgentSpec = HostAgentSpec {
    title: "Amp",
    programs: &["amp"],
    signs: &[
        HostAgentPath::home(".config/amp/settings.json"),
        HostAgentPath::home(".config/amp/settings.jsonc"),
    ],
    mcp: &[McpFile {
        user: &[
            HostAgentPath::home(".config/amp/settings.json"),
            HostAgentPath::home(".config/amp/settings.jsonc"),
        ],
        project: &[
            HostAgentPath::project(".amp/settings.json"),
            HostAgentPath::project(".amp/settings.jsonc"),
        ],
        format: McpFileFormat::Json(&["amp.mcpServers"]),
        members: PLAIN,
    }],
    subagent: None,
    skill: SHARED_SKILL,
    instructions: agents_md(Some(HostAgentPath::home(".config/amp/AGENTS.md"))),
    afterwards: &[],
    afterwards_in_project: &["servers of a project need: amp mcp approve retriever"],
};

pub(crate) const CLINE: HostAgentSpec = HostAgentSpec {
    title: "Cline",
    programs: &["cline"],
    signs: &[HostAgentPath::variable("CLINE_DIR", ".cline", "data")],
    mcp: &[McpFile {
        user: &[HostAgentPath::variable(
            "CLINE_DIR",
            ".cline",
            "data/settings/cline_mcp_settings.json",
        )],
        project: &[],
        format: McpFileFormat::Json(&["mcpServers"]),
        members: &[
            COMMAND,
            ARGS,
            ("timeout", HostAgentEntryValue::Number(600)),
            ("disabled", HostAgentEntryValue::Truth(false)),
            ("autoApprove", HostAgentEntryValue::EmptyList),
        ],
    }],
    subagent: Some((
        UserAndProjectPath {
            user: Some(HostAgentPath::variable("CLINE_DIR", ".cline", "agents/retriever.yaml")),
            project: Some(HostAgentPath::project(".cline/agents/retriever.yaml")),
        },
        include_str!("../texts/subagent.cline.yaml"),
    )),
    skill: SHARED_SKILL,
    instructions: agents_md(Some(HostAgentPath::home(".agents/AGENTS.md"))),
    afterwards: &[],
    afterwards_in_project: &[],
};

pub(crate) const ROO: HostAgentSpec = HostAgentSpec {
    title: "Roo Code",
    programs: &[],
    signs: &[HostAgentPath::app_data("Code/User/globalStorage/rooveterinaryinc.roo-cline")],
    mcp: &[McpFile {
        user: &[HostAgentPath::app_data(
            "Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
        )],
        project: &[HostAgentPath::project(".roo/mcp.json")],
        format: McpFileFormat::Json(&["mcpServers"]),
        members: &[
            COMMAND,
            ARGS,
            ("timeout", HostAgentEntryValue::Number(600)),
            ("alwaysAllow", HostAgentEntryValue::EmptyList),
            ("disabled", HostAgentEntryValue::Truth(false)),
        ],
    }],
    subagent: None,
    skill: SHARED_SKILL,
    instructions: agents_md(None),
    afterwards: &[],
    afterwards_in_project: &[],
};

pub(crate) const GOOSE: HostAgentSpec = HostAgentSpec {
    title: "Goose",
    programs: &["goose"],
    signs: &[GOOSE_FILE],
    mcp: &[McpFile {
        user: &[GOOSE_FILE],
        project: &[],
        format: McpFileFormat::Yaml("extensions"),
        members: &[
            ("name", HostAgentEntryValue::Text("retriever")),
            ("type", HostAgentEntryValue::Text("stdio")),
            ("cmd", HostAgentEntryValue::Program),
            ("args", HostAgentEntryValue::Arguments),
            ("envs", HostAgentEntryValue::Empty),
            ("enabled", HostAgentEntryValue::Truth(true)),
            ("timeout", HostAgentEntryValue::Number(600)),
        ],
    }],
    subagent: Some((
        UserAndProjectPath {
            user: Some(HostAgentPath::config("goose/agents/retriever.md")),
            project: Some(HostAgentPath::project(".goose/agents/retriever.md")),
        },
        include_str!("../texts/subagent.plain.md"),
    )),
    skill: SHARED_SKILL,
    instructions: agents_md(Some(HostAgentPath::config("goose/AGENTS.md"))),
    afterwards: &[],
    afterwards_in_project: &[],
};
