//! Model endpoints as they really answer: shapes, failures, refusals. Everything goes over a real socket.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use pretty_assertions::assert_eq;
use retriever::{
    config::ModelConfig,
    model::{ChatModel, ChatResponse, Finish, ModelError, OpenAiModel, RetryPolicy, Usage},
};
use serde_json::{Value, json};

use crate::support::{
    chat::Chat,
    model_server::{KEY, ModelServer, Turn},
};

/// Makes the same turn any number of times.
type Answer = fn() -> Turn;

/// What an answer says, short enough for a table: text, calls, how it ended.
fn gist(response: &ChatResponse) -> String {
    let calls = response.calls.iter().map(|call| format!("{}({})", call.name, call.arguments));
    let text = response.content.clone().map(|text| format!("{text:?}"));
    let end = match response.finish {
        Finish::Done => None,
        Finish::Length => Some("<length>".to_owned()),
        Finish::Filtered => Some("<filtered>".to_owned()),
    };
    text.into_iter().chain(calls).chain(end).collect::<Vec<_>>().join(" ")
}

async fn answer_to(body: Value) -> Result<ChatResponse, ModelError> {
    let server = ModelServer::start(vec![Turn::raw(200, &[], body)]);
    Chat::new().ask(&server.model_with(&ModelConfig { retries: 0, ..server.config() })).await
}

#[expect(clippy::needless_pass_by_value, reason = "cases read better without borrowed literals")]
fn choice(message: Value) -> Value {
    json!({"choices": [{"message": message}]})
}

#[tokio::test]
async fn answers_are_read_whatever_their_shape() {
    let call = |call: Value| choice(json!({"content": null, "tool_calls": [call]}));
    let cases = [
        (choice(json!({"content": "hi"})), r#""hi""#),
        (choice(json!({"content": " \n"})), ""),
        (choice(json!({})), ""),
        (json!({"choices": [{"message": {"content": "hi"}, "finish_reason": ""}]}), r#""hi""#),
        (json!({"choices": [{"message": {"content": "hi"}, "finish_reason": "eos"}]}), r#""hi""#),
        (json!({"choices": [{"message": {"content": "hi"}, "finish_reason": 7}]}), r#""hi""#),
        (
            json!({"choices": [{"message": {"content": "h"}, "finish_reason": "MAX_TOKENS"}]}),
            r#""h" <length>"#,
        ),
        (
            json!({"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]}),
            "<filtered>",
        ),
        (choice(json!({"content": null, "refusal": "I can't."})), r#""I can't." <filtered>"#),
        (
            json!({"service_tier": "on_demand", "created": 1.5, "usage": {}, "choices": [{"message": {"content": "hi"}}]}),
            r#""hi""#,
        ),
        (
            json!({"error": null, "usage": null, "choices": [{"message": {"content": "hi"}}]}),
            r#""hi""#,
        ),
        (json!({"choices": [{"text": "hi", "logprobs": null}]}), r#""hi""#),
        (
            choice(
                json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}),
            ),
            r#""ab""#,
        ),
        (
            choice(
                json!({"content": [{"type": "thinking", "thinking": [{"text": "x"}]}, {"type": "text", "text": "b"}]}),
            ),
            r#""b""#,
        ),
        (choice(json!({"content": "<think>\nhm\n</think>\n\nhi"})), r#""hi""#),
        (choice(json!({"content": "hm\n</think>\nhi"})), r#""hi""#),
        (choice(json!({"content": "<think>cut off"})), ""),
        (
            choice(json!({"content": "the tag `</think>` ends it"})),
            r#""the tag `</think>` ends it""#,
        ),
        (
            call(
                json!({"id": "a", "type": "function", "function": {"name": "grep", "arguments": "{\"pattern\":\"x\"}"}}),
            ),
            r#"grep({"pattern":"x"})"#,
        ),
        (call(json!({"id": "a", "function": {"name": "grep", "arguments": "{}"}})), "grep({})"),
        (
            call(json!({"id": "a", "function": {"name": "grep", "arguments": {"pattern": "x"}}})),
            r#"grep({"pattern":"x"})"#,
        ),
        (
            call(
                json!({"id": "a", "function": {"name": "grep", "arguments": "\"{\\\"pattern\\\":1}\""}}),
            ),
            r#"grep({"pattern":1})"#,
        ),
        (call(json!({"id": "a", "function": {"name": "grep", "arguments": null}})), "grep({})"),
        (call(json!({"id": "a", "function": {"name": "grep", "arguments": ""}})), "grep({})"),
        (
            call(json!({"id": "a", "function": {"name": "grep", "arguments": "{\"patt"}})),
            r#"grep({"patt)"#,
        ),
        (call(json!({"id": "a", "name": "grep", "arguments": {}})), "grep({})"),
        (call(json!({"id": "a", "function": {"name": "", "arguments": "{}"}})), ""),
        (choice(json!({"content": "hi", "tool_calls": null})), r#""hi""#),
        (choice(json!({"content": "hi", "tool_calls": []})), r#""hi""#),
        (
            choice(json!({"content": null, "function_call": {"name": "grep", "arguments": "{}"}})),
            "grep({})",
        ),
    ];
    for (body, expected) in cases {
        let response = answer_to(body.clone()).await;
        let response = response.unwrap_or_else(|error| panic!("{error} for {body}"));
        assert_eq!(gist(&response), expected, "{body}");
    }
}

#[tokio::test]
async fn calls_without_an_id_of_their_own_get_one_that_is_the_same_every_time() {
    let call = |id: Value| json!({"id": id, "function": {"name": "grep", "arguments": "{}"}});
    let calls = json!([call(Value::Null), call(json!("")), call(json!("x")), call(json!("x"))]);
    let body = choice(json!({"tool_calls": calls}));
    let ids =
        |response: ChatResponse| response.calls.into_iter().map(|call| call.id).collect::<Vec<_>>();
    let first = ids(answer_to(body.clone()).await.unwrap());
    assert_eq!(first, ["m00002000", "m00002001", "x", "m00002003"]);
    assert_eq!(first, ids(answer_to(body).await.unwrap()));
}

#[tokio::test]
async fn answers_of_real_servers_are_read() {
    let cases = [
        (
            "vLLM",
            r#"{"id":"chatcmpl-1f","object":"chat.completion","created":1754,"model":"q","choices":[{"index":0,"message":{"role":"assistant","reasoning_content":"hm","content":null,"tool_calls":[{"id":"chatcmpl-tool-8a","type":"function","function":{"name":"grep","arguments":"{\"pattern\": \"x\"}"}}]},"logprobs":null,"finish_reason":"tool_calls","stop_reason":null}],"usage":{"prompt_tokens":9,"total_tokens":12,"completion_tokens":3,"prompt_tokens_details":null},"prompt_logprobs":null,"kv_transfer_params":null}"#,
            r#"grep({"pattern": "x"})"#,
            [9, 0, 3, 0],
        ),
        (
            "llama.cpp",
            r#"{"choices":[{"finish_reason":"tool_calls","index":0,"message":{"role":"assistant","content":"","tool_calls":[{"type":"function","function":{"name":"grep","arguments":"{\"pattern\":\"x\"}"},"id":"2Yc"}]}}],"created":1754,"model":"q","system_fingerprint":"b11434","object":"chat.completion","usage":{"completion_tokens":3,"prompt_tokens":9,"total_tokens":12,"prompt_tokens_details":{"cached_tokens":8}},"id":"chatcmpl-X","timings":{"cache_n":8,"prompt_ms":22.1}}"#,
            r#"grep({"pattern":"x"})"#,
            [9, 8, 3, 0],
        ),
        (
            "Ollama",
            r#"{"id":"chatcmpl-9","object":"chat.completion","created":1754,"model":"q","system_fingerprint":"fp_ollama","choices":[{"index":0,"message":{"role":"assistant","content":"","tool_calls":[{"id":"call_x1","index":0,"type":"function","function":{"name":"grep","arguments":"{\"pattern\":\"x\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}"#,
            r#"grep({"pattern":"x"})"#,
            [9, 0, 3, 0],
        ),
        (
            "OpenRouter",
            r#"{"id":"gen-1","provider":"P","model":"a/b","object":"chat.completion","created":1754,"choices":[{"logprobs":null,"finish_reason":"length","native_finish_reason":"MAX_TOKENS","index":0,"message":{"role":"assistant","content":"part","refusal":null,"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm"}]}}],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12,"cost":0.00014,"is_byok":false,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":2,"image_tokens":0}}}"#,
            r#""part" <length>"#,
            [9, 0, 3, 2],
        ),
        (
            "Azure",
            r#"{"choices":[{"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}},"finish_reason":"stop","index":0,"logprobs":null,"message":{"annotations":[],"content":"hi","refusal":null,"role":"assistant"}}],"created":1754,"id":"chatcmpl-A","model":"m","object":"chat.completion","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{}}],"system_fingerprint":null,"usage":{"completion_tokens":3,"completion_tokens_details":{"accepted_prediction_tokens":0,"audio_tokens":0,"reasoning_tokens":0,"rejected_prediction_tokens":0},"prompt_tokens":9,"prompt_tokens_details":{"audio_tokens":0,"cached_tokens":4},"total_tokens":12}}"#,
            r#""hi""#,
            [9, 4, 3, 0],
        ),
        (
            "Mistral",
            r#"{"id":"b3","created":1754,"model":"m","usage":{"prompt_tokens":9,"total_tokens":12,"completion_tokens":3},"object":"chat.completion","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","tool_calls":[{"id":"D681PevKs","function":{"name":"grep","arguments":"{\"pattern\": \"x\"}"},"index":0}],"content":"","prefix":false}}]}"#,
            r#"grep({"pattern": "x"})"#,
            [9, 0, 3, 0],
        ),
        (
            "DeepSeek",
            r#"{"id":"9","object":"chat.completion","created":1754,"model":"d","choices":[{"index":0,"message":{"role":"assistant","content":"hi","reasoning_content":"hm"},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12,"completion_tokens_details":{"reasoning_tokens":1},"prompt_cache_hit_tokens":5,"prompt_cache_miss_tokens":4},"system_fingerprint":"fp"}"#,
            r#""hi""#,
            [9, 5, 3, 1],
        ),
    ];
    for (server, body, expected, tokens) in cases {
        let response = answer_to(serde_json::from_str(body).unwrap()).await.unwrap();
        assert_eq!(gist(&response), expected, "{server}");
        let [prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens] = tokens;
        let usage = Usage { prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens };
        assert_eq!(response.usage, usage, "{server}");
    }
}

#[tokio::test]
async fn what_is_no_completion_is_called_malformed() {
    let cases = [
        json!({}),
        json!({"choices": []}),
        json!({"choices": null}),
        json!({"choices": [{"finish_reason": "stop"}]}),
        json!("hi"),
        Value::Null,
    ];
    for body in cases {
        let error = answer_to(body.clone()).await.unwrap_err();
        assert_eq!(error.label(), "malformed", "{body}");
    }
    let server = ModelServer::start(vec![
        Turn::raw(200, &[("content-type", "text/html")], "<html>Welcome</html>"),
        Turn::raw(200, &[], " ".repeat(8 * 1024 * 1024 + 1)),
    ]);
    let model = server.model();
    let error = Chat::new().ask(&model).await.unwrap_err();
    assert!(error.to_string().contains("<html>Welcome</html>"), "{error}");
    let error = Chat::new().ask(&model).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the endpoint's answer is not a chat completion: the answer is larger than 8 MiB"
    );
    assert!(error.hint().unwrap().contains("base_url"));
}

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
        ("silence", || Turn::hangs(Duration::from_secs(2))),
    ];
    for (name, failure) in cases {
        let server = ModelServer::start(vec![failure(), failure(), Turn::says("hi")]);
        let base = Duration::from_millis(1);
        let attempt = Duration::from_millis(150);
        let model =
            server.model().with_retry_policy(RetryPolicy { retries: 2, base, cap: base, attempt });
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
        (|| Turn::hangs(Duration::from_secs(2)), "timeout"),
    ];
    for (failure, label) in cases {
        let server = ModelServer::start(vec![]).otherwise(failure);
        let base = Duration::from_millis(1);
        let attempt = Duration::from_millis(60);
        let model =
            server.model().with_retry_policy(RetryPolicy { retries: 1, base, cap: base, attempt });
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
async fn the_wait_that_is_asked_for_is_kept_unless_the_deadline_comes_first() {
    let in_an_hour = {
        let now = std::time::SystemTime::now() + Duration::from_secs(3600);
        httpdate::fmt_http_date(now)
    };
    let too_long = [
        Turn::rate_limited("3600"),
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
    let policy = RetryPolicy { retries: 1000, base, cap: base, attempt: Duration::from_secs(9) };
    let model = server.model().with_retry_policy(policy);
    let start = Instant::now();
    let error = Chat::new().within(Duration::from_millis(200)).ask(&model).await.unwrap_err();
    assert_eq!(error.label(), "server");
    assert!(start.elapsed() < Duration::from_secs(2));
    assert!((2..=11).contains(&server.requests().len()));

    let server = ModelServer::start(vec![Turn::hangs(Duration::from_secs(3))]);
    let start = Instant::now();
    let chat = Chat::new().within(Duration::from_millis(80));
    let error = chat.ask(&server.model()).await.unwrap_err();
    assert_eq!(error.label(), "timeout");
    assert!(start.elapsed() < Duration::from_secs(2));
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

#[tokio::test]
async fn a_request_says_what_it_must_and_no_more() {
    let server = ModelServer::start(vec![Turn::says("hi"), Turn::says("hi")]);
    Chat::new().ask(&server.model()).await.unwrap();
    let extra_body =
        BTreeMap::from([("seed".to_owned(), json!(7)), ("max_tokens".to_owned(), json!(9))]);
    let config = ModelConfig { temperature: 0.25, extra_body, ..server.config() };
    let chat = Chat::new()
        .called("c1", r#"{"pattern":"x"}"#)
        .called("c2", r#"{"patt"#)
        .called("c3", "[1]");
    chat.force("submit_report").ask(&server.model_with(&config)).await.unwrap();
    let mut requests = server.requests();
    insta::assert_json_snapshot!(requests[0], @r#"
    {
      "max_tokens": 4096,
      "messages": [
        {
          "content": "rules",
          "role": "system"
        },
        {
          "content": "where is it?",
          "role": "user"
        }
      ],
      "model": "scripted",
      "tools": [
        {
          "function": {
            "description": "Search.",
            "name": "grep",
            "parameters": {
              "properties": {
                "pattern": {
                  "type": "string"
                }
              },
              "type": "object"
            }
          },
          "type": "function"
        },
        {
          "function": {
            "description": "Finish.",
            "name": "submit_report",
            "parameters": {
              "properties": {
                "pattern": {
                  "type": "string"
                }
              },
              "type": "object"
            }
          },
          "type": "function"
        }
      ]
    }
    "#);
    let tools = requests[1].as_object_mut().unwrap().remove("tools");
    assert_eq!(tools.as_ref(), requests[0].get("tools"));
    insta::assert_json_snapshot!(requests[1], @r#"
    {
      "max_tokens": 9,
      "messages": [
        {
          "content": "rules",
          "role": "system"
        },
        {
          "content": "where is it?",
          "role": "user"
        },
        {
          "content": null,
          "role": "assistant",
          "tool_calls": [
            {
              "function": {
                "arguments": "{\"pattern\":\"x\"}",
                "name": "grep"
              },
              "id": "c1",
              "type": "function"
            }
          ]
        },
        {
          "content": "no match",
          "role": "tool",
          "tool_call_id": "c1"
        },
        {
          "content": null,
          "role": "assistant",
          "tool_calls": [
            {
              "function": {
                "arguments": "{}",
                "name": "grep"
              },
              "id": "c2",
              "type": "function"
            }
          ]
        },
        {
          "content": "no match",
          "role": "tool",
          "tool_call_id": "c2"
        },
        {
          "content": null,
          "role": "assistant",
          "tool_calls": [
            {
              "function": {
                "arguments": "{}",
                "name": "grep"
              },
              "id": "c3",
              "type": "function"
            }
          ]
        },
        {
          "content": "no match",
          "role": "tool",
          "tool_call_id": "c3"
        }
      ],
      "model": "scripted",
      "seed": 7,
      "temperature": 0.25,
      "tool_choice": {
        "function": {
          "name": "submit_report"
        },
        "type": "function"
      }
    }
    "#);
    let received = &server.received()[0];
    assert_eq!(received.target, "/v1/chat/completions");
    assert_eq!(received.headers["content-type"], "application/json");
    assert!(received.headers["user-agent"].starts_with("retriever/"));
}

#[tokio::test]
async fn a_base_url_may_end_anyhow_and_carry_a_query() {
    for (end, target) in [
        ("", "/v1/chat/completions"),
        ("/", "/v1/chat/completions"),
        ("/chat/completions", "/v1/chat/completions"),
        ("?api-version=2026-01-01", "/v1/chat/completions?api-version=2026-01-01"),
    ] {
        let server = ModelServer::start(vec![Turn::says("hi")]);
        let base_url = server.base_url() + end;
        let model = server.model_with(&ModelConfig { base_url, ..server.config() });
        Chat::new().ask(&model).await.unwrap();
        assert_eq!(server.received()[0].target, target);
    }
}

#[test]
fn a_configuration_that_cannot_work_is_refused_before_anything_is_sent() {
    let with = |change: fn(&mut ModelConfig)| {
        let mut config = ModelConfig {
            name: "m".to_owned(),
            base_url: "http://localhost:1/v1".to_owned(),
            ..ModelConfig::default()
        };
        change(&mut config);
        config
    };
    let cases: [(ModelConfig, Option<&str>, &str); 11] = [
        (with(|config| config.name.clear()), None, "no model is named"),
        (with(|config| config.base_url.clear()), None, "not usable: relative URL without a base"),
        (
            with(|config| config.base_url = "localhost:8000/v1".to_owned()),
            None,
            "must begin with http",
        ),
        (with(|config| config.base_url = "ftp://host/v1".to_owned()), None, "must begin with http"),
        (
            with(|config| config.base_url = "https://me:hunter2@host/v1".to_owned()),
            None,
            "must not contain credentials",
        ),
        (
            with(|config| config.base_url = "https://api.openai.com/v1".to_owned()),
            None,
            "set RETRIEVER_API_KEY or OPENAI_API_KEY",
        ),
        (
            with(|config| config.base_url = "https://api.openai.com/v1".to_owned()),
            Some(" \n"),
            "set RETRIEVER_API_KEY",
        ),
        (with(|_| ()), Some("se\ncret"), "the API key contains characters"),
        (
            with(|config| drop(config.headers.insert("no good".to_owned(), "x".to_owned()))),
            None,
            "model.headers.no good cannot be sent",
        ),
        (
            with(|config| drop(config.headers.insert("x-good".to_owned(), "a\nb".to_owned()))),
            None,
            "model.headers.x-good cannot be sent",
        ),
        (
            with(|config| drop(config.extra_body.insert("stream".to_owned(), json!(true)))),
            None,
            "model.extra_body.stream is not allowed",
        ),
    ];
    for (config, key, expected) in cases {
        let error = OpenAiModel::new(&config, key.map(Into::into)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(!error.contains("hunter2") && !error.contains("cret"), "{error}");
    }
    let local = OpenAiModel::new(&with(|_| ()), None).unwrap();
    assert_eq!(local.name(), "m");
}

#[tokio::test]
async fn what_an_endpoint_refuses_is_left_out_for_the_rest_of_the_run() {
    let tool_choice = |request: &Value| request["tool_choice"].clone();
    let keys = |request: &Value| {
        let keys =
            ["temperature", "max_tokens", "max_completion_tokens", "parallel_tool_calls", "top_k"];
        json!(keys.into_iter().filter(|key| !request[key].is_null()).collect::<Vec<_>>())
    };
    let named = json!({"type": "function", "function": {"name": "submit_report"}});
    let all = ["temperature", "max_tokens", "parallel_tool_calls", "top_k"];
    type Look = dyn Fn(&Value) -> Value;
    let cases: Vec<(Vec<Turn>, &Look, Vec<Value>)> = vec![
        (
            vec![Turn::refuses("Named tool_choice is not supported")],
            &tool_choice,
            vec![named.clone(), json!("required")],
        ),
        (
            vec![
                Turn::refuses("Invalid tool_choice"),
                Turn::raw(
                    422,
                    &[],
                    json!({"detail": [{"loc": ["body", "tool_choice"], "msg": "Input should be 'auto'"}]}),
                ),
            ],
            &tool_choice,
            vec![named.clone(), json!("required"), Value::Null],
        ),
        (
            vec![Turn::raw(
                404,
                &[],
                json!({"error": {"code": 404, "message": "No endpoints found that support the provided 'tool_choice' value"}}),
            )],
            &tool_choice,
            vec![named.clone(), json!("required")],
        ),
        (
            vec![Turn::raw(500, &[], json!({"error": {"message": "tool_choice: unsupported"}}))],
            &tool_choice,
            vec![named, json!("required")],
        ),
        (
            vec![Turn::refuses(
                "Unsupported value: 'temperature' does not support 0.5 with this model.",
            )],
            &keys,
            vec![json!(all), json!(["max_tokens", "parallel_tool_calls", "top_k"])],
        ),
        (
            vec![Turn::refuses(
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            )],
            &keys,
            vec![
                json!(all),
                json!(["temperature", "max_completion_tokens", "parallel_tool_calls", "top_k"]),
            ],
        ),
        (
            vec![
                Turn::refuses("max_tokens: unknown field"),
                Turn::refuses("max_completion_tokens: unknown field"),
            ],
            &keys,
            vec![
                json!(all),
                json!(["temperature", "max_completion_tokens", "parallel_tool_calls", "top_k"]),
                json!(["temperature", "parallel_tool_calls", "top_k"]),
            ],
        ),
        (
            vec![Turn::refuses(
                "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 4096 tokens and your request has 12 input tokens",
            )],
            &keys,
            vec![json!(all), json!(["temperature", "parallel_tool_calls", "top_k"])],
        ),
        (
            vec![
                Turn::raw(
                    400,
                    &[],
                    json!({"error": {"message": "Unknown parameter", "param": "parallel_tool_calls"}}),
                ),
                Turn::raw(
                    422,
                    &[],
                    json!({"detail": [{"type": "extra_forbidden", "loc": ["body", "top_k"], "msg": "Extra inputs are not permitted"}]}),
                ),
            ],
            &keys,
            vec![
                json!(all),
                json!(["temperature", "max_tokens", "top_k"]),
                json!(["temperature", "max_tokens"]),
            ],
        ),
    ];
    for (mut script, look, expected) in cases {
        script.extend([Turn::says("hi"), Turn::says("again")]);
        let server = ModelServer::start(script);
        let extra_body = BTreeMap::from([
            ("parallel_tool_calls".to_owned(), json!(false)),
            ("top_k".to_owned(), json!(1)),
        ]);
        let config = ModelConfig { temperature: 0.5, retries: 0, extra_body, ..server.config() };
        let model = server.model_with(&config);
        let chat = Chat::new().force("submit_report");
        let response = chat.ask(&model).await.unwrap();
        assert_eq!(response.retries, 0);
        let seen = server.requests().iter().map(look).collect::<Vec<_>>();
        assert_eq!(seen, expected);
        assert_eq!(model.adaptations().len(), expected.len() - 1);
        chat.ask(&model).await.unwrap();
        let requests = server.requests();
        assert_eq!(look(requests.last().unwrap()), *expected.last().unwrap(), "it remembers");
        assert!(requests.iter().all(|request| request["tools"].as_array().unwrap().len() == 2));
    }
}

#[tokio::test]
async fn a_refusal_that_goes_on_is_told_instead_of_repeated() {
    let server = ModelServer::start(vec![])
        .otherwise(|| Turn::refuses("tool_choice, temperature and 'max_tokens' are wrong"));
    let model = server.model_with(&ModelConfig { temperature: 0.0, ..server.config() });
    let error = Chat::new().force("submit_report").ask(&model).await.unwrap_err();
    assert_eq!(error.label(), "refused");
    assert_eq!(
        model.adaptations(),
        [
            "tool_choice is sent as \"required\", not by name",
            "tool_choice is left out",
            "max_tokens is sent as max_completion_tokens",
            "temperature is left out",
        ]
    );
    assert_eq!(server.requests().len(), 5);
}

#[tokio::test]
async fn requests_side_by_side_learn_the_same_refusal_once() {
    let server = ModelServer::start(vec![]).otherwise(|| {
        Turn::responds(|request| match request.get("temperature") {
            Some(_) => Turn::refuses("temperature is not supported"),
            None => Turn::says("hi"),
        })
    });
    let model = server.model_with(&ModelConfig { temperature: 0.0, retries: 0, ..server.config() });
    let chat = Chat::new();
    let answers = futures::future::join_all((0..8).map(|_| chat.ask(&model))).await;
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(model.adaptations(), ["temperature is left out"]);
}

#[tokio::test]
async fn a_message_without_text_is_sent_as_the_endpoint_wants_it() {
    let server = ModelServer::start(vec![
        Turn::refuses("invalid message content type: <nil>"),
        Turn::says("hi"),
    ]);
    let chat = Chat::new().called("c1", "{}");
    chat.ask(&server.model()).await.unwrap();
    let contents = server
        .requests()
        .iter()
        .map(|request| request["messages"][2]["content"].clone())
        .collect::<Vec<_>>();
    assert_eq!(contents, [Value::Null, json!("")]);
}

#[tokio::test]
async fn reasoning_goes_back_only_when_wanted() {
    let thinking = |field: &str| {
        let call = json!({"id": "call_0", "function": {"name": "grep", "arguments": "{}"}});
        let mut message = json!({"content": null, "tool_calls": [call]});
        message[field] = json!("hm");
        Turn::message(message, "tool_calls")
    };
    let missing = "The reasoning_content in the thinking mode must be passed back to the API";
    let unwanted = "messages.2: 'reasoning_content' is not supported";
    let cases = [
        (false, "reasoning_content", vec![], vec![Value::Null]),
        (true, "reasoning_content", vec![], vec![json!("hm")]),
        (true, "reasoning", vec![], vec![json!("hm")]),
        (false, "reasoning_content", vec![Turn::refuses(missing)], vec![Value::Null, json!("hm")]),
        (true, "reasoning_content", vec![Turn::refuses(unwanted)], vec![json!("hm"), Value::Null]),
    ];
    for (echo_reasoning, field, refusals, expected) in cases {
        let mut script = vec![thinking(field)];
        script.extend(refusals);
        script.push(Turn::says("hi"));
        let server = ModelServer::start(script);
        let model = server.model_with(&ModelConfig { echo_reasoning, ..server.config() });
        let mut chat = Chat::new();
        let response = chat.ask(&model).await.unwrap();
        assert_eq!(response.content, None, "reasoning is no content");
        chat.answered(&response);
        chat.ask(&model).await.unwrap();
        let requests = server.requests();
        let seen = requests[1..].iter().map(|request| request["messages"][2][field].clone());
        assert_eq!(seen.collect::<Vec<_>>(), expected);
    }
}

#[tokio::test]
async fn the_scripted_server_tells_of_a_broken_conversation() {
    let server = ModelServer::start(vec![Turn::says("hi")]);
    let mut chat = Chat::new().called("c1", "{}");
    chat.messages.remove(0);
    chat.messages.pop();
    chat.ask(&server.model()).await.unwrap();
    assert_eq!(
        server.take_violations(),
        [
            "request 1: the first message is not the system's",
            "request 1: call \"c1\" has no answer",
        ]
    );
    server.finish();
}

mod cassettes {
    //! Recordings, and what becomes of them when the program or the repository has changed.

    use std::{
        io::{self, Write},
        sync::{Arc, Mutex},
    };

    use pretty_assertions::assert_eq;
    use retriever::model::{Author, Message, RecordingModel, ReplayModel};

    use super::*;

    /// Where a cassette is written to in tests; `room` bytes fit.
    #[derive(Clone)]
    struct Tape {
        text: Arc<Mutex<Vec<u8>>>,
        room: usize,
    }

    impl Tape {
        fn new() -> Self {
            Self { text: Arc::default(), room: usize::MAX }
        }

        fn text(&self) -> String {
            String::from_utf8(self.text.lock().unwrap().clone()).unwrap()
        }
    }

    impl Write for Tape {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut text = self.text.lock().unwrap();
            if text.len() + bytes.len() > self.room {
                return Err(io::ErrorKind::StorageFull.into());
            }
            text.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Three turns: calls, an error, a forced report.
    async fn converse(model: &dyn ChatModel) -> Vec<String> {
        let mut heard = Vec::new();
        let mut chat = Chat::new();
        let response = chat.ask(model).await.unwrap();
        heard.push(format!("{response:?}"));
        chat.answered(&response);
        heard.push(format!("{:?}", chat.ask(model).await.unwrap_err()));
        heard.push(format!("{:?}", chat.force("submit_report").ask(model).await.unwrap()));
        heard
    }

    async fn record() -> (Vec<String>, String) {
        let server = ModelServer::start(vec![
            Turn::calls([("grep", json!({"pattern": "x"})), ("grep", json!({"pattern": "y"}))]),
            Turn::raw(429, &[("retry-after", "77")], "slow down"),
            Turn::submits(json!({"summary": "found"})),
        ]);
        let tape = Tape::new();
        let model = server.model_with(&ModelConfig { retries: 0, ..server.config() });
        let recorder = RecordingModel::new(model, Box::new(tape.clone()));
        let heard = converse(&recorder).await;
        assert_eq!(recorder.failure(), None);
        (heard, tape.text())
    }

    #[tokio::test]
    async fn a_replay_says_what_was_recorded() {
        let (heard, text) = record().await;
        let replay = Arc::new(ReplayModel::new(&text).unwrap());
        assert_eq!(converse(&replay).await, heard);
        assert_eq!(replay.staleness(), None);
        assert_eq!((replay.name(), replay.author()), ("scripted", Author::Model));
        let error = Chat::new().ask(&replay).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the cassette ends after turn 3, and the run asks for another one; record it again with --record"
        );
    }

    #[tokio::test]
    async fn a_cassette_has_each_message_once_and_no_secret() {
        let (_, text) = record().await;
        assert!(!text.contains(KEY) && !text.contains("127.0.0.1"), "{text}");
        assert_eq!(text.matches("where is it?").count(), 1);
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let lines = lines.collect::<Vec<_>>();
        let kinds = lines.iter().map(|line| line["kind"].as_str().unwrap()).collect::<Vec<_>>();
        assert_eq!(kinds, ["header", "turn", "turn", "turn"]);
        assert_eq!(lines[2]["request"]["from"], 2);
        assert_eq!(
            lines[2]["error"],
            json!({"type": "rate_limited", "status": 429, "retry_after_ms": 77_000, "detail": "slow down"})
        );
        assert_eq!(
            lines[3]["request"],
            json!({"from": 5, "messages": [], "tool_choice": "submit_report"})
        );
        assert_eq!(record().await.1, text, "the same run gives the same cassette");
    }

    #[tokio::test]
    async fn every_error_survives_the_cassette() {
        let limit = Duration::from_millis(1500);
        let detail = || "why".to_owned();
        let errors = [
            ModelError::Network { endpoint: "http://e".to_owned(), detail: detail() },
            ModelError::Timeout(limit),
            ModelError::Authentication { status: 401, detail: detail() },
            ModelError::RateLimited { status: 429, retry_after: None, detail: detail() },
            ModelError::ContextLength { detail: detail() },
            ModelError::Refused { status: 400, detail: detail() },
            ModelError::Server { status: 500, detail: detail() },
            ModelError::Malformed(detail()),
            ModelError::Cassette(detail()),
        ];
        for error in errors {
            let tape = Tape::new();
            let recorder = RecordingModel::new(Failing(error.clone()), Box::new(tape.clone()));
            Chat::new().ask(&recorder).await.unwrap_err();
            let replay = ReplayModel::new(&tape.text()).unwrap();
            let replayed = Chat::new().ask(&replay).await.unwrap_err();
            assert_eq!(format!("{replayed:?}"), format!("{error:?}"));
        }
    }

    struct Failing(ModelError);

    impl ChatModel for Failing {
        fn name(&self) -> &str {
            "failing"
        }

        fn complete<'a>(
            &'a self,
            _: &'a retriever::model::ChatRequest<'a>,
        ) -> futures::future::BoxFuture<'a, Result<ChatResponse, ModelError>> {
            Box::pin(async { Err(self.0.clone()) })
        }
    }

    #[tokio::test]
    async fn a_conversation_that_went_another_way_is_answered_and_called_stale() {
        let (_, text) = record().await;
        let again = "; record it again with --record";
        type Change = fn(&mut Chat);
        let cases: [(Change, &str); 5] = [
            (
                |chat| chat.messages[0] = Message::System { content: "new rules".to_owned() },
                "at turn 1, the system prompt differs from the recorded one",
            ),
            (|chat| chat.tools.truncate(1), "at turn 1, the tools differ from the recorded ones"),
            (
                |chat| chat.messages[1] = Message::User { content: "and where?".to_owned() },
                "at turn 1, message 2 (user) differs from the recorded one",
            ),
            (
                |chat| chat.messages.push(Message::User { content: "well?".to_owned() }),
                "at turn 1, the conversation has 3 messages, and 2 were recorded",
            ),
            (
                |chat| *chat = Chat::new().force("grep"),
                "at turn 1, another tool is asked for than in the recording",
            ),
        ];
        for (change, expected) in cases {
            let replay = ReplayModel::new(&text).unwrap();
            let mut chat = Chat::new();
            change(&mut chat);
            let response = chat.ask(&replay).await.unwrap();
            assert_eq!(response.calls.len(), 2);
            let staleness = replay.staleness().unwrap();
            assert_eq!(staleness, format!("the cassette is stale: {expected}{again}"));
            Chat::new().ask(&replay).await.unwrap_err();
            assert_eq!(replay.staleness(), Some(staleness), "the first difference is the one told");
        }
    }

    #[tokio::test]
    async fn a_later_turn_is_compared_too() {
        let (_, text) = record().await;
        let replay = ReplayModel::new(&text).unwrap();
        let mut chat = Chat::new();
        let response = chat.ask(&replay).await.unwrap();
        chat.answered(&response);
        if let Some(Message::Tool { content, .. }) = chat.messages.last_mut() {
            *content = "one match".to_owned();
        }
        chat.ask(&replay).await.unwrap_err();
        let staleness = replay.staleness().unwrap();
        assert!(staleness.contains("at turn 2, message 5 (tool) differs"), "{staleness}");
    }

    #[tokio::test]
    async fn a_cassette_that_cannot_be_read_says_where() {
        let (_, text) = record().await;
        let lines = text.lines().collect::<Vec<_>>();
        let newer = lines[0].replace("\"version\":1", "\"version\":2");
        let cases = [
            (String::new(), "the cassette is empty; record"),
            (text[..text.len() - 9].to_owned(), "line 4 of the cassette cannot be read: EOF"),
            (
                text.replace("rate_limited", "unheard_of"),
                "line 3 of the cassette cannot be read: unknown variant",
            ),
            (lines[1..].join("\n"), "line 1 of the cassette is not its header"),
            (newer, "the cassette has version 2, and this program reads version 1"),
            (format!("{text}{text}"), "line 5 of the cassette begins another recording"),
        ];
        for (text, expected) in cases {
            let error = ReplayModel::new(&text).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        }
        let cut = ReplayModel::new(&lines[..2].join("\n")).unwrap();
        let mut chat = Chat::new();
        let response = chat.ask(&cut).await.unwrap();
        chat.answered(&response);
        let error = chat.ask(&cut).await.unwrap_err();
        assert!(error.to_string().starts_with("the cassette ends after turn 1"), "{error}");
    }

    #[tokio::test]
    async fn a_full_disk_costs_the_recording_and_not_the_run() {
        let server = ModelServer::start(vec![Turn::says("one"), Turn::says("two")]);
        let tape = Tape { room: 150, ..Tape::new() };
        let recorder = RecordingModel::new(server.model(), Box::new(tape.clone()));
        for expected in ["one", "two"] {
            let response = Chat::new().ask(&recorder).await.unwrap();
            assert_eq!(response.content.as_deref(), Some(expected));
        }
        assert!(recorder.failure().unwrap().starts_with("the cassette is incomplete: "));
        assert!(tape.text().lines().count() <= 1, "nothing follows a gap");
    }
}
