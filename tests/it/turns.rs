//! The turns of a run as the endpoint of its model sees them: what the model is told before each request, and whether it may go on
//! or has to report. The limits are small, the clock is the test's.

use std::{
    fmt::Write as _,
    sync::Arc,
    time::{Duration, Instant},
};

use pretty_assertions::assert_eq;
use retriever::{Question, Retriever, RunOptions, config::BudgetConfig};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{
    fixture::Fixture,
    model_server::{ModelServer, Turn},
};

/// (name, limits, `answer -> next request` lines; the last one says how the run ends, and by whom its map is). A run that began
/// long ago has that much less time: of 200 s the last 2 are for answering without a model, the 30 before for the report.
const SCENARIOS: &[(&str, &str, &str)] = &[
    ("a clean run", "", "-> ask\n reads -> ask\n reports -> submitted by model"),
    (
        "what calls bring is no evidence for the report beside them, only for the next",
        "",
        "-> ask\n reads and reports -> repair, report\n reports -> submitted by model",
    ),
    (
        "three quarters of the steps are a notice, the last step is for the report",
        "steps 8",
        "-> ask\n reads -> ask\n reads -> ask\n reads -> ask\n reads -> ask\n reads -> ask
         reads -> low, ask\n reads -> last step, report\n reports -> step_budget by model",
    ),
    ("one step is for the report", "steps 1", "-> last step, report\n reports -> step_budget by fallback"),
    (
        "two steps, the second for the report",
        "steps 2",
        "-> ask\n reads -> last step, report\n reads -> step_budget by fallback",
    ),
    (
        "three of four calls are a notice, the fourth is the last",
        "calls 4",
        "-> ask\n reads -> ask\n reads -> ask\n reads -> low, ask\n reads -> no calls, report
         reports -> call_budget by model",
    ),
    (
        "three of five calls are less than three quarters",
        "calls 5",
        "-> ask\n reads -> ask\n reads -> ask\n reads -> ask\n reads -> low, ask
         reads -> no calls, report\n reports -> call_budget by model",
    ),
    (
        "a model that reads on when it has to report is asked twice",
        "calls 1",
        "-> ask\n reads -> no calls, report\n reads -> report\n reads -> call_budget by fallback",
    ),
    (
        "the repair turn comes even after two turns that were for the report",
        "calls 1",
        "-> ask\n reads -> no calls, report\n reads -> report\n errs -> repair, report
         reports -> call_budget by model",
    ),
    (
        "little output is left",
        "tokens 400",
        "-> ask\n reads -> ask\n reads -> no tokens, report\n reports -> observation_budget by model",
    ),
    (
        "steps that bring nothing are a notice, then the end; a find among them starts anew",
        "",
        "-> ask\n misses -> ask\n misses -> ask\n reads -> ask\n misses -> ask\n misses -> ask
         misses -> low, ask\n misses -> nothing new, report\n reads -> ask\n reports -> submitted by model",
    ),
    (
        "who finds nothing to the end gets no further turn",
        "",
        "-> ask\n misses -> ask\n misses -> ask\n misses -> low, ask\n misses -> nothing new, report
         misses -> report\n misses -> diminishing_returns by fallback",
    ),
    (
        "a wrong report is repaired once",
        "",
        "-> ask\n reads -> ask\n errs -> repair, report\n reports -> submitted by model",
    ),
    (
        "a report that is wrong twice is none",
        "",
        "-> ask\n reads -> ask\n errs -> repair, report\n errs -> no_report by fallback",
    ),
    (
        "a report that is partly wrong twice is taken without what is wrong",
        "",
        "-> ask\n reads -> ask\n errs in part -> repair, report\n errs in part -> submitted by model",
    ),
    (
        "the repair comes in the last step",
        "steps 3",
        "-> ask\n reads -> ask\n errs in part -> repair, report\n reports -> step_budget by model",
    ),
    (
        "after the last step there is no repair",
        "steps 2",
        "-> ask\n reads -> last step, report\n errs in part -> step_budget by model",
    ),
    (
        "a wrong report in the last step is none",
        "steps 2",
        "-> ask\n reads -> last step, report\n errs -> step_budget by fallback",
    ),
    (
        "a conversation that is too long is shortened once",
        "",
        "-> ask\n reads -> ask\n is too long -> too long, report\n reports -> submitted by model",
    ),
    (
        "a shortened conversation that is still too long ends the run",
        "",
        "-> ask\n reads -> ask\n is too long -> too long, report\n is too long -> model_error by fallback",
    ),
    ("a refusal ends the run", "", "-> ask\n refuses -> model_error by fallback"),
    (
        "an interrupt ends the run before anything else",
        "calls 1",
        "-> ask\n reads and is interrupted -> interrupted by fallback",
    ),
    (
        "after an interrupt there is no repair",
        "",
        "-> ask\n reads -> ask\n errs and is interrupted -> interrupted by fallback",
    ),
    ("there is time", "began 140", "-> ask\n reads -> ask\n reports -> submitted by model"),
    (
        "three quarters of the time are a notice",
        "began 155",
        "-> low, ask\n reads -> ask\n reports -> submitted by model",
    ),
    (
        "the time at the end is for the report",
        "began 172",
        "-> time is up, report\n reads -> report\n reports -> deadline by model",
    ),
    ("a shorter run keeps a fifth of it", "time 100 began 69", "-> ask\n reads -> ask\n reports -> submitted by model"),
    (
        "a shorter run keeps a fifth of it for the report",
        "time 100 began 85",
        "-> time is up, report\n reads -> report\n reports -> deadline by model",
    ),
    ("no time is left for the model", "began 199", "-> deadline by fallback"),
    ("no time is left at all", "began 201", "-> deadline by fallback"),
];

/// What a request says last, and its short form in [`SCENARIOS`].
const NOTICES: [(&str, &str); 8] = [
    ("The report was checked", "repair"),
    ("Come to an end", "low"),
    ("This is the last step.", "last step"),
    ("No tool calls are left. Call", "no calls"),
    ("The budget of tool output is used up.", "no tokens"),
    ("Time is up.", "time is up"),
    ("The last steps brought nothing new.", "nothing new"),
    ("The conversation has become too long.", "too long"),
];

fn fixture() -> Fixture {
    let mut source = String::new();
    for at in 0..12 {
        let _ = writeln!(source, "//- /src/job_{at}.rs\npub fn queue_job_{at}(job: Job) {{");
        for part in 0..10 {
            let _ = writeln!(source, "    queue_{at}().push(job.part({part}, {at}));");
        }
        source.push_str("}\n");
    }
    Fixture::new(&source)
}

/// The answer that `words` stand for, as the `at`th of its run. A report cites the file of the first read, `cited`.
fn answer(words: &str, at: usize, cited: usize, interrupt: CancellationToken) -> Turn {
    let words = match words.strip_suffix(" and is interrupted") {
        Some(words) => {
            let words = words.to_owned();
            return Turn::responds(move |_| {
                interrupt.cancel();
                answer(&words, at, cited, interrupt)
            });
        }
        None => words,
    };
    let read = ("read", json!({"file": format!("src/job_{at}.rs")}));
    let place = json!({"ref": format!("src/job_{cited}.rs:1-5"), "why": "queues a job"});
    let report =
        json!({"summary": format!("`queue_job_{cited}` queues a job."), "primary": [place]});
    let wrong = json!({"ref": "src/nowhere.rs:1-2", "why": "queues a job"});
    match words {
        "reads" => Turn::calls([read]),
        "misses" => Turn::calls([("grep", json!({"pattern": format!("absent_{at}")}))]),
        "reports" => Turn::submits(report),
        "reads and reports" => Turn::calls([read, ("submit_report", report)]),
        "errs" => Turn::submits(json!({"summary": "s", "primary": [wrong]})),
        "errs in part" => {
            Turn::submits(json!({"summary": report["summary"], "primary": [place, wrong]}))
        }
        "is too long" => Turn::refuses("this model's maximum context length is 8192 tokens"),
        "refuses" => Turn::refuses("no"),
        _ => unreachable!("{words}"),
    }
}

/// What the model is told since its last answer, and what it may do.
fn described(request: &Value) -> String {
    let messages = request["messages"].as_array().unwrap();
    let since = messages.iter().rposition(|message| message["role"] == "assistant").unwrap_or(0);
    let told = Value::from(messages[since + 1..].to_vec()).to_string();
    let told = NOTICES.iter().filter(|(words, _)| told.contains(words)).map(|(_, short)| *short);
    let is_forced = request["tool_choice"]["function"]["name"] == "submit_report";
    told.chain([if is_forced { "report" } else { "ask" }]).collect::<Vec<_>>().join(", ")
}

fn budget(limits: &str) -> (BudgetConfig, Option<Instant>) {
    let limit = |name: &str| {
        let value = limits.split(name).nth(1)?.split_whitespace().next()?;
        value.parse::<u32>().ok()
    };
    let budget = BudgetConfig {
        max_steps: limit("steps ").unwrap_or_default(),
        max_tool_calls: limit("calls ").unwrap_or_default(),
        observation_tokens: limit("tokens ").unwrap_or_default().into(),
        timeout_s: limit("time ").unwrap_or(200).into(),
        ..BudgetConfig::default()
    };
    let ago = limit("began ").map(|seconds| Duration::from_secs(seconds.into()));
    (budget, ago.map(|ago| Instant::now().checked_sub(ago).unwrap()))
}

#[tokio::test]
async fn every_scenario_takes_its_course() {
    let fixture = fixture();
    let mut wrong = Vec::new();
    for (name, limits, lines) in SCENARIOS {
        let (answers, wanted): (Vec<&str>, Vec<&str>) =
            lines.lines().map(|line| line.split_once("-> ").unwrap()).unzip();
        let cited = answers.iter().position(|words| words.contains("reads")).unwrap_or(1);
        let cancel = CancellationToken::new();
        let answers = answers.iter().map(|words| words.trim()).enumerate().skip(1);
        let turns = answers.map(|(at, words)| answer(words, at, cited, cancel.clone())).collect();
        let server = ModelServer::start(turns);
        let retriever =
            Retriever::builder(fixture.root()).model(Arc::new(server.model())).build().unwrap();
        let (budget, started) = budget(limits);
        let options = RunOptions { budget, started, cancel, ..RunOptions::default() };
        let question = Question::new("how is a job queued?");
        let meta = retriever.ask(question, options).await.unwrap().map.meta;
        let mut course: Vec<String> = server.requests().iter().map(described).collect();
        let author = json!(meta.author);
        course.push(format!("{} by {}", meta.stop_reason, author.as_str().unwrap()));
        if course != wanted {
            server.take_violations();
            wrong.push(format!("{name}: {course:#?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// What is left stands below the results of a turn and in the notice, in the numbers of the run.
#[tokio::test]
async fn the_model_is_told_what_is_left() {
    let fixture = fixture();
    let (budget, _) = budget("steps 9 calls 4 tokens 3000");
    let turns = ["reads", "reads", "misses", "reports"].into_iter().enumerate();
    let turns =
        turns.map(|(at, words)| answer(words, at + 1, 1, CancellationToken::new())).collect();
    let server = ModelServer::start(turns);
    let retriever =
        Retriever::builder(fixture.root()).model(Arc::new(server.model())).build().unwrap();
    let options = RunOptions { budget, ..RunOptions::default() };
    let meta =
        retriever.ask(Question::new("how is a job queued?"), options).await.unwrap().map.meta;
    let requests = server.requests();
    let texts = requests[3]["messages"].as_array().unwrap().iter().rev().take(2);
    let [notice, result] = texts
        .map(|message| message["content"].as_str().unwrap().to_owned())
        .collect::<Vec<_>>()
        .try_into()
        .unwrap();
    let tokens = 3_000 - meta.observed_tokens;
    let left = format!("(left: 6 steps, 1 calls, {tokens} tokens; room for the report: ");
    assert!(result.contains(&left), "{left} {result}");
    let left = format!("6 of 9 steps, 1 of 4 tool calls and about {tokens} of 3000 tokens");
    assert!(notice.contains(&left), "{left} {notice}");
}
