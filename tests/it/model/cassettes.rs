//! Recordings, and what becomes of them when the program or the repository has changed.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
    time::Duration,
};

use pretty_assertions::assert_eq;
use retriever::{
    config::{ModelConfig, ToolCallMode},
    model::{
        ChatModel, ChatRequest, ChatResponse, Message, ModelError, RecordingModel, ReplayModel,
    },
};
use serde_json::{Value, json};

use crate::support::{
    chat::Chat,
    model_server::{KEY, ModelServer, Turn},
};

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
    assert_eq!(replay.name(), "scripted");
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
        _: &'a ChatRequest<'a>,
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
    let config = ModelConfig { mode: ToolCallMode::Tools, ..server.config() };
    let recorder = RecordingModel::new(server.model_with(&config), Box::new(tape.clone()));
    for expected in ["one", "two"] {
        let response = Chat::new().ask(&recorder).await.unwrap();
        assert_eq!(response.content.as_deref(), Some(expected));
    }
    assert!(recorder.failure().unwrap().starts_with("the cassette is incomplete: "));
    assert!(tape.text().lines().count() <= 1, "nothing follows a gap");
}
