//! `doctor`: checks the root, the configuration and the model's endpoint.

use std::time::Duration;

use reqwest::{
    StatusCode,
    header::{HeaderMap, HeaderName, HeaderValue},
    redirect,
};
use retriever::{
    config::{ApiKey, Loaded, ModelConfig, endpoint},
    workspace::RepoPath,
};
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};

use super::{
    CommandContext,
    error::{CommandError, Kind},
    exit::Exit,
    output::OutputFormat,
};

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
    let detail =
        format!("{}, files: {files}, secrets left out: {}", workspace.root(), walk.skipped.secrets);
    if files == 0 {
        return Check::failed("root", detail, "every file is ignored, or the folder is empty");
    }
    Check::passed("root", detail)
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
    let model = &loaded.config.model;
    if model.name.is_empty() {
        return Ok(vec![Check::passed(
            "model",
            "none configured; ask answers with the built-in offline model",
        )]);
    }
    if let Err(error) = loaded.require_key() {
        return Ok(vec![Check::failed("key", error.to_string(), error.hint().unwrap_or_default())]);
    }
    let internal = |error: String| CommandError::new(Kind::Internal, error);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| internal(error.to_string()))?;
    let key = Check::passed("key", loaded.key_in_words());
    let endpoint = runtime.block_on(ask_endpoint(model, loaded.key.as_ref()));
    Ok(vec![key, endpoint])
}

/// The part of the endpoint's answer that is read.
#[derive(Deserialize)]
struct Models {
    data: Vec<Model>,
}

#[derive(Deserialize)]
struct Model {
    id: String,
}

async fn ask_endpoint(model: &ModelConfig, key: Option<&ApiKey>) -> Check {
    let shown = endpoint::shown(&model.base_url);
    let answer = match list_models(model, key).await {
        Ok(answer) => answer,
        Err(error) => {
            let why = if error.is_timeout() {
                format!("no answer within {} s", TIMEOUT.as_secs())
            } else {
                "cannot be reached".to_owned()
            };
            return Check::failed(
                "endpoint",
                format!("{shown} {why}"),
                "check model.base_url, and that the server is running",
            );
        }
    };
    let status = answer.status();
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            return Check::failed(
                "endpoint",
                format!("{shown} refuses the key (HTTP {})", status.as_u16()),
                format!("check the key in {}", model.api_key_env),
            );
        }
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => {
            return Check::failed(
                "endpoint",
                format!("{shown} has no list of models (HTTP {})", status.as_u16()),
                "model.base_url ends with the version, such as /v1; some gateways have no list and work all the same",
            );
        }
        status if status.is_success() => {}
        status => {
            return Check::failed(
                "endpoint",
                format!("{shown} answers with HTTP {}", status.as_u16()),
                "redirects are not followed: give the final address as model.base_url",
            );
        }
    }
    match answer.json::<Models>().await {
        Ok(models) => listed(&shown, &model.name, &models),
        Err(_) => Check::failed(
            "endpoint",
            format!("{shown} answers, but not with a list of models"),
            "is it an OpenAI-compatible endpoint?",
        ),
    }
}

fn listed(shown: &str, wanted: &str, models: &Models) -> Check {
    let mut names: Vec<&str> = models.data.iter().map(|model| model.id.as_str()).collect();
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

async fn list_models(
    model: &ModelConfig,
    key: Option<&ApiKey>,
) -> Result<reqwest::Response, reqwest::Error> {
    // Fails only if a provider is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let headers: HeaderMap = model
        .headers
        .iter()
        .filter_map(|(name, value)| {
            Some((
                HeaderName::from_bytes(name.as_bytes()).ok()?,
                HeaderValue::from_str(value).ok()?,
            ))
        })
        .collect();
    let client =
        reqwest::Client::builder().redirect(redirect::Policy::none()).timeout(TIMEOUT).build()?;
    let request = client.get(endpoint::below(&model.base_url, "models"));
    let key = key.and_then(|key| {
        endpoint::key_header(&model.api_key_header, key.secret.expose_secret().trim())
    });
    let request = match key {
        Some((name, value)) => request.header(name, value),
        None => request,
    };
    request.headers(headers).send().await
}
