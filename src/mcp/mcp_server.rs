//! The server of one client: tools, roots, progress, and the translation of arguments and results.

#[cfg(feature = "serve")]
use super::concurrency_limit::ConcurrencyLimit;
use super::{blocking_call, structured_content};
use super::{
    blocking_call::{BlockingCallLimits, ConcurrencyPermit, InterruptedCall},
    progress_notifications::{ProgressLine, ProgressLines},
    request_arguments::{
        ASK, AskToolArguments, CONTEXT, ContextToolArguments, EXPLORE, ExploreToolArguments,
    },
};
use crate::{
    agent::{AskAnswer, RunOptions},
    json_schemas::tool_specs_with_output,
    retriever::Retriever,
    tools::{
        Tool as _, ToolContext, ToolError, ToolOutcome, ToolResult, ToolSpec,
        glob::GlobTool,
        graph::GraphTool,
        grep::GrepTool,
        no_such_tool,
        read::ReadTool,
        render_tool_result::{ObservationBudget, render},
        tool_arguments,
    },
};
use retriever_report::{
    CodeMap,
    evidence_ledger::EvidenceLedger,
    render::{self, Snippets},
    tool_schema,
};
use retriever_search::{
    Question,
    explore::{self, Exploration, ExplorationTextFormat, ExploreOptions, PlaceContext},
};
use retriever_workspace::{Cancellation, escape_to_one_line};
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
        ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities,
        ServerConfig, Tool, ToolAnnotations,
    },
    service::{NotificationContext, Peer, RequestContext},
};
use serde_json::Value;
use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::sync::{RwLock, mpsc};
use tokio_util::sync::CancellationToken;

/// Tokens of one tool result, as in a run; a client has its own budget for all of them.
const ALLOWANCE: ObservationBudget =
    ObservationBudget { tokens: 8_000, per_file_total: u64::MAX / 4 };

/// Tokens of tool results after which the IDs of places start again, so that the memory of a long-running server is
/// bounded.
const REMEMBERED_TOKENS: u64 = 1_000_000;

/// The number of the next client's connection.
static CONNECTIONS: AtomicU64 = AtomicU64::new(1);
/// The connection of HTTP requests without an MCP session, as newer clients send them.
#[cfg(feature = "serve")]
const NO_CONNECTION: u64 = 0;
/// The HTTP header with the MCP session.
#[cfg(feature = "serve")]
pub(crate) const SESSION_HEADER: &str = "mcp-session-id";

/// The tools that every root has.
pub const STANDARD_TOOLS: [&str; 7] =
    [ASK, EXPLORE, CONTEXT, GrepTool::NAME, GlobTool::NAME, ReadTool::NAME, GraphTool::NAME];

/// How long a client may take to name its roots.
const ROOTS_TIMEOUT: Duration = Duration::from_secs(5);

type Open = dyn Fn(&[PathBuf]) -> Result<Retriever, String> + Send + Sync;

/// An MCP server for one client.
pub struct McpServer {
    open: Box<Open>,
    /// Opened by the first call, and again when the client changes its roots.
    opened: RwLock<Option<Arc<Opened>>>,
    /// Number of the connection in the process. The client's sessions belong to it, and end with it.
    connection: u64,
    /// Names of the tools that are listed; all if there is none. The others can be called.
    listed: Vec<String>,
    /// The queue of calls, when the server has other clients, too.
    #[cfg(feature = "serve")]
    queue: Option<Arc<ConcurrencyLimit>>,
}

struct Opened {
    retriever: Retriever,
    /// Names of places, so that an ID of one result can be passed to the next call.
    ledger: Mutex<EvidenceLedger>,
}

/// Why a server ended before its client disconnected.
#[derive(Debug, thiserror::Error)]
#[error("the MCP session failed: {0}")]
pub struct ServeError(String);

impl McpServer {
    /// Serves one workspace and ignores the client's roots.
    pub fn new(retriever: Retriever) -> Self {
        Self::of_roots(move |_| Ok(retriever.clone()))
    }

    /// Serves the client's roots on this machine, which `open` opens as one workspace; the list is empty when the
    /// client has none. If opening fails, every call returns the error.
    pub fn of_roots(
        open: impl Fn(&[PathBuf]) -> Result<Retriever, String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            open: Box::new(open),
            opened: RwLock::default(),
            connection: CONNECTIONS.fetch_add(1, Ordering::Relaxed),
            listed: Vec::new(),
            #[cfg(feature = "serve")]
            queue: None,
        }
    }

    /// Lists only these tools, since most clients keep listed tools in their context: names of [`STANDARD_TOOLS`], and
    /// of an embedder's tools. If a name is unknown, a request for the list returns an error.
    #[must_use]
    pub fn listing(self, tools: Vec<String>) -> Self {
        Self { listed: tools, ..self }
    }

    /// Makes every call wait in `queue`.
    #[cfg(feature = "serve")]
    pub(crate) fn queued_in(self, queue: Arc<ConcurrencyLimit>) -> Self {
        Self { queue: Some(queue), ..self }
    }

    async fn opened(&self, peer: &Peer<RoleServer>) -> Result<Arc<Opened>, String> {
        if let Some(opened) = self.opened.read().await.as_ref() {
            return Ok(Arc::clone(opened));
        }
        // Concurrent calls wait for the first one to open the root.
        let mut slot = self.opened.write().await;
        if let Some(opened) = slot.as_ref() {
            return Ok(Arc::clone(opened));
        }
        let retriever = (self.open)(&client_roots(peer).await)?;
        retriever.index().watch();
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
pub async fn serve_stdio(server: McpServer) -> Result<(), ServeError> {
    let failed = |error: &dyn std::fmt::Display| ServeError(error.to_string());
    let service = server.serve(rmcp::transport::stdio()).await.map_err(|error| failed(&error))?;
    service.waiting().await.map(drop).map_err(|error| failed(&error))
}

impl ServerHandler for McpServer {
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
        // Calls return the error of a root that cannot be opened, since clients show it there.
        let specs: Vec<(ToolSpec, Value)> = match self.opened(&context.peer).await {
            Ok(opened) => opened.retriever.tools().specs_with_output(),
            Err(_) => tool_specs_with_output(),
        };
        let verbs = [
            (tool_schema::spec::<AskToolArguments>(ASK), tool_schema::output::<CodeMap>()),
            (
                tool_schema::spec::<ExploreToolArguments>(EXPLORE),
                tool_schema::output::<Exploration>(),
            ),
            (
                tool_schema::spec::<ContextToolArguments>(CONTEXT),
                tool_schema::output::<PlaceContext>(),
            ),
        ];
        let mut tools: Vec<(ToolSpec, Value)> = verbs.into_iter().chain(specs).collect();
        if !self.listed.is_empty() {
            let is_named = |name: &str, spec: &ToolSpec| spec.name.eq_ignore_ascii_case(name);
            let is_none = |name: &&String| !tools.iter().any(|(spec, _)| is_named(name, spec));
            if let Some(unknown) = self.listed.iter().find(is_none) {
                let names: Vec<&str> = tools.iter().map(|(spec, _)| spec.name).collect();
                let problem =
                    format!("there is no tool {unknown}; the tools are {}", names.join(", "));
                return Err(ErrorData::invalid_params(problem, None));
            }
            tools.retain(|(spec, _)| self.listed.iter().any(|name| is_named(name, spec)));
        }
        let tools = tools.into_iter().map(|(spec, output)| listed(spec, output)).collect();
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
            ASK => self.ask(&opened.retriever, &arguments, context).await,
            EXPLORE => self.explore(&opened.retriever, &arguments, &context).await,
            CONTEXT => self.context(&opened.retriever, &arguments, &context).await,
            name => self.call(&opened, name, arguments, context).await.map(Ok)?,
        };
        Ok(result.unwrap_or_else(refused).into())
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        *self.opened.write().await = None;
    }
}

/// A result, or an error message for the client's model.
type ToolCallAnswer = Result<CallToolResult, String>;

impl McpServer {
    /// Waits until a call may run. `client` cancels the wait.
    #[cfg(feature = "serve")]
    async fn turn(&self, client: &CancellationToken) -> Result<ConcurrencyPermit, String> {
        let Some(queue) = &self.queue else { return Ok(None) };
        tokio::select! {
            turn = queue.enter() => turn.map(Some).map_err(|refused| refused.to_string()),
            () = client.cancelled() => Err(InterruptedCall::Cancelled.to_string()),
        }
    }

    #[cfg(not(feature = "serve"))]
    #[expect(clippy::unused_async, reason = "a server of one client has no queue")]
    async fn turn(&self, _: &CancellationToken) -> Result<ConcurrencyPermit, String> {
        Ok(None)
    }

    /// Returns the connection that a request's sessions belong to. Sessions of requests without an MCP session last as
    /// long as the server.
    #[cfg(feature = "serve")]
    fn connection_of(&self, context: &RequestContext<RoleServer>) -> u64 {
        let request = context.extensions.get::<axum::http::request::Parts>();
        let has_no_session =
            |request: &axum::http::request::Parts| !request.headers.contains_key(SESSION_HEADER);
        if request.is_some_and(has_no_session) { NO_CONNECTION } else { self.connection }
    }

    #[cfg(not(feature = "serve"))]
    const fn connection_of(&self, _: &RequestContext<RoleServer>) -> u64 {
        self.connection
    }

    async fn ask(
        &self,
        retriever: &Retriever,
        arguments: &Value,
        context: RequestContext<RoleServer>,
    ) -> ToolCallAnswer {
        let asked: AskToolArguments = tool_arguments::parse(ASK, arguments).map_err(message)?;
        let _turn = self.turn(&context.ct).await?;
        let (sender, events) = mpsc::unbounded_channel();
        let options = RunOptions {
            budget: asked.budget(&retriever.config().budget),
            cancel: context.ct.clone(),
            observer: Some(Arc::new(ProgressLines(sender))),
            ..RunOptions::default()
        };
        let snippets = asked.snippets;
        let notify = notify_progress(&context, events);
        let question = asked.into_question();
        let connection = self.connection_of(&context);
        let session = question.session.map(|session| session.in_connection(connection));
        let question = Question { session, ..question };
        let (answer, ()) = tokio::join!(retriever.ask(question, options), notify);
        let answer = answer.map_err(message)?;
        let code = Snippets {
            read: &|path, range| retriever.code(path, range),
            max_tokens: retriever.config().report.snippet_tokens,
        };
        // The planner knows the question, which may be long.
        let map = answer.map.without_question();
        let text = render::markdown(&map, snippets.then_some(&code));
        let typed = serde_json::to_value(map).map_err(message)?;
        let notes = self.notes(retriever, &answer.notes);
        Ok(found(format!("{}{notes}{text}", warnings(&answer)), typed))
    }

    /// Returns notes about the search for candidates and about the root, as paragraphs. A server with many clients
    /// writes those about its roots to its log, since a warning may name a folder of the machine.
    fn notes(&self, retriever: &Retriever, of_search: &[String]) -> String {
        #[cfg(feature = "serve")]
        let is_own = self.queue.is_none();
        #[cfg(not(feature = "serve"))]
        let is_own = true;
        let of_root = if is_own { retriever.warnings() } else { Vec::new() };
        let notes = of_search.iter().chain(&of_root);
        notes.map(|note| format!("Note: {}.\n\n", escape_to_one_line(note))).collect()
    }

    async fn explore(
        &self,
        retriever: &Retriever,
        arguments: &Value,
        context: &RequestContext<RoleServer>,
    ) -> ToolCallAnswer {
        let asked: ExploreToolArguments =
            tool_arguments::parse(EXPLORE, arguments).map_err(message)?;
        let options = asked.options(&ExploreOptions::from(&retriever.config().explore));
        self.read(retriever, context, move |retriever, limits| {
            let found =
                retriever.explore_within(&asked.query, &options, limits).map_err(message)?;
            let typed = serde_json::to_value(&found).map_err(message)?;
            Ok((explore::text(&found, ExplorationTextFormat::Markdown), typed))
        })
        .await
    }

    async fn context(
        &self,
        retriever: &Retriever,
        arguments: &Value,
        context: &RequestContext<RoleServer>,
    ) -> ToolCallAnswer {
        let asked: ContextToolArguments =
            tool_arguments::parse(CONTEXT, arguments).map_err(message)?;
        let options = asked.options(&ExploreOptions::from(&retriever.config().explore));
        let connection = self.connection_of(context);
        let session = asked.session.as_ref().map(|session| session.in_connection(connection));
        self.read(retriever, context, move |retriever, limits| {
            let ids = match &session {
                Some(session) => retriever.without_session_ids(session, &asked.ids),
                None => asked.ids.clone(),
            };
            let found = retriever.context_within(&ids, &options, limits).map_err(message)?;
            let typed = serde_json::to_value(&found).map_err(message)?;
            Ok((explore::context_text(&found, ExplorationTextFormat::Markdown), typed))
        })
        .await
    }

    /// Runs `read`, which returns a text and its typed form, when the queue admits it and within the limits of a call.
    async fn read(
        &self,
        retriever: &Retriever,
        context: &RequestContext<RoleServer>,
        read: impl FnOnce(&Retriever, &Cancellation) -> Result<(String, Value), String> + Send + 'static,
    ) -> ToolCallAnswer {
        let turn = self.turn(&context.ct).await?;
        let limits = BlockingCallLimits::of(retriever);
        let (cancellation, own) = (limits.cancellation.clone(), retriever.clone());
        let reading = move || read(&own, &cancellation);
        let (text, typed) =
            blocking_call::run(&context.ct, &limits, turn, reading).await.map_err(message)??;
        Ok(found(self.notes(retriever, &[]) + &text, typed))
    }

    async fn call(
        &self,
        opened: &Arc<Opened>,
        name: &str,
        arguments: Value,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let registry = Arc::clone(opened.retriever.tools());
        let specs = registry.specs();
        if !specs.iter().any(|spec| spec.name.eq_ignore_ascii_case(name.trim())) {
            let own = specs.iter().map(|spec| spec.name);
            let names: Vec<&str> = [ASK, EXPLORE, CONTEXT].into_iter().chain(own).collect();
            return Err(ErrorData::invalid_params(no_such_tool(name.trim(), &names), None));
        }
        let turn = match self.turn(&context.ct).await {
            Ok(turn) => turn,
            Err(problem) => return Ok(refused(problem)),
        };
        let limits = BlockingCallLimits::of(&opened.retriever);
        let tool_context = opened.context(limits.cancellation.clone());
        let tool = name.to_owned();
        let offset = arguments.get("offset").and_then(Value::as_u64).unwrap_or_default();
        let calling = move || registry.call(&tool, &tool_context, &arguments);
        let result = match blocking_call::run(&context.ct, &limits, turn, calling).await {
            Ok(result) => result,
            Err(panicked @ InterruptedCall::Panicked) => {
                return Err(ErrorData::internal_error(panicked.to_string(), None));
            }
            Err(interrupted) => return Ok(refused(interrupted.to_string())),
        };
        match result {
            Ok(result) => Ok(opened.shown(result, offset)),
            Err(ToolError::Model(problem) | ToolError::Unavailable(problem)) => {
                Ok(refused(problem))
            }
            Err(ToolError::Fatal(problem)) => Err(ErrorData::internal_error(problem, None)),
        }
    }
}

/// Returns the message of an error.
fn message(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Sends a progress notification for each event, until the run ends and drops the sender.
async fn notify_progress(
    context: &RequestContext<RoleServer>,
    mut events: mpsc::UnboundedReceiver<ProgressLine>,
) {
    let token = context.meta.get_progress_token();
    let mut progress = 0;
    while let Some(ProgressLine { message, of }) = events.recv().await {
        let Some(token) = &token else { continue };
        progress += 1;
        let mut notification = ProgressNotificationParam::new(token.clone(), f64::from(progress))
            .with_message(message);
        // The search for candidates is a step before those of the model.
        notification.total = of.map(|of| f64::from(of.saturating_add(1).max(progress)));
        // An error means that the client is gone; the session ends elsewhere.
        let _ = context.peer.notify_progress(notification).await;
    }
}

/// Returns what ended the run early, as the first paragraphs of the text.
fn warnings(answer: &AskAnswer) -> String {
    let failures = [
        answer.model_error.as_ref().map(|error| format!("the model failed: {error}")),
        answer.tool_error.as_ref().map(|error| format!("a tool failed: {error}")),
    ];
    let warning =
        |failure| format!("Warning: {failure}. The map was made with what was found before.\n\n");
    failures.into_iter().flatten().map(warning).collect()
}

impl Opened {
    /// Returns a tool's result, whose page begins at `offset`, in the form that the client receives.
    fn shown(&self, result: ToolResult, offset: u64) -> CallToolResult {
        let shown = self.render(|ledger| render(&result.observation, ledger, &ALLOWANCE));
        match result.observation.outcome {
            ToolOutcome::Failed
            | ToolOutcome::BadPattern
            | ToolOutcome::BadPath
            | ToolOutcome::BadArguments => refused(shown.text),
            ToolOutcome::Found
            | ToolOutcome::Truncated
            | ToolOutcome::NoMatch
            | ToolOutcome::Redundant => {
                let typed = structured_content::bounded(result.typed, ALLOWANCE.tokens, offset);
                found(shown.text, typed)
            }
        }
    }

    fn context(&self, cancellation: Cancellation) -> ToolContext {
        let ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        ToolContext::new(Arc::clone(self.retriever.workspace()), &ledger, cancellation)
    }

    fn render<T>(&self, render: impl FnOnce(&mut EvidenceLedger) -> T) -> T {
        let mut ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        if ledger.tokens() > REMEMBERED_TOKENS {
            *ledger = EvidenceLedger::new();
        }
        render(&mut ledger)
    }
}

pub(super) fn found(text: String, typed: Value) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    // Clients of older protocol versions accept only objects.
    result.structured_content = typed.is_object().then_some(typed);
    result
}

/// Returns an error message for the client's model, so that it can correct the call.
pub(super) fn refused(problem: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(problem)])
}

pub(super) fn listed(spec: ToolSpec, output: Value) -> Tool {
    let object = |schema: Value| match schema {
        Value::Object(schema) => schema,
        _ => serde_json::Map::new(),
    };
    let hints = ToolAnnotations::new().read_only(true).open_world(false);
    Tool::new(spec.name, spec.description, object(spec.parameters))
        .with_raw_output_schema(Arc::new(object(output)))
        .with_annotations(hints)
}

/// Returns the client's roots that are folders of this machine, without roots inside another one. Only sessions that
/// began with `initialize` can be asked for roots.
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
    // A folder is sorted before its contents.
    roots.dedup_by(|inner, outer| inner.starts_with(outer));
    roots
}
