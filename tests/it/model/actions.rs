//! The `actions` mode: what an endpoint is sent in place of tools, when a run switches to it, and that a run in it ends
//! with the same kind of map.

use std::sync::Arc;

use pretty_assertions::assert_eq;
use retriever::{
    CodeMap, Question, Retriever, RunOptions,
    config::{ModelConfig, ToolCallMode},
    model::OpenAiModel,
    report::MapStatus,
};
use serde_json::{Value, json};

use crate::support::{
    chat::Chat,
    fixture::Fixture,
    model_server::{ModelServer, Turn},
};

const PROJECT: &str = "\
//- /src/queue.rs
/// Puts a job into the queue.
pub fn enqueue_job(job: Job) {
    QUEUE.lock().push(job);
}
";

fn in_mode(server: &ModelServer, mode: ToolCallMode) -> OpenAiModel {
    server.model_with(&ModelConfig { mode, ..server.config() })
}

async fn ask(model: OpenAiModel) -> CodeMap {
    let fixture = Fixture::new(PROJECT);
    let retriever = Retriever::builder(fixture.root()).model(Arc::new(model)).build().unwrap();
    let question = Question::new("how are jobs queued?");
    retriever.ask(question, RunOptions::default()).await.unwrap().map
}

fn report() -> Value {
    json!({
        "summary": "enqueue_job pushes jobs.",
        "primary": [{"ref": "src/queue.rs:1-4", "why": "pushes the job"}],
    })
}

fn reads() -> Turn {
    Turn::says(&json!({"calls": [{"read": {"file": "src/queue.rs"}}]}).to_string())
}

fn is_actions(request: &Value) -> bool {
    assert_ne!(request.get("tools").is_some(), request.get("response_format").is_some());
    request.get("response_format").is_some()
}

#[tokio::test]
async fn a_run_by_actions_calls_tools_and_reports_as_any_other() {
    let server = ModelServer::start(vec![
        // Both spellings of a call, in a fence or not.
        Turn::says(
            "```json\n{\"calls\": [{\"tool\": \"grep\", \"arguments\": {\"pattern\": \"QUEUE\"}}]}\n```",
        ),
        reads(),
        Turn::says(&report().to_string()),
    ]);
    let map = ask(in_mode(&server, ToolCallMode::Actions)).await;
    assert_eq!((map.status, map.meta.tool_calls), (MapStatus::Complete, 2));
    assert_eq!(
        (map.primary[0].place.path.as_str(), map.primary[0].place.start),
        ("src/queue.rs", 1)
    );
    let requests = server.requests();
    assert!(requests.iter().all(is_actions));
    let messages = requests[2]["messages"].as_array().unwrap();
    let roles: Vec<&str> = messages.iter().map(|m| m["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "user", "assistant", "user"]);
    let said: Value = serde_json::from_str(messages[4]["content"].as_str().unwrap()).unwrap();
    assert_eq!(said, json!({"calls": [{"read": {"file": "src/queue.rs"}}]}));
    let answer = messages[5]["content"].as_str().unwrap();
    assert!(answer.starts_with("Result of read:\n") && answer.contains("QUEUE.lock()"), "{answer}");
    let rules = messages[0]["content"].as_str().unwrap();
    for spec in retriever::tool_specs().iter().filter(|spec| spec.name != "submit_report") {
        assert!(rules.contains(&format!("- {}: ", spec.name)), "{} in {rules}", spec.name);
    }
    assert!(rules.contains("\"ref\": string") && !rules.contains("{tools}"), "{rules}");
}

#[tokio::test]
async fn the_schema_takes_calls_and_the_report_until_only_the_report_is_wanted() {
    let server = ModelServer::start(vec![Turn::says("{}"), Turn::says("{}")]);
    let model = in_mode(&server, ToolCallMode::Actions);
    Chat::new().ask(&model).await.unwrap();
    Chat::new().force("submit_report").ask(&model).await.unwrap();
    let schemas: Vec<jsonschema::Validator> = server
        .requests()
        .iter()
        .map(|request| &request["response_format"]["json_schema"]["schema"])
        .map(|schema| jsonschema::validator_for(schema).unwrap())
        .collect();
    for (answer, expected) in [
        (json!({"calls": [{"grep": {"pattern": "x"}}]}), [true, false]),
        (json!({"calls": [{"grep": {"pattern": "x"}}, {"grep": {"pattern": "y"}}]}), [true, false]),
        (json!({"calls": []}), [false, false]),
        (json!({"calls": [{"nonsense": {}}]}), [false, false]),
        (json!({"pattern": "the report of these tests"}), [true, true]),
        (json!({"pattern": 1}), [false, false]),
    ] {
        let taken: Vec<bool> = schemas.iter().map(|schema| schema.is_valid(&answer)).collect();
        assert_eq!(taken, expected, "{answer}");
    }
}

#[tokio::test]
async fn a_model_that_never_calls_is_driven_by_actions_from_its_second_answer_on() {
    let server = ModelServer::start(vec![
        Turn::says("I would look at the queue."),
        Turn::says("Let me think."),
        reads(),
        Turn::says(&report().to_string()),
    ]);
    let map = ask(server.model()).await;
    assert_eq!((map.status, map.meta.steps), (MapStatus::Complete, 3));
    // What was thrown away was paid for all the same.
    assert_eq!(map.meta.usage.unwrap().completion_tokens, 80);
    let forms: Vec<bool> = server.requests().iter().map(is_actions).collect();
    assert_eq!(forms, [false, false, true, true]);
}

#[tokio::test]
async fn calls_that_keep_being_malformed_are_given_up() {
    let malformed = || {
        let call = json!({"id": "x", "function": {"name": "grep", "arguments": "{\"pattern"}});
        Turn::message(json!({"role": "assistant", "content": null, "tool_calls": [call]}), "stop")
    };
    let server = ModelServer::start(vec![
        malformed(),
        malformed(),
        reads(),
        Turn::says(&report().to_string()),
    ]);
    assert_eq!(ask(server.model()).await.status, MapStatus::Complete);
    let forms: Vec<bool> = server.requests().iter().map(is_actions).collect();
    assert_eq!(forms, [false, false, true, true]);
}

#[tokio::test]
async fn an_endpoint_without_tools_is_asked_by_actions_at_once_and_remembered() {
    for words in [
        "model does not support tools",
        "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
        "tools param requires --jinja flag",
    ] {
        let server = ModelServer::start(vec![
            Turn::refuses(words),
            Turn::says("{}"),
            // Neither does it know the format: the rules alone must do.
            Turn::refuses("'response_format' is not supported"),
            Turn::says("{}"),
        ]);
        let model = server.model();
        Chat::new().ask(&model).await.unwrap();
        Chat::new().ask(&model).await.unwrap();
        assert_eq!(
            model.adaptations(),
            ["tools are called by JSON actions, not natively", "response_format is left out"]
        );
        let last = server.requests().pop().unwrap();
        assert!(last.get("tools").is_none() && last.get("response_format").is_none());
    }
}

#[tokio::test]
async fn who_calls_once_may_talk_and_who_wants_tools_keeps_them() {
    let calls = || Turn::calls([("grep", json!({"pattern": "x"}))]);
    let talk = || Turn::says("Well.");
    let server = ModelServer::start(vec![calls(), talk(), talk(), talk()]);
    let model = server.model();
    for _ in 0..4 {
        Chat::new().ask(&model).await.unwrap();
    }
    assert_eq!(model.adaptations(), Vec::<String>::new());

    let server = ModelServer::start(vec![talk(), talk(), talk(), Turn::refuses("no tools here")]);
    let model = in_mode(&server, ToolCallMode::Tools);
    for _ in 0..3 {
        Chat::new().ask(&model).await.unwrap();
    }
    assert_eq!(Chat::new().ask(&model).await.unwrap_err().label(), "refused");
    assert!(!server.requests().iter().any(is_actions));
}
