//! Every limit of a run is exact, whatever sets it and whatever the run does. The clock is the test's: a run is told when it
//! began.

use std::{
    fmt::Write as _,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use retriever::{
    Observer, Question, Retriever, RunEvent, RunOptions,
    config::{BudgetConfig, Config, RunBudget},
    report::{CodeMap, ReportAuthor, StopReason},
    tools::ToolOutcome,
};
use serde_json::{Value, json};

use crate::support::{
    fixture::Fixture,
    model_server::{ModelServer, Turn},
    run::Events,
};

const QUESTION: &str = "how is a job queued?";
/// Files of the fixture, each of which has something new to read.
const FILES: usize = 40;
/// Seconds of a run: the last 2 are for answering without a model, the 30 before for the report alone.
const TIMEOUT_S: u64 = 200;
/// Tokens that are too few for another observation.
const MIN_OBSERVATION_TOKENS: u64 = 120;

/// Headlines and one-line refusals of the calls of one message, which are printed even when no room is left.
const HEADLINE_TOKENS: u64 = 400;

/// When a run began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Began {
    Now,
    /// So long ago that only the report may follow.
    BeforeReport,
    /// Before all of its time.
    TooLongAgo,
}

impl Began {
    fn at(self) -> Option<Instant> {
        let ago = match self {
            Self::Now => return None,
            Self::BeforeReport => TIMEOUT_S - 25,
            Self::TooLongAgo => TIMEOUT_S + 1,
        };
        Some(Instant::now().checked_sub(Duration::from_secs(ago)).unwrap())
    }
}

/// Who explores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Explorer {
    /// A model that reads on and never reports.
    Endless,
    /// A model that fails at each request.
    Failing,
    Offline,
}

fn fixture() -> Fixture {
    let mut source = String::new();
    for at in 0..FILES {
        let _ = write!(
            source,
            "//- /src/job_{at}.rs\n/// Puts job {at} into the queue.\npub fn queue_job_{at}(job: Job) {{\n"
        );
        for line in 0..20 {
            let _ = writeln!(source, "    QUEUE_{at}.lock().push(job.part({line}, {at}));");
        }
        source.push_str("}\n");
    }
    Fixture::new(&source)
}

fn endless_turn(request: &Value) -> Turn {
    let at = request["messages"].as_array().unwrap().len() % FILES;
    Turn::calls([
        ("read", json!({"file": format!("src/job_{at}.rs")})),
        ("grep", json!({"pattern": format!("QUEUE_{at}\\b"), "context": 2})),
        ("graph", json!({"operation": "callers", "target": format!("queue_job_{at}")})),
    ])
}

/// What came of a run.
struct Ran {
    map: CodeMap,
    events: Vec<RunEvent>,
    requests: usize,
}

impl Ran {
    fn count(&self, is_counted: impl Fn(&RunEvent) -> bool) -> usize {
        self.events.iter().filter(|event| is_counted(event)).count()
    }
}

async fn run(explorer: Explorer, began: Began, budget: &BudgetConfig) -> Ran {
    let (fixture, events) = (fixture(), Arc::new(Events::default()));
    let server = ModelServer::start(vec![]).otherwise(move || match explorer {
        Explorer::Failing => Turn::raw(500, &[], json!({"error": {"message": "dead"}})),
        _ => Turn::responds(endless_turn),
    });
    let builder = Retriever::builder(fixture.root());
    let builder = match explorer {
        Explorer::Offline => builder,
        _ => builder.model(Arc::new(server.model())),
    };
    let options = RunOptions {
        budget: budget.clone(),
        observer: Some(Arc::clone(&events) as Arc<dyn Observer>),
        started: began.at(),
        ..RunOptions::default()
    };
    let answer = builder.build().unwrap().ask(Question::new(QUESTION), options).await.unwrap();
    Ran { map: answer.map, events: events.all(), requests: server.requests().len() }
}

/// Asserts that nothing is beyond `limits`, and that the limit that ended the run is used up.
fn assert_exact(ran: &Ran, limits: &RunBudget, told: &str) {
    let meta = &ran.map.meta;
    assert!(meta.steps <= limits.steps, "{told}: {meta:?}");
    assert!(meta.tool_calls <= limits.calls, "{told}: {meta:?}");
    assert!(meta.observed_tokens <= limits.tokens + HEADLINE_TOKENS, "{told}: {meta:?}");
    let steps = ran.count(|event| matches!(event, RunEvent::StepStarted { .. }));
    assert_eq!(steps, meta.steps as usize, "{told}");
    let calls = ran.count(|event| matches!(event, RunEvent::ToolStarted { .. }));
    // Calls that are refused begin and end like others.
    assert!(calls >= meta.tool_calls as usize, "{told}: {calls} {meta:?}");
    match meta.stop_reason {
        StopReason::StepBudget => assert_eq!(meta.steps, limits.steps, "{told}"),
        StopReason::CallBudget => assert_eq!(meta.tool_calls, limits.calls, "{told}"),
        StopReason::ObservationBudget => {
            let left = limits.tokens.saturating_sub(meta.observed_tokens);
            assert!(left < MIN_OBSERVATION_TOKENS, "{told}: {meta:?}");
        }
        _ => {}
    }
}

fn assert_on_time(ran: &Ran, explorer: Explorer, began: Began, told: &str) {
    let is_unforced =
        |event: &RunEvent| matches!(event, RunEvent::StepStarted { forced: false, .. });
    match began {
        Began::Now => assert_ne!(ran.map.meta.stop_reason, StopReason::Deadline, "{told}"),
        Began::BeforeReport => {
            assert_eq!(ran.count(is_unforced), 0, "{told}");
            if explorer == Explorer::Offline {
                assert_eq!(ran.map.meta.tool_calls, 0, "{told}");
            }
        }
        Began::TooLongAgo => {
            let used = (ran.requests, ran.map.meta.steps, ran.map.meta.tool_calls);
            assert_eq!(used, (0, 0, 0), "{told}");
            assert_eq!(ran.map.meta.stop_reason, StopReason::Deadline, "{told}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, max_shrink_iters: 64, ..ProptestConfig::default() })]

    #[test]
    fn every_limit_of_a_run_is_exact(
        (max_steps, max_tool_calls) in (1_u32..8, 1_u32..16),
        observation_tokens in prop_oneof![1_u64..4_000, 4_000_u64..40_000],
        explorer in prop_oneof![
            Just(Explorer::Endless), Just(Explorer::Failing), Just(Explorer::Offline)
        ],
        began in prop_oneof![
            4 => Just(Began::Now), 1 => Just(Began::BeforeReport), 1 => Just(Began::TooLongAgo)
        ],
    ) {
        let budget = BudgetConfig {
            max_steps, max_tool_calls, observation_tokens, timeout_s: TIMEOUT_S,
            ..BudgetConfig::default()
        };
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let ran = runtime.block_on(run(explorer, began, &budget));
        let told = format!("{explorer:?} {began:?} {budget:?}");
        assert_exact(&ran, &Config::default().limits(&budget, FILES), &told);
        assert_on_time(&ran, explorer, began, &told);
    }
}

/// Lets a tool begin its work only when the time for exploring is over, with nothing known of the tree.
struct LateGraph {
    retriever: Retriever,
    explored: Instant,
    outcome: Mutex<Option<ToolOutcome>>,
}

impl Observer for LateGraph {
    fn on_event(&self, event: &RunEvent) {
        match event {
            RunEvent::ToolStarted { tool, .. } if tool == "graph" => {
                self.retriever.index().forget();
                while Instant::now() < self.explored {
                    thread::yield_now();
                }
            }
            RunEvent::ToolFinished { tool, outcome, .. } if tool == "graph" => {
                *self.outcome.lock().unwrap() = Some(*outcome);
            }
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_graph_that_a_tool_builds_leaves_the_model_the_time_for_its_report() {
    let fixture = fixture();
    let read = ("read", json!({"file": "src/job_1.rs"}));
    let graph = ("graph", json!({"operation": "callers", "target": "queue_job_1"}));
    let report = json!({"summary": "s", "primary": [{"ref": "src/job_1.rs:2-5", "why": "w"}]});
    let server =
        ModelServer::start(vec![Turn::calls([read]), Turn::calls([graph]), Turn::submits(report)]);
    let retriever =
        Retriever::builder(fixture.root()).model(Arc::new(server.model())).build().unwrap();
    // Exploring ends in a few seconds.
    let explored = Instant::now() + Duration::from_secs(5);
    let late = LateGraph { retriever: retriever.clone(), explored, outcome: Mutex::default() };
    let late = Arc::new(late);
    let options = RunOptions {
        budget: BudgetConfig { timeout_s: TIMEOUT_S, ..BudgetConfig::default() },
        started: explored.checked_sub(Duration::from_secs(TIMEOUT_S - 32)),
        observer: Some(Arc::clone(&late) as Arc<dyn Observer>),
        ..RunOptions::default()
    };
    let map = retriever.ask(Question::new(QUESTION), options).await.unwrap().map;
    assert_eq!(map.meta.author, ReportAuthor::Model, "{:?}", map.meta);
    assert_eq!(map.meta.stop_reason, StopReason::Deadline, "{:?}", map.meta);
    assert_eq!(map.meta.tool_calls, 2);
    assert_eq!(map.primary[0].place.path, "src/job_1.rs");
    // The graph was not made in the time of the report.
    let outcome = late.outcome.lock().unwrap().unwrap();
    assert!(!matches!(outcome, ToolOutcome::Found | ToolOutcome::NoMatch), "{outcome:?}");
}
