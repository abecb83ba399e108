//! Describes each supported host agent: what shows that it is installed, and which files it reads. From the agents'
//! documentation and sources as of November 2026; `docs/agents.md` names them.

use crate::{
    agent_spec::{AgentSpec, McpFile, McpFileFormat, UserAndProjectPath},
    machine_paths::AgentPath,
    settings_entry::{EntryMembers, EntryValue},
};

const COMMAND: (&str, EntryValue) = ("command", EntryValue::Text("retriever"));
const ARGS: (&str, EntryValue) = ("args", EntryValue::List(&["mcp"]));
const PLAIN: EntryMembers = &[COMMAND, ARGS];
const STDIO: EntryMembers = &[("type", EntryValue::Text("stdio")), COMMAND, ARGS];

const SHARED_SKILL: UserAndProjectPath = UserAndProjectPath {
    user: Some(AgentPath::home(".agents/skills/retriever/SKILL.md")),
    project: Some(AgentPath::project(".agents/skills/retriever/SKILL.md")),
};

const fn agents_md(user: Option<AgentPath>) -> UserAndProjectPath {
    UserAndProjectPath { user, project: Some(AgentPath::project("AGENTS.md")) }
}

const ZED_FOLDER: AgentPath = AgentPath::config("zed").on_windows("Zed");
const GOOSE_FILE: AgentPath =
    AgentPath::config("goose/config.yaml").on_windows("Block/goose/config/config.yaml");

pub(crate) const CLAUDE_CODE: AgentSpec = AgentSpec {
    title: "Claude Code",
    programs: &["claude"],
    signs: &[AgentPath::home(".claude.json")],
    mcp: &[McpFile {
        user: &[AgentPath::variable("CLAUDE_CONFIG_DIR", "", ".claude.json")],
        project: &[AgentPath::project(".mcp.json")],
        format: McpFileFormat::Json(&["mcpServers"]),
        members: STDIO,
    }],
    subagent: Some((
        UserAndProjectPath {
            user: Some(AgentPath::variable("CLAUDE_CONFIG_DIR", ".claude", "agents/retriever.md")),
            project: Some(AgentPath::project(".claude/agents/retriever.md")),
        },
        include_str!("../texts/subagent.claude.md"),
    )),
    skill: UserAndProjectPath {
        user: Some(AgentPath::variable(
            "CLAUDE_CONFIG_DIR",
            ".claude",
            "skills/retriever/SKILL.md",
        )),
        project: Some(AgentPath::project(".claude/skills/retriever/SKILL.md")),
    },
    instructions: UserAndProjectPath {
        user: Some(AgentPath::variable("CLAUDE_CONFIG_DIR", ".claude", "CLAUDE.md")),
        project: Some(AgentPath::project("CLAUDE.md")),
    },
    afterwards: &["restart Claude Code: agents and servers are read at its start"],
};

pub(crate) const CODEX: AgentSpec = AgentSpec {
    title: "Codex",
    programs: &["codex"],
    signs: &[
        AgentPath::variable("CODEX_HOME", ".codex", "config.toml"),
        AgentPath::variable("CODEX_HOME", ".codex", "auth.json"),
    ],
    mcp: &[McpFile {
        user: &[AgentPath::variable("CODEX_HOME", ".codex", "config.toml")],
        project: &[AgentPath::project(".codex/config.toml")],
        format: McpFileFormat::Toml("mcp_servers"),
        members: &[
            COMMAND,
            ARGS,
            ("startup_timeout_sec", EntryValue::Number(30)),
            ("tool_timeout_sec", EntryValue::Number(600)),
        ],
    }],
    subagent: Some((
        UserAndProjectPath {
            user: Some(AgentPath::variable("CODEX_HOME", ".codex", "agents/retriever.toml")),
            project: Some(AgentPath::project(".codex/agents/retriever.toml")),
        },
        include_str!("../texts/subagent.codex.toml"),
    )),
    skill: SHARED_SKILL,
    instructions: agents_md(Some(AgentPath::variable("CODEX_HOME", ".codex", "AGENTS.md"))),
    afterwards: &["a project's .codex/config.toml is read only when the project is trusted"],
};

pub(crate) const CURSOR: AgentSpec = AgentSpec {
    title: "Cursor",
    programs: &["cursor", "cursor-agent"],
    signs: &[AgentPath::app_data("Cursor")],
    mcp: &[McpFile {
        user: &[AgentPath::home(".cursor/mcp.json")],
        project: &[AgentPath::project(".cursor/mcp.json")],
        format: McpFileFormat::Json(&["mcpServers"]),
        members: PLAIN,
    }],
    subagent: Some((
        UserAndProjectPath {
            user: Some(AgentPath::home(".cursor/agents/retriever.md")),
            project: Some(AgentPath::project(".cursor/agents/retriever.md")),
        },
        include_str!("../texts/subagent.plain.md"),
    )),
    skill: SHARED_SKILL,
    instructions: agents_md(None),
    afterwards: &["on the command line: cursor-agent mcp enable retriever"],
};

pub(crate) const VS_CODE: AgentSpec = AgentSpec {
    title: "VS Code",
    programs: &["code", "code-insiders"],
    signs: &[AgentPath::app_data("Code/User")],
    mcp: &[McpFile {
        user: &[AgentPath::app_data("Code/User/mcp.json")],
        project: &[AgentPath::project(".vscode/mcp.json")],
        format: McpFileFormat::Json(&["servers"]),
        members: STDIO,
    }],
    subagent: Some((
        UserAndProjectPath {
            user: Some(AgentPath::home(".copilot/agents/retriever.agent.md")),
            project: Some(AgentPath::project(".github/agents/retriever.agent.md")),
        },
        include_str!("../texts/subagent.vscode.md"),
    )),
    skill: SHARED_SKILL,
    instructions: agents_md(None),
    afterwards: &["VS Code asks once whether the server may be started"],
};

pub(crate) const GEMINI: AgentSpec = AgentSpec {
    title: "Gemini CLI",
    programs: &["gemini"],
    signs: &[AgentPath::variable("GEMINI_CLI_HOME", "", ".gemini/settings.json")],
    mcp: &[McpFile {
        user: &[AgentPath::variable("GEMINI_CLI_HOME", "", ".gemini/settings.json")],
        project: &[AgentPath::project(".gemini/settings.json")],
        format: McpFileFormat::Json(&["mcpServers"]),
        members: &[COMMAND, ARGS, ("timeout", EntryValue::Number(600_000))],
    }],
    subagent: Some((
        UserAndProjectPath {
            user: Some(AgentPath::variable("GEMINI_CLI_HOME", "", ".gemini/agents/retriever.md")),
            project: Some(AgentPath::project(".gemini/agents/retriever.md")),
        },
        include_str!("../texts/subagent.gemini.md"),
    )),
    skill: SHARED_SKILL,
    instructions: UserAndProjectPath {
        user: Some(AgentPath::variable("GEMINI_CLI_HOME", "", ".gemini/GEMINI.md")),
        project: Some(AgentPath::project("GEMINI.md")),
    },
    afterwards: &[
        "servers are off in a folder that is not trusted: gemini trust",
        "variables named like *KEY* reach the server only when its `env` names them",
    ],
};

pub(crate) const ANTIGRAVITY: AgentSpec = AgentSpec {
    title: "Antigravity CLI",
    programs: &["agy"],
    signs: &[AgentPath::home(".gemini/antigravity-cli")],
    mcp: &[McpFile {
        user: &[AgentPath::home(".gemini/config/mcp_config.json")],
        project: &[AgentPath::project(".agents/mcp_config.json")],
        format: McpFileFormat::Json(&["mcpServers"]),
        members: PLAIN,
    }],
    subagent: Some((
        UserAndProjectPath {
            user: Some(AgentPath::home(".gemini/config/agents/retriever.md")),
            project: Some(AgentPath::project(".agents/agents/retriever.md")),
        },
        include_str!("../texts/subagent.plain.md"),
    )),
    skill: UserAndProjectPath { user: None, ..SHARED_SKILL },
    instructions: agents_md(None),
    afterwards: &[],
};

pub(crate) const OPENCODE: AgentSpec = AgentSpec {
    title: "opencode",
    programs: &["opencode"],
    signs: &[AgentPath::home(".local/share/opencode")],
    mcp: &[McpFile {
        user: &[
            AgentPath::config("opencode/opencode.json"),
            AgentPath::config("opencode/opencode.jsonc"),
        ],
        project: &[AgentPath::project("opencode.json"), AgentPath::project("opencode.jsonc")],
        format: McpFileFormat::Json(&["mcp"]),
        members: &[
            ("type", EntryValue::Text("local")),
            ("command", EntryValue::List(&["retriever", "mcp"])),
            ("enabled", EntryValue::Truth(true)),
        ],
    }],
    subagent: Some((
        UserAndProjectPath {
            user: Some(AgentPath::config("opencode/agents/retriever.md")),
            project: Some(AgentPath::project(".opencode/agents/retriever.md")),
        },
        include_str!("../texts/subagent.opencode.md"),
    )),
    skill: SHARED_SKILL,
    instructions: agents_md(Some(AgentPath::config("opencode/AGENTS.md"))),
    afterwards: &[],
};

pub(crate) const ZED: AgentSpec = AgentSpec {
    title: "Zed",
    programs: &["zed", "zeditor"],
    signs: &[ZED_FOLDER],
    mcp: &[McpFile {
        user: &[AgentPath::config("zed/settings.json").on_windows("Zed/settings.json")],
        project: &[AgentPath::project(".zed/settings.json")],
        format: McpFileFormat::Json(&["context_servers"]),
        members: &[COMMAND, ARGS, ("env", EntryValue::Empty)],
    }],
    subagent: None,
    skill: SHARED_SKILL,
    instructions: agents_md(Some(AgentPath::config("zed/AGENTS.md").on_windows("Zed/AGENTS.md"))),
    afterwards: &["a project's .zed/settings.json is read only when the project is trusted"],
};

pub(crate) const WINDSURF: AgentSpec = AgentSpec {
    title: "Windsurf / Devin",
    programs: &["windsurf", "devin"],
    signs: &[AgentPath::app_data("Windsurf"), AgentPath::app_data("devin")],
    mcp: &[
        McpFile {
            user: &[AgentPath::app_data("devin/mcp_config.json")],
            project: &[AgentPath::project(".devin/mcp_config.json")],
            format: McpFileFormat::Json(&["mcpServers"]),
            members: PLAIN,
        },
        McpFile {
            user: &[AgentPath::home(".codeium/windsurf/mcp_config.json")],
            project: &[],
            format: McpFileFormat::Json(&["mcpServers"]),
            members: PLAIN,
        },
    ],
    subagent: Some((
        UserAndProjectPath {
            user: Some(AgentPath::app_data("devin/agents/retriever/AGENT.md")),
            project: Some(AgentPath::project(".devin/agents/retriever/AGENT.md")),
        },
        include_str!("../texts/subagent.plain.md"),
    )),
    skill: SHARED_SKILL,
    instructions: agents_md(None),
    afterwards: &[],
};

pub(crate) const AMP: AgentSpec = AgentSpec {
    title: "Amp",
    programs: &["amp"],
    signs: &[
        AgentPath::home(".config/amp/settings.json"),
        AgentPath::home(".config/amp/settings.jsonc"),
    ],
    mcp: &[McpFile {
        user: &[
            AgentPath::home(".config/amp/settings.json"),
            AgentPath::home(".config/amp/settings.jsonc"),
        ],
        project: &[
            AgentPath::project(".amp/settings.json"),
            AgentPath::project(".amp/settings.jsonc"),
        ],
        format: McpFileFormat::Json(&["amp.mcpServers"]),
        members: PLAIN,
    }],
    subagent: None,
    skill: SHARED_SKILL,
    instructions: agents_md(Some(AgentPath::home(".config/amp/AGENTS.md"))),
    afterwards: &["a project's servers need: amp mcp approve retriever"],
};

pub(crate) const CLINE: AgentSpec = AgentSpec {
    title: "Cline",
    programs: &["cline"],
    signs: &[AgentPath::variable("CLINE_DIR", ".cline", "data")],
    mcp: &[McpFile {
        user: &[AgentPath::variable(
            "CLINE_DIR",
            ".cline",
            "data/settings/cline_mcp_settings.json",
        )],
        project: &[],
        format: McpFileFormat::Json(&["mcpServers"]),
        members: &[
            COMMAND,
            ARGS,
            ("timeout", EntryValue::Number(600)),
            ("disabled", EntryValue::Truth(false)),
            ("autoApprove", EntryValue::List(&[])),
        ],
    }],
    subagent: Some((
        UserAndProjectPath {
            user: Some(AgentPath::variable("CLINE_DIR", ".cline", "agents/retriever.yaml")),
            project: Some(AgentPath::project(".cline/agents/retriever.yaml")),
        },
        include_str!("../texts/subagent.cline.yaml"),
    )),
    skill: SHARED_SKILL,
    instructions: agents_md(Some(AgentPath::home(".agents/AGENTS.md"))),
    afterwards: &[],
};

pub(crate) const ROO: AgentSpec = AgentSpec {
    title: "Roo Code",
    programs: &[],
    signs: &[AgentPath::app_data("Code/User/globalStorage/rooveterinaryinc.roo-cline")],
    mcp: &[McpFile {
        user: &[AgentPath::app_data(
            "Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
        )],
        project: &[AgentPath::project(".roo/mcp.json")],
        format: McpFileFormat::Json(&["mcpServers"]),
        members: &[
            COMMAND,
            ARGS,
            ("timeout", EntryValue::Number(600)),
            ("alwaysAllow", EntryValue::List(&[])),
            ("disabled", EntryValue::Truth(false)),
        ],
    }],
    subagent: None,
    skill: SHARED_SKILL,
    instructions: agents_md(None),
    afterwards: &[],
};

pub(crate) const GOOSE: AgentSpec = AgentSpec {
    title: "Goose",
    programs: &["goose"],
    signs: &[GOOSE_FILE],
    mcp: &[McpFile {
        user: &[GOOSE_FILE],
        project: &[],
        format: McpFileFormat::Yaml("extensions"),
        members: &[
            ("name", EntryValue::Text("retriever")),
            ("type", EntryValue::Text("stdio")),
            ("cmd", EntryValue::Text("retriever")),
            ("args", EntryValue::List(&["mcp"])),
            ("envs", EntryValue::Empty),
            ("enabled", EntryValue::Truth(true)),
            ("timeout", EntryValue::Number(600)),
        ],
    }],
    subagent: Some((
        UserAndProjectPath {
            user: Some(AgentPath::config("goose/agents/retriever.md")),
            project: Some(AgentPath::project(".goose/agents/retriever.md")),
        },
        include_str!("../texts/subagent.plain.md"),
    )),
    skill: SHARED_SKILL,
    instructions: agents_md(Some(AgentPath::config("goose/AGENTS.md"))),
    afterwards: &[],
};
