//! What many questions at once cost each other: 16 of them on one retriever, with a scripted endpoint that takes 200 ms a
//! turn, beside the slowest of them alone. `cargo bench --bench concurrent_questions -- DIR` prints the figures. Nothing is asserted.
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
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use futures::future::join_all;
use model_server::{ModelServer, Turn};
use retriever::{Question, Retriever, RunOptions};
use serde_json::json;

const QUESTIONS: usize = 16;
const TURN: Duration = Duration::from_millis(200);
/// Rounds of which the median is taken.
const ROUNDS: usize = 5;

fn main() {
    let Some(root) = env::args().skip(1).find(|argument| !argument.starts_with('-')) else {
        println!("usage: cargo bench --bench concurrent_questions -- DIR");
        return;
    };
    let server = ModelServer::start(Vec::new()).otherwise(|| Turn::responds(turn));
    let retriever = Retriever::builder(root).model(Arc::new(server.model())).build().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let ask = |number: usize| {
        let retriever = retriever.clone();
        async move {
            let started = Instant::now();
            let question = Question::new(format!("where does part {number} start?"));
            retriever.ask(question, RunOptions::default()).await.unwrap();
            started.elapsed()
        }
    };
    let mut rounds: Vec<(Duration, Duration)> = (0..ROUNDS)
        .map(|_| {
            let alone = (0..QUESTIONS).map(|number| runtime.block_on(ask(number)));
            let slowest = alone.max().unwrap_or_default();
            let started = Instant::now();
            runtime.block_on(async {
                join_all((0..QUESTIONS).map(|number| tokio::spawn(ask(number)))).await
            });
            (started.elapsed(), slowest)
        })
        .collect();
    rounds.sort_by(|a, b| ratio(a).total_cmp(&ratio(b)));
    let median = rounds[ROUNDS / 2];
    println!(
        "{QUESTIONS} at once {} ms, the slowest alone {} ms: {:.2} times as long",
        median.0.as_millis(),
        median.1.as_millis(),
        ratio(&median)
    );
}

fn ratio((crowd, alone): &(Duration, Duration)) -> f64 {
    crowd.as_secs_f64() / alone.as_secs_f64()
}

/// Two searches, a listing, and a report.
fn turn(request: &serde_json::Value) -> Turn {
    thread::sleep(TURN);
    match request["messages"].as_array().map_or(0, Vec::len) {
        2 => Turn::calls([("grep", json!({"pattern": "fn main|def main|func main"}))]),
        4 => Turn::calls([("grep", json!({"pattern": "start|begin", "limit": 20}))]),
        6 => Turn::calls([("glob", json!({"pattern": "**/main.*"}))]),
        _ => Turn::submits(
            json!({"summary": "done", "missing": [{"what": "all", "critical": true}]}),
        ),
    }
}
