//! Whatever a model does, a run keeps its limits, ends, and reports only lines that were delivered.

use std::sync::{Arc, Mutex};

use futures::future::{BoxFuture, FutureExt};
use proptest::prelude::*;
use retriever::{
    Observer, Question, Retriever, RunEvent, RunOptions,
    config::BudgetConfig,
    model::{ChatModel, ChatRequest, ChatResponse, Message, ModelError, ToolCall},
    report::{CodeMap, MapStatus, Place},
    workspace::RepoPath,
};
use serde_json::{Value, json};

use crate::support::{
    fixture::Fixture,
    run::{Events, places},
};

/// What a model does in a turn.
#[derive(Clone, Debug)]
enum Behaviour {
    Calls(Vec<(String, String)>),
    Says(String),
    Fails,
    Submits(Vec<(usize, u32, u32)>),
    CallsAndSubmits(Vec<(String, String)>, Vec<(usize, u32, u32)>),
}

const FILES: [&str; 3] = ["src/alpha.rs", "src/beta.rs", "src/missing.rs"];

/// A model that does what it is told, and remembers what it was shown.
struct Chaos {
    turns: Mutex<Vec<Behaviour>>,
    shown: Mutex<String>,
}

impl ChatModel for Chaos {
    fn name(&self) -> &str {
        "chaos"
    }

    fn complete<'a>(
        &'a self,
        request: &'a ChatRequest<'a>,
    ) -> BoxFuture<'a, Result<ChatResponse, ModelError>> {
        let texts = request.messages.iter().filter_map(|message| match message {
            Message::User { content } | Message::Tool { content, .. } => Some(content.as_str()),
            Message::System { .. } | Message::Assistant { .. } => None,
        });
        *self.shown.lock().unwrap() = texts.collect::<Vec<_>>().join("\n");
        let behaviour = self.turns.lock().unwrap().pop();
        async move {
            let calls = match behaviour {
                None | Some(Behaviour::Fails) => {
                    return Err(ModelError::Malformed("chaos".to_owned()));
                }
                Some(Behaviour::Says(text)) => {
                    return Ok(ChatResponse { content: Some(text), ..ChatResponse::default() });
                }
                Some(Behaviour::Calls(calls)) => tool_calls(calls),
                Some(Behaviour::Submits(cited)) => vec![report_call(&cited)],
                Some(Behaviour::CallsAndSubmits(calls, cited)) => {
                    let mut calls = tool_calls(calls);
                    calls.push(report_call(&cited));
                    calls
                }
            };
            Ok(ChatResponse { calls, ..ChatResponse::default() })
        }
        .boxed()
    }
}

fn tool_calls(calls: Vec<(String, String)>) -> Vec<ToolCall> {
    let call = |(at, (name, arguments))| ToolCall { id: format!("x{at}"), name, arguments };
    calls.into_iter().enumerate().map(call).collect()
}

/// Returns a report that cites lines of files.
fn report_call(cited: &[(usize, u32, u32)]) -> ToolCall {
    let primary = cited.iter().map(|(file, start, end)| {
        json!({"ref": format!("{}:{start}-{end}", FILES[*file]), "role": "handler", "why": "w"})
    });
    let findings = cited.iter().map(|(file, start, end)| {
        let name = FILES[*file].trim_start_matches("src/").trim_end_matches(".rs");
        let fact = format!("`{name}_{start}` calls `send_{start}`.");
        json!({"fact": fact, "refs": [format!("{}:{start}-{end}", FILES[*file])]})
    });
    let report = json!({
        "summary": "s", "primary": primary.collect::<Vec<Value>>(),
        "findings": findings.collect::<Vec<Value>>(),
    });
    let (name, arguments) = ("submit_report".to_owned(), report.to_string());
    ToolCall { id: "report".to_owned(), name, arguments }
}

fn behaviour() -> impl Strategy<Value = Behaviour> {
    let call = prop_oneof![
        (0..3usize, 1..60u32, 1..60u32).prop_map(|(file, start, lines)| {
            let file = FILES[file];
            (
                "read".to_owned(),
                json!({"file": file, "start_line": start, "num_lines": lines}).to_string(),
            )
        }),
        "[a-z]{1,3}".prop_map(|pattern| (
            "grep".to_owned(),
            json!({"pattern": pattern, "context": 2}).to_string()
        )),
        Just(("glob".to_owned(), json!({"pattern": "**/*"}).to_string())),
        Just(("shell".to_owned(), "{".to_owned())),
    ];
    let cited = || {
        let ends = |(file, start, more)| (file, start, start + more);
        prop::collection::vec((0..3usize, 1..60u32, 0..60u32).prop_map(ends), 0..5)
    };
    prop_oneof![
        1 => (prop::collection::vec(call.clone(), 1..4), cited())
            .prop_map(|(calls, cited)| Behaviour::CallsAndSubmits(calls, cited)),
        4 => prop::collection::vec(call, 1..12).prop_map(Behaviour::Calls),
        1 => ".{0,40}".prop_map(Behaviour::Says),
        1 => Just(Behaviour::Fails),
        2 => cited().prop_map(Behaviour::Submits),
    ]
}

fn project() -> Fixture {
    let fixture = Fixture::new("");
    for name in ["alpha", "beta"] {
        let lines = (1..=50).map(|n| format!("fn {name}_{n}() {{ send_{n}(); }}\n"));
        fixture.write(&format!("src/{name}.rs"), lines.collect::<String>());
    }
    fixture
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_run_keeps_its_budget_and_cites_only_what_was_shown(
        turns in prop::collection::vec(behaviour(), 0..8),
        max_steps in 1..7u32,
        max_tool_calls in 1..20u32,
        observation_tokens in 200..4_000u64,
    ) {
        let fixture = project();
        let model = Arc::new(Chaos { turns: Mutex::new(turns), shown: Mutex::default() });
        let events = Arc::new(Events::default());
        let retriever =
            Retriever::builder(fixture.root()).model(Arc::clone(&model) as Arc<dyn ChatModel>).build().unwrap();
        let budget = BudgetConfig { max_steps, max_tool_calls, observation_tokens, ..BudgetConfig::default() };
        let observer = Some(Arc::clone(&events) as Arc<dyn Observer>);
        let options = RunOptions { budget, observer, ..RunOptions::default() };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let answer = runtime.block_on(retriever.ask(Question::new("what does alpha send?"), options)).unwrap();
        let map = answer.map;
        prop_assert!(map.meta.steps <= max_steps, "{} steps", map.meta.steps);
        prop_assert!(map.meta.tool_calls <= max_tool_calls, "{} calls", map.meta.tool_calls);
        // A tool's sentence is never cut, so that the last result may go over the limit by one.
        prop_assert!(map.meta.observed_tokens <= observation_tokens + 400, "{} tokens", map.meta.observed_tokens);
        for place in places(&map) {
            let path = RepoPath::parse(&place.path, "").unwrap();
            let file = answer.ledger.file(&path).unwrap();
            prop_assert!(file.delivered.contains(place.range().unwrap()), "{place:?} was not delivered");
        }
        if map.status != MapStatus::Fallback {
            let shown = model.shown.lock().unwrap().clone();
            for place in places(&map) {
                let name = place.path.trim_start_matches("src/").trim_end_matches(".rs").to_owned();
                for line in place.start..=place.end {
                    let text = format!("fn {name}_{line}() {{ send_{line}(); }}");
                    prop_assert!(shown.contains(&text), "{place:?}: line {line} was never shown");
                }
            }
        }
        prop_assert!(map.meta.report_tokens <= 1_600);
        let ends = events.all().iter().filter(|event| matches!(event, RunEvent::RunFinished { .. })).count();
        prop_assert_eq!(ends, 1);
    }
}

/// Returns the map of a run that reads both files and then does `turns`.
fn map_of(turns: &[Behaviour], max_steps: u32) -> CodeMap {
    let read = |file: &str| ("read".to_owned(), json!({"file": file}).to_string());
    let mut all: Vec<Behaviour> = turns.iter().rev().cloned().collect();
    all.push(Behaviour::Calls(vec![read(FILES[0]), read(FILES[1])]));
    let model = Chaos { turns: Mutex::new(all), shown: Mutex::default() };
    let fixture = project();
    let retriever = Retriever::builder(fixture.root()).model(Arc::new(model)).build().unwrap();
    let budget = BudgetConfig { max_steps, ..BudgetConfig::default() };
    let options = RunOptions { budget, ..RunOptions::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(retriever.ask(Question::new("what does alpha send?"), options)).unwrap().map
}

fn submission() -> impl Strategy<Value = Behaviour> {
    prop::collection::vec((0..3usize, 1..60u32, 0..20u32), 1..5).prop_map(|cited| {
        Behaviour::Submits(cited.into_iter().map(|(f, start, w)| (f, start, start + w)).collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn a_repaired_report_holds_all_of_the_first(first in submission(), second in submission()) {
        // In the last step there is no repair.
        let unrepaired = map_of(std::slice::from_ref(&first), 2);
        let repaired = map_of(&[first, second], 6);
        prop_assume!(unrepaired.status == MapStatus::Complete);
        prop_assert!(repaired.confidence >= unrepaired.confidence);
        for finding in &unrepaired.findings {
            let is_kept = repaired.findings.iter().any(|kept| {
                let same = |place: &Place| finding.refs.iter().any(|own| {
                    own.path == place.path && own.range().unwrap().overlaps(place.range().unwrap())
                });
                let name = finding.fact.split('`').nth(1).unwrap();
                kept.fact == finding.fact || (kept.fact.contains(name) && kept.refs.iter().any(same))
            });
            prop_assert!(is_kept, "{finding:?} is gone");
        }
        prop_assert!(repaired.primary.len() >= unrepaired.primary.len());
        for place in places(&unrepaired) {
            let is_kept = places(&repaired).iter().any(|kept| {
                kept.path == place.path && kept.range().unwrap().covers(place.range().unwrap())
            });
            prop_assert!(is_kept, "{place:?} is gone");
        }
    }
}

/// What a report says of lines that its model had not seen yet is no more than a guess.
#[test]
fn lines_that_were_delivered_after_a_report_was_written_are_no_evidence_for_it() {
    let read =
        || vec![("read".to_owned(), json!({"file": FILES[0], "start_line": 30}).to_string())];
    let guess = || vec![(0, 40, 44)];
    let later = [Behaviour::Submits(guess()), Behaviour::Calls(read())];
    let together = [Behaviour::CallsAndSubmits(read(), guess())];
    for turns in [&later[..], &together[..]] {
        let turns = turns.iter().rev().cloned().collect();
        let model = Arc::new(Chaos { turns: Mutex::new(turns), shown: Mutex::default() });
        let fixture = project();
        let retriever = Retriever::builder(fixture.root()).model(model).build().unwrap();
        let budget = BudgetConfig { max_steps: 2, ..BudgetConfig::default() };
        let options = RunOptions { budget, ..RunOptions::default() };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let question = Question::new("what does alpha send?");
        let map = runtime.block_on(retriever.ask(question, options)).unwrap().map;
        if map.status != MapStatus::Fallback {
            assert!(places(&map).iter().all(|place| place.start < 40), "{map:?}");
        }
    }
}
