//! The loop of a main agent: turns with a few tools until it answers or its budget is spent. It is simpler than the loop of
//! the retriever, since its answer is not validated.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures::future::{BoxFuture, FutureExt};
use retriever::{
    Conversation, OfflineState, ParsedToolCall,
    config::{Prices, RunBudget},
    estimate_tokens,
    evidence_ledger::{EvidenceLedger, LineRange},
    model::{ChatModel, ChatRequest, ChatResponse, Message, ModelError, TokenUsage, ToolChoice},
    parse_text_calls,
    report::{SUBMIT, json::extract, tool_schema},
    tools::{
        ToolContext, ToolError, ToolObservation, ToolRegistry, ToolSpec,
        render_tool_result::{ObservationBudget, render},
    },
    workspace::Cancellation,
};
use retriever_eval::planner_eval::{
    MainAgent, MainAgentAnswer, MainAgentCall, MainAgentTranscript, PlannerTask,
};
use serde_json::Value;

use super::{
    super::in_process_answerer::InProcessAnswerer,
    explore_tool::{EXPLORE, ExploreTool},
    scripted_main_agent::{self, MapOrExploreOutput},
};

/// Tools beside the answer and `explore`.
const TOOLS: [&str; 3] = ["grep", "glob", "read"];
/// Maximum number of tokens of one tool result.
const MAX_RESULT_TOKENS: u64 = 8_000;
/// Least number of characters per token, as results are estimated.
const CHARS_PER_TOKEN: u64 = 3;
/// Turns without a call or an answer after which the agent is stopped.
const MAX_IDLE_TURNS: u32 = 2;

/// A main agent with its budget.
pub(crate) struct BudgetedMainAgent<'a> {
    /// The model and its prices; `None` is the program in [`scripted_main_agent`].
    model: Option<(Arc<dyn ChatModel>, Prices)>,
    budget: RunBudget,
    /// Opens the retriever of `explore`.
    answerer: &'a InProcessAnswerer,
}

impl<'a> BudgetedMainAgent<'a> {
    pub(crate) fn new(
        model: Option<(Arc<dyn ChatModel>, Prices)>,
        budget: RunBudget,
        answerer: &'a InProcessAnswerer,
    ) -> Self {
        Self { model, budget, answerer }
    }

    /// Returns the next turn. `state` is the input of the scripted agent.
    async fn next(
        &self,
        request: &ChatRequest<'_>,
        state: &OfflineState<'_>,
        help: MapOrExploreOutput<'_>,
    ) -> Result<ChatResponse, ModelError> {
        let Some((model, _)) = &self.model else {
            return Ok(scripted_main_agent::next(state, help, request.tool_choice));
        };
        let left = request.deadline.saturating_duration_since(Instant::now());
        let limit = left.max(Duration::from_millis(1));
        let answer = tokio::time::timeout(limit, model.complete(request)).await;
        answer.unwrap_or(Err(ModelError::Timeout(left)))
    }
}

impl MainAgent for BudgetedMainAgent<'_> {
    fn name(&self) -> &str {
        self.model.as_ref().map_or("scripted", |(model, _)| model.name())
    }

    fn answer<'a>(
        &'a self,
        task: PlannerTask<'a>,
    ) -> BoxFuture<'a, Result<MainAgentTranscript, String>> {
        async move {
            let explorer = match task.explores {
                true => Some(self.answerer.open_for_search(task.checkout)),
                false => None,
            };
            let explorer = explorer.transpose().map_err(|failure| failure.message)?;
            let explorer = explorer.map(|(retriever, _)| ExploreTool::new(retriever));
            let mut run = Run::new(self, task, explorer);
            let started = Instant::now();
            let run_to_end = run.run_to_end().await;
            run_to_end.map_err(|error| error.to_string())?;
            let mut transcript = run.transcript;
            transcript.elapsed_ms =
                u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
            if let Some((_, prices)) = &self.model {
                transcript.by_model = true;
                transcript.cost = prices.cost_of(&transcript.usage);
            }
            Ok(transcript)
        }
        .boxed()
    }
}

/// The state of one question.
struct Run<'a> {
    agent: &'a BudgetedMainAgent<'a>,
    task: PlannerTask<'a>,
    explorer: Option<ExploreTool>,
    registry: Arc<ToolRegistry>,
    specs: Vec<ToolSpec>,
    conversation: Conversation,
    ledger: EvidenceLedger,
    transcript: MainAgentTranscript,
    /// Number of calls written as text so far, for their IDs.
    text_calls: u32,
    /// Estimated tokens of the messages of the turn before.
    known_tokens: u64,
}

impl<'a> Run<'a> {
    fn new(
        agent: &'a BudgetedMainAgent<'a>,
        task: PlannerTask<'a>,
        explorer: Option<ExploreTool>,
    ) -> Self {
        let registry = Arc::new(ToolRegistry::standard());
        let specs = specs(&registry, explorer.is_some().then(ExploreTool::spec));
        Self {
            agent,
            task,
            explorer,
            conversation: open(&task, &specs),
            specs,
            registry,
            ledger: EvidenceLedger::new(),
            transcript: MainAgentTranscript::default(),
            text_calls: 0,
            known_tokens: 0,
        }
    }

    async fn run_to_end(&mut self) -> Result<(), ToolError> {
        let budget = &self.agent.budget;
        let deadline = Instant::now() + budget.time;
        let mut idle = 0;
        while self.transcript.steps < budget.steps
            && idle < MAX_IDLE_TURNS
            && Instant::now() < deadline
        {
            self.transcript.steps += 1;
            let response = match self.turn(deadline).await {
                Ok(response) => response,
                Err(error) => {
                    self.transcript.error = Some(error.to_string());
                    break;
                }
            };
            let content = response.content.clone().unwrap_or_default();
            let calls = self.keep(&response, &content);
            if let Some(answer) = answer(&calls, &content) {
                self.transcript.answer = Some(answer);
                break;
            }
            if calls.is_empty() {
                idle += 1;
                self.conversation
                    .add_user_message(&format!("Nothing was called. Call a tool, or {SUBMIT}."));
                continue;
            }
            idle = 0;
            for call in calls {
                let text = self.call(&call).await?;
                self.transcript.shown_tokens += estimate_tokens(&text);
                self.conversation.add_result(&call, text);
            }
        }
        Ok(())
    }

    /// Asks for the next turn. The last one that the budget allows has to be the answer.
    async fn turn(&mut self, deadline: Instant) -> Result<ChatResponse, ModelError> {
        let (budget, transcript) = (&self.agent.budget, &self.transcript);
        let is_last = transcript.steps == budget.steps
            || transcript.calls.len() as u64 >= u64::from(budget.calls)
            || transcript.shown_tokens >= budget.tokens;
        if is_last {
            self.conversation
                .add_user_message(&format!("Nothing is left to spend. Call {SUBMIT} now."));
        }
        let request = ChatRequest {
            messages: self.conversation.messages(),
            tools: &self.specs,
            tool_choice: if is_last { ToolChoice::Named(SUBMIT) } else { ToolChoice::Auto },
            deadline,
        };
        let state = OfflineState {
            question: self.task.question,
            candidates: &[],
            no_answer: None,
            flow: &[],
            ledger: &self.ledger,
            round: transcript.steps,
            refused: &[],
        };
        let explored = self.explorer.as_ref().map(|explorer| explorer.printed.as_slice());
        let help = MapOrExploreOutput { map: self.task.map, explored };
        let response = self.agent.next(&request, &state, help).await?;
        self.count(&response);
        Ok(response)
    }

    /// Adds the tokens of a turn, as the endpoint counts them, else estimated.
    fn count(&mut self, response: &ChatResponse) {
        let usage = if response.usage == TokenUsage::default() {
            let prompt_tokens = self.conversation.messages().iter().map(message_tokens).sum();
            let cached_tokens = self.known_tokens.min(prompt_tokens);
            self.known_tokens = prompt_tokens;
            TokenUsage { prompt_tokens, cached_tokens, ..TokenUsage::default() }
        } else {
            response.usage
        };
        self.transcript.usage += usage;
        self.transcript.resident_tokens = usage.prompt_tokens + usage.completion_tokens;
    }

    /// Adds the turn to the conversation and returns its calls, including those that were written as text.
    fn keep(&mut self, response: &ChatResponse, content: &str) -> Vec<ParsedToolCall> {
        if response.calls.is_empty() {
            let known: Vec<&str> = self.specs.iter().map(|spec| spec.name).collect();
            let calls = parse_text_calls(content, &known, &mut self.text_calls);
            if !calls.is_empty() {
                return self
                    .conversation
                    .add_answer(&ChatResponse { calls, ..ChatResponse::default() });
            }
        }
        self.conversation.add_answer(response)
    }

    /// Runs a call and returns what the agent is shown.
    async fn call(&mut self, call: &ParsedToolCall) -> Result<String, ToolError> {
        let arguments = match &call.arguments {
            Ok(arguments) => arguments.clone(),
            Err(malformed) => return Ok(format!("Not run: {}.", malformed.problem)),
        };
        let spent = self.transcript.shown_tokens;
        let left = self.agent.budget.tokens.saturating_sub(spent).min(MAX_RESULT_TOKENS);
        if let Some(explorer) = self.explorer.as_mut().filter(|_| call.name == EXPLORE) {
            let max_chars = usize::try_from(left * CHARS_PER_TOKEN).unwrap_or(usize::MAX);
            let text = explorer.call(&arguments, max_chars).await?;
            let tool = call.name.clone();
            self.transcript.calls.push(MainAgentCall { tool, arguments, read: None });
            return Ok(text);
        }
        let workspace = Arc::clone(self.task.workspace);
        let context = ToolContext::new(workspace, &self.ledger, Cancellation::new());
        let (registry, name) = (Arc::clone(&self.registry), call.name.clone());
        let given = arguments.clone();
        let task = tokio::task::spawn_blocking(move || registry.call(&name, &context, &given));
        let result = task.await.map_err(|error| ToolError::Fatal(error.to_string()))?;
        let mut made = MainAgentCall { tool: call.name.clone(), arguments, read: None };
        let text = match result {
            Ok(result) => {
                if call.name == "read" {
                    made.read = lines_read(&result.observation);
                }
                let allowance = ObservationBudget { tokens: left, per_file_total: u64::MAX };
                render(&result.observation, &mut self.ledger, &allowance).text
            }
            Err(ToolError::Model(text)) => text,
            Err(error) => return Err(error),
        };
        self.transcript.calls.push(made);
        Ok(text)
    }
}

/// The file and the lines that a `read` shows.
fn lines_read(observation: &ToolObservation) -> Option<(String, LineRange)> {
    let excerpt = observation.excerpts.first()?;
    let (first, last) = excerpt.lines.first().zip(excerpt.lines.last())?;
    Some((excerpt.file.path.to_string(), LineRange::new(first.0, last.0)?))
}

/// Returns the answer: from a call, from an object, or the plain text.
fn answer(calls: &[ParsedToolCall], content: &str) -> Option<MainAgentAnswer> {
    let typed = |value: &Value| serde_json::from_value::<MainAgentAnswer>(value.clone()).ok();
    let plain =
        |text: &str| MainAgentAnswer { summary: text.to_owned(), ..MainAgentAnswer::default() };
    if let Some(call) = calls.iter().find(|call| call.name == SUBMIT) {
        return Some(match &call.arguments {
            Ok(arguments) => typed(arguments).unwrap_or_else(|| plain(&arguments.to_string())),
            Err(arguments) => plain(&arguments.text),
        });
    }
    if !calls.is_empty() || content.trim().is_empty() {
        return None;
    }
    let object = extract(content, |value| value.get("summary").is_some());
    Some(object.and_then(|found| typed(&found.value)).unwrap_or_else(|| plain(content)))
}

fn specs(registry: &ToolRegistry, explore: Option<ToolSpec>) -> Vec<ToolSpec> {
    let mut specs = registry.specs();
    specs.retain(|spec| TOOLS.contains(&spec.name));
    specs.extend(explore);
    specs.push(tool_schema::spec::<MainAgentAnswer>(SUBMIT));
    specs
}

fn open(task: &PlannerTask<'_>, specs: &[ToolSpec]) -> Conversation {
    let tools = specs.iter().map(|spec| spec.name).filter(|name| *name != SUBMIT);
    let rules = include_str!("../../../../prompts/planner.md")
        .replace("{tools}", &tools.collect::<Vec<_>>().join(", "))
        .replace("{submit}", SUBMIT);
    let mut opening = format!("Question: {}", task.question.text);
    if let Some(map) = task.map {
        // Serializing a map cannot fail: all its keys are strings.
        let map = serde_json::to_string(map).unwrap_or_default();
        opening.push_str("\n\n");
        opening
            .push_str(&include_str!("../../../../prompts/planner_map.md").replace("{map}", &map));
    }
    Conversation::new(rules.trim().to_owned(), opening.trim().to_owned())
}

fn message_tokens(message: &Message) -> u64 {
    match message {
        Message::System { content } | Message::User { content } | Message::Tool { content, .. } => {
            estimate_tokens(content)
        }
        Message::Assistant { content, calls } => {
            let said = content.as_deref().map_or(0, estimate_tokens);
            said + calls.iter().map(|call| estimate_tokens(&call.arguments)).sum::<u64>()
        }
    }
}
