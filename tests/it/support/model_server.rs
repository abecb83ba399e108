//! A scripted model endpoint on a real socket. The one place that knows how such an endpoint answers; it also judges
//! every request it gets, so that a broken conversation fails the test that made it, whatever the test looks at.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use retriever::{
    config::ModelConfig,
    model::{OpenAiModel, RetryPolicy},
};
use secrecy::SecretString;
use serde_json::{Value, json};

/// The key that clients of the server use; it must turn up in no other place than a header that is made for keys.
pub(crate) const KEY: &str = "sk-scripted-0123456789";

/// How the server answers one request.
pub(crate) enum Turn {
    /// A complete HTTP answer.
    Answer { status: u16, headers: Vec<(String, String)>, body: String },
    /// Silence for a while, then an answer that nobody should be waiting for.
    Hang(Duration),
    /// The connection is closed without an answer.
    Drop,
    /// The connection is closed in the middle of the answer.
    Cut,
    /// An answer made from the request's body.
    Dynamic(Box<dyn FnOnce(&Value) -> Turn + Send>),
}

#[expect(clippy::needless_pass_by_value, reason = "scripts read better without borrowed literals")]
impl Turn {
    /// An answer with any body.
    pub(crate) fn raw(status: u16, headers: &[(&str, &str)], body: impl ToString) -> Self {
        let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_string()));
        Self::Answer { status, headers: headers.collect(), body: body.to_string() }
    }

    /// A completion with this assistant message.
    pub(crate) fn message(message: Value, finish_reason: &str) -> Self {
        let choice = json!({"index": 0, "message": message, "finish_reason": finish_reason});
        let usage = json!({"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120});
        let answer = json!({
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "scripted",
            "choices": [choice], "usage": usage,
        });
        Self::raw(200, &[], answer)
    }

    /// A text.
    pub(crate) fn says(text: &str) -> Self {
        Self::message(json!({"role": "assistant", "content": text}), "stop")
    }

    /// Tool calls, in one message. Their IDs are new in the conversation.
    pub(crate) fn calls<const N: usize>(calls: [(&str, Value); N]) -> Self {
        let calls = calls.map(|(name, arguments)| (name.to_owned(), arguments.to_string()));
        Self::responds(move |request| {
            let turn = request["messages"].as_array().map_or(0, Vec::len);
            let calls = calls.iter().enumerate().map(|(index, (name, arguments))| {
                let function = json!({"name": name, "arguments": arguments});
                json!({"id": format!("call_{turn}_{index}"), "type": "function", "function": function})
            });
            let calls = calls.collect::<Vec<_>>();
            let message = json!({"role": "assistant", "content": null, "tool_calls": calls});
            Self::message(message, "tool_calls")
        })
    }

    /// The final report.
    pub(crate) fn submits(report: Value) -> Self {
        Self::calls([("submit_report", report)])
    }

    /// A turn that depends on the request: to cite IDs of earlier messages, for one.
    pub(crate) fn responds(answer: impl FnOnce(&Value) -> Turn + Send + 'static) -> Self {
        Self::Dynamic(Box::new(answer))
    }

    /// HTTP 429 with `Retry-After`.
    pub(crate) fn rate_limited(retry_after: &str) -> Self {
        let error = json!({"error": {"message": "slow down", "code": 429}});
        Self::raw(429, &[("retry-after", retry_after)], error)
    }

    /// HTTP 400 with these words.
    pub(crate) fn refuses(words: &str) -> Self {
        Self::raw(400, &[], json!({"error": {"message": words, "type": "invalid_request_error"}}))
    }

    /// No answer for `time`.
    pub(crate) fn hangs(time: Duration) -> Self {
        Self::Hang(time)
    }

    /// A connection that closes instead of an answer.
    pub(crate) fn drops_connection() -> Self {
        Self::Drop
    }

    /// A connection that closes in the middle of an answer.
    pub(crate) fn cuts_answer() -> Self {
        Self::Cut
    }
}

/// One request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    /// Path and query.
    pub(crate) target: String,
    /// Headers, names in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    /// Body.
    pub(crate) body: Value,
}

struct State {
    script: VecDeque<Turn>,
    /// What answers when the script is over.
    otherwise: Option<Box<dyn Fn() -> Turn + Send>>,
    received: Vec<Received>,
    violations: Vec<String>,
}

/// The server. Its threads end with the process; they hold nothing but a port.
pub(crate) struct ModelServer {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

impl ModelServer {
    /// Starts a server that answers its first request with the first turn, and so on. A request beyond the script is
    /// a violation.
    pub(crate) fn start(script: Vec<Turn>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new(State {
            script: script.into(),
            otherwise: None,
            received: Vec::new(),
            violations: Vec::new(),
        }));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                thread::spawn(move || {
                    // A client that hung up is no concern of the server.
                    let _ = serve(&stream, &state);
                });
            }
        });
        Self { address, state }
    }

    /// Sets what answers when the script is over.
    pub(crate) fn otherwise(self, turn: impl Fn() -> Turn + Send + 'static) -> Self {
        self.state.lock().unwrap().otherwise = Some(Box::new(turn));
        self
    }

    /// The base URL.
    pub(crate) fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// A configuration for this server.
    pub(crate) fn config(&self) -> ModelConfig {
        ModelConfig {
            name: "scripted".to_owned(),
            base_url: self.base_url(),
            retries: 2,
            ..ModelConfig::default()
        }
    }

    /// The key for this server.
    pub(crate) fn key(&self) -> Option<SecretString> {
        Some(KEY.into())
    }

    /// A client with this server's configuration and key that doesn't wait between retries.
    pub(crate) fn model(&self) -> OpenAiModel {
        self.model_with(&self.config())
    }

    /// The same with another configuration.
    pub(crate) fn model_with(&self, config: &ModelConfig) -> OpenAiModel {
        let base = Duration::from_millis(1);
        let policy = RetryPolicy { first_wait: base, max_wait: base, ..RetryPolicy::from(config) };
        OpenAiModel::new(config, self.key()).unwrap().with_retry_policy(policy)
    }

    /// Bodies of the requests so far.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.received().into_iter().map(|received| received.body).collect()
    }

    /// The requests so far.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.state.lock().unwrap().received.clone()
    }

    /// What was wrong with the requests so far; taken out, so that it no longer fails the test.
    pub(crate) fn take_violations(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().violations)
    }

    /// Ends the test's use of the server: fails when a request broke the protocol. Dropping it does the same.
    pub(crate) fn finish(self) {}
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        let violations = self.take_violations();
        if !thread::panicking() {
            assert!(violations.is_empty(), "requests broke the protocol: {violations:#?}");
        }
    }
}

fn serve(stream: &TcpStream, state: &Mutex<State>) -> std::io::Result<()> {
    let Some(received) = receive(stream)? else { return Ok(()) };
    let body = received.body.clone();
    let mut turn = {
        let mut state = state.lock().unwrap();
        let number = state.received.len() + 1;
        let found = violations(&received);
        state.violations.extend(found.into_iter().map(|what| format!("request {number}: {what}")));
        state.received.push(received);
        match (state.script.pop_front(), &state.otherwise) {
            (Some(turn), _) => turn,
            (None, Some(otherwise)) => otherwise(),
            (None, None) => {
                state.violations.push(format!("request {number}: the script was over"));
                Turn::raw(500, &[], "the script is over")
            }
        }
    };
    while let Turn::Dynamic(answer) = turn {
        turn = catch_unwind(AssertUnwindSafe(|| answer(&body))).unwrap_or_else(|_| {
            let what = "a scripted answer panicked; its message is above".to_owned();
            state.lock().unwrap().violations.push(what);
            Turn::Drop
        });
    }
    match turn {
        Turn::Answer { status, headers, body } => {
            respond(stream, status, &headers, &body, body.len())
        }
        Turn::Cut => respond(stream, 200, &[], r#"{"choices": ["#, 1_000),
        Turn::Hang(time) => {
            thread::sleep(time);
            respond(stream, 504, &[], "", 0)
        }
        Turn::Drop | Turn::Dynamic(_) => Ok(()),
    }
}

fn receive(stream: &TcpStream) -> std::io::Result<Option<Received>> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let target = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = BTreeMap::new();
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Ok(Some(Received { target, headers, body }))
}

fn respond(
    mut stream: &TcpStream,
    status: u16,
    headers: &[(String, String)],
    body: &str,
    length: usize,
) -> std::io::Result<()> {
    let mut head =
        format!("HTTP/1.1 {status} Scripted\r\nconnection: close\r\ncontent-length: {length}\r\n");
    if !headers.iter().any(|(name, _)| name == "content-type") {
        head += "content-type: application/json\r\n";
    }
    for (name, value) in headers {
        head += &[name, ": ", value, "\r\n"].concat();
    }
    stream.write_all(format!("{head}\r\n{body}").as_bytes())
}

/// Everything about a request that a strict server would refuse.
fn violations(received: &Received) -> Vec<String> {
    let mut found = Vec::new();
    let path = received.target.split('?').next().unwrap_or_default();
    let embeds = path.ends_with("/embeddings");
    if !embeds && !path.ends_with("/chat/completions") {
        found.push(format!("unexpected target {}", received.target));
    }
    let leaked = |text: &str| text.contains(KEY);
    let carriers = ["authorization", "api-key"];
    let others = received.headers.iter().filter(|(name, _)| !carriers.contains(&name.as_str()));
    for (name, _) in others.filter(|(_, value)| leaked(value)) {
        found.push(format!("the key is in the header {name}"));
    }
    if leaked(&received.target) || leaked(&received.body.to_string()) {
        found.push("the key is in the address or the body".to_owned());
    }
    let body = &received.body;
    if embeds {
        embedding(body, &mut found);
        return found;
    }
    let tools = body["tools"].as_array().map_or(0, Vec::len);
    if !body["tool_choice"].is_null() && tools == 0 {
        found.push("tool_choice without tools".to_owned());
    }
    let by_actions = body.get("response_format").is_some();
    if by_actions && tools > 0 {
        found.push("response_format beside tools, of which servers obey only one".to_owned());
    }
    match body["messages"].as_array() {
        Some(messages) => {
            conversation(messages, &mut found);
            if by_actions {
                plain(messages, &mut found);
            }
        }
        None => found.push("no messages".to_owned()),
    }
    found
}

/// What holds for a request for vectors.
fn embedding(body: &Value, found: &mut Vec<String>) {
    if body["model"].as_str().is_none_or(str::is_empty) {
        found.push("no embedding model is named".to_owned());
    }
    let texts = body["input"].as_array();
    if texts.is_none_or(|texts| texts.is_empty() || !texts.iter().all(Value::is_string)) {
        found.push("the input is no list of texts".to_owned());
    }
}

/// What holds for a conversation without native calls: texts only, and each side has its turn.
fn plain(messages: &[Value], found: &mut Vec<String>) {
    for (index, pair) in messages.windows(2).enumerate() {
        if pair[0]["role"] == pair[1]["role"] {
            found.push(format!("messages {index} and {} have the same role", index + 1));
        }
    }
    for (index, message) in messages.iter().enumerate() {
        let native = message["role"] == "tool" || message.get("tool_calls").is_some();
        if native || !message["content"].is_string() {
            found.push(format!("message {index} is no plain text"));
        }
    }
}

fn conversation(messages: &[Value], found: &mut Vec<String>) {
    if messages.first().is_none_or(|first| first["role"] != "system") {
        found.push("the first message is not the system's".to_owned());
    }
    let mut open = BTreeSet::new();
    for (index, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        if role == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            if !open.remove(id) {
                found.push(format!("message {index} answers {id:?}, which is not an open call"));
            }
            continue;
        }
        if !matches!(role, "system" | "user" | "assistant") {
            found.push(format!("message {index} has the role {role:?}"));
        }
        for id in std::mem::take(&mut open) {
            found.push(format!("call {id:?} has no answer before message {index}"));
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let id = call["id"].as_str().unwrap_or_default();
            if id.is_empty() || !open.insert(id.to_owned()) {
                found.push(format!("message {index} has no unique ID for a call: {id:?}"));
            }
            if call["function"]["name"].as_str().is_none_or(str::is_empty) {
                found.push(format!("call {id:?} has no name"));
            }
            let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
            if !matches!(serde_json::from_str(arguments), Ok(Value::Object(_))) {
                found.push(format!(
                    "the arguments of call {id:?} are not a JSON object: {arguments}"
                ));
            }
        }
    }
    for id in open {
        found.push(format!("call {id:?} has no answer"));
    }
}
