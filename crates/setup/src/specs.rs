//! What is known of each agent: how to tell that it is installed, and what it reads where. From the agents' documentation and
//! sources as of November 2026; `docs/agents.md` names them.

use crate::{
    entry::{Members, Value},
    spec::{Format, McpFile, PlacePair, Spec},
    surroundings::Place,
};

const COMMAND: (&str, Value) = ("command", Value::Text("retriever"));
const ARGS: (&str, Value) = ("args", Value::List(&["mcp"]));
const PLAIN: Members = &[COMMAND, ARGS];
const STDIO: Members = &[("type", Value::Text("stdio")), COMMAND, ARGS];

const SHARED_SKILL: PlacePair = PlacePair {
    user: Some(Place::home(".agents/skills/retriever/SKILL.md")),
    project: Some(Place::project(".agents/skills/retriever/SKILL.md")),
};

const fn agents_md(user: Option<Place>) -> PlacePair {
    PlacePair { user, project: Some(Place::project("AGENTS.md")) }
}

const ZED_FOLDER: Place = Place::config("zed").on_windows("Zed");
const GOOSE_FILE: Place =
    Place::config("goose/config.yaml").on_windows("Block/goose/config/config.yaml");

pub(crate) const CLAUDE_CODE: Spec = Spec {
    title: "Claude Code",
    programs: &["claude"],
    signs: &[Place::home(".claude.json")],
    mcp: &[McpFile {
        user: &[Place::variable("CLAUDE_CONFIG_DIR", "", ".claude.json")],
        project: &[Place::project(".mcp.json")],
        format: Format::Json(&["mcpServers"]),
        members: STDIO,
    }],
    subagent: Some((
        PlacePair {
            user: Some(Place::variable("CLAUDE_CONFIG_DIR", ".claude", "agents/retriever.md")),
            project: Some(Place::project(".claude/agents/retriever.md")),
        },
        include_str!("../texts/subagent.claude.md"),
    )),
    skill: PlacePair {
        user: Some(Place::variable("CLAUDE_CONFIG_DIR", ".claude", "skills/retriever/SKILL.md")),
        project: Some(Place::project(".claude/skills/retriever/SKILL.md")),
    },
    instructions: PlacePair {
        user: Some(Place::variable("CLAUDE_CONFIG_DIR", ".claude", "CLAUDE.md")),
        project: Some(Place::project("CLAUDE.md")),
    },
    afterwards: &["restart Claude Code: agents and servers are read at its start"],
};

pub(crate) const CODEX: Spec = Spec {
    title: "Codex",
    programs: &["codex"],
    signs: &[
        Place::variable("CODEX_HOME", ".codex", "config.toml"),
        Place::variable("CODEX_HOME", ".codex", "auth.json"),
    ],
    mcp: &[McpFile {
        user: &[Place::variable("CODEX_HOME", ".codex", "config.toml")],
        project: &[Place::project(".codex/config.toml")],
        format: Format::Toml("mcp_servers"),
        members: &[
            COMMAND,
            ARGS,
            ("startup_timeout_sec", Value::Number(30)),
            ("tool_timeout_sec", Value::Number(600)),
        ],
    }],
    subagent: Some((
        PlacePair {
            user: Some(Place::variable("CODEX_HOME", ".codex", "agents/retriever.toml")),
            project: Some(Place::project(".codex/agents/retriever.toml")),
        },
        include_str!("../texts/subagent.codex.toml"),
    )),
    skill: SHARED_SKILL,
    instructions: agents_md(Some(Place::variable("CODEX_HOME", ".codex", "AGENTS.md"))),
    afterwards: &["a project's .codex/config.toml is read only when the project is trusted"],
};

pub(crate) const CURSOR: Spec = Spec {
    title: "Cursor",
    programs: &["cursor", "cursor-agent"],
    signs: &[Place::app_data("Cursor")],
    mcp: &[McpFile {
        user: &[Place::home(".cursor/mcp.json")],
        project: &[Place::project(".cursor/mcp.json")],
        format: Format::Json(&["mcpServers"]),
        members: PLAIN,
    }],
    subagent: Some((
        PlacePair {
            user: Some(Place::home(".cursor/agents/retriever.md")),
            project: Some(Place::project(".cursor/agents/retriever.md")),
        },
        include_str!("../texts/subagent.plain.md"),
    )),
    skill: SHARED_SKILL,
    instructions: agents_md(None),
    afterwards: &["on the command line: cursor-agent mcp enable retriever"],
};

pub(crate) const VS_CODE: Spec = Spec {
    title: "VS Code",
    programs: &["code", "code-insiders"],
    signs: &[Place::app_data("Code/User")],
    mcp: &[McpFile {
        user: &[Place::app_data("Code/User/mcp.json")],
        project: &[Place::project(".vscode/mcp.json")],
        format: Format::Json(&["servers"]),
        members: STDIO,
    }],
    subagent: Some((
        PlacePair {
            user: Some(Place::home(".copilot/agents/retriever.agent.md")),
            project: Some(Place::project(".github/agents/retriever.agent.md")),
        },
        include_str!("../texts/subagent.vscode.md"),
    )),
    skill: SHARED_SKILL,
    instructions: agents_md(None),
    afterwards: &["VS Code asks once whether the server may be started"],
};

pub(crate) const GEMINI: Spec = Spec {
    title: "Gemini CLI",
    programs: &["gemini"],
    signs: &[Place::variable("GEMINI_CLI_HOME", "", ".gemini/settings.json")],
    mcp: &[McpFile {
        user: &[Place::variable("GEMINI_CLI_HOME", "", ".gemini/settings.json")],
        project: &[Place::project(".gemini/settings.json")],
        format: Format::Json(&["mcpServers"]),
        members: &[COMMAND, ARGS, ("timeout", Value::Number(600_000))],
    }],
    subagent: Some((
        PlacePair {
            user: Some(Place::variable("GEMINI_CLI_HOME", "", ".gemini/agents/retriever.md")),
            project: Some(Place::project(".gemini/agents/retriever.md")),
        },
        include_str!("../texts/subagent.gemini.md"),
    )),
    skill: SHARED_SKILL,
    instructions: PlacePair {
        user: Some(Place::variable("GEMINI_CLI_HOME", "", ".gemini/GEMINI.md")),
        project: Some(Place::project("GEMINI.md")),
    },
    afterwards: &[
        "servers are off in a folder that is not trusted: gemini trust",
        "variables named like *KEY* reach the server only when its `env` names them",
    ],
};

pub(crate) const ANTIGRAVITY: Spec = Spec {
    title: "Antigravity CLI",
    programs: &["agy"],
    signs: &[Place::home(".gemini/antigravity-cli")],
    mcp: &[McpFile {
        user: &[Place::home(".gemini/config/mcp_config.json")],
        project: &[Place::project(".agents/mcp_config.json")],
        format: Format::Json(&["mcpServers"]),
        members: PLAIN,
    }],
    subagent: Some((
        PlacePair {
            user: Some(Place::home(".gemini/config/agents/retriever.md")),
            project: Some(Place::project(".agents/agents/retriever.md")),
        },
        include_str!("../texts/subagent.plain.md"),
    )),
    skill: PlacePair { user: None, ..SHARED_SKILL },
    instructions: agents_md(None),
    afterwards: &[],
};

pub(crate) const OPENCODE: Spec = Spec {
    title: "opencode",
    programs: &["opencode"],
    signs: &[Place::home(".local/share/opencode")],
    mcp: &[McpFile {
        user: &[Place::config("opencode/opencode.json"), Place::config("opencode/opencode.jsonc")],
        project: &[Place::project("opencode.json"), Place::project("opencode.jsonc")],
        format: Format::Json(&["mcp"]),
        members: &[
            ("type", Value::Text("local")),
            ("command", Value::List(&["retriever", "mcp"])),
            ("enabled", Value::Truth(true)),
        ],
    }],
    subagent: Some((
        PlacePair {
            user: Some(Place::config("opencode/agents/retriever.md")),
            project: Some(Place::project(".opencode/agents/retriever.md")),
        },
        include_str!("../texts/subagent.opencode.md"),
    )),
    skill: SHARED_SKILL,
    instructions: agents_md(Some(Place::config("opencode/AGENTS.md"))),
    afterwards: &[],
};

pub(crate) const ZED: Spec = Spec {
    title: "Zed",
    programs: &["zed", "zeditor"],
    signs: &[ZED_FOLDER],
    mcp: &[McpFile {
        user: &[Place::config("zed/settings.json").on_windows("Zed/settings.json")],
        project: &[Place::project(".zed/settings.json")],
        format: Format::Json(&["context_servers"]),
        members: &[COMMAND, ARGS, ("env", Value::Empty)],
    }],
    subagent: None,
    skill: SHARED_SKILL,
    instructions: agents_md(Some(Place::config("zed/AGENTS.md").on_windows("Zed/AGENTS.md"))),
    afterwards: &["a project's .zed/settings.json is read only when the project is trusted"],
};

pub(crate) const WINDSURF: Spec = Spec {
    title: "Windsurf / Devin",
    programs: &["windsurf", "devin"],
    signs: &[Place::app_data("Windsurf"), Place::app_data("devin")],
    mcp: &[
        McpFile {
            user: &[Place::app_data("devin/mcp_config.json")],
            project: &[Place::project(".devin/mcp_config.json")],
            format: Format::Json(&["mcpServers"]),
            members: PLAIN,
        },
        McpFile {
            user: &[Place::home(".codeium/windsurf/mcp_config.json")],
            project: &[],
            format: Format::Json(&["mcpServers"]),
            members: PLAIN,
        },
    ],
    subagent: Some((
        PlacePair {
            user: Some(Place::app_data("devin/agents/retriever/AGENT.md")),
            project: Some(Place::project(".devin/agents/retriever/AGENT.md")),
        },
        include_str!("../texts/subagent.plain.md"),
    )),
    skill: SHARED_SKILL,
    instructions: agents_md(None),
    afterwards: &[],
};

pub(crate) const AMP: Spec = Spec {
    title: "Amp",
    programs: &["amp"],
    signs: &[Place::home(".config/amp/settings.json"), Place::home(".config/amp/settings.jsonc")],
    mcp: &[McpFile {
        user: &[
            Place::home(".config/amp/settings.json"),
            Place::home(".config/amp/settings.jsonc"),
        ],
        project: &[Place::project(".amp/settings.json"), Place::project(".amp/settings.jsonc")],
        format: Format::Json(&["amp.mcpServers"]),
        members: PLAIN,
    }],
    subagent: None,
    skill: SHARED_SKILL,
    instructions: agents_md(Some(Place::home(".config/amp/AGENTS.md"))),
    afterwards: &["a project's servers need: amp mcp approve retriever"],
};

pub(crate) const CLINE: Spec = Spec {
    title: "Cline",
    programs: &["cline"],
    signs: &[Place::variable("CLINE_DIR", ".cline", "data")],
    mcp: &[McpFile {
        user: &[Place::variable("CLINE_DIR", ".cline", "data/settings/cline_mcp_settings.json")],
        project: &[],
        format: Format::Json(&["mcpServers"]),
        members: &[
            COMMAND,
            ARGS,
            ("timeout", Value::Number(600)),
            ("disabled", Value::Truth(false)),
            ("autoApprove", Value::List(&[])),
        ],
    }],
    subagent: Some((
        PlacePair {
            user: Some(Place::variable("CLINE_DIR", ".cline", "agents/retriever.yaml")),
            project: Some(Place::project(".cline/agents/retriever.yaml")),
        },
        include_str!("../texts/subagent.cline.yaml"),
    )),
    skill: SHARED_SKILL,
    instructions: agents_md(Some(Place::home(".agents/AGENTS.md"))),
    afterwards: &[],
};

pub(crate) const ROO: Spec = Spec {
    title: "Roo Code",
    programs: &[],
    signs: &[Place::app_data("Code/User/globalStorage/rooveterinaryinc.roo-cline")],
    mcp: &[McpFile {
        user: &[Place::app_data(
            "Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
        )],
        project: &[Place::project(".roo/mcp.json")],
        format: Format::Json(&["mcpServers"]),
        members: &[
            COMMAND,
            ARGS,
            ("timeout", Value::Number(600)),
            ("alwaysAllow", Value::List(&[])),
            ("disabled", Value::Truth(false)),
        ],
    }],
    subagent: None,
    skill: SHARED_SKILL,
    instructions: agents_md(None),
    afterwards: &[],
};

pub(crate) const GOOSE: Spec = Spec {
    title: "Goose",
    programs: &["goose"],
    signs: &[GOOSE_FILE],
    mcp: &[McpFile {
        user: &[GOOSE_FILE],
        project: &[],
        format: Format::Yaml("extensions"),
        members: &[
            ("name", Value::Text("retriever")),
            ("type", Value::Text("stdio")),
            ("cmd", Value::Text("retriever")),
            ("args", Value::List(&["mcp"])),
            ("envs", Value::Empty),
            ("enabled", Value::Truth(true)),
            ("timeout", Value::Number(600)),
        ],
    }],
    subagent: Some((
        PlacePair {
            user: Some(Place::config("goose/agents/retriever.md")),
            project: Some(Place::project(".goose/agents/retriever.md")),
        },
        include_str!("../texts/subagent.plain.md"),
    )),
    skill: SHARED_SKILL,
    instructions: agents_md(Some(Place::config("goose/AGENTS.md"))),
    afterwards: &[],
};
