//! A main agent at work: turns over three tools until it answers or its budget ends. Simpler than the retriever's own loop,
//! since nothing that comes out of it is trusted.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{MainAgent, scripted};
use crate::{
    agent::{
        conversation::{Call, Conversation},
        spoken,
    },
    config::Budget,
    model::{ChatModel, ChatRequest, ChatResponse, Message, ModelError, Situation, ToolChoice},
    tools::{
        Registry, ToolContext, ToolError, ToolSpec,
        render::{Allowance, render},
    },
};
use retriever_report::{CodeMap, SUBMIT, Usage, json::extract, ledger::Ledger, schema};
use retriever_search::Question;
use retriever_workspace::{LineRange, Workspace, estimate_tokens};

/// What it may use beside the answer.
const TOOLS: [&str; 3] = ["grep", "glob", "read"];
/// Tokens that one result may have.
const RESULT_TOKENS: u64 = 8_000;
/// Turns without call or answer after which it is given up.
const IDLE_TURNS: u32 = 2;

/// Answer the question. It ends the work.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Answer {
    /// What was asked, in a few sentences that name files and symbols.
    pub(super) summary: String,
    /// Places that show it, as path:start-end.
    pub(super) places: Vec<String>,
    /// false when the repository does not have what is asked for.
    pub(super) found: Option<bool>,
}

impl Answer {
    /// Everything that was said.
    pub(super) fn all(&self) -> String {
        let mut text = self.summary.clone();
        for place in &self.places {
            text.push('\n');
            text.push_str(place);
        }
        text
    }
}

/// A call that was answered.
pub(super) struct Made {
    pub(super) tool: String,
    pub(super) arguments: Value,
    /// The lines that a `read` showed.
    pub(super) read: Option<(String, LineRange)>,
}

impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.read {
            Some((path, lines)) => write!(f, "{} {path}:{lines}", self.tool),
            None => write!(f, "{} {}", self.tool, self.arguments),
        }
    }
}

/// What became of a question.
#[derive(Default)]
pub(super) struct Talk {
    pub(super) calls: Vec<Made>,
    pub(super) answer: Option<Answer>,
    pub(super) steps: u32,
    pub(super) shown_tokens: u64,
    /// As counted by the endpoint, else estimated.
    pub(super) usage: Usage,
    pub(super) error: Option<ModelError>,
}

impl Talk {
    /// Has `agent` answer `question`, with `map` or without.
    pub(super) async fn hold(
        agent: &MainAgent,
        workspace: &Arc<Workspace>,
        question: &Question,
        map: Option<&CodeMap>,
        budget: &Budget,
    ) -> Result<Self, ToolError> {
        let registry = Arc::new(Registry::standard());
        let specs = specs(&registry);
        let mut conversation = open(question, map);
        let (mut ledger, mut talk) = (Ledger::new(), Self::default());
        let (mut idle, mut spoken_ids, mut known) = (0, 0, 0);
        let end = Instant::now() + budget.time;
        while talk.steps < budget.steps && idle < IDLE_TURNS && Instant::now() < end {
            talk.steps += 1;
            let spent = talk.calls.len() as u64 >= u64::from(budget.calls)
                || talk.shown_tokens >= budget.tokens;
            let last = talk.steps == budget.steps || spent;
            if last {
                conversation.say(&format!("Nothing is left to spend. Call {SUBMIT} now."));
            }
            let situation = Situation {
                question,
                candidates: &[],
                absence: None,
                ledger: &ledger,
                step: talk.steps,
            };
            let request = ChatRequest {
                messages: conversation.messages(),
                tools: &specs,
                tool_choice: if last { ToolChoice::Named(SUBMIT) } else { ToolChoice::Auto },
                deadline: end,
                situation,
            };
            let response = match next(agent, &request, map, last).await {
                Ok(response) => response,
                Err(error) => {
                    talk.error = Some(error);
                    break;
                }
            };
            talk.count(&response, conversation.messages(), &mut known);
            let content = response.content.clone().unwrap_or_default();
            let calls = read(&response, &content, &specs, &mut spoken_ids, &mut conversation);
            if let Some(answer) = answer(&calls, &content) {
                talk.answer = Some(answer);
                break;
            }
            if calls.is_empty() {
                idle += 1;
                conversation.say(&format!("Nothing was called. Call a tool, or {SUBMIT}."));
                continue;
            }
            idle = 0;
            for call in calls {
                let left = budget.tokens.saturating_sub(talk.shown_tokens).min(RESULT_TOKENS);
                let text = talk.call(&registry, workspace, &call, &mut ledger, left).await?;
                talk.shown_tokens += estimate_tokens(&text);
                conversation.answer(&call, text);
            }
        }
        Ok(talk)
    }

    async fn call(
        &mut self,
        registry: &Arc<Registry>,
        workspace: &Arc<Workspace>,
        call: &Call,
        ledger: &mut Ledger,
        tokens: u64,
    ) -> Result<String, ToolError> {
        let arguments = match &call.arguments {
            Ok(arguments) => arguments.clone(),
            Err(broken) => return Ok(format!("Not run: {}.", broken.problem)),
        };
        let places = ledger.places().iter();
        let places = places.map(|place| (place.id, (place.path.clone(), place.range)));
        let context = ToolContext {
            workspace: Arc::clone(workspace),
            cancelled: Arc::new(AtomicBool::new(false)),
            places: Arc::new(places.collect::<BTreeMap<_, _>>()),
        };
        let (registry, name, given) = (Arc::clone(registry), call.name.clone(), arguments.clone());
        let task = tokio::task::spawn_blocking(move || registry.call(&name, &context, &given));
        let result = task.await.map_err(|error| ToolError::Fatal(error.to_string()))?;
        let mut made = Made { tool: call.name.clone(), arguments, read: None };
        let text = match result {
            Ok(result) => {
                let observation = result.observation;
                let allowance = Allowance { tokens, per_file_total: u64::MAX };
                if let (true, Some(excerpt)) = (call.name == "read", observation.excerpts.first()) {
                    let ends = excerpt.lines.first().zip(excerpt.lines.last());
                    let lines = ends.and_then(|(first, last)| LineRange::new(first.0, last.0));
                    made.read = lines.map(|lines| (excerpt.file.path.to_string(), lines));
                }
                render(&observation, ledger, &allowance).text
            }
            Err(ToolError::Model(text)) => text,
            Err(error) => return Err(error),
        };
        self.calls.push(made);
        Ok(text)
    }

    /// Adds what a turn cost. `known` are the estimated tokens of the turn before.
    fn count(&mut self, response: &ChatResponse, messages: &[Message], known: &mut u64) {
        if response.usage != Usage::default() {
            self.usage += response.usage;
            return;
        }
        let prompt_tokens = messages.iter().map(estimate).sum();
        self.usage +=
            Usage { prompt_tokens, cached_tokens: (*known).min(prompt_tokens), ..Usage::default() };
        *known = prompt_tokens;
    }
}

async fn next(
    agent: &MainAgent,
    request: &ChatRequest<'_>,
    map: Option<&CodeMap>,
    last: bool,
) -> Result<ChatResponse, ModelError> {
    let MainAgent::Model(model, _) = agent else {
        return Ok(scripted::next(&request.situation, map, last));
    };
    let left = request.deadline.saturating_duration_since(Instant::now());
    let answer = tokio::time::timeout(left.max(Duration::from_millis(1)), model.complete(request));
    answer.await.unwrap_or(Err(ModelError::Timeout(left)))
}

/// Keeps the turn in the conversation; calls that were written as text are taken as such.
fn read(
    response: &ChatResponse,
    content: &str,
    specs: &[ToolSpec],
    spoken_ids: &mut u32,
    conversation: &mut Conversation,
) -> Vec<Call> {
    if response.calls.is_empty() {
        let known: Vec<&str> = specs.iter().map(|spec| spec.name).collect();
        let calls = spoken::calls(content, &known, spoken_ids);
        if !calls.is_empty() {
            return conversation.keep(&ChatResponse { calls, ..ChatResponse::default() });
        }
    }
    conversation.keep(response)
}

/// The answer: called for, written as an object, or plain text.
fn answer(calls: &[Call], content: &str) -> Option<Answer> {
    let typed = |value: &Value| serde_json::from_value::<Answer>(value.clone()).ok();
    if let Some(call) = calls.iter().find(|call| call.name == SUBMIT) {
        let broken = |text: &str| Answer { summary: text.to_owned(), ..Answer::default() };
        return match &call.arguments {
            Ok(arguments) => {
                Some(typed(arguments).unwrap_or_else(|| broken(&arguments.to_string())))
            }
            Err(arguments) => Some(broken(&arguments.text)),
        };
    }
    if !calls.is_empty() || content.trim().is_empty() {
        return None;
    }
    let object = extract(content, |value| value.get("summary").is_some());
    let written = object.and_then(|found| typed(&found.value));
    Some(written.unwrap_or_else(|| Answer { summary: content.to_owned(), ..Answer::default() }))
}

fn specs(registry: &Registry) -> Vec<ToolSpec> {
    let mut specs = registry.specs();
    specs.retain(|spec| TOOLS.contains(&spec.name));
    specs.push(schema::spec::<Answer>(SUBMIT));
    specs
}

fn open(question: &Question, map: Option<&CodeMap>) -> Conversation {
    let rules = include_str!("../../../prompts/planner.md")
        .replace("{tools}", &TOOLS.join(", "))
        .replace("{submit}", SUBMIT);
    let mut opening = format!("Question: {}", question.text);
    if let Some(map) = map {
        // A map is plain data, and nothing in it has no JSON.
        let map = serde_json::to_string(map).unwrap_or_default();
        opening.push_str("\n\n");
        opening.push_str(&include_str!("../../../prompts/planner_map.md").replace("{map}", &map));
    }
    Conversation::open(rules.trim().to_owned(), opening.trim().to_owned())
}

fn estimate(message: &Message) -> u64 {
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
