//! Checks that the model's endpoint answers, with the same client and proxy rules as a run.

use std::time::Duration;

use retriever::{
    config::{LoadedConfig, ModelConfig, endpoint},
    model::{ModelError, OpenAiModel},
};

use super::super::{async_runtime, command_error::CommandError};
use super::Check;

/// Timeout of the request that lists models.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum number of model names in a message.
const MAX_NAMES: usize = 8;

pub(super) fn check(loaded: &LoadedConfig) -> Result<Vec<Check>, CommandError> {
    let config = &loaded.config.model;
    if config.name.is_empty() {
        return Ok(vec![Check::passed(
            "model",
            "none configured; ask answers with the built-in offline driver",
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
    let key = Check::passed("key", loaded.describe_key());
    let endpoint = async_runtime::runtime()?.block_on(check_endpoint(config, &model));
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
            format!("{shown} gave no answer within {} s", TIMEOUT.as_secs()),
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
        ModelError::Refused { status: status @ (404 | 405), .. } => {
            return Check::passed(
                "endpoint",
                format!(
                    "{shown} answers, but lists no models (HTTP {status}): it is a gateway, or the address lacks its version, such as /v1"
                ),
            );
        }
        ModelError::Refused { status, .. }
        | ModelError::Server { status, .. }
        | ModelError::RateLimited { status, .. } => (
            format!("{shown} answers with HTTP {status}"),
            match status {
                300..400 => "redirects are not followed: set model.base_url to the final address",
                429 => "it takes no more requests now: try again later",
                500.. => "it is a fault of the endpoint: see its log, or try again later",
                _ => "check model.base_url: is it an OpenAI-compatible endpoint?",
            }
            .to_owned(),
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
