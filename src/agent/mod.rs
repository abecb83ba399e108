//! A run from question to code map: recon, exploration, judgement, fallback. What is asked and spent is the caller's;
//! what is found is the tools'; what is true is the validator's.

mod budget;
mod conversation;
mod dispatch;
mod event;
mod explore;
mod offline;
mod packet;
mod prompt;
mod run;
mod session;
mod spoken;
mod submission;

use std::{borrow::Cow, collections::BTreeSet, sync::Arc, time::Instant};

use strum::VariantArray;
use tokio_util::sync::CancellationToken;

use self::{
    budget::Spending,
    dispatch::{Memory, millis},
    explore::Ended,
    run::Run,
    session::Lasting,
    submission::Judge,
};
use crate::{
    answer_cache::{Found, Graph, Sessions},
    config::{Budget, BudgetConfig, Config, Effort},
    model::{ChatModel, ModelError},
    tools::{Registry, ToolError},
};
use retriever_graph::index::Index;
use retriever_report::{
    Author, CodeMap, Density, MapLimits, SUBMIT, Status, StopReason, Usage, ledger::Ledger,
};
use retriever_search::{CandidateSet, Corpus, Intent, Question, Role, RoleCues, TokenIndex};
use retriever_workspace::{Cancellation, TextFile, Workspace, estimate_tokens};

pub use conversation::{Broken, Call, Conversation};
pub use event::{Event, Observer};
pub use offline::OfflineModel;
pub use packet::{PACKET_TOKENS, packet};
pub use prompt::{Prompt, PromptError, Prompts};
pub use spoken::calls as written_calls;

/// Longest question that is taken, in bytes: a pasted log fits, a pasted repository doesn't.
const QUESTION_BYTES: usize = 64 * 1024;
/// Bytes of the question that are repeated in the opening message.
const QUOTED_QUESTION_BYTES: usize = 24 * 1024;

/// What stands in the packet's place when there is none.
const NO_PACKET: &str = "No candidates were computed; start with the tools.";

/// What one run may spend and who watches it.
///
/// ```
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::{Arc, atomic::{AtomicU32, Ordering}};
/// use retriever::{Event, Observer, Question, Retriever, RunOptions, config::{BudgetConfig, Effort}};
///
/// #[derive(Default)]
/// struct Steps(AtomicU32);
///
/// impl Observer for Steps {
///     fn on_event(&self, event: &Event) {
///         if let Event::StepStarted { step, .. } = event {
///             self.0.store(*step, Ordering::Relaxed);
///         }
///     }
/// }
///
/// let steps = Arc::new(Steps::default());
/// let options = RunOptions {
///     budget: BudgetConfig { effort: Effort::Quick, ..BudgetConfig::default() },
///     observer: Some(steps.clone()),
///     ..RunOptions::default()
/// };
/// // Cancelling ends the run early, with a map of what was found until then.
/// let cancel = options.cancel.clone();
/// let retriever = Retriever::builder("src/tools").build()?;
/// let answer = retriever.ask(Question::new("how is a file read?"), options).await?;
/// assert_eq!(answer.map.meta.steps, steps.0.load(Ordering::Relaxed));
/// # drop(cancel);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct RunOptions {
    /// What the run may spend.
    pub budget: BudgetConfig,
    /// Cancelling it ends the run with what has been found so far.
    pub cancel: CancellationToken,
    /// Who is told of every event.
    pub observer: Option<Arc<dyn Observer>>,
    /// What to do when the model fails.
    pub fallback: FallbackPolicy,
}

/// What the conversation opens with beside the question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Opening {
    /// The candidate packet.
    #[default]
    Candidates,
    /// Nothing: the tools are all there is. It is what the packet's worth is measured against.
    Bare,
}

/// What to do when the model fails before any report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FallbackPolicy {
    /// Answer without it, labelled as such.
    #[default]
    Allow,
    /// Fail.
    Refuse,
}

/// The answer to a question.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The map.
    pub map: CodeMap,
    /// The model's failure, when the map was made without it or in spite of it.
    pub model_error: Option<ModelError>,
    /// What was delivered: every line of the map is in it. Empty when a session gave an earlier answer again.
    pub ledger: Ledger,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// There is no question.
    #[error("the question is empty")]
    EmptyQuestion,
    /// The question is too long to be one.
    #[error("the question has {0} bytes; at most {QUESTION_BYTES} are taken")]
    LongQuestion(usize),
    /// The model failed, and no fallback was wanted.
    #[error("the model failed: {0}")]
    Model(#[source] ModelError),
    /// The program is at fault.
    #[error("internal error: {0}")]
    Internal(String),
}

/// What all questions of one root share.
pub(crate) struct Shared {
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) index: Arc<Index>,
    pub(crate) token_index: Arc<TokenIndex>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) prompts: Prompts,
    pub(crate) config: Config,
    pub(crate) cues: RoleCues,
    pub(crate) opening: Opening,
    pub(crate) sessions: Sessions,
    /// Names of the caller's own tools, in lower case.
    pub(crate) added_tools: BTreeSet<String>,
}

struct Silent;

impl Observer for Silent {
    fn on_event(&self, _: &Event) {}
}

/// Answers one question.
pub(crate) async fn ask(
    shared: &Arc<Shared>,
    question: Question,
    options: RunOptions,
) -> Result<Answer, AskError> {
    let started = Instant::now();
    check(&question)?;
    let observer: Arc<dyn Observer> = options.observer.unwrap_or_else(|| Arc::new(Silent));
    let model = Arc::clone(&shared.model);
    observer.on_event(&Event::RunStarted {
        question: question.text.clone(),
        author: model.author(),
        model: model_name(model.as_ref()),
    });
    let visit = match session::find(shared, &question, &options.budget).await {
        Some(Found::Report(map)) => {
            let mut map = session::again(*map, &question, shared.config.report.max_tokens);
            let ledger = session::delivered(shared, &map).await;
            map.meta.elapsed_ms = millis(started.elapsed());
            map.set_report_tokens();
            observer.on_event(&Event::run_finished(&map, 0, density(shared, &map).await));
            return Ok(Answer { map, model_error: None, ledger });
        }
        Some(Found::Nothing(visit)) => Some(visit),
        None => None,
    };
    let (mut survey, graph) = survey(shared, &question, &options.cancel).await?;
    let mut ledger = Ledger::new();
    let budget = options.budget.resolve(survey.files_seen);
    let packet = match shared.opening {
        Opening::Candidates => packet(&survey, &mut ledger, PACKET_TOKENS.min(budget.tokens / 4)),
        Opening::Bare => {
            survey.candidates.clear();
            NO_PACKET.to_owned()
        }
    };
    observer.on_event(&Event::recon_finished(
        survey.files_seen,
        survey.candidates.len(),
        estimate_tokens(&packet),
        millis(started.elapsed()),
        &budget,
    ));
    let mut run = Run {
        shared,
        question: &question,
        survey: &survey,
        observer: observer.as_ref(),
        cancel: &options.cancel,
        ledger,
        memory: Memory::default(),
        usage: Usage::default(),
        steps: 0,
        calls: 0,
    };
    let author = model.author();
    let judge = judge(shared, &question, author, Status::Complete);
    let internal = |error: ToolError| AskError::Internal(error.to_string());
    let mut conversation = open(shared, &question, &survey, &packet, &budget);
    let mut spending = Spending::new(budget);
    let ended = run
        .explore(model.as_ref(), &judge, &mut conversation, &mut spending)
        .await
        .map_err(internal)?;
    let Ended { mut stop, best, accepted, error } = ended;
    if let (Some(error), None, FallbackPolicy::Refuse) = (&error, &best, options.fallback) {
        return Err(AskError::Model(error.clone()));
    }
    let mut map = match best.and_then(|submission| submission.map) {
        Some(mut map) => {
            if !accepted {
                map.status = Status::Partial;
            }
            map
        }
        None => {
            let judge = self::judge(shared, &question, Author::Fallback, Status::Fallback);
            let offline = if stop == StopReason::Interrupted || author == Author::Offline {
                None
            } else {
                fall_back(&mut run, &judge, &packet).await.map_err(internal)?
            };
            if stop == StopReason::Submitted {
                stop = StopReason::NoReport;
            }
            match offline {
                Some(map) => map,
                None => judge.fallback(&run).await,
            }
        }
    };
    let meta = &mut map.meta;
    meta.model = model_name(model.as_ref());
    meta.stop_reason = stop;
    meta.steps = run.steps;
    meta.tool_calls = run.calls;
    meta.observed_tokens = run.ledger.tokens();
    meta.usage = (run.usage != Usage::default()).then_some(run.usage);
    meta.cost = shared.config.model.prices.cost_of(&run.usage);
    if let Some(error) = &error {
        meta.reasons.push(format!("model_{}", error.label()));
    }
    if let Some(visit) = visit {
        let lasts = map.status == Status::Complete && error.is_none();
        let lasts = if lasts { Lasting::Yes } else { Lasting::No };
        map = session::finish(shared, visit, &run, map, lasts, graph).await;
    }
    map.meta.elapsed_ms = millis(started.elapsed());
    map.set_report_tokens();
    let density = density(shared, &map).await;
    observer.on_event(&Event::run_finished(&map, run.memory.redundant, density));
    Ok(Answer { map, model_error: error, ledger: run.ledger })
}

/// Explores once more without the model that failed, on the same ledger.
async fn fall_back(
    run: &mut Run<'_>,
    judge: &Judge<'_>,
    packet: &str,
) -> Result<Option<CodeMap>, ToolError> {
    let offline = OfflineModel::new();
    let budget = Budget::preset(Effort::Quick);
    let mut conversation = open(run.shared, run.question, run.survey, packet, &budget);
    // The fallback's tokens come on top of what the failed model was shown.
    let budget = Budget { tokens: budget.tokens + run.ledger.tokens(), ..budget };
    let ended = run.explore(&offline, judge, &mut conversation, &mut Spending::new(budget)).await?;
    Ok(ended.best.and_then(|submission| submission.map))
}

/// Measures the finished map against the files that it cites. When they can't be read any more, nothing was copied.
async fn density(shared: &Shared, map: &CodeMap) -> Density {
    let workspace = Arc::clone(&shared.workspace);
    let paths: Vec<String> = map.paths().into_iter().map(str::to_owned).collect();
    let read = move || {
        let file = |path: String| workspace.read(&workspace.normalize(&path).ok()?).ok();
        paths.into_iter().filter_map(file).collect::<Vec<_>>()
    };
    let files = tokio::task::spawn_blocking(read).await.unwrap_or_default();
    Density::of(map, files.iter().map(TextFile::text))
}

fn check(question: &Question) -> Result<(), AskError> {
    if question.text.trim().is_empty() {
        return Err(AskError::EmptyQuestion);
    }
    if question.text.len() > QUESTION_BYTES {
        return Err(AskError::LongQuestion(question.text.len()));
    }
    Ok(())
}

fn model_name(model: &dyn ChatModel) -> Option<String> {
    (model.author() == Author::Model).then(|| model.name().to_owned())
}

fn judge<'a>(shared: &'a Shared, question: &Question, author: Author, status: Status) -> Judge<'a> {
    let most = shared.config.report.max_tokens;
    let max_tokens = session::map_tokens(most, question.session.as_ref());
    let limits = MapLimits { max_tokens, ..MapLimits::default() };
    Judge { author, status, cues: &shared.cues, limits }
}

async fn survey(
    shared: &Arc<Shared>,
    question: &Question,
    cancel: &CancellationToken,
) -> Result<(CandidateSet, Graph), AskError> {
    let cancellation = Cancellation::new();
    let (shared, question, flag) = (Arc::clone(shared), question.clone(), cancellation.clone());
    let mut task = tokio::task::spawn_blocking(move || {
        let Shared { workspace, index, token_index, cues, .. } = shared.as_ref();
        let ask = || {
            index.ask_on_walk_if_quick(|walk, graph| {
                let had = if graph.is_some() { Graph::Used } else { Graph::Missing };
                let snapshot = token_index.snapshot(workspace, walk, &flag);
                let corpus = Corpus { workspace, walk, index: &snapshot, graph, role_cues: cues };
                (retriever_search::find_candidates(&corpus, &question, &flag), had)
            })
        };
        std::thread::scope(|threads| {
            threads.spawn(|| retriever_search::prepare(workspace, token_index, &question));
            ask()
        })
    });
    let joined = tokio::select! {
        joined = &mut task => joined,
        () = cancel.cancelled() => {
            cancellation.cancel();
            task.await
        }
    };
    joined.map_err(|error| AskError::Internal(format!("recon failed: {error}")))
}

fn open(
    shared: &Shared,
    question: &Question,
    survey: &CandidateSet,
    packet: &str,
    budget: &Budget,
) -> Conversation {
    let tools: Vec<&str> = shared.registry.specs().iter().map(|spec| spec.name).collect();
    let roles: Vec<&str> = Role::VARIANTS.iter().map(|role| role.as_ref()).collect();
    let number = |value: u64| Cow::Owned(value.to_string());
    let system = shared.prompts.fill(
        Prompt::System,
        &[
            ("tools", tools.join(", ").into()),
            ("roles", roles.join(", ").into()),
            ("max_width", number(MapLimits::default().max_width.into())),
            ("steps", number(budget.steps.into())),
            ("calls", number(budget.calls.into())),
            ("tokens", number(budget.tokens)),
            ("submit", SUBMIT.into()),
        ],
    );
    let hint = match question.intent {
        Intent::Answer => {
            "The planner wants to understand; a report that answers by itself is best."
        }
        Intent::Edit => "The planner will change the code: give the exact places as read_targets.",
        Intent::Debug => {
            "The planner looks for a fault: give the places that can cause it as read_targets."
        }
    };
    let mut asked = Vec::new();
    if !survey.query.asked.roles.is_empty() {
        let roles: Vec<&str> = survey.query.asked.roles.iter().map(|role| role.as_ref()).collect();
        asked.push(format!("Roles to cover: {}.", roles.join(", ")));
    }
    if !question.hints.is_empty() {
        asked.push(format!("The planner points at: {}.", question.hints.join(", ")));
    }
    let opening = shared.prompts.fill(
        Prompt::Question,
        &[
            ("question", clip(&question.text, QUOTED_QUESTION_BYTES)),
            ("intent", question.intent.as_ref().into()),
            ("intent_hint", hint.into()),
            ("asked", asked.join(" ").into()),
            ("packet", packet.into()),
        ],
    );
    Conversation::open(system, opening)
}

fn clip(text: &str, bytes: usize) -> Cow<'_, str> {
    if text.len() <= bytes {
        return Cow::Borrowed(text);
    }
    let cut = text.floor_char_boundary(bytes);
    Cow::Owned(format!("{} …(+{} bytes)", &text[..cut], text.len() - cut))
}
