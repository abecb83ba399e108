//! Failures: which are tried again, for how long, and what is told of them.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use pretty_assertions::assert_eq;
use retriever::{
    config::ModelConfig,
    model::{ModelError, OpenAiModel, RetryPolicy},
};
use serde_json::{Value, json};

use super::gist;
use crate::support::{
    chat::Chat,
    model_server::{KEY, ModelServer, Turn},
};

/// Makes the same turn any number of times.
type Answer = fn() -> Turn;

/// The time of one attempt: a busy machine answers within it, and the tests of silence don't take long.
const PATIENCE: Duration = Duration::from_millis(700);

#[tokio::test]
async fn a_status_is_never_lost_and_only_what_may_pass_is_tried_again() {
    let error = |message: &str, code: Value| json!({"error": {"message": message, "code": code}});
    let mut cases = vec![
        (401, error("bad key", json!("invalid_api_key")), "authentication", "bad key", 1),
        (401, error("No auth", json!(401)), "authentication", "HTTP 401", 1),
        (403, json!({"error": "forbidden"}), "authentication", "forbidden", 1),
        (404, error("no such model", json!(404)), "refused", "HTTP 404", 1),
        (402, error("no credit left", json!(402)), "refused", "no credit left", 1),
        (400, json!({"object": "error", "message": "bad", "code": 400}), "refused", "bad", 1),
        (
            422,
            json!({"detail": [{"loc": ["body", "n"], "msg": "too many"}]}),
            "refused",
            "body.n: too many",
            1,
        ),
        (422, json!({"detail": "nope"}), "refused", "nope", 1),
        (
            400,
            json!([{"error": {"code": 400, "message": "in a list", "status": "INVALID_ARGUMENT"}}]),
            "refused",
            "in a list",
            1,
        ),
        (
            400,
            json!({"error": {"message": "Provider returned error", "metadata": {"raw": "upstream says no"}}}),
            "refused",
            "upstream says no",
            1,
        ),
        (418, json!("plain words"), "refused", "plain words", 1),
        (400, Value::String(String::new()), "refused", "no explanation", 1),
        (501, error("not supported", json!(501)), "server", "HTTP 501", 1),
        (429, error("pay", json!("insufficient_quota")), "rate_limited", "pay", 1),
        (429, error("slow", json!(429)), "rate_limited", "HTTP 429", 3),
        (429, error("slow", json!("rate_limit_exceeded")), "rate_limited", "slow", 3),
        (400, error("bad call", json!("tool_use_failed")), "refused", "bad call", 3),
        (200, error("slow", json!(429)), "rate_limited", "HTTP 429", 3),
        (200, error("busy", json!("server_error")), "server", "busy", 3),
        (200, error("busy", json!(502)), "server", "HTTP 502", 3),
        (200, error("who?", json!(401)), "authentication", "HTTP 401", 1),
        (200, error("bad", json!("invalid_request_error")), "refused", "HTTP 400", 1),
        (
            200,
            json!({"choices": [{"finish_reason": "error", "error": {"code": 503, "message": "gone"}}]}),
            "server",
            "gone",
            3,
        ),
        (
            400,
            error("This model's maximum context length is 8192 tokens", Value::Null),
            "context_length",
            "8192",
            1,
        ),
        (400, error("too long", json!("context_length_exceeded")), "context_length", "too long", 1),
        (
            400,
            json!({"error": {"code": 400, "message": "request (9000 tokens) exceeds", "type": "exceed_context_size_error", "n_prompt_tokens": 9000, "n_ctx": 4096}}),
            "context_length",
            "9000",
            1,
        ),
        (413, json!("too large"), "context_length", "too large", 1),
        (
            500,
            error("the request exceeds the available context size", json!(500)),
            "context_length",
            "context",
            1,
        ),
    ];
    for status in [408, 409, 425, 500, 502, 503, 504, 529] {
        cases.push((
            status,
            json!({"error": {"message": "Loading model"}}),
            "server",
            "Loading model",
            3,
        ));
    }
    for (status, body, label, text, requests) in cases {
        let turn = {
            let body = body.clone();
            move || match &body {
                Value::String(text) => Turn::raw(status, &[], text),
                body => Turn::raw(status, &[], body),
            }
        };
        let server = ModelServer::start(vec![]).otherwise(turn);
        let error = Chat::new().ask(&server.model()).await.unwrap_err();
        assert_eq!(error.label(), label, "{status} {body}: {error}");
        assert!(error.to_string().contains(text), "{status} {body}: {error}");
        assert_eq!(server.requests().len(), requests, "{status} {body}");
    }
}

#[tokio::test]
async fn a_passing_failure_is_survived_and_counted() {
    let cases: [(&str, Answer); 5] = [
        ("rate limit", || Turn::rate_limited("0")),
        ("server error", || Turn::raw(503, &[], "")),
        ("dropped connection", Turn::drops_connection),
        ("cut answer", Turn::cuts_answer),
        ("silence", || Turn::hangs(PATIENCE * 4)),
    ];
    for (name, failure) in cases {
        let server = ModelServer::start(vec![failure(), failure(), Turn::says("hi")]);
        let base = Duration::from_millis(1);
        let model = server.model().with_retry_policy(RetryPolicy {
            retries: 2,
            first_wait: base,
            max_wait: base,
            request_timeout: PATIENCE,
        });
        let response = Chat::new().ask(&model).await.unwrap();
        assert_eq!((gist(&response).as_str(), response.retries), (r#""hi""#, 2), "{name}");
        let requests = server.requests();
        assert_eq!(requests.len(), 3, "{name}");
        assert!(requests.iter().all(|request| *request == requests[0]), "{name}");
    }
}

#[tokio::test]
async fn retries_end_and_the_last_failure_is_told() {
    let cases: [(Answer, &str); 3] = [
        (Turn::drops_connection, "network"),
        (Turn::cuts_answer, "network"),
        (|| Turn::hangs(PATIENCE * 4), "timeout"),
    ];
    for (failure, label) in cases {
        let server = ModelServer::start(vec![]).otherwise(failure);
        let base = Duration::from_millis(1);
        let model = server.model().with_retry_policy(RetryPolicy {
            retries: 1,
            first_wait: base,
            max_wait: base,
            request_timeout: PATIENCE,
        });
        let error = Chat::new().ask(&model).await.unwrap_err();
        assert_eq!((error.label(), server.requests().len()), (label, 2), "{error}");
    }
}

#[tokio::test]
async fn nobody_listening_is_a_network_error_with_the_address() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let gone = format!("http://127.0.0.1:{port}/v1");
    let config = ModelConfig {
        name: "m".to_owned(),
        base_url: gone.clone(),
        retries: 0,
        ..ModelConfig::default()
    };
    let model = OpenAiModel::new(&config, Some(KEY.into())).unwrap();
    let error = Chat::new().ask(&model).await.unwrap_err();
    assert!(error.to_string().starts_with(&format!("cannot reach {gone}: ")), "{error}");
    assert!(error.to_string().contains("refused"), "{error}");
}

#[tokio::test]
async fn https_to_a_server_that_does_not_speak_it_is_a_network_error() {
    let server = ModelServer::start(vec![]);
    let base_url = server.base_url().replace("http:", "https:");
    let config = ModelConfig { base_url, retries: 0, ..server.config() };
    let error = Chat::new().ask(&server.model_with(&config)).await.unwrap_err();
    assert_eq!(error.label(), "network", "{error}");
    assert_eq!(server.requests(), Vec::<Value>::new());
}

#[tokio::test]
async fn the_wait_that_is_asked_for_is_kept_unless_the_deadline_comes_first() {
    let in_an_hour = {
        let now = std::time::SystemTime::now() + Duration::from_secs(3600);
        httpdate::fmt_http_date(now)
    };
    let too_long = [
        Turn::rate_limited("3600"),
        Turn::rate_limited("18446744073709551615"),
        Turn::rate_limited(&in_an_hour),
        Turn::raw(503, &[("retry-after", "60")], ""),
        Turn::raw(429, &[], json!({"error": {"message": "slow", "retry_after": 60}})),
        Turn::raw(
            429,
            &[],
            json!({"error": {"message": "slow", "metadata": {"retry_after": 60.5}}}),
        ),
        Turn::raw(429, &[("retry-after-ms", "60000"), ("retry-after", "1")], "slow"),
    ];
    for turn in too_long {
        let server = ModelServer::start(vec![turn]);
        let start = Instant::now();
        let error = Chat::new().ask(&server.model()).await.unwrap_err();
        assert!(start.elapsed() < Duration::from_secs(5), "{error}");
        if let ModelError::RateLimited { retry_after, .. } = error {
            assert!(retry_after.unwrap() > Duration::from_secs(55));
        }
    }
    let server = ModelServer::start(vec![
        Turn::raw(429, &[("retry-after-ms", "120")], ""),
        Turn::raw(429, &[], json!({"retry_after": 0.12})),
        Turn::says("hi"),
    ]);
    let start = Instant::now();
    Chat::new().ask(&server.model()).await.unwrap();
    assert!(start.elapsed() >= Duration::from_millis(240));
}

#[tokio::test]
async fn a_deadline_ends_the_call_and_its_retries() {
    let server = ModelServer::start(vec![]).otherwise(|| Turn::raw(503, &[], ""));
    let base = Duration::from_millis(40);
    let policy = RetryPolicy {
        retries: 1000,
        first_wait: base,
        max_wait: base,
        request_timeout: Duration::from_secs(9),
    };
    let model = server.model().with_retry_policy(policy);
    let error = Chat::new().within(Duration::from_millis(900)).ask(&model).await.unwrap_err();
    assert_eq!(error.label(), "server");
    let tries = server.requests().len();
    assert!((2..=100).contains(&tries), "{tries} tries of 1000 fit into the deadline");

    let server = ModelServer::start(vec![Turn::hangs(Duration::from_secs(60))]);
    let start = Instant::now();
    let chat = Chat::new().within(Duration::from_secs(1));
    let error = chat.ask(&server.model()).await.unwrap_err();
    assert_eq!(error.label(), "timeout");
    assert!(start.elapsed() < Duration::from_secs(50), "the hang was waited for");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_the_key_stays() {
    let other = ModelServer::start(vec![]);
    for status in [301, 302, 303, 307, 308] {
        let target = format!("{}/chat/completions?secret=1", other.base_url());
        let server = ModelServer::start(vec![Turn::raw(status, &[("location", &target)], "")]);
        let error = Chat::new().ask(&server.model()).await.unwrap_err();
        let host = other.base_url().replace("/v1", "");
        assert!(error.to_string().contains(&format!("redirects to {host},")), "{error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    assert_eq!(other.requests(), Vec::<Value>::new());
}

#[tokio::test]
async fn the_key_is_sent_as_a_bearer_and_shown_nowhere() {
    let echo = format!("Incorrect API key provided: {KEY}. Header was top-secret-gateway");
    let server = ModelServer::start(vec![
        Turn::says("hi"),
        Turn::raw(401, &[], json!({"error": {"message": echo, "code": 401}})),
        Turn::raw(200, &[], &echo),
        Turn::raw(500, &[], &echo),
    ]);
    let headers = BTreeMap::from([("X-Gateway".to_owned(), "top-secret-gateway".to_owned())]);
    let model = server.model_with(&ModelConfig { retries: 0, headers, ..server.config() });
    Chat::new().ask(&model).await.unwrap();
    let sent = &server.received()[0].headers;
    assert_eq!(sent["authorization"], format!("Bearer {KEY}"));
    assert_eq!(sent["x-gateway"], "top-secret-gateway");

    let mut shown = vec![format!("{model:?}")];
    for _ in 0..3 {
        let error = Chat::new().ask(&model).await.unwrap_err();
        assert!(error.to_string().contains("[hidden]"), "{error}");
        shown.extend([error.to_string(), format!("{error:?}")]);
    }
    for text in shown {
        assert!(!text.contains(KEY) && !text.contains("top-secret"), "{text}");
    }
}

#[tokio::test]
async fn a_strangers_error_text_is_cut_and_kept_on_one_line() {
    let body = format!("line one\r\n\u{1b}[31mline two\u{7} {}", "x".repeat(100_000));
    let server = ModelServer::start(vec![Turn::raw(400, &[], body)]);
    let text = Chat::new().ask(&server.model()).await.unwrap_err().to_string();
    assert!(text.contains("line one [31mline two xxx") && text.ends_with("x…"), "{text}");
    assert!(text.len() < 600 && !text.contains(char::is_control));
}
