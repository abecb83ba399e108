//! `serve` as a planner on another machine meets it: the real program over real HTTP.

use std::{
    io::{BufRead, BufReader, Read},
    process::{Child, Command, Stdio},
    sync::{
        Mutex,
        mpsc::{Receiver, Sender, channel},
    },
    thread::JoinHandle,
};

use pretty_assertions::assert_eq;
use reqwest::{Client, Method, Response, StatusCode, header};
use retriever::server::{RootName, RootNameError};
use serde_json::{Value, json};

use crate::support::{
    fixture::Fixture,
    model_server::{ModelServer, Turn},
};

const PROJECT: &str = "\
//- /api/src/queue.rs
/// Puts a job into the queue.
pub fn enqueue_job(job: Job) {
    QUEUE.lock().push(job);
}
//- /api/src/main.rs
fn main() {
    enqueue_job(Job::new());
}
//- /web/src/page.ts
export function renderPage() {
  return 1;
}
//- /beside/secret.rs
fn beside() {}
//- /home/x
";

const SECRET: &str = "a-long-token";

/// The server's process; its log is read to the end.
struct Server {
    child: Child,
    address: String,
    log: Option<JoinHandle<String>>,
    client: Client,
}

impl Server {
    fn start(fixture: &Fixture, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin("retriever"))
            .env_clear()
            .env("HOME", fixture.root().join("home"))
            .envs(variables.iter().copied())
            .current_dir(fixture.root())
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let log = std::thread::spawn(move || {
            let mut log = String::new();
            stderr.read_to_string(&mut log).unwrap();
            log
        });
        // Fails when another test has done it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().no_proxy().build().unwrap();
        Self { child, address: address.trim().to_owned(), log: Some(log), client }
    }

    /// Serves `api` and `web`, without a model.
    fn of_two(fixture: &Fixture) -> Self {
        fixture.write(
            "home/.config/retriever/config.toml",
            "[[serve.roots]]\npath = \"../../../api\"\n[[serve.roots]]\nname = \"site\"\npath = \"../../../web\"\n",
        );
        Self::start(fixture, &["--offline"], &[])
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: String,
    ) -> Response {
        let mut request = self.client.request(method, format!("{}{path}", self.address)).body(body);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap()
    }

    async fn post(&self, path: &str, body: &Value) -> (StatusCode, Value) {
        let response = self.send(Method::POST, path, &[], body.to_string()).await;
        let status = response.status();
        (status, serde_json::from_str(&response.text().await.unwrap()).unwrap())
    }

    /// Asks the server to stop, and returns its exit code and its log.
    fn terminate(mut self) -> (Option<i32>, String) {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
        let code = self.child.wait().unwrap().code();
        (code, self.log.take().unwrap().join().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Fails when it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn from_command_line(fixture: &Fixture, arguments: &[&str]) -> Value {
    let output = assert_cmd::Command::cargo_bin("retriever")
        .unwrap()
        .env_clear()
        .env("HOME", fixture.root().join("home"))
        .current_dir(fixture.root().join("api"))
        .args(["--root", ".", "--format", "json"])
        .args(arguments)
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[tokio::test]
async fn plain_requests_get_the_json_of_the_command_line() {
    let fixture = Fixture::new(PROJECT);
    let server = Server::of_two(&fixture);
    let question = "how is a job put into the queue?";
    let (status, mut map) =
        server.post("/v1/ask", &json!({"root": "api", "question": question})).await;
    let mut expected = from_command_line(&fixture, &["ask", "--offline", question]);
    for map in [&mut map, &mut expected] {
        map["meta"]["elapsed_ms"] = Value::Null;
    }
    assert_eq!((status, map), (StatusCode::OK, expected));
    let (_, mut found) =
        server.post("/v1/explore", &json!({"root": "api", "query": "enqueue_job"})).await;
    let mut expected = from_command_line(&fixture, &["explore", "enqueue_job"]);
    assert_eq!(found["results"].take(), expected["results"].take());
    let (_, found) = server
        .post("/v1/graph", &json!({"root": "api", "operation": "callers", "target": "enqueue_job"}))
        .await;
    assert_eq!(found, from_command_line(&fixture, &["graph", "callers", "enqueue_job"]));
    let (_, found) =
        server.post("/v1/explore", &json!({"root": "site", "query": "renderPage"})).await;
    assert_eq!(found["results"][0]["path"], "src/page.ts");
    let roots = server.send(Method::GET, "/v1/roots", &[], String::new()).await;
    assert_eq!(roots.text().await.unwrap(), r#"{"roots":["api","site"]}"#);
}

#[tokio::test]
async fn what_is_wrong_with_a_request_is_a_status_and_a_sentence() {
    let fixture = Fixture::new(PROJECT);
    let server = Server::of_two(&fixture);
    for (path, body, status, said) in [
        ("/v1/ask", json!({"question": "how?"}), 400, "\"root\" must name one of: api, site"),
        ("/v1/ask", json!({"root": "beside", "question": "how?"}), 404, "one of: api, site"),
        ("/v1/ask", json!({"root": "../api", "question": "how?"}), 404, "no such root"),
        ("/v1/ask", json!({"root": "api"}), 400, "question"),
        ("/v1/ask", json!({"root": "api", "question": " "}), 400, "question"),
        ("/v1/explore", json!({"root": "api", "query": 7, "limit": "many"}), 400, "limit"),
        ("/v1/explore", json!({"root": "api", "query": "enqueue_job", "limt": 3}), 400, "limt"),
        ("/v1/ask", json!({"root": "api", "question": "how?", "role": ["api"]}), 400, "role"),
        (
            "/v1/graph",
            json!({"root": "api", "operation": "nonsense", "target": "x"}),
            400,
            "operation",
        ),
        ("/v1/nothing", json!({}), 404, "POST /v1/ask"),
        ("/mcp/beside", json!({}), 404, "/mcp/NAME"),
    ] {
        let (got, answer) = server.post(path, &body).await;
        assert_eq!(got, status, "{path} {body}: {answer}");
        assert!(answer["error"].as_str().unwrap().contains(said), "{path} {body}: {answer}");
    }
    let read = server.send(Method::GET, "/v1/explore", &[], String::new()).await;
    assert_eq!(read.status(), StatusCode::METHOD_NOT_ALLOWED);
    let answer: Value = serde_json::from_str(&read.text().await.unwrap()).unwrap();
    assert!(answer["error"].as_str().unwrap().contains("with POST"), "{answer}");
    let broken = server.send(Method::POST, "/v1/ask", &[], "{".to_owned()).await;
    assert_eq!(broken.status(), StatusCode::BAD_REQUEST);
    let large = "x".repeat(2 * 1024 * 1024);
    let large = server.send(Method::POST, "/v1/ask", &[], large).await;
    assert_eq!(large.status(), StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn only_clients_with_the_token_that_know_the_servers_name_are_answered() {
    let fixture = Fixture::new(PROJECT);
    fixture.write(
        "home/.config/retriever/config.toml",
        "[serve]\nhosts = [\"code.example.com\"]\norigins = [\"https://tools.example.com\"]\n",
    );
    let server = Server::start(
        &fixture,
        &["--offline", "--root", "api"],
        &[("RETRIEVER_SERVE_TOKEN", SECRET)],
    );
    let right = format!("Bearer {SECRET}");
    let body = json!({"query": "enqueue_job"}).to_string();
    for (headers, status) in [
        (vec![], 401),
        (vec![("authorization", "Bearer wrong")], 401),
        (vec![("authorization", SECRET)], 401),
        (vec![("authorization", right.as_str())], 200),
        (vec![("authorization", right.as_str()), ("host", "code.example.com")], 200),
        (vec![("authorization", right.as_str()), ("host", "code.example.com:443")], 200),
        (vec![("authorization", right.as_str()), ("host", "evil.example.com")], 403),
        (vec![("authorization", right.as_str()), ("origin", "https://evil.example.com")], 403),
        (vec![("authorization", right.as_str()), ("origin", "null")], 403),
        (vec![("authorization", right.as_str()), ("origin", "https://tools.example.com")], 200),
    ] {
        for path in ["/v1/explore", "/mcp"] {
            let answer = server.send(Method::POST, path, &headers, body.clone()).await;
            // MCP refuses the body, once the guard lets it through.
            let passed = answer.status() != 401 && answer.status() != 403;
            assert_eq!(passed, status == 200, "{path} {headers:?}: {}", answer.status());
            if path == "/v1/explore" {
                assert_eq!(answer.status(), status, "{headers:?}");
            }
        }
    }
    let refused = server.send(Method::POST, "/v1/explore", &[], body).await;
    assert_eq!(refused.headers()[header::WWW_AUTHENTICATE], "Bearer");
    for (path, status) in
        [("/healthz", 200), ("/readyz", 200), ("/metrics", 401), ("/v1/roots", 401)]
    {
        let answer = server.send(Method::GET, path, &[], String::new()).await;
        assert_eq!(answer.status(), status, "{path}");
    }
}

#[test]
fn an_address_that_others_reach_needs_a_token_and_a_name_is_part_of_an_address() {
    let fixture = Fixture::new(PROJECT);
    let refused = |config: &str, arguments: &[&str]| {
        fixture.write("home/.config/retriever/config.toml", config);
        let output = assert_cmd::Command::cargo_bin("retriever")
            .unwrap()
            .env_clear()
            .env("HOME", fixture.root().join("home"))
            .current_dir(fixture.root())
            .args(["serve", "--offline"])
            .args(arguments)
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let twice = "[[serve.roots]]\npath = \"../../../api\"\n[[serve.roots]]\nname = \"api\"\npath = \"../../../web\"\n";
    for (config, arguments, said) in [
        ("", vec!["--listen", "0.0.0.0:0"], "set RETRIEVER_SERVE_TOKEN"),
        ("[[serve.roots]]\nname = \"a/b\"\npath = \"../../../api\"\n", vec![], "can't be the name"),
        (twice, vec![], "two served roots are named \"api\""),
        ("[[serve.roots]]\npath = \"gone\"\n", vec![], "does not exist"),
    ] {
        let (code, stderr) = refused(config, &arguments);
        assert_eq!(code, Some(3), "{stderr}");
        assert!(stderr.contains(said) && stderr.contains("\nhint: "), "{stderr}");
    }
}

#[test]
fn the_name_of_a_root_stands_in_an_address_and_means_nothing_else_there() {
    for name in ["api", "api-2.x", "Web_App", ".hidden"] {
        assert_eq!(name.parse::<RootName>().unwrap().as_str(), name);
    }
    for name in ["", ".", "..", "a/b", "{a", "a}", "{x}", "{*x}", "a b", "a?b", "a%2fb", "über"] {
        assert_eq!(name.parse::<RootName>(), Err(RootNameError(name.to_owned())));
    }
    for (path, name) in [
        ("/srv/api", "api"),
        ("C:\\work\\{web}\\", "-web-"),
        ("/srv/api/..", "api"),
        ("/", "root"),
        ("", "root"),
    ] {
        let of_folder = RootName::of_folder(path);
        assert_eq!((of_folder.as_str(), of_folder.as_str().parse()), (name, Ok(of_folder.clone())));
    }
}

#[tokio::test]
async fn a_client_that_accepts_events_sees_the_steps_and_then_the_map() {
    let fixture = Fixture::new(PROJECT);
    let server = Server::start(&fixture, &["--offline", "--root", "api"], &[]);
    let asked = json!({"question": "how is a job put into the queue?"}).to_string();
    let answer =
        server.send(Method::POST, "/v1/ask", &[("accept", "text/event-stream")], asked).await;
    assert_eq!(answer.headers()[header::CONTENT_TYPE], "text/event-stream");
    let text = answer.text().await.unwrap();
    let (progress, map) = text.rsplit_once("event: answer\ndata: ").expect(&text);
    assert!(progress.starts_with("event: progress\ndata: {\"message\":\""), "{text}");
    let map: Value = serde_json::from_str(map.trim()).unwrap();
    assert_eq!(map["primary"][0]["path"], "src/queue.rs");
}

/// A server of one turn at a time whose model waits for a word of the test.
struct Held {
    server: Server,
    _model: ModelServer,
    asked: Receiver<()>,
    answer: Sender<()>,
}

impl Held {
    fn start(fixture: &Fixture) -> Self {
        fixture.write(
            "home/.config/retriever/config.toml",
            "[serve]\nconcurrency = 1\nqueue = 0\nmax_sessions = 2\n",
        );
        let (begun, asked) = channel();
        let (answer, may_answer) = channel();
        let may_answer = Mutex::new(may_answer);
        let model = ModelServer::start(vec![Turn::responds(move |_| {
            begun.send(()).unwrap();
            may_answer.lock().unwrap().recv().unwrap();
            Turn::submits(json!({"primary": [], "summary": "nothing"}))
        })])
        .otherwise(|| Turn::submits(json!({"primary": [], "summary": "nothing"})));
        let url = model.base_url();
        let variables = [("RETRIEVER_MODEL", "scripted"), ("RETRIEVER_BASE_URL", url.as_str())];
        let server = Server::start(fixture, &["--root", "api"], &variables);
        Self { server, _model: model, asked, answer }
    }

    /// Lets the model answer once the server has begun to stop; returns the server's exit code and log.
    async fn stop(self) -> (Option<i32>, String) {
        let Self { server, answer, _model, .. } = self;
        let (client, ready) = (server.client.clone(), format!("{}/readyz", server.address));
        let ended = tokio::task::spawn_blocking(move || server.terminate());
        // No connection is taken any more, or the server says that it stops.
        while client.get(&ready).send().await.is_ok_and(|answer| answer.status().is_success()) {
            tokio::task::yield_now().await;
        }
        answer.send(()).unwrap();
        ended.await.unwrap()
    }
}

#[tokio::test]
async fn explore_and_graph_stream_their_answer_too_and_a_log_has_questions_where_that_is_wanted() {
    let fixture = Fixture::new(PROJECT);
    fixture.write("log.toml", "[serve]\nlog_questions = true\n");
    let server =
        Server::start(&fixture, &["--offline", "--root", "api", "--config", "log.toml"], &[]);
    for (path, body, wrong) in [
        ("/v1/explore", json!({"query": "enqueue_job"}), None),
        ("/v1/graph", json!({"operation": "callers", "target": "enqueue_job"}), None),
        ("/v1/graph", json!({"operation": "nonsense", "target": "x"}), Some("operation")),
    ] {
        let accept = [("accept", "text/event-stream")];
        let answer = server.send(Method::POST, path, &accept, body.to_string()).await;
        assert_eq!(answer.headers()[header::CONTENT_TYPE], "text/event-stream");
        let text = answer.text().await.unwrap();
        let (name, data) = text.split_once("\ndata: ").unwrap();
        assert_eq!(name, if wrong.is_some() { "event: error" } else { "event: answer" }, "{text}");
        let data: Value = serde_json::from_str(data.trim()).unwrap();
        match wrong {
            Some(said) => assert!(data["error"].as_str().unwrap().contains(said), "{data}"),
            None => {
                let (_, plain) = server.post(path, &body).await;
                let found = |answer: &Value| [answer["results"].clone(), answer["answers"].clone()];
                assert_eq!(found(&data), found(&plain), "{path}");
                assert!(data.to_string().contains("enqueue_job"), "{data}");
            }
        }
    }
    let session = Session::open(&server, "/mcp").await;
    session.call("grep", &json!({"pattern": "QUEUE.lock"})).await;
    let (_, log) = server.terminate();
    let records: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let asked: Vec<&str> = records.iter().filter_map(|it| it["question"].as_str()).collect();
    assert_eq!(
        asked,
        ["enqueue_job", "enqueue_job", "enqueue_job", "enqueue_job", "x", "QUEUE.lock"],
        "{log}"
    );
}

/// A call ends with its time, though what it waits for says nothing.
#[cfg(feature = "database")]
#[tokio::test]
async fn a_call_that_is_out_of_time_is_a_503() {
    let fixture = Fixture::new(PROJECT);
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let database =
        format!("postgres://{}/silent?connect_timeout=3600", silent.local_addr().unwrap());
    let config =
        format!("[budget]\ntimeout_s = 1\n[graph]\neverywhere = true\ndatabase = \"{database}\"\n");
    fixture.write("slow.toml", config);
    let server =
        Server::start(&fixture, &["--offline", "--root", "api", "--config", "slow.toml"], &[]);
    let asked = json!({"operation": "callers", "target": "enqueue_job", "everywhere": true});
    let answer = server.send(Method::POST, "/v1/graph", &[], asked.to_string()).await;
    assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answer.headers()[header::RETRY_AFTER], "5");
    let said = answer.text().await.unwrap();
    assert!(said.contains("did not answer in time"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_beyond_the_queue_are_refused_and_a_running_one_ends_before_the_server() {
    let fixture = Fixture::new(PROJECT);
    let held = Held::start(&fixture);
    let (client, address) = (held.server.client.clone(), held.server.address.clone());
    let running = tokio::spawn(async move {
        let body = json!({"question": "where are zebras striped?"}).to_string();
        client.post(format!("{address}/v1/ask")).body(body).send().await.unwrap()
    });
    tokio::task::block_in_place(|| held.asked.recv().unwrap());
    let wrong = json!({"query": "enqueue_job", "limit": "many"});
    assert_eq!(held.server.post("/v1/explore", &wrong).await.0, StatusCode::BAD_REQUEST);
    let body = json!({"query": "enqueue_job"}).to_string();
    let busy = held.server.send(Method::POST, "/v1/explore", &[], body).await;
    assert_eq!(busy.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(busy.headers()[header::RETRY_AFTER], "5");
    let metrics =
        held.server.send(Method::GET, "/metrics", &[], String::new()).await.text().await.unwrap();
    for line in [
        "retriever_running_calls 1",
        "retriever_requests_total{path=\"/v1/explore\",status=\"429\"} 1",
    ] {
        assert!(metrics.contains(line), "{metrics}");
    }
    let (code, log) = held.stop().await;
    let answer = running.await.unwrap();
    assert_eq!((code, answer.status()), (Some(0), StatusCode::OK), "{log}");
    assert!(answer.text().await.unwrap().contains("\"author\":\"model\""));
    let records: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let asked = records.iter().filter(|record| record["path"] == "/v1/ask").count();
    assert_eq!(asked, 1, "{log}");
    assert!(!log.contains("zebra"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_of_mcp_waits_for_its_turn_and_ends_before_the_server() {
    let fixture = Fixture::new(PROJECT);
    let held = Held::start(&fixture);
    let session = Session::open(&held.server, "/mcp").await;
    let other = Session::open(&held.server, "/mcp").await;
    let asked = session.call("ask", &json!({"question": "where are zebras striped?"}));
    let running = tokio::spawn(asked);
    tokio::task::block_in_place(|| held.asked.recv().unwrap());
    let busy = other.call("grep", &json!({"pattern": "enqueue_job"})).await;
    assert!(busy["isError"] == true && busy.to_string().contains("the server is busy"), "{busy}");
    let (code, log) = held.stop().await;
    let answer = running.await.unwrap();
    assert_eq!((code, &answer["structuredContent"]["meta"]["author"]), (Some(0), &json!("model")));
    assert!(!log.contains("zebra"), "{log}");
}

#[tokio::test]
async fn a_browser_lets_scripts_of_the_configured_origins_read_answers() {
    let fixture = Fixture::new(PROJECT);
    fixture.write(
        "home/.config/retriever/config.toml",
        "[serve]\norigins = [\"https://tools.example.com\"]\n",
    );
    let server = Server::start(
        &fixture,
        &["--offline", "--root", "api"],
        &[("RETRIEVER_SERVE_TOKEN", SECRET)],
    );
    for (origin, allowed) in
        [("https://tools.example.com", true), ("https://evil.example.com", false)]
    {
        // What a browser asks first has no token.
        let preflight = [
            ("origin", origin),
            ("access-control-request-method", "POST"),
            ("access-control-request-headers", "authorization,mcp-session-id"),
        ];
        let answer = server.send(Method::OPTIONS, "/mcp", &preflight, String::new()).await;
        let given = answer.headers().get(header::ACCESS_CONTROL_ALLOW_ORIGIN);
        assert_eq!(given.is_some_and(|given| given == origin), allowed, "{origin}");
        let bearer = format!("Bearer {SECRET}");
        let headers = [("origin", origin), ("authorization", bearer.as_str())];
        let body = json!({"query": "enqueue_job"}).to_string();
        let answer = server.send(Method::POST, "/v1/explore", &headers, body).await;
        let given = answer.headers().get(header::ACCESS_CONTROL_ALLOW_ORIGIN);
        assert_eq!(given.is_some_and(|given| given == origin), allowed, "{origin}");
        assert_eq!(answer.status().is_success(), allowed, "{origin}");
    }
}

#[tokio::test]
async fn mcp_sessions_over_http_know_nothing_of_each_other() {
    let fixture = Fixture::new(PROJECT);
    let server = Server::of_two(&fixture);
    let mut results = Vec::new();
    for root in ["api", "api", "site"] {
        let session = Session::open(&server, &format!("/mcp/{root}")).await;
        results.push(session.call("grep", &json!({"pattern": "enqueue_job|renderPage"})).await);
    }
    // A session that shared another's memory would be told that the lines were shown before.
    assert_eq!(results[0], results[1]);
    assert!(results[0].to_string().contains("src/queue.rs"), "{}", results[0]);
    assert!(results[2].to_string().contains("src/page.ts"), "{}", results[2]);
    assert!(!results[2].to_string().contains("queue.rs"), "{}", results[2]);
}

#[tokio::test]
async fn the_session_that_is_unused_for_longest_ends_when_there_are_too_many() {
    let fixture = Fixture::new(PROJECT);
    fixture.write("few.toml", "[serve]\nmax_sessions = 2\n");
    let server = Server::start(&fixture, &["--offline", "--config", "few.toml"], &[]);
    let pattern = json!({"pattern": "enqueue_job"});
    let first = Session::open(&server, "/mcp").await;
    let second = Session::open(&server, "/mcp").await;
    first.call("grep", &pattern).await;
    let third = Session::open(&server, "/mcp").await;
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    for (session, status) in [(&first, 200), (&second, 404), (&third, 200)] {
        assert_eq!(session.post(&list).await.status(), status);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_whose_call_is_running_does_not_end_for_an_idle_one() {
    let fixture = Fixture::new(PROJECT);
    let held = Held::start(&fixture);
    let asking = Session::open(&held.server, "/mcp").await;
    let running = tokio::spawn(asking.call("ask", &json!({"question": "where are zebras?"})));
    tokio::task::block_in_place(|| held.asked.recv().unwrap());
    let idle = Session::open(&held.server, "/mcp").await;
    let third = Session::open(&held.server, "/mcp").await;
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    for (session, status) in [(&idle, 404), (&third, 200)] {
        assert_eq!(session.post(&list).await.status(), status);
    }
    held.stop().await;
    assert_eq!(running.await.unwrap()["structuredContent"]["meta"]["author"], "model");
}

#[tokio::test]
async fn a_client_of_mcp_that_lost_its_connection_gets_the_answer_though_the_call_has_ended() {
    let fixture = Fixture::new(PROJECT);
    let server = Server::of_two(&fixture);
    let session = Session::open(&server, "/mcp/api").await;
    let call = |id: u32, pattern: &str| {
        session.post(&json!({
            "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": "grep", "arguments": {"pattern": pattern}},
        }))
    };
    let mut events = Vec::new();
    for (id, pattern) in [(1, "enqueue_job"), (2, "lock")] {
        events.push(call(id, pattern).await.text().await.unwrap());
    }
    for sent in &events {
        let first = sent.lines().find_map(|line| line.strip_prefix("id: ")).unwrap();
        let resumed = session.resume(first).await;
        assert_eq!(resumed.status(), StatusCode::OK);
        let resumed = resumed.text().await.unwrap();
        assert_eq!(result_of(&resumed), result_of(sent), "after {first}");
        // Whoever has the answer gets nothing again.
        let last = sent.lines().rev().find_map(|line| line.strip_prefix("id: ")).unwrap();
        let rest = session.resume(last).await.text().await.unwrap();
        assert!(!rest.contains("data: {"), "after {last}: {rest}");
    }
    // What another session was answered is not to be had.
    let other = Session::open(&server, "/mcp/api").await;
    let first = events[0].lines().find_map(|line| line.strip_prefix("id: ")).unwrap();
    let nothing = other.resume(first).await.text().await.unwrap();
    assert!(!nothing.contains("queue.rs"), "{nothing}");
}

/// A session of MCP over HTTP.
struct Session {
    client: Client,
    url: String,
    id: String,
}

impl Session {
    const ACCEPT: &str = "application/json, text/event-stream";

    async fn open(server: &Server, path: &str) -> Self {
        let url = format!("{}{path}", server.address);
        let hello = json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
        });
        let mut session = Self { client: server.client.clone(), url, id: String::new() };
        let answer = session.post(&hello).await;
        answer.headers()["mcp-session-id"].to_str().unwrap().clone_into(&mut session.id);
        session.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        session
    }

    fn post(&self, message: &Value) -> impl Future<Output = Response> + use<> {
        let mut request = self
            .client
            .post(&self.url)
            .header(header::ACCEPT, Self::ACCEPT)
            .header(header::CONTENT_TYPE, "application/json")
            .body(message.to_string());
        if !self.id.is_empty() {
            request = request.header("mcp-session-id", &self.id);
        }
        async { request.send().await.unwrap() }
    }

    /// Asks for what came after an event.
    async fn resume(&self, last_event: &str) -> Response {
        let request = self.client.get(&self.url).header(header::ACCEPT, "text/event-stream");
        let request = request.header("mcp-session-id", &self.id);
        request.header("last-event-id", last_event).send().await.unwrap()
    }

    /// Calls a tool, and returns the result.
    fn call(&self, tool: &str, arguments: &Value) -> impl Future<Output = Value> + use<> {
        let answer = self.post(&json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        }));
        async { result_of(&answer.await.text().await.unwrap()) }
    }
}

/// Returns the result in an answer of server-sent events.
fn result_of(events: &str) -> Value {
    let data = events.lines().filter_map(|line| line.strip_prefix("data: "));
    let messages = data.filter_map(|data| serde_json::from_str::<Value>(data).ok());
    messages
        .map(|message| message["result"].clone())
        .find(|result| !result.is_null())
        .expect(events)
}
