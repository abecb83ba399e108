//! Endpoints as they are configured: what stands in the user's file, what is then sent, and that a run over it ends in a
//! map. Their answers are those that each server really gives.

use std::sync::Arc;

use pretty_assertions::assert_eq;
use retriever::{
    Question, Retriever, RunOptions,
    config::{ConfigSources, LoadedConfig, ProcessEnvironment, load},
    model::OpenAiModel,
    report::MapStatus,
};
use serde_json::{Value, json};

use crate::support::{
    fixture::Fixture,
    model_server::{KEY, ModelServer, Received, Turn},
};

const PROJECT: &str =
    "//- /src/queue.rs\npub fn enqueue_job(job: Job) {\n    QUEUE.push(job);\n}\n";

/// One way to reach a model.
struct Provider {
    name: &'static str,
    /// The user's file; `{server}` is where the endpoint is.
    config: &'static str,
    key: Option<&'static str>,
    target: &'static str,
    /// Headers beside those of every request.
    headers: &'static [(&'static str, &'static str)],
    /// Keys of the body beside model, messages, tools and the limit of tokens.
    body: fn() -> Value,
    /// The assistant's message with this one call, as the server writes it.
    answer: fn(&str, &Value) -> Value,
}

const PROVIDERS: &[Provider] = &[
    Provider {
        name: "Azure, a deployment",
        config: r#"
            [model]
            name = "gpt-5-mini"
            base_url = "{server}/openai/deployments/gpt-5-mini?api-version=2024-10-21"
            api_key_env = "AZURE_OPENAI_API_KEY"
            api_key_header = "api-key"
        "#,
        key: Some("AZURE_OPENAI_API_KEY"),
        target: "/openai/deployments/gpt-5-mini/chat/completions?api-version=2024-10-21",
        headers: &[("api-key", KEY)],
        body: || json!({}),
        answer: |name, arguments| {
            json!({
                "choices": [{
                    "content_filter_results": {}, "finish_reason": "tool_calls", "index": 0, "logprobs": null,
                    "message": {
                        "annotations": [], "content": null, "refusal": null, "role": "assistant",
                        "tool_calls": [call("call_A", name, &arguments.to_string())],
                    },
                }],
                "created": 1754, "id": "chatcmpl-A", "model": "gpt-5-mini-2025", "object": "chat.completion",
                "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {}}],
                "usage": {"completion_tokens": 3, "prompt_tokens": 9, "total_tokens": 12},
            })
        },
    },
    Provider {
        name: "Azure, v1",
        config: r#"
            [model]
            name = "gpt-5-mini"
            base_url = "{server}/openai/v1/"
            api_key_header = "api-key"
            extra_body = { reasoning_effort = "low" }
        "#,
        key: Some("RETRIEVER_API_KEY"),
        target: "/openai/v1/chat/completions",
        headers: &[("api-key", KEY)],
        body: || json!({"reasoning_effort": "low"}),
        answer: plain,
    },
    Provider {
        name: "OpenRouter",
        config: r#"
            [model]
            name = "vendor/model"
            base_url = "{server}/api/v1"
            [model.headers]
            HTTP-Referer = "https://example.org"
            X-Title = "planner"
            [model.extra_body.provider]
            order = ["first"]
            allow_fallbacks = false
        "#,
        key: Some("RETRIEVER_API_KEY"),
        target: "/api/v1/chat/completions",
        headers: &[
            ("authorization", "Bearer sk-scripted-0123456789"),
            ("http-referer", "https://example.org"),
            ("x-title", "planner"),
        ],
        body: || json!({"provider": {"order": ["first"], "allow_fallbacks": false}}),
        answer: |name, arguments| {
            json!({
                "id": "gen-1", "provider": "P", "model": "vendor/model", "object": "chat.completion", "created": 1754,
                "choices": [{
                    "logprobs": null, "finish_reason": "tool_calls", "native_finish_reason": "STOP", "index": 0,
                    "message": {
                        "role": "assistant", "content": "", "refusal": null, "reasoning": "hm",
                        "reasoning_details": [{"type": "reasoning.text", "text": "hm"}],
                        "tool_calls": [call("tool_0_x", name, &arguments.to_string())],
                    },
                }],
                "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12, "cost": 0.0001},
            })
        },
    },
    Provider {
        name: "vLLM",
        config: r#"
            [model]
            name = "Qwen/Qwen3-8B"
            base_url = "{server}/v1"
            temperature = 0.6
            [model.extra_body.chat_template_kwargs]
            enable_thinking = false
        "#,
        key: None,
        target: "/v1/chat/completions",
        headers: &[],
        body: || json!({"temperature": 0.6, "chat_template_kwargs": {"enable_thinking": false}}),
        answer: |name, arguments| {
            json!({
                "id": "chatcmpl-1f", "object": "chat.completion", "created": 1754, "model": "Qwen/Qwen3-8B",
                "choices": [{
                    "index": 0, "logprobs": null, "finish_reason": "tool_calls", "stop_reason": null,
                    "message": {
                        "role": "assistant", "reasoning_content": null, "content": null,
                        "tool_calls": [call("chatcmpl-tool-8a", name, &arguments.to_string())],
                    },
                }],
                "usage": {"prompt_tokens": 9, "total_tokens": 12, "completion_tokens": 3, "prompt_tokens_details": null},
                "prompt_logprobs": null, "kv_transfer_params": null,
            })
        },
    },
    Provider {
        name: "Ollama",
        config: r#"
            [model]
            name = "qwen3:8b"
            base_url = "{server}/v1"
            max_output_tokens = 0
            extra_body = { keep_alive = "30m", reasoning_effort = "none" }
        "#,
        key: None,
        target: "/v1/chat/completions",
        headers: &[],
        body: || json!({"keep_alive": "30m", "reasoning_effort": "none"}),
        answer: |name, arguments| {
            let mut call = call("call_x1", name, &arguments.to_string());
            call["index"] = json!(0);
            json!({
                "id": "chatcmpl-9", "object": "chat.completion", "created": 1754, "model": "qwen3:8b",
                "system_fingerprint": "fp_ollama",
                "choices": [{
                    "index": 0, "finish_reason": "tool_calls",
                    "message": {"role": "assistant", "content": "", "tool_calls": [call]},
                }],
                "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12},
            })
        },
    },
    Provider {
        name: "llama.cpp",
        config: r#"
            [model]
            name = "model"
            base_url = "{server}/v1"
            extra_body = { cache_prompt = true, min_p = 0.05 }
        "#,
        key: None,
        target: "/v1/chat/completions",
        headers: &[],
        body: || json!({"cache_prompt": true, "min_p": 0.05}),
        answer: |name, arguments| {
            json!({
                "choices": [{
                    "finish_reason": "tool_calls", "index": 0,
                    "message": {
                        "role": "assistant", "content": "",
                        "tool_calls": [call("2Yc", name, &arguments.to_string())],
                    },
                }],
                "created": 1754, "model": "model", "system_fingerprint": "b11434", "object": "chat.completion",
                "usage": {"completion_tokens": 3, "prompt_tokens": 9, "total_tokens": 12},
                "id": "chatcmpl-X", "timings": {"cache_n": 8, "prompt_ms": 22.1},
            })
        },
    },
    Provider {
        name: "llama.cpp, by actions",
        config: r#"
            [model]
            name = "model"
            base_url = "{server}/v1"
            mode = "actions"
        "#,
        key: None,
        target: "/v1/chat/completions",
        headers: &[],
        body: || json!({}),
        answer: |name, arguments| {
            let content = match name {
                "submit_report" => arguments.to_string(),
                name => json!({"calls": [{name: arguments}]}).to_string(),
            };
            json!({
                "choices": [{
                    "finish_reason": "stop", "index": 0,
                    "message": {"role": "assistant", "content": content},
                }],
                "created": 1754, "model": "model", "object": "chat.completion", "id": "chatcmpl-Y",
                "usage": {"completion_tokens": 3, "prompt_tokens": 9, "total_tokens": 12},
            })
        },
    },
];

fn plain(name: &str, arguments: &Value) -> Value {
    let message = json!({
        "role": "assistant", "content": null,
        "tool_calls": [call("call_1", name, &arguments.to_string())],
    });
    json!({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]})
}

fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

/// Loads the user's file as the program does.
fn loaded(provider: &Provider, server: &ModelServer) -> (Fixture, LoadedConfig) {
    let files = Fixture::new(PROJECT);
    let address = server.base_url().trim_end_matches("/v1").to_owned();
    files.write("user.toml", provider.config.replace("{server}", &address));
    let variables = provider.key.map(|variable| (variable, KEY));
    let environment = ProcessEnvironment::new(files.root(), variables);
    let loaded = load(&ConfigSources {
        environment: &environment,
        config_file: Some(&files.root().join("user.toml")),
        roots: &[files.root().to_owned()],
        flags: &[],
    });
    (files, loaded.unwrap())
}

#[tokio::test]
async fn each_endpoint_gets_the_request_it_is_configured_for_and_its_answers_make_a_map() {
    for provider in PROVIDERS {
        let report = json!({
            "summary": "Jobs are pushed by enqueue_job.",
            "primary": [{"ref": "src/queue.rs:1-3", "why": "pushes the job"}],
        });
        let answer =
            |name: &str, arguments: Value| Turn::raw(200, &[], (provider.answer)(name, &arguments));
        let server = ModelServer::start(vec![
            answer("read", json!({"file": "src/queue.rs"})),
            answer("submit_report", report),
        ]);
        let (files, loaded) = loaded(provider, &server);
        loaded.require_key().unwrap();
        let key = loaded.key.as_ref().map(|key| key.secret.clone());
        let model = OpenAiModel::new(&loaded.config.model, key).unwrap();
        let retriever = Retriever::builder(files.root()).model(Arc::new(model)).build().unwrap();
        let question = Question::new("how are jobs queued?");
        let map = retriever.ask(question, RunOptions::default()).await.unwrap().map;
        assert_eq!((map.status, map.primary.len()), (MapStatus::Complete, 1), "{}", provider.name);
        let received = server.received();
        assert_eq!(received.len(), 2, "{}", provider.name);
        for request in &received {
            check(provider, request, &loaded.config.model.name);
        }
    }
}

fn check(provider: &Provider, request: &Received, model: &str) {
    let name = provider.name;
    assert_eq!(request.target, provider.target, "{name}");
    let usual = ["accept", "content-length", "content-type", "host", "user-agent"];
    let more: Vec<(&str, &str)> = request
        .headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .filter(|(name, _)| !usual.contains(name))
        .collect();
    assert_eq!(more, provider.headers, "{name}");
    let mut body = request.body.as_object().unwrap().clone();
    assert_eq!(body.remove("model"), Some(json!(model)), "{name}");
    assert!(body.remove("messages").is_some(), "{name}");
    let limit = (!provider.config.contains("max_output_tokens")).then(|| json!(4096));
    assert_eq!(body.remove("max_tokens"), limit, "{name}");
    let by_actions = provider.config.contains("actions");
    assert_eq!(body.remove("tools").is_some(), !by_actions, "{name}");
    let format = body.remove("response_format").unwrap_or_default();
    assert_eq!(format["type"] == "json_schema", by_actions, "{name}");
    assert_eq!(Value::Object(body), (provider.body)(), "{name}");
}

#[test]
fn no_form_of_the_configuration_shows_a_secret() {
    let server = ModelServer::start(Vec::new());
    let provider = Provider {
        config: r#"
            [model]
            name = "m"
            base_url = "{server}/v1?api-version=1&subscription-key=very-secret-1"
            headers = { X-Gateway = "very-secret-2" }
            extra_body = { safety_token = "very-secret-3" }
        "#,
        key: Some("RETRIEVER_API_KEY"),
        ..PROVIDERS[0]
    };
    let (_files, loaded) = loaded(&provider, &server);
    let key = loaded.key.as_ref().map(|key| key.secret.clone());
    let model = OpenAiModel::new(&loaded.config.model, key).unwrap();
    for shown in [loaded.to_toml(), loaded.to_json().to_string(), format!("{model:?}")] {
        assert!(!shown.contains("very-secret") && !shown.contains(KEY), "{shown}");
        assert!(!shown.contains("subscription-key"), "{shown}");
    }
}

#[tokio::test]
async fn what_an_endpoint_repeats_of_a_secret_is_hidden_in_its_error() {
    let words = format!("key {KEY} or very-secret-1 or very-secret-2 is not valid");
    let server =
        ModelServer::start(vec![Turn::raw(401, &[], json!({"error": {"message": words}}))]);
    let provider = Provider {
        config: r#"
            [model]
            name = "m"
            base_url = "{server}/v1?subscription-key=very-secret-1"
            api_key_header = "api-key"
            headers = { X-Gateway = "very-secret-2" }
        "#,
        key: Some("RETRIEVER_API_KEY"),
        ..PROVIDERS[0]
    };
    let (_files, loaded) = loaded(&provider, &server);
    let key = loaded.key.as_ref().map(|key| key.secret.clone());
    let model = OpenAiModel::new(&loaded.config.model, key).unwrap();
    let error = crate::support::chat::Chat::new().ask(&model).await.unwrap_err().to_string();
    assert!(error.contains("[hidden] or [hidden] or [hidden] is not valid"), "{error}");
}

#[test]
fn a_header_that_is_none_is_refused_where_it_stands() {
    let server = ModelServer::start(Vec::new());
    let files = Fixture::new("//- /user.toml\n[model]\napi_key_header = \"api key\"\n");
    let environment = ProcessEnvironment::new(files.root(), []);
    let file = files.root().join("user.toml");
    let error = load(&ConfigSources {
        environment: &environment,
        config_file: Some(&file),
        roots: &[files.root().to_owned()],
        flags: &[],
    })
    .unwrap_err();
    assert!(error.to_string().contains("user.toml:2: model.api_key_header must be"), "{error}");
    server.finish();
}
