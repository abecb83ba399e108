//! Recorded conversations: [`RecordingModel`] writes the requests to a model and its answers as JSON lines,
//! [`ReplayModel`] answers from them. A cassette holds the conversation (so the repository's text) and no key, header
//! or address. The caller opens the files.

use std::{
    io::{self, Write},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use futures::{FutureExt, future::BoxFuture};
use serde::{Deserialize, Serialize};

use super::{ChatModel, ChatRequest, ChatResponse, Message, ModelError, ToolChoice};
use crate::tools::ToolSpec;

/// Version of the cassette's shape.
const VERSION: u32 = 1;
const RECORD_AGAIN: &str = "record it again with --record";

/// One line of a cassette.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Line {
    Header(Header),
    Turn(Turn),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    version: u32,
    model: String,
    /// Hash of the system message.
    prompts: String,
    /// Hash of the tools' names, descriptions and schemas.
    tools: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Turn {
    request: Asked,
    #[serde(flatten)]
    outcome: Answered,
}

/// A request, without the messages of the request before it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Asked {
    /// Number of messages that are left out.
    from: usize,
    messages: Vec<Message>,
    /// The tool that the model must call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool_choice: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answered {
    Response(ChatResponse),
    Error(RecordedError),
}

/// The recorded form of [`ModelError`]; a shape of its own, so that the error can change without breaking cassettes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum RecordedError {
    Network { endpoint: String, detail: String },
    Timeout { ms: u64 },
    Authentication { status: u16, detail: String },
    RateLimited { status: u16, retry_after_ms: Option<u64>, detail: String },
    ContextLength { detail: String },
    Refused { status: u16, detail: String },
    Server { status: u16, detail: String },
    Malformed { detail: String },
    Cassette { detail: String },
}

/// Passes requests on to a model and writes each turn when it has ended, so that an interrupted run leaves a cassette
/// that replays up to that turn. One recorder records one conversation.
pub struct RecordingModel<M> {
    inner: M,
    tape: Mutex<Tape>,
}

struct Tape {
    writer: Box<dyn Write + Send>,
    /// The conversation as it was written; `None` before the header.
    written: Option<Vec<Message>>,
    failure: Option<io::Error>,
}

impl<M: ChatModel> RecordingModel<M> {
    /// Returns a model that answers as `inner` does and writes to `writer`.
    pub fn new(inner: M, writer: Box<dyn Write + Send>) -> Self {
        let tape = Tape { writer, written: None, failure: None };
        Self { inner, tape: Mutex::new(tape) }
    }

    /// Returns why the cassette is incomplete, if writing failed. The run goes on without recording, since its answers
    /// are paid for; ask when it has ended.
    pub fn failure(&self) -> Option<String> {
        let tape = self.tape.lock().unwrap_or_else(PoisonError::into_inner);
        tape.failure.as_ref().map(|error| format!("the cassette is incomplete: {error}"))
    }

    async fn run(&self, request: &ChatRequest<'_>) -> Result<ChatResponse, ModelError> {
        let result = self.inner.complete(request).await;
        let mut tape = self.tape.lock().unwrap_or_else(PoisonError::into_inner);
        if tape.failure.is_none() {
            let outcome = match &result {
                Ok(response) => Answered::Response(response.clone()),
                Err(error) => Answered::Error(error.into()),
            };
            tape.failure = tape.write(self.inner.name(), request, outcome).err();
        }
        result
    }
}

impl<M: ChatModel> ChatModel for RecordingModel<M> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn complete<'a>(
        &'a self,
        request: &'a ChatRequest<'a>,
    ) -> BoxFuture<'a, Result<ChatResponse, ModelError>> {
        self.run(request).boxed()
    }
}

impl Tape {
    fn write(
        &mut self,
        model: &str,
        request: &ChatRequest<'_>,
        outcome: Answered,
    ) -> io::Result<()> {
        if self.written.is_none() {
            self.line(&Line::Header(Header::of(model, request)))?;
        }
        let written = self.written.take().unwrap_or_default();
        let from = if request.messages.starts_with(&written) { written.len() } else { 0 };
        let messages = request.messages[from..].to_vec();
        let tool_choice = name_of(request.tool_choice).map(str::to_owned);
        self.written = Some(request.messages.to_vec());
        let request = Asked { from, messages, tool_choice };
        self.line(&Line::Turn(Turn { request, outcome }))
    }

    fn line(&mut self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.writer.write_all(&text)?;
        self.writer.flush()
    }
}

/// Answers from a cassette, turn by turn. A conversation that differs from the recorded one is still answered;
/// [`ReplayModel::staleness`] says so.
#[derive(Debug)]
pub struct ReplayModel {
    header: Header,
    turns: Vec<Turn>,
    progress: Mutex<Progress>,
}

#[derive(Debug, Default)]
struct Progress {
    next: usize,
    recorded: Vec<Message>,
    staleness: Option<String>,
}

impl ReplayModel {
    /// Reads a cassette.
    ///
    /// # Errors
    ///
    /// [`ModelError::Cassette`], with the number of the line that can't be read.
    pub fn new(text: &str) -> Result<Self, ModelError> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let header = match lines.next().map(|(index, line)| parse(index, line)).transpose()? {
            Some(Line::Header(header)) => header,
            Some(Line::Turn(_)) => {
                return Err(ModelError::Cassette(format!(
                    "line 1 of the cassette is not its header; {RECORD_AGAIN}"
                )));
            }
            None => {
                return Err(ModelError::Cassette(format!("the cassette is empty; {RECORD_AGAIN}")));
            }
        };
        if header.version != VERSION {
            let version = header.version;
            return Err(ModelError::Cassette(format!(
                "the cassette has version {version}, and this program reads version {VERSION}; {RECORD_AGAIN}"
            )));
        }
        let mut turns = Vec::new();
        for (index, line) in lines {
            match parse(index, line)? {
                Line::Turn(turn) => turns.push(turn),
                Line::Header(_) => {
                    return Err(ModelError::Cassette(format!(
                        "line {} of the cassette begins another recording; replay them one by one",
                        index + 1
                    )));
                }
            }
        }
        Ok(Self { header, turns, progress: Mutex::default() })
    }

    /// Returns the first difference of the replayed conversation from the recorded one, and what to do about it.
    pub fn staleness(&self) -> Option<String> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).staleness.clone()
    }

    fn next(&self, request: &ChatRequest<'_>) -> Result<ChatResponse, ModelError> {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(turn) = self.turns.get(progress.next) else {
            let turns = self.turns.len();
            return Err(ModelError::Cassette(format!(
                "the cassette ends after turn {turns}, and the run asks for another one; {RECORD_AGAIN}"
            )));
        };
        progress.next += 1;
        progress.recorded.truncate(turn.request.from);
        progress.recorded.extend(turn.request.messages.iter().cloned());
        if progress.staleness.is_none() {
            let difference = self.header.difference(request).or_else(|| {
                difference(&progress.recorded, turn.request.tool_choice.as_deref(), request)
            });
            progress.staleness = difference.map(|what| {
                format!("the cassette is stale: at turn {}, {what}; {RECORD_AGAIN}", progress.next)
            });
        }
        match &turn.outcome {
            Answered::Response(response) => Ok(response.clone()),
            Answered::Error(error) => Err(error.clone().into()),
        }
    }
}

impl ChatModel for ReplayModel {
    fn name(&self) -> &str {
        &self.header.model
    }

    fn complete<'a>(
        &'a self,
        request: &'a ChatRequest<'a>,
    ) -> BoxFuture<'a, Result<ChatResponse, ModelError>> {
        std::future::ready(self.next(request)).boxed()
    }
}

impl Header {
    fn of(model: &str, request: &ChatRequest<'_>) -> Self {
        let system = request.messages.iter().find_map(|message| match message {
            Message::System { content } => Some(content.as_str()),
            Message::User { .. } | Message::Assistant { .. } | Message::Tool { .. } => None,
        });
        Self {
            version: VERSION,
            model: model.to_owned(),
            prompts: hash(system.unwrap_or_default().as_bytes()),
            tools: hash_of_tools(request.tools),
        }
    }

    fn difference(&self, request: &ChatRequest<'_>) -> Option<String> {
        let now = Self::of(&self.model, request);
        if now.prompts != self.prompts {
            Some("the system prompt differs from the recorded one".to_owned())
        } else if now.tools != self.tools {
            Some("the tools differ from the recorded ones".to_owned())
        } else {
            None
        }
    }
}

fn difference(
    recorded: &[Message],
    tool_choice: Option<&str>,
    request: &ChatRequest<'_>,
) -> Option<String> {
    let pairs = recorded.iter().zip(request.messages);
    if let Some(index) = pairs.into_iter().position(|(old, new)| old != new) {
        let role = match &request.messages[index] {
            Message::System { .. } => "system",
            Message::User { .. } => "user",
            Message::Assistant { .. } => "assistant",
            Message::Tool { .. } => "tool",
        };
        return Some(format!("message {} ({role}) differs from the recorded one", index + 1));
    }
    if recorded.len() != request.messages.len() {
        let (old, new) = (recorded.len(), request.messages.len());
        return Some(format!("the conversation has {new} messages, and {old} were recorded"));
    }
    (tool_choice != name_of(request.tool_choice))
        .then(|| "another tool is asked for than in the recording".to_owned())
}

fn parse(index: usize, line: &str) -> Result<Line, ModelError> {
    serde_json::from_str(line).map_err(|error| {
        let number = index + 1;
        ModelError::Cassette(format!(
            "line {number} of the cassette cannot be read: {error}; if the recording was cut off there, remove the line, else {RECORD_AGAIN}"
        ))
    })
}

fn name_of(choice: ToolChoice<'_>) -> Option<&str> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::Named(name) => Some(name),
    }
}

fn hash_of_tools(tools: &[ToolSpec]) -> String {
    hash(serde_json::json!(tools).to_string().as_bytes())
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..16].to_owned()
}

impl From<&ModelError> for RecordedError {
    fn from(error: &ModelError) -> Self {
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        match error.clone() {
            ModelError::Network { endpoint, detail } => Self::Network { endpoint, detail },
            ModelError::Timeout(limit) => Self::Timeout { ms: ms(limit) },
            ModelError::Authentication { status, detail } => {
                Self::Authentication { status, detail }
            }
            ModelError::RateLimited { status, retry_after, detail } => {
                Self::RateLimited { status, retry_after_ms: retry_after.map(ms), detail }
            }
            ModelError::ContextLength { detail } => Self::ContextLength { detail },
            ModelError::Refused { status, detail } => Self::Refused { status, detail },
            ModelError::Server { status, detail } => Self::Server { status, detail },
            ModelError::Malformed(detail) => Self::Malformed { detail },
            // No endpoint answers so: it is said of a whole run.
            ModelError::NoReport { .. } => Self::Malformed { detail: error.to_string() },
            ModelError::Cassette(detail) => Self::Cassette { detail },
        }
    }
}

impl From<RecordedError> for ModelError {
    fn from(error: RecordedError) -> Self {
        match error {
            RecordedError::Network { endpoint, detail } => Self::Network { endpoint, detail },
            RecordedError::Timeout { ms } => Self::Timeout(Duration::from_millis(ms)),
            RecordedError::Authentication { status, detail } => {
                Self::Authentication { status, detail }
            }
            RecordedError::RateLimited { status, retry_after_ms, detail } => Self::RateLimited {
                status,
                retry_after: retry_after_ms.map(Duration::from_millis),
                detail,
            },
            RecordedError::ContextLength { detail } => Self::ContextLength { detail },
            RecordedError::Refused { status, detail } => Self::Refused { status, detail },
            RecordedError::Server { status, detail } => Self::Server { status, detail },
            RecordedError::Malformed { detail } => Self::Malformed(detail),
            RecordedError::Cassette { detail } => Self::Cassette(detail),
        }
    }
}
