//! Requests: what is sent, and what is no longer sent once an endpoint has refused it.

use std::collections::BTreeMap;

use pretty_assertions::assert_eq;
use retriever::{
    config::{ModelConfig, ToolCallMode},
    model::{ChatModel, OpenAiModel},
};
use serde_json::{Value, json};

use crate::support::{
    chat::Chat,
    model_server::{ModelServer, Turn},
};

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
    let cases: [(ModelConfig, Option<&str>, &str); 14] = [
        (with(|config| config.name.clear()), None, "no model is named"),
        (with(|config| config.base_url.clear()), None, "must begin with http"),
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
            with(|config| config.base_url = "http://gateway.example/v1".to_owned()),
            Some("secret"),
            "a key would be sent unencrypted to gateway.example",
        ),
        (
            with(|config| {
                config.base_url = "http://gateway.example/v1".to_owned();
                config.headers.insert("Proxy-Authorization".to_owned(), "Basic cret".to_owned());
            }),
            None,
            "a key would be sent unencrypted to gateway.example",
        ),
        (
            with(|config| config.base_url = "http://gateway.example/v1?api-key=cret".to_owned()),
            None,
            "a key would be sent unencrypted to gateway.example",
        ),
        (
            with(|config| drop(config.headers.insert("no good".to_owned(), "x".to_owned()))),
            None,
            "the header no good of model.headers",
        ),
        (
            with(|config| drop(config.headers.insert("x-good".to_owned(), "a\nb".to_owned()))),
            None,
            "the header x-good of model.headers",
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
    let accepted = [
        with(|config| {
            config.base_url = "http://gateway.example/v1?api-key=cret".to_owned();
            config.insecure = true;
        }),
        with(|config| {
            config.base_url = "http://gateway.example/v1?version=2".to_owned();
            config.headers.insert("x-title".to_owned(), "retriever".to_owned());
        }),
        with(|config| {
            config.base_url = "https://api.openai.com/v1".to_owned();
            config.headers.insert("Authorization".to_owned(), "Bearer cret".to_owned());
        }),
    ];
    for config in accepted {
        assert!(OpenAiModel::new(&config, None).is_ok(), "{config:?}");
    }
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
        let mode = ToolCallMode::Tools;
        let config =
            ModelConfig { temperature: 0.5, retries: 0, extra_body, mode, ..server.config() };
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
    let config = ModelConfig { temperature: 0.0, mode: ToolCallMode::Tools, ..server.config() };
    let model = server.model_with(&config);
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
    let mode = ToolCallMode::Tools;
    let config = ModelConfig { temperature: 0.0, retries: 0, mode, ..server.config() };
    let model = server.model_with(&config);
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
