//! The verbs over MCP: `ask`, `explore`, `context` and every tool of the registry, for planners that speak the protocol rather than start a
//! subprocess. What a question or a call means is decided elsewhere; this file translates arguments, results, progress
//! and cancellation.

mod structured;

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
        ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities,
        ServerConfig, Tool, ToolAnnotations,
    },
    service::{NotificationContext, Peer, RequestContext},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::{RwLock, mpsc};

use crate::{
    agent::{Answer, Event, Observer, RunOptions},
    config::Effort,
    retriever::Retriever,
    schemas::tool_specs_with_output,
    tools::{
        Outcome, ToolContext, ToolError, ToolSpec, arguments,
        render::{Allowance, render},
    },
};
use retriever_report::{
    CodeMap,
    ledger::Ledger,
    render::{self, Snippets},
    schema,
};
use retriever_search::{
    Intent, Question, Role, SessionId,
    explore::{self, Context, Exploration, ExploreOptions, Form},
};
use retriever_workspace::Cancellation;

/// Tokens of one tool result, as in a run; a client has its own budget for all of them.
const ALLOWANCE: Allowance = Allowance { tokens: 8_000, per_file_total: u64::MAX / 4 };
/// Tokens of tool results after which names of places start anew, so that a server may run for ever.
const REMEMBERED_TOKENS: u64 = 4_000_000;
/// How long a client may take to name its roots.
const ROOTS_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest time of a call that asks no model.
const MAX_CALL_TIME: Duration = Duration::from_secs(60 * 60);
/// Time that a call has to return what it has found when its time is up.
const RETURN_TIME: Duration = Duration::from_secs(1);
const ASK: &str = "ask";
const EXPLORE: &str = "explore";
const CONTEXT: &str = "context";

type Open = dyn Fn(&[PathBuf]) -> Result<Retriever, String> + Send + Sync;

/// An MCP server for one client.
pub struct Server {
    open: Box<Open>,
    /// Opened by the first call, and again when the client changes its roots.
    opened: RwLock<Option<Arc<Opened>>>,
}

struct Opened {
    retriever: Retriever,
    /// Names of places, so that an ID of one result can be passed to the next call.
    ledger: Mutex<Ledger>,
}

/// Why a server ended otherwise than by its client's leaving.
#[derive(Debug, thiserror::Error)]
#[error("the MCP session failed: {0}")]
pub struct ServeError(String);

impl Server {
    /// Serves one workspace, whatever the client's roots are.
    pub fn new(retriever: Retriever) -> Self {
        Self::of_roots(move |_| Ok(retriever.clone()))
    }

    /// Serves the client's roots on this machine, which `open` opens as one workspace; the list is empty when the client has
    /// none. An error is told to the client in answer to each call.
    pub fn of_roots(
        open: impl Fn(&[PathBuf]) -> Result<Retriever, String> + Send + Sync + 'static,
    ) -> Self {
        Self { open: Box::new(open), opened: RwLock::default() }
    }

    async fn opened(&self, peer: &Peer<RoleServer>) -> Result<Arc<Opened>, String> {
        if let Some(opened) = self.opened.read().await.as_ref() {
            return Ok(Arc::clone(opened));
        }
        // Calls that come together wait for the first to open the root.
        let mut slot = self.opened.write().await;
        if let Some(opened) = slot.as_ref() {
            return Ok(Arc::clone(opened));
        }
        let retriever = (self.open)(&client_roots(peer).await)?;
        let opened = Arc::new(Opened { retriever, ledger: Mutex::default() });
        *slot = Some(Arc::clone(&opened));
        Ok(opened)
    }
}

/// Serves on stdin and stdout until the client closes them. Nothing but the protocol is printed.
///
/// # Errors
///
/// [`ServeError`] when no client ever spoke the protocol, or the session broke.
pub async fn serve_stdio(server: Server) -> Result<(), ServeError> {
    let failed = |error: &dyn std::fmt::Display| ServeError(error.to_string());
    let service = server.serve(rmcp::transport::stdio()).await.map_err(|error| failed(&error))?;
    service.waiting().await.map(drop).map_err(|error| failed(&error))
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("retriever", env!("CARGO_PKG_VERSION")))
            .with_instructions(include_str!("../../prompts/mcp.md").trim())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // A root that can't be opened is told in answer to a call, where somebody reads it.
        let specs: Vec<(ToolSpec, Value)> = match self.opened(&context.peer).await {
            Ok(opened) => opened.retriever.tools().specs_with_output(),
            Err(_) => tool_specs_with_output(),
        };
        let verbs = [
            (schema::spec::<AskArguments>(ASK), schema::output::<CodeMap>()),
            (schema::spec::<ExploreArguments>(EXPLORE), schema::output::<Exploration>()),
            (schema::spec::<ContextArguments>(CONTEXT), schema::output::<Context>()),
        ];
        let tools = verbs.into_iter().chain(specs);
        let tools = tools.map(|(spec, output)| listed(spec, output)).collect();
        Ok(ListToolsResult { tools, ..ListToolsResult::default() })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let opened = match self.opened(&context.peer).await {
            Ok(opened) => opened,
            Err(problem) => return Ok(refused(problem).into()),
        };
        let result = match request.name.as_ref() {
            ASK => ask(&opened.retriever, &arguments, context).await,
            EXPLORE => explore(&opened.retriever, &arguments, &context).await,
            CONTEXT => more(&opened.retriever, &arguments, &context).await,
            name => call(&opened, name, arguments, context).await?,
        };
        Ok(result.into())
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        *self.opened.write().await = None;
    }
}

/// Ask a question about the repository and get a verified code map: paths, line ranges and facts, each checked against
/// the lines that were read for it, with a confidence and what to do next.
#[derive(Deserialize, JsonSchema)]
struct AskArguments {
    /// The question, in a sentence or two
    question: String,
    /// What you will do with the answer
    #[serde(default)]
    intent: Intent,
    /// How much may be spent
    effort: Option<Effort>,
    /// Roles that the answer must cover
    #[serde(default)]
    roles: Vec<Role>,
    /// Paths that probably matter
    #[serde(default)]
    hints: Vec<String>,
    /// Whether the text holds the code of the map's places
    #[serde(default)]
    snippets: bool,
    /// A name for this chat: an answer that still holds is given again, places you have by their IDs only
    session: Option<SessionId>,
}

async fn ask(
    retriever: &Retriever,
    arguments: &Value,
    context: RequestContext<RoleServer>,
) -> CallToolResult {
    let asked: AskArguments = match arguments::parse(ASK, arguments) {
        Ok(asked) => asked,
        Err(problem) => return refused(problem.to_string()),
    };
    let (sender, events) = mpsc::unbounded_channel();
    let mut budget = retriever.config().budget.clone();
    budget.effort = asked.effort.unwrap_or(budget.effort);
    let options = RunOptions {
        budget,
        cancel: context.ct.clone(),
        observer: Some(Arc::new(Told(sender))),
        ..RunOptions::default()
    };
    let question = Question {
        text: asked.question,
        intent: asked.intent,
        roles: asked.roles,
        hints: asked.hints,
        session: asked.session,
    };
    let notify = notify_progress(&context, events);
    let (answer, ()) = tokio::join!(retriever.ask(question, options), notify);
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => return refused(error.to_string()),
    };
    let code = Snippets {
        read: &|path, range| retriever.code(path, range),
        max_tokens: retriever.config().report.snippet_tokens,
    };
    let text = render::markdown(&answer.map, asked.snippets.then_some(&code));
    match serde_json::to_value(answer.map.without_question()) {
        Ok(map) => found(format!("{}{text}", warnings(&answer)), map),
        Err(error) => refused(error.to_string()),
    }
}

/// Sends a progress notification for each event, until the run ends and drops the sender.
async fn notify_progress(
    context: &RequestContext<RoleServer>,
    mut events: mpsc::UnboundedReceiver<(String, Option<u32>)>,
) {
    let token = context.meta.get_progress_token();
    let mut progress = 0;
    while let Some((message, of)) = events.recv().await {
        let Some(token) = &token else { continue };
        progress += 1;
        let mut notification = ProgressNotificationParam::new(token.clone(), f64::from(progress))
            .with_message(message);
        // The search for candidates is a step before those of the model.
        notification.total = of.map(|of| f64::from(of.saturating_add(1).max(progress)));
        // Fails when the client is gone, which ends the session elsewhere.
        let _ = context.peer.notify_progress(notification).await;
    }
}

/// Returns what ended the run early, as the first paragraphs of the text.
fn warnings(answer: &Answer) -> String {
    let failures = [
        answer.model_error.as_ref().map(|error| format!("the model failed: {error}")),
        answer.tool_error.as_ref().map(|error| format!("a tool failed: {error}")),
    ];
    let warning =
        |failure| format!("Warning: {failure}. The map was made with what was found before.\n\n");
    failures.into_iter().flatten().map(warning).collect()
}

/// Get source code for a query without a model: ranked places, the code of the best files within a budget, and how they call
/// each other. Use it when you want to read the code yourself. Each place has an ID for context.
#[derive(Deserialize, JsonSchema)]
struct ExploreArguments {
    /// A question, words, or names of symbols
    query: String,
    /// Related places of each kind. Default: 5
    depth: Option<u32>,
    /// Most places that are ranked
    limit: Option<u32>,
    /// Most characters of the answer
    budget: Option<u32>,
    /// false: never shorten interchangeable definitions to signatures
    adaptive: Option<bool>,
}

/// Get everything about places that explore has listed: full code, callers, callees and siblings.
#[derive(Deserialize, JsonSchema)]
struct ContextArguments {
    /// IDs of explore, or unique starts of them
    ids: Vec<String>,
    /// Related places of each kind. Default: 5
    depth: Option<u32>,
    /// Most characters of the answer
    budget: Option<u32>,
}

async fn explore(
    retriever: &Retriever,
    arguments: &Value,
    context: &RequestContext<RoleServer>,
) -> CallToolResult {
    let asked: ExploreArguments = match arguments::parse(EXPLORE, arguments) {
        Ok(asked) => asked,
        Err(problem) => return refused(problem.to_string()),
    };
    let usual = ExploreOptions::from(&retriever.config().explore);
    let options = ExploreOptions {
        depth: asked.depth.unwrap_or(usual.depth),
        limit: asked.limit.and_then(|limit| usize::try_from(limit).ok()),
        budget: chars(asked.budget).or(usual.budget),
        adaptive: asked.adaptive.unwrap_or(usual.adaptive),
    };
    let limits = CallLimits::of(retriever);
    let cancellation = limits.cancellation.clone();
    let retriever = retriever.clone();
    look(context, limits, move || {
        let found = retriever.explore_within(&asked.query, &options, &cancellation);
        let found = found.map_err(|error| error.to_string())?;
        let typed = serde_json::to_value(&found).map_err(|error| error.to_string())?;
        Ok((explore::text(&found, Form::Markdown), typed))
    })
    .await
}

async fn more(
    retriever: &Retriever,
    arguments: &Value,
    context: &RequestContext<RoleServer>,
) -> CallToolResult {
    let asked: ContextArguments = match arguments::parse(CONTEXT, arguments) {
        Ok(asked) => asked,
        Err(problem) => return refused(problem.to_string()),
    };
    let usual = ExploreOptions::from(&retriever.config().explore);
    let options = ExploreOptions {
        depth: asked.depth.unwrap_or(usual.depth),
        budget: chars(asked.budget).or(usual.budget),
        ..usual
    };
    let limits = CallLimits::of(retriever);
    let cancellation = limits.cancellation.clone();
    let retriever = retriever.clone();
    look(context, limits, move || {
        let found = retriever.context_within(&asked.ids, &options, &cancellation);
        let found = found.map_err(|error| error.to_string())?;
        let typed = serde_json::to_value(&found).map_err(|error| error.to_string())?;
        Ok((explore::context_text(&found, Form::Markdown), typed))
    })
    .await
}

fn chars(budget: Option<u32>) -> Option<usize> {
    budget.and_then(|chars| usize::try_from(chars).ok())
}

/// The limits of a call that asks no model: the time of a run, and the client's cancellation.
struct CallLimits {
    time: Duration,
    cancellation: Cancellation,
}

impl CallLimits {
    fn of(retriever: &Retriever) -> Self {
        let time = retriever.config().budget.resolve(0).time.min(MAX_CALL_TIME);
        let cancellation = Cancellation::new().with_deadline(Instant::now() + time);
        Self { time, cancellation }
    }
}

/// Runs `look`, which reads many files, on a thread that may block. A call that is cancelled or out of time is not waited
/// for.
async fn look(
    context: &RequestContext<RoleServer>,
    limits: CallLimits,
    look: impl FnOnce() -> Result<(String, Value), String> + Send + 'static,
) -> CallToolResult {
    let CallLimits { time, cancellation } = limits;
    let result = tokio::select! {
        result = tokio::task::spawn_blocking(look) => result.map_err(|error| error.to_string()),
        () = context.ct.cancelled() => {
            cancellation.cancel();
            Err("the call was cancelled".to_owned())
        }
        () = tokio::time::sleep(time + RETURN_TIME) => Err(out_of_time(time)),
    };
    match result.flatten() {
        Ok((text, typed)) => found(text, typed),
        Err(problem) => refused(problem),
    }
}

fn out_of_time(time: Duration) -> String {
    format!(
        "the time of the call is up ({} s); a larger budget.timeout_s allows more, and `retriever index` builds the code \
         graph beforehand",
        time.as_secs()
    )
}

/// Passes on what happens, a line a step.
struct Told(mpsc::UnboundedSender<(String, Option<u32>)>);

impl Observer for Told {
    fn on_event(&self, event: &Event) {
        let line = match event {
            Event::ReconFinished { files, candidates, .. } => {
                (format!("{candidates} candidates in {files} files"), None)
            }
            Event::StepStarted { step, of, forced } => {
                let doing = if *forced { ", the report" } else { "" };
                (format!("step {step} of {of}{doing}"), Some(*of))
            }
            _ => return,
        };
        // Nobody listens any more when the client is gone.
        let _ = self.0.send(line);
    }
}

async fn call(
    opened: &Arc<Opened>,
    name: &str,
    arguments: Value,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let registry = Arc::clone(opened.retriever.tools());
    let CallLimits { time, cancellation } = CallLimits::of(&opened.retriever);
    let tool_context = opened.context(cancellation.clone());
    let tool = name.to_owned();
    let known = registry.specs().iter().any(|spec| spec.name == name);
    let mut running =
        tokio::task::spawn_blocking(move || registry.call(&tool, &tool_context, &arguments));
    let result = tokio::select! {
        result = &mut running => result,
        () = context.ct.cancelled() => {
            cancellation.cancel();
            running.await
        }
        () = tokio::time::sleep(time + RETURN_TIME) => return Ok(refused(out_of_time(time))),
    };
    let result = result.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    match result {
        Ok(result) => {
            let shown = opened.render(|ledger| render(&result.observation, ledger, &ALLOWANCE));
            Ok(match result.observation.outcome {
                Outcome::Failed
                | Outcome::BadPattern
                | Outcome::BadPath
                | Outcome::BadArguments => refused(shown.text),
                Outcome::Found | Outcome::Truncated | Outcome::NoMatch | Outcome::Redundant => {
                    found(shown.text, structured::bounded(result.typed, ALLOWANCE.tokens))
                }
            })
        }
        Err(ToolError::Model(problem)) if known => Ok(refused(problem)),
        Err(ToolError::Model(problem)) => Err(ErrorData::invalid_params(problem, None)),
        Err(ToolError::Fatal(problem)) => Err(ErrorData::internal_error(problem, None)),
    }
}

impl Opened {
    fn context(&self, cancellation: Cancellation) -> ToolContext {
        let ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        ToolContext::new(Arc::clone(self.retriever.workspace()), &ledger, cancellation)
    }

    fn render<T>(&self, render: impl FnOnce(&mut Ledger) -> T) -> T {
        let mut ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        if ledger.tokens() > REMEMBERED_TOKENS {
            *ledger = Ledger::new();
        }
        render(&mut ledger)
    }
}

fn found(text: String, typed: Value) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    // Clients of older versions of the protocol take objects only.
    result.structured_content = typed.is_object().then_some(typed);
    result
}

/// An error that the client's model should read and mend.
fn refused(problem: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(problem)])
}

fn listed(spec: ToolSpec, output: Value) -> Tool {
    let object = |schema: Value| match schema {
        Value::Object(schema) => schema,
        _ => serde_json::Map::new(),
    };
    let hints = ToolAnnotations::new().read_only(true).open_world(false);
    Tool::new(spec.name, spec.description, object(spec.parameters))
        .with_raw_output_schema(Arc::new(object(output)))
        .with_annotations(hints)
}

/// Returns the client's roots that are folders of this machine, without those that lie in another. Only sessions that began
/// with `initialize` can be asked for roots.
#[expect(
    deprecated,
    reason = "newer versions of the protocol have no roots; clients of older ones do"
)]
async fn client_roots(peer: &Peer<RoleServer>) -> Vec<PathBuf> {
    if peer.peer_info().is_none_or(|client| client.capabilities.roots.is_none()) {
        return Vec::new();
    }
    let Ok(Ok(listed)) = tokio::time::timeout(ROOTS_TIMEOUT, peer.list_roots()).await else {
        return Vec::new();
    };
    let on_disk = |uri: &str| {
        let url = reqwest::Url::parse(uri).ok().filter(|url| url.scheme() == "file")?;
        url.to_file_path().ok()
    };
    let mut roots: Vec<PathBuf> =
        listed.roots.iter().filter_map(|root| on_disk(&root.uri)).collect();
    roots.sort();
    // A folder comes before all that is in it.
    roots.dedup_by(|inner, outer| inner.starts_with(outer));
    roots
}
