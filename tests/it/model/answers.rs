//! Answers in every shape that servers give them.

use pretty_assertions::assert_eq;
use retriever::{
    config::ModelConfig,
    model::{ChatResponse, ModelError, TokenUsage},
};
use serde_json::{Value, json};

use super::gist;
use crate::support::{
    chat::Chat,
    model_server::{ModelServer, Turn},
};

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
        let usage =
            TokenUsage { prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens };
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
