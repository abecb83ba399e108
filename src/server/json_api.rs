//! `POST /v1/ask`, `/v1/explore` and `/v1/graph`: they take the arguments of the MCP tools and `root`, the name of a
//! repository; they return what the command line prints with `--format json`. A client that accepts `text/event-stream`
//! gets the answer as an event; `ask` sends its progress before.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    Json,
    body::{Body, Bytes, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use futures::{Stream, StreamExt, stream};
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio_util::sync::CancellationToken;

use super::{RootName, ServerState, http_problem::HttpProblem};
use crate::{
    agent::RunOptions,
    mcp::{
        blocking_call::{self, BlockingCallLimits},
        concurrency_limit::AdmissionError,
        progress_notifications::ProgressLines,
        request_arguments::{ASK, AskToolArguments, EXPLORE, ExploreToolArguments},
    },
    retriever::Retriever,
    tools::{Tool, ToolContext, ToolError, ToolOutcome, graph::GraphTool, tool_arguments},
};
use retriever_report::evidence_ledger::EvidenceLedger;
use retriever_search::explore::ExploreOptions;
use retriever_workspace::Cancellation;

/// Longest time that a client may take to send a request's body.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// The form of the answer that a client accepts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReplyForm {
    Json,
    Events,
}

/// A request that may run now.
struct AdmittedRequest<T> {
    retriever: Retriever,
    asked: T,
    permit: OwnedSemaphorePermit,
}

/// `POST /v1/ask`.
pub(super) async fn ask(
    State(state): State<Arc<ServerState>>,
    request: Request,
) -> Result<Response, HttpProblem> {
    let form = ReplyForm::of(request.headers());
    let call: AdmittedRequest<AskToolArguments> =
        state.call(request, |body| tool_arguments::parse(ASK, &body)).await?;
    let stop = CancellationToken::new();
    let options = RunOptions {
        budget: call.asked.budget(&call.retriever.config().budget),
        cancel: stop.clone(),
        ..RunOptions::default()
    };
    if form == ReplyForm::Events {
        return Ok(Sse::new(events(call, options))
            .keep_alive(KeepAlive::default())
            .into_response());
    }
    // The future is dropped when the client disconnects.
    let _end = stop.drop_guard();
    Ok(Json(answer(call, options).await?).into_response())
}

/// Runs a question on a task of its own and returns the map. The run of a client that disconnected keeps its place until
/// its work has ended.
async fn answer(
    call: AdmittedRequest<AskToolArguments>,
    options: RunOptions,
) -> Result<Value, HttpProblem> {
    let running = tokio::spawn(async move {
        let AdmittedRequest { retriever, asked, permit: _permit } = call;
        let answer = retriever.ask(asked.into_question(), options).await;
        Ok(serde_json::to_value(answer?.map.without_question())?)
    });
    running.await.unwrap_or_else(|_| Err(HttpProblem::internal()))
}

/// Returns the events of a run: `progress` for each step, then `answer` or `error`.
fn events(
    call: AdmittedRequest<AskToolArguments>,
    options: RunOptions,
) -> impl Stream<Item = Result<Event, Infallible>> {
    let (lines, progress) = mpsc::unbounded_channel();
    let end = options.cancel.clone().drop_guard();
    let options = RunOptions { observer: Some(Arc::new(ProgressLines(lines))), ..options };
    let run = async move { last_event(answer(call, options).await) };
    let progress = stream::unfold(progress, |mut lines| async {
        Some((event("progress", &json!(lines.recv().await?)), lines))
    });
    // The run ends its progress; dropping the guard ends the run when the client disconnects.
    stream::select(progress, stream::once(run)).map(move |event| {
        let _run = &end;
        Ok(event)
    })
}

fn event(name: &str, data: &Value) -> Event {
    Event::default().event(name).data(data.to_string())
}

/// `POST /v1/explore`.
pub(super) async fn explore(
    State(state): State<Arc<ServerState>>,
    request: Request,
) -> Result<Response, HttpProblem> {
    let form = ReplyForm::of(request.headers());
    let AdmittedRequest { retriever, asked, permit } = state
        .call(request, |body| tool_arguments::parse::<ExploreToolArguments>(EXPLORE, &body))
        .await?;
    let options = asked.options(&ExploreOptions::from(&retriever.config().explore));
    let limits = BlockingCallLimits::of(&retriever);
    let found = blocking(limits, permit, move |limits| {
        let found = retriever.explore_within(&asked.query, &options, &limits)?;
        Ok(serde_json::to_value(&found)?)
    });
    reply(found, form).await
}

/// `POST /v1/graph`.
pub(super) async fn graph(
    State(state): State<Arc<ServerState>>,
    request: Request,
) -> Result<Response, HttpProblem> {
    let form = ReplyForm::of(request.headers());
    let AdmittedRequest { retriever, asked: arguments, permit } = state.call(request, Ok).await?;
    let limits = BlockingCallLimits::of(&retriever);
    let found = blocking(limits, permit, move |limits| {
        let context =
            ToolContext::new(Arc::clone(retriever.workspace()), &EvidenceLedger::new(), limits);
        let result = retriever.tools().call(GraphTool::NAME, &context, &arguments)?;
        let headline = result.observation.headline;
        match result.observation.outcome {
            ToolOutcome::BadArguments | ToolOutcome::BadPath => {
                Err(HttpProblem::bad_request(headline))
            }
            // The graph database doesn't answer.
            ToolOutcome::Failed => Err(HttpProblem::new(StatusCode::SERVICE_UNAVAILABLE, headline)),
            _ => Ok(result.typed),
        }
    });
    reply(found, form).await
}

/// Runs `call` on a blocking thread; it ends early when the client disconnects or its time is up.
async fn blocking(
    limits: BlockingCallLimits,
    permit: OwnedSemaphorePermit,
    call: impl FnOnce(Cancellation) -> Result<Value, HttpProblem> + Send + 'static,
) -> Result<Value, HttpProblem> {
    let cancellation = limits.cancellation.clone();
    // The future is dropped when the client disconnects.
    let client = CancellationToken::new();
    let done = blocking_call::run(&client, &limits, Some(permit), move || call(cancellation));
    done.await?
}

/// Returns a result as JSON, or as a single event of a stream, which keeps the connection open during the call.
async fn reply(
    result: impl Future<Output = Result<Value, HttpProblem>> + Send + 'static,
    form: ReplyForm,
) -> Result<Response, HttpProblem> {
    if form == ReplyForm::Json {
        // Not by [`Json`]: the code of that is not compiled for speed, and an answer is long.
        let json = result.await?.to_string();
        return Ok(([(header::CONTENT_TYPE, "application/json")], json).into_response());
    }
    let events = stream::once(async { Ok::<_, Infallible>(last_event(result.await)) });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}

/// The event that ends a stream.
fn last_event(result: Result<Value, HttpProblem>) -> Event {
    match result {
        Ok(answer) => event("answer", &answer),
        Err(problem) => event("error", &json!({ "error": problem.message() })),
    }
}

/// `GET /v1/roots`: the names of the repositories.
pub(super) async fn roots(State(state): State<Arc<ServerState>>) -> Json<Value> {
    Json(json!({ "roots": state.roots.keys().map(RootName::as_str).collect::<Vec<_>>() }))
}

/// `GET /readyz`: whether new calls are accepted.
pub(super) async fn ready(
    State(state): State<Arc<ServerState>>,
) -> Result<&'static str, HttpProblem> {
    if state.queue.is_stopping() { Err(AdmissionError::Stopping.into()) } else { Ok("ready\n") }
}

impl ServerState {
    /// Reads a request, finds its repository, parses its arguments with `parse` and waits until the call may run.
    async fn call<T>(
        &self,
        request: Request,
        parse: impl FnOnce(Value) -> Result<T, ToolError>,
    ) -> Result<AdmittedRequest<T>, HttpProblem> {
        let body = self.body(request.into_body()).await?;
        let mut arguments: Value = serde_json::from_slice(&body)
            .map_err(|error| HttpProblem::bad_request(format!("the body is not JSON: {error}")))?;
        let root = arguments.as_object_mut().and_then(|arguments| arguments.remove("root"));
        let retriever = self.root(root.as_ref())?.clone();
        let asked = parse(arguments)?;
        let permit = self.queue.enter().await?;
        Ok(AdmittedRequest { retriever, asked, permit })
    }

    /// Reads the body of a request.
    pub(super) async fn body(&self, body: Body) -> Result<Bytes, HttpProblem> {
        let body = to_bytes(body, self.max_body_bytes);
        let body = tokio::time::timeout(BODY_TIMEOUT, body).await.map_err(|_| {
            HttpProblem::new(
                StatusCode::REQUEST_TIMEOUT,
                "the body of the request didn't arrive within 30 s",
            )
        })?;
        body.map_err(|_| {
            let message = format!(
                "the body of the request can't be read, or is larger than {} bytes (serve.max_body_bytes)",
                self.max_body_bytes
            );
            HttpProblem::new(StatusCode::PAYLOAD_TOO_LARGE, message)
        })
    }

    /// Returns the repository of a request; `name` may be missing if there is only one.
    fn root(&self, name: Option<&Value>) -> Result<&Retriever, HttpProblem> {
        let names = || self.roots.keys().map(RootName::as_str).collect::<Vec<_>>().join(", ");
        match (name.map(|name| name.as_str().unwrap_or_default()), self.roots.len()) {
            (None, 1) => self.roots.values().next(),
            (None, _) => {
                let message = format!("\"root\" must name one of: {}", names());
                return Err(HttpProblem::bad_request(message));
            }
            (Some(name), _) => self.roots.get(name),
        }
        .ok_or_else(|| {
            let message = format!("there is no such root; \"root\" must name one of: {}", names());
            HttpProblem::new(StatusCode::NOT_FOUND, message)
        })
    }
}

impl ReplyForm {
    fn of(headers: &HeaderMap) -> Self {
        let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
        match accepted {
            Some(accepted) if accepted.contains("text/event-stream") => Self::Events,
            _ => Self::Json,
        }
    }
}
