//! What a whole `ask` adds to its tools' own time: ten steps and thirty calls against a scripted endpoint that answers
//! at once, over real HTTP, beside the same calls made straight to the tools, as many at once. `cargo bench --bench
//! overhead -- DIR` prints the medians. Nothing is asserted.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    dead_code,
    reason = "a bench prints and may panic, and uses a part of what the tests share"
)]

#[path = "../tests/it/support/model_server.rs"]
mod model_server;

use std::{
    env,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use model_server::{ModelServer, Turn};
use retriever::{
    Observer, Question, Retriever, RunEvent, RunOptions,
    config::BudgetConfig,
    evidence_ledger::EvidenceLedger,
    tools::{ToolContext, ToolRegistry},
    workspace::Cancellation,
};
use serde_json::{Value, json};

const RUNS: usize = 9;

/// Keeps what recon took.
#[derive(Default)]
struct Clock(Mutex<Duration>);

impl Observer for Clock {
    fn on_event(&self, event: &RunEvent) {
        if let RunEvent::ReconFinished { elapsed_ms, .. } = event {
            *self.0.lock().unwrap() = Duration::from_millis(*elapsed_ms);
        }
    }
}

fn main() {
    let Some(root) = env::args().skip(1).find(|argument| !argument.starts_with('-')) else {
        println!("usage: cargo bench --bench ask_overhead -- DIR");
        return;
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let mut rows: Vec<[Duration; 3]> = Vec::new();
    for _ in 0..RUNS {
        let (whole, recon) = runtime.block_on(ask(&root));
        rows.push([whole, recon, bare(&root)]);
    }
    let median = |column: usize| {
        let mut times: Vec<Duration> = rows.iter().map(|row| row[column]).collect();
        times.sort();
        times[RUNS / 2]
    };
    let (whole, recon, tools) = (median(0), median(1), median(2));
    println!(
        "medians of {RUNS}: whole {} ms, recon {} ms, the tools alone {} ms, the rest {} ms",
        whole.as_millis(),
        recon.as_millis(),
        tools.as_millis(),
        whole.saturating_sub(recon + tools).as_millis()
    );
}

/// Nine steps of three or four searches, thirty in all.
fn steps() -> Vec<Vec<Value>> {
    (0..9)
        .map(|step| {
            let calls = if step < 3 { 4 } else { 3 };
            (0..calls)
                .map(|n| json!({"pattern": format!("step_{step}_{n}|fn main"), "limit": 10 + step}))
                .collect()
        })
        .collect()
}

async fn ask(root: &str) -> (Duration, Duration) {
    let mut script: Vec<Turn> = steps()
        .into_iter()
        .map(|calls| {
            let mut calls = calls.into_iter().map(|arguments| ("grep", arguments));
            match [calls.next(), calls.next(), calls.next(), calls.next()] {
                [Some(a), Some(b), Some(c), Some(d)] => Turn::calls([a, b, c, d]),
                [Some(a), Some(b), Some(c), None] => Turn::calls([a, b, c]),
                _ => Turn::says(""),
            }
        })
        .collect();
    script.push(Turn::submits(
        json!({"summary": "done", "missing": [{"what": "all", "critical": true}]}),
    ));
    let server = ModelServer::start(script);
    let retriever = Retriever::builder(root).model(Arc::new(server.model())).build().unwrap();
    let clock = Arc::new(Clock::default());
    let options = RunOptions {
        budget: BudgetConfig { observation_tokens: 1_000_000, ..BudgetConfig::default() },
        observer: Some(Arc::clone(&clock) as Arc<dyn Observer>),
        ..RunOptions::default()
    };
    let started = Instant::now();
    let answer = retriever.ask(Question::new("where does it start?"), options).await.unwrap();
    let whole = started.elapsed();
    let meta = &answer.map.meta;
    if (meta.tool_calls, meta.steps) != (30, 10) {
        println!(
            "the tree is too small: {} calls in {} steps brought nothing new",
            meta.tool_calls, meta.steps
        );
    }
    (whole, *clock.0.lock().unwrap())
}

fn bare(root: &str) -> Duration {
    let retriever = Retriever::builder(root).build().unwrap();
    let registry = ToolRegistry::standard();
    let workspace = Arc::clone(retriever.workspace());
    let context = ToolContext::new(workspace, &EvidenceLedger::new(), Cancellation::new());
    let started = Instant::now();
    for calls in steps() {
        thread::scope(|scope| {
            for arguments in &calls {
                scope.spawn(|| registry.call("grep", &context, arguments).unwrap());
            }
        });
    }
    started.elapsed()
}
