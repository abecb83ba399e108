//! A main agent alone, with maps and with `explore`: what it does is counted, and its answers are scored.

use std::fs;

use assert_cmd::Command;
use pretty_assertions::assert_eq;
use retriever_test_support::accessibility_faults;
use serde_json::{Value, json};

use crate::support::{
    fixture::Fixture,
    model_server::{KEY, ModelServer, Turn},
};

const SUITE: &str = r#"{"id":"login","repo":"o/shop","question":"how does a login check the password?","evidence":[{"role":"handler","required":true,"any_of":[{"path":"src/login.py","symbol":"login","start":1,"end":4}]},{"role":"data","required":true,"any_of":[{"path":"src/hashes.py","symbol":"Hashes.check","start":2,"end":3}]}]}
{"id":"none","repo":"o/shop","question":"where are thumbnails scaled?","negative":true}
"#;

const SHOP: &str = "\
//- /corpora/shop/src/login.py
def login(name, password):
    if check_password(name, password):
        return session(name)
    raise Refused(name)
//- /corpora/shop/src/hashes.py
class Hashes:
    def check(self, password):
        return self.digest == digest(password)
//- /corpora/shop/src/basket.py
def total(basket):
    return sum(line.price for line in basket)
";

fn planner(suite: &str, arguments: &[&str]) -> (i32, String, String) {
    planner_in(&Fixture::new(SHOP), suite, arguments)
}

fn planner_in(files: &Fixture, suite: &str, arguments: &[&str]) -> (i32, String, String) {
    files.write("s.jsonl", suite);
    files.write("priced.toml", "[model]\nmode = \"tools\"\n[model.prices]\nprompt = 10.0\ncached = 1.0\ncompletion = 20.0\n");
    let output = Command::cargo_bin("retriever")
        .unwrap()
        .env_clear()
        .env("HOME", files.root())
        .env("RETRIEVER_API_KEY", KEY)
        .current_dir(files.root())
        .args(["eval", "planner", "s.jsonl", "--corpora", "corpora", "--out", "out.json"])
        .args(["--html", "out.html"])
        .args(arguments)
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    if let Ok(kept) = fs::read_to_string(files.root().join("out.json"))
        && !arguments.contains(&"text")
    {
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(read(&kept), read(&out));
    }
    if let Ok(page) = fs::read_to_string(files.root().join("out.html")) {
        assert_eq!(accessibility_faults(&page), Vec::<String>::new());
        assert!(
            page.contains("<h1>retriever eval planner</h1>") && !page.contains("<script"),
            "{page}"
        );
    }
    (output.status.code().unwrap(), out, err)
}

/// The figures of one answer.
fn values(report: &Value, case: &str, arm: &str) -> Value {
    let results = report["results"].as_array().unwrap();
    let result = results.iter().find(|result| result["case"] == case && result["arm"] == arm);
    result.expect(case)["values"].clone()
}

fn assert_values(values: &Value, expected: &[(&str, Option<f64>)]) {
    for (figure, value) in expected {
        let near = match (values[*figure].as_f64(), value) {
            (Some(is), Some(value)) => (is - value).abs() < 1e-9,
            (is, value) => is.is_none() && value.is_none(),
        };
        assert!(near, "{figure} in {values} is not {value:?}");
    }
}

/// What a main agent says last.
fn answers(summary: &str, places: &[&str]) -> Turn {
    Turn::submits(json!({ "summary": summary, "places": places }))
}

fn map_to_trust() -> [Turn; 2] {
    [
        Turn::calls([
            ("read", json!({ "file": "src/login.py" })),
            ("read", json!({ "file": "src/hashes.py" })),
        ]),
        Turn::submits(json!({
            "summary": "`login` asks `check_password`",
            "requested_roles": ["handler"],
            "primary": [{ "ref": "src/login.py:1-4", "role": "handler", "why": "checks the password" }],
            "read_targets": [{ "ref": "src/hashes.py:1-3", "purpose": "see how hashes are compared", "required": true }],
            "recommended_primary_action": "read_targets",
            "confidence": "high",
        })),
    ]
}

fn tools(request: &Value) -> Vec<&str> {
    let tools = request["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["function"]["name"].as_str().unwrap()).collect()
}

fn with(server: &ModelServer, arguments: &[&str]) -> Value {
    let url = server.base_url();
    let model =
        ["--model", "scripted", "--base-url", &url, "--config", "priced.toml", "--case", "login"];
    let arms =
        if arguments.contains(&"--arm") { &[][..] } else { &["--arm", "without_map,with_map"] };
    let (code, out, err) = planner(SUITE, &[&model[..], arms, arguments].concat());
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn an_agent_that_follows_its_map_is_told_from_one_that_searches_again() {
    let [explores, reports] = map_to_trust();
    let server = ModelServer::start(vec![
        explores,
        reports,
        // Alone: two searches, and an answer in words.
        Turn::calls([
            ("grep", json!({ "pattern": "password" })),
            ("glob", json!({ "pattern": "**/*.py" })),
        ]),
        Turn::says("The function `login` in `src/login.py` does it."),
        // With the map: the recommended lines, then others, then a search.
        Turn::calls([(
            "read",
            json!({ "file": "src/hashes.py", "start_line": 2, "num_lines": 2 }),
        )]),
        Turn::calls([
            ("read", json!({ "file": "src/basket.py" })),
            ("grep", json!({ "pattern": "session" })),
        ]),
        answers("login.py:1-4 asks Hashes in src/hashes.py", &["src/hashes.py:2-3"]),
    ]);
    let report = with(&server, &[]);
    let opening = |request: &Value| request["messages"][1]["content"].as_str().unwrap().to_owned();
    let requests = server.requests();
    assert_eq!(opening(&requests[2]), "Question: how does a login check the password?");
    assert!(opening(&requests[4]).contains("\"recommended_primary_action\":\"read_targets\""));
    for request in &requests[2..] {
        assert_eq!(tools(request), ["grep", "glob", "read", "submit_report"]);
    }
    assert_values(
        &values(&report, "login", "with_map"),
        &[
            ("passed", Some(1.0)),
            ("cited", Some(1.0)),
            ("files", Some(1.0)),
            ("answered", Some(1.0)),
            ("calls", Some(3.0)),
            ("explores", Some(0.0)),
            ("searches", Some(1.0)),
            ("reads", Some(2.0)),
            ("searches_after_map", Some(1.0)),
            ("reads_outside", Some(1.0)),
            ("followed", Some(1.0)),
            ("from_map", Some(0.0)),
            ("steps", Some(3.0)),
            // The server counts 100 prompt and 20 completion tokens a turn, of which none is cached.
            ("uncached", Some(300.0)),
            ("cached", Some(0.0)),
            ("written", Some(60.0)),
            // Three turns, and two of the ask.
            ("total_tokens", Some(600.0)),
            ("resident_tokens", Some(120.0)),
            ("cost", Some(0.0042)),
            ("cost_with_ask", Some(0.007)),
        ],
    );
    assert_values(
        &values(&report, "login", "without_map"),
        &[
            // The file and the symbol are named, and nothing of the other row.
            ("passed", Some(0.0)),
            ("total_tokens", Some(240.0)),
            ("cited", Some(0.5)),
            ("files", Some(0.5)),
            ("searches", Some(2.0)),
            ("reads", Some(0.0)),
            ("followed", None),
            ("searches_after_map", None),
            ("reads_outside", None),
            ("steps", Some(2.0)),
        ],
    );
    let map = &report["results"][1]["map"];
    assert_eq!((&map["confidence"], &map["action"]), (&json!("medium"), &json!("read_targets")));
    let summary = &report["summaries"][0];
    let figure = &summary["metrics"]["cited"];
    let change = &figure["changes"]["with_map"];
    assert_eq!(
        (&change["better"], &change["worse"], &change["p"]),
        (&json!(1), &json!(0), &json!(1.0))
    );
    // One case: the pair is drawn every time, so the interval is the difference.
    let difference = &change["difference"];
    for bound in ["value", "low", "high"] {
        assert_eq!(difference[bound], 0.5, "{figure}");
    }
    assert_eq!(
        (&figure["arms"]["without_map"]["value"], &figure["arms"]["with_map"]["value"]),
        (&json!(0.5), &json!(1.0))
    );
    assert_eq!(summary["maps"], json!({ "medium read_targets": 1 }));
}

#[test]
fn a_model_that_never_answers_ends_with_the_budget_and_one_that_fails_is_named() {
    let [explores, reports] = map_to_trust();
    let server = ModelServer::start(vec![
        explores,
        reports,
        Turn::says(""),
        Turn::says(""),
        Turn::raw(401, &[], json!({ "error": { "message": "who are you?" } })),
    ]);
    let report = with(&server, &[]);
    let expected = [("answered", Some(0.0)), ("cited", Some(0.0)), ("followed", None)];
    assert_values(&values(&report, "login", "without_map"), &expected[..2]);
    assert_values(&values(&report, "login", "with_map"), &expected);
    let failure = report["results"][1]["model_error"].as_str().unwrap();
    assert!(failure.contains("refused the credentials"), "{failure}");
}

#[test]
fn the_last_turn_has_to_be_an_answer() {
    let [explores, reports] = map_to_trust();
    let greps = |word: &'static str| Turn::calls([("grep", json!({ "pattern": word }))]);
    let mut script = vec![explores, reports];
    for words in [["a", "b", "c"], ["d", "e", "f"]] {
        script.extend(words.map(greps));
        script.push(answers("src/login.py:1-4", &[]));
    }
    let server = ModelServer::start(script);
    let report = with(&server, &["--effort", "quick"]);
    for arm in ["with_map", "without_map"] {
        assert_values(
            &values(&report, "login", arm),
            &[("steps", Some(4.0)), ("answered", Some(1.0))],
        );
    }
    let requests = server.requests();
    assert_eq!(requests[5]["tool_choice"]["function"]["name"], "submit_report");
    assert!(requests[4]["tool_choice"].is_null() || requests[4]["tool_choice"] == "auto");
}

#[test]
fn an_agent_with_explore_has_its_text_and_pays_for_no_map() {
    let server = ModelServer::start(vec![
        Turn::calls([("explore", json!({ "query": "how does a login check the password?" }))]),
        Turn::responds(|request| {
            let messages = request["messages"].as_array().unwrap();
            let shown = messages.last().unwrap()["content"].as_str().unwrap();
            assert!(
                shown.contains("```py") && shown.contains("if check_password(name, password)"),
                "{shown}"
            );
            answers("login in src/login.py asks src/hashes.py:2", &["src/login.py:1-4"])
        }),
    ]);
    let report = with(&server, &["--arm", "with_explore"]);
    let requests = server.requests();
    assert_eq!(requests.len(), 2, "no map is made");
    assert_eq!(tools(&requests[0]), ["grep", "glob", "read", "explore", "submit_report"]);
    assert!(
        requests[0]["messages"][0]["content"]
            .as_str()
            .unwrap()
            .contains("grep, glob, read, explore")
    );
    let login = values(&report, "login", "with_explore");
    assert_values(
        &login,
        &[
            ("passed", Some(1.0)),
            ("calls", Some(1.0)),
            ("explores", Some(1.0)),
            ("total_tokens", Some(240.0)),
            ("searches_after_map", None),
        ],
    );
    assert!(login["shown_tokens"].as_f64().unwrap() > 20.0, "{login}");
    // What the agent may still be shown bounds what explore prints.
    let greedy = "x".repeat(100_000);
    let server = ModelServer::start(vec![
        Turn::calls([("explore", json!({ "query": greedy }))]),
        Turn::calls([("explore", json!({ "question": "which?" }))]),
        answers("nothing", &[]),
    ]);
    let report = with(&server, &["--arm", "with_explore"]);
    assert_values(
        &values(&report, "login", "with_explore"),
        &[("answered", Some(1.0)), ("calls", Some(2.0))],
    );
    let told = server.requests()[2]["messages"].to_string();
    assert!(told.contains("explore: ") && told.contains("query"), "{told}");
}

#[test]
fn a_program_can_be_the_main_agent_and_gives_the_same_figures_every_time() {
    let run = || {
        let (code, out, err) = planner(SUITE, &["--offline", "--scripted", "--repeats", "2"]);
        assert_eq!(code, 0, "{err}");
        serde_json::from_str::<Value>(&out).unwrap()
    };
    let report = run();
    assert_eq!((&report["planner"], &report["retriever"]), (&json!("scripted"), &json!("offline")));
    assert_eq!(report["results"].as_array().unwrap().len(), 12);
    assert_values(
        &values(&report, "login", "with_explore"),
        &[("cited", Some(0.5)), ("calls", Some(1.0)), ("explores", Some(1.0))],
    );
    let login = values(&report, "login", "with_map");
    assert_values(
        &login,
        &[
            ("cited", Some(1.0)),
            ("followed", Some(1.0)),
            ("reads_outside", Some(0.0)),
            ("cost", None),
        ],
    );
    let without = values(&report, "login", "without_map");
    let tokens = |values: &Value| values["uncached"].as_f64().unwrap();
    assert!(tokens(&without) > 0.0 && without["searches"].as_f64().unwrap() > 0.0, "{without}");
    // The time that an ask takes is in its map, and so a few digits are in what the main agent reads.
    let steady = |report: &Value| {
        let results = report["results"].as_array().unwrap().iter();
        results.map(|result| json!([result["calls"], result["answer"]])).collect::<Vec<_>>()
    };
    assert_eq!(steady(&run()), steady(&report));
}

#[test]
fn a_program_cites_only_the_lines_that_it_was_shown() {
    let files = Fixture::new(SHOP);
    let body: String = (1..400).map(|number| format!("    step({number})\n")).collect();
    files.write("corpora/shop/src/long.py", format!("def drain_queue():\n{body}"));
    let case = |id: &str, start: u32, end: u32| {
        let place = json!({ "path": "src/long.py", "start": start, "end": end });
        let row = json!({ "role": "handler", "required": true, "any_of": [place] });
        json!({ "id": id, "repo": "o/shop", "question": "how does drain_queue work?", "evidence": [row] })
    };
    let suite = format!("{}\n{}\n", case("shown", 1, 20), case("cut", 100, 400));
    let arguments = ["--offline", "--scripted", "--arm", "with_explore"];
    let (code, out, err) = planner_in(&files, &suite, &arguments);
    assert_eq!(code, 0, "{err}");
    let report = serde_json::from_str(&out).unwrap();
    for (id, cited) in [("shown", 1.0), ("cut", 0.0)] {
        assert_values(&values(&report, id, "with_explore"), &[("cited", Some(cited))]);
    }
}

#[test]
fn a_table_has_both_sides_and_bad_input_costs_only_its_case() {
    let far = r#"{"id":"far","repo":"o/elsewhere","question":"how?","negative":true}"#;
    let suite = format!("{SUITE}nonsense\n{far}\n");
    let (code, out, err) = planner(&suite, &["--offline", "--scripted", "--format", "text"]);
    assert_eq!(code, 2);
    assert!(err.contains("s.jsonl:3: not a case") && err.contains("far: no checkout"), "{err}");
    assert!(out.starts_with("s: scripted alone and with the help of offline, 2 cases\n"), "{out}");
    let row = |name: &str| out.lines().find(|line| line.starts_with(name)).unwrap();
    let followed = row("recommendation followed").split_whitespace();
    assert!(followed.eq("recommendation followed – 1.00 – – – – – – –".split(' ')), "{out}");
    let head = row("figure").split_whitespace().collect::<Vec<_>>().join(" ");
    let change = "change [95 %] better, worse p";
    assert_eq!(head, format!("figure alone with map {change} with explore {change}"));
    let (code, _, err) = planner(SUITE, &["--offline"]);
    assert_eq!(code, 2);
    assert!(err.starts_with("error: the main agent has no model\nhint: "), "{err}");
}
