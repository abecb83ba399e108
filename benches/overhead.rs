//! What a whole `ask` adds to its tools' own time: ten steps and thirty calls against a scripted endpoint that answers
//! at once, over real HTTP. `cargo bench --bench overhead -- DIR` prints the medians. Nothing is asserted.
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
    time::{Duration, Instant},
};

use model_server::{ModelServer, Turn};
use retriever::{Event, Observer, Question, Retriever, RunOptions, config::BudgetConfig};
use serde_json::json;

const RUNS: usize = 9;

#[derive(Default)]
struct Clock {
    tools: Mutex<Duration>,
    recon: Mutex<Duration>,
}

impl Observer for Clock {
    fn on_event(&self, event: &Event) {
        match event {
            Event::ToolFinished { elapsed_ms, .. } => {
                *self.tools.lock().unwrap() += Duration::from_millis(*elapsed_ms);
            }
            Event::ReconFinished { elapsed_ms, .. } => {
                *self.recon.lock().unwrap() = Duration::from_millis(*elapsed_ms);
            }
            _ => {}
        }
    }
}

fn main() {
    let Some(root) = env::args().skip(1).find(|argument| !argument.starts_with('-')) else {
        println!("usage: cargo bench --bench overhead -- DIR");
        return;
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let mut rows: Vec<(Duration, Duration, Duration)> =
        (0..RUNS).map(|_| runtime.block_on(run(&root))).collect();
    rows.sort_by_key(|(whole, recon, tools)| whole.saturating_sub(*recon + *tools));
    let (whole, recon, tools) = rows[RUNS / 2];
    println!(
        "median of {RUNS}: whole {} ms, recon {} ms, tools {} ms, the rest {} ms",
        whole.as_millis(),
        recon.as_millis(),
        tools.as_millis(),
        whole.saturating_sub(recon + tools).as_millis()
    );
}

async fn run(root: &str) -> (Duration, Duration, Duration) {
    let mut script: Vec<Turn> = (0..9)
        .map(|step| {
            let grep = |n: usize| {
                ("grep", json!({"pattern": format!("step_{step}_{n}|fn main"), "limit": 10 + step}))
            };
            if step < 3 {
                Turn::calls([grep(0), grep(1), grep(2), grep(3)])
            } else {
                Turn::calls([grep(0), grep(1), grep(2)])
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
    assert_eq!(answer.map.meta.tool_calls, 30);
    (whole, *clock.recon.lock().unwrap(), *clock.tools.lock().unwrap())
}
