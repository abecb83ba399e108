//! `doctor`: checks the root, the configuration, the stored data, the entries of agents and the model's endpoint.

mod embedding_model_check;
mod host_agent_check;
mod index_and_cache;
mod model_endpoint_check;

use std::sync::Arc;

use retriever::{
    config::LoadedConfig,
    sandbox::{Sandbox, SandboxEnforcement},
    workspace::{RepoPath, Workspace},
};
use serde::Serialize;

use super::{
    command_context::CommandContext, command_error::CommandError, console_output::OutputFormat,
    exit_status::Exit,
};

/// The result of one check.
#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    ok: bool,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl Check {
    fn passed(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, ok: true, detail: detail.into(), hint: None }
    }

    fn failed(name: &'static str, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { name, ok: false, detail: detail.into(), hint: Some(hint.into()) }
    }
}

#[derive(Serialize)]
struct Report {
    ok: bool,
    checks: Vec<Check>,
}

pub(super) fn run(context: &CommandContext<'_>) -> Result<Exit, CommandError> {
    let checks = match context.load(&[]) {
        Ok(loaded) => {
            let workspace = context.open(&loaded).map(Arc::new);
            let mut checks = vec![root(&workspace), configuration(&loaded)];
            if let Ok(workspace) = &workspace {
                checks.push(index_and_cache::index(context, &loaded, workspace));
            }
            checks.extend(index_and_cache::cache(context, &loaded));
            checks.extend(sandbox(&loaded));
            checks.extend(host_agent_check::check(context));
            checks.extend(model_endpoint_check::check(&loaded)?);
            checks.extend(embedding_model_check::check(&loaded));
            checks
        }
        Err(error) => {
            vec![Check::failed("configuration", error.message, error.hints.join("; "))]
        }
    };
    let ok = checks.iter().all(|check| check.ok);
    match context.output.format {
        OutputFormat::Json => context.output.print_json(&Report { ok, checks })?,
        OutputFormat::Markdown | OutputFormat::Text => context.output.print(&lines(&checks))?,
    }
    Ok(if ok { Exit::Done } else { Exit::Setup })
}

/// Tries the model of a configuration. Returns a line for each check.
pub(super) fn model_lines(loaded: &LoadedConfig) -> Result<String, CommandError> {
    Ok(lines(&model_endpoint_check::check(loaded)?))
}

fn lines(checks: &[Check]) -> String {
    let mut lines = Vec::new();
    for check in checks {
        let mark = if check.ok { '✓' } else { '✗' };
        lines.push(format!("{mark} {}: {}", check.name, check.detail));
        lines.extend(check.hint.iter().map(|hint| format!("  hint: {hint}")));
    }
    lines.join("\n")
}

fn root(workspace: &Result<Arc<Workspace>, CommandError>) -> Check {
    let workspace = match workspace {
        Ok(workspace) => workspace,
        Err(error) => return Check::failed("root", &error.message, error.hints.join("; ")),
    };
    let walk = workspace.walk(&RepoPath::root());
    let files = walk.files.len();
    let detail =
        format!("{}, files: {files}, secrets left out: {}", shown(workspace), walk.skipped.secrets);
    if files == 0 {
        return Check::failed("root", detail, "every file is ignored, or the folder is empty");
    }
    Check::passed("root", detail)
}

/// Returns the folders of the workspace as text.
fn shown(workspace: &Workspace) -> String {
    let named = |(name, path): (&str, &str)| match name {
        "" => path.to_owned(),
        name => format!("{name} = {path}"),
    };
    workspace.roots().map(named).collect::<Vec<_>>().join(", ")
}

/// Checks whether the kernel enforces the sandbox. Returns `None` if the sandbox is disabled.
fn sandbox(loaded: &LoadedConfig) -> Option<Check> {
    if !loaded.config.sandbox.enabled {
        return None;
    }
    Some(match Sandbox::default().run(|entered| entered) {
        Ok(SandboxEnforcement::Full) => Check::passed("sandbox", "the kernel enforces it"),
        Ok(SandboxEnforcement::Partial) => {
            Check::passed("sandbox", "the kernel enforces the part that it supports")
        }
        Ok(SandboxEnforcement::None) => Check::passed("sandbox", "this kernel has none (landlock)"),
        Err(error) => Check::failed(
            "sandbox",
            error.to_string(),
            "to answer without a sandbox, set sandbox.enabled = false in your configuration",
        ),
    })
}

fn configuration(loaded: &LoadedConfig) -> Check {
    let read: Vec<String> = loaded
        .files
        .iter()
        .filter(|file| file.found)
        .map(|file| file.path.display().to_string())
        .collect();
    let from = if read.is_empty() { "defaults".to_owned() } else { read.join(", ") };
    let refused = match loaded.warnings.len() {
        0 => String::new(),
        count => format!("; {count} keys of the workspace refused"),
    };
    Check::passed("configuration", format!("{from}{refused}"))
}
