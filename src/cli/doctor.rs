//! `doctor`: checks the root, the configuration and the model's endpoint.

use std::time::Duration;

use retriever::{
    config::{Loaded, ModelConfig, endpoint},
    model::{ModelError, OpenAiModel},
    workspace::{RepoPath, Workspace},
};
use serde::Serialize;

use super::{CommandContext, error::CommandError, exit::Exit, output::OutputFormat, setup};

/// Timeout of the request that lists models.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum number of model names in a message.
const MAX_NAMES: usize = 8;

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
            let mut checks = vec![root(context, &loaded), configuration(&loaded)];
            checks.extend(model(&loaded)?);
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

fn lines(checks: &[Check]) -> String {
    let mut lines = Vec::new();
    for check in checks {
        let mark = if check.ok { '✓' } else { '✗' };
        lines.push(format!("{mark} {}: {}", check.name, check.detail));
        lines.extend(check.hint.iter().map(|hint| format!("  hint: {hint}")));
    }
    lines.join("\n")
}

fn root(context: &CommandContext<'_>, loaded: &Loaded) -> Check {
    let workspace = match context.open(loaded) {
        Ok(workspace) => workspace,
        Err(error) => return Check::failed("root", error.message, error.hints.join("; ")),
    };
    let walk = workspace.walk(&RepoPath::root());
    let files = walk.files.len();
    let detail = format!(
        "{}, files: {files}, secrets left out: {}",
        shown(&workspace),
        walk.skipped.secrets
    );
    if files == 0 {
        return Check::failed("root", detail, "every file is ignored, or the folder is empty");
    }
    Check::passed("root", detail)
}

/// Returns the folders of the workspace in words.
fn shown(workspace: &Workspace) -> String {
    let named = |(name, path): (&str, &str)| match name {
        "" => path.to_owned(),
        name => format!("{name} = {path}"),
    };
    workspace.roots().map(named).collect::<Vec<_>>().join(", ")
}

fn configuration(loaded: &Loaded) -> Check {
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

fn model(loaded: &Loaded) -> Result<Vec<Check>, CommandError> {
    let config = &loaded.config.model;
    if config.name.is_empty() {
        return Ok(vec![Check::passed(
            "model",
            "none configured; ask answers with the built-in offline model",
        )]);
    }
    if let Err(error) = loaded.require_key() {
        return Ok(vec![Check::failed("key", error.to_string(), error.hint().unwrap_or_default())]);
    }
    let secret = loaded.key.as_ref().map(|key| key.secret.clone());
    let model = match OpenAiModel::new(config, secret) {
        Ok(model) => model,
        Err(error) => {
            let hint = "\"retriever config\" prints where each value comes from";
            return Ok(vec![Check::failed("model", error.to_string(), hint)]);
        }
    };
    let key = Check::passed("key", loaded.key_in_words());
    let endpoint = setup::runtime()?.block_on(check_endpoint(config, &model));
    Ok(vec![key, endpoint])
}

async fn check_endpoint(config: &ModelConfig, model: &OpenAiModel) -> Check {
    let shown = endpoint::shown(&config.base_url);
    let error = match model.listed_models(TIMEOUT).await {
        Ok(names) => return listed(&shown, &config.name, &names),
        Err(error) => error,
    };
    let (detail, hint) = match error {
        ModelError::Timeout(_) => (
            format!("{shown} no answer within {} s", TIMEOUT.as_secs()),
            "check model.base_url, and that the server is running".to_owned(),
        ),
        ModelError::Network { .. } => (
            format!("{shown} cannot be reached"),
            "check model.base_url, and that the server is running".to_owned(),
        ),
        ModelError::Authentication { status, .. } => (
            format!("{shown} refuses the key (HTTP {status})"),
            format!("check the key in {}", config.api_key_env),
        ),
        ModelError::Refused { status: status @ (404 | 405), .. } => (
            format!("{shown} has no list of models (HTTP {status})"),
            "model.base_url ends with the version, such as /v1; some gateways have no list and work all the same".to_owned(),
        ),
        ModelError::Refused { status, .. }
        | ModelError::Server { status, .. }
        | ModelError::RateLimited { status, .. } => (
            format!("{shown} answers with HTTP {status}"),
            "redirects are not followed: give the final address as model.base_url".to_owned(),
        ),
        _ => (
            format!("{shown} answers, but not with a list of models"),
            "is it an OpenAI-compatible endpoint?".to_owned(),
        ),
    };
    Check::failed("endpoint", detail, hint)
}

fn listed(shown: &str, wanted: &str, names: &[String]) -> Check {
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    if names.contains(&wanted) {
        return Check::passed("endpoint", format!("{shown} lists {wanted}"));
    }
    names.sort_by(|a, b| {
        let similarity = |name| strsim::jaro_winkler(wanted, name);
        similarity(b).total_cmp(&similarity(a)).then(a.cmp(b))
    });
    names.truncate(MAX_NAMES);
    Check::failed(
        "endpoint",
        format!("{shown} does not list {wanted}"),
        format!("it lists {}", names.join(", ")),
    )
}
