//! `retriever eval` as people run it.

use std::fs;

use assert_cmd::Command;
use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::support::fixture::Fixture;

const SUITE: &str = r#"{"id":"login","repo":"o/shop","question":"how does a login check the password?","evidence":[{"role":"handler","required":true,"any_of":[{"path":"src/login.py","symbol":"login","start":1,"end":4}]}]}
{"id":"none","repo":"o/shop","question":"quaternion interpolation shaders?","negative":true}
"#;

const SHOP: &str = "\
//- /corpora/shop/src/login.py
def login(name, password):
    if check_password(name, password):
        return session(name)
    raise Refused(name)
//- /corpora/shop/src/basket.py
def total(basket):
    return sum(item.price for item in basket)
";

struct Evals {
    files: Fixture,
}

struct Run {
    code: i32,
    out: String,
    err: String,
}

impl Evals {
    fn new(suite: &str) -> Self {
        let files = Fixture::new(SHOP);
        files.write("known.jsonl", suite);
        Self { files }
    }

    fn run(&self, arguments: &[&str]) -> Run {
        let output = Command::cargo_bin("retriever")
            .unwrap()
            .env_clear()
            .env("HOME", self.files.root())
            .current_dir(self.files.root())
            .args(["eval", "--corpora", "corpora", "--offline"])
            .args(arguments)
            .output()
            .unwrap();
        Run {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.files.root().join(path)).unwrap()
    }
}

fn value(report: &Value, system: &str, metric: &str) -> f64 {
    let summaries = report["summaries"].as_array().unwrap();
    let summary = summaries.iter().find(|summary| summary["system"] == system).unwrap();
    summary["metrics"][metric]["value"].as_f64().unwrap()
}

#[test]
fn every_system_is_scored_and_the_whole_result_is_kept() {
    let evals = Evals::new(SUITE);
    let run = evals.run(&["known.jsonl", "--out", "now.json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(report, serde_json::from_str::<Value>(&evals.read("now.json")).unwrap());
    let systems: Vec<&str> = report["summaries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|summary| summary["system"].as_str().unwrap())
        .collect();
    assert_eq!(systems, ["retriever", "bm25", "grep_only", "no_validator"]);
    for (system, metric) in [
        ("retriever", "role_recall"),
        ("retriever", "file_recall_at1"),
        ("retriever", "negative_ok"),
        ("no_validator", "role_recall"),
        ("grep_only", "role_recall"),
        ("bm25", "mrr"),
    ] {
        assert!((value(&report, system, metric) - 1.0).abs() < 1e-9, "{system} {metric}");
    }
    for system in systems {
        assert!(value(&report, system, "fabricated").abs() < 1e-9, "{system}");
    }
    assert!(!evals.files.root().join("now.json.partial").exists());
}

#[test]
fn a_table_has_suites_side_by_side_with_what_they_differ_by() {
    let evals = Evals::new(SUITE);
    let other = SUITE.replace("src/login.py", "src/basket.py").replace("\"end\":4", "\"end\":2");
    evals.files.write("held-out.jsonl", other);
    let run =
        evals.run(&["known.jsonl", "held-out.jsonl", "--system", "retriever", "--format", "text"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let words = |start: &str| -> Vec<String> {
        let line = run.out.lines().find(|line| line.starts_with(start)).expect(&run.out);
        line[start.len()..].split_whitespace().map(str::to_owned).collect()
    };
    let head = words("score");
    assert_eq!(head.join(" "), "known (2 cases, 1 repos) held-out (2 cases, 1 repos) Δ");
    assert_eq!(
        words("required-role recall"),
        ["1.000", "[1.000,", "1.000]", "0.000", "[0.000,", "0.000]", "-1.000*"]
    );
    let markdown = evals.run(&["known.jsonl", "--system", "bm25", "--format", "markdown"]);
    assert!(markdown.out.contains("\n| MRR "), "{}", markdown.out);
}

#[test]
fn what_an_interrupted_run_has_done_is_not_done_again() {
    let evals = Evals::new(SUITE);
    let first = evals.run(&["known.jsonl", "--system", "retriever", "--out", "now.json"]);
    let report: Value = serde_json::from_str(&first.out).unwrap();
    // As an interrupted run leaves it: one result whole, one cut; the whole one is marked to be known again.
    let mut kept = report["results"][0].clone();
    kept["places"] = serde_json::json!(["kept"]);
    let second = report["results"][1].to_string();
    let partial = format!("{kept}\n{}", &second[..second.len() / 2]);
    let places = |arguments: &[&str]| {
        evals.files.write("now.json.partial", &partial);
        let run = evals.run(arguments);
        let report: Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(report["results"].as_array().unwrap().len(), 2, "{}", run.err);
        report["results"][0]["places"].clone()
    };
    let arguments = ["known.jsonl", "--system", "retriever", "--out", "now.json"];
    assert_eq!(places(&arguments), serde_json::json!(["kept"]));
    // Another configuration is another experiment.
    let other = [&arguments[..], &["--effort", "quick"]].concat();
    assert_eq!(places(&other), report["results"][0]["places"]);
    // So is another label.
    evals.files.write("known.jsonl", SUITE.replace("\"end\":4", "\"end\":3"));
    assert_eq!(places(&arguments), report["results"][0]["places"]);
}

#[test]
fn a_run_is_compared_with_an_earlier_one() {
    let evals = Evals::new(SUITE);
    evals.run(&["known.jsonl", "--system", "retriever", "--out", "before.json"]);
    let compare = || {
        let run = evals.run(&["known.jsonl", "--system", "retriever", "--baseline", "before.json"]);
        let report: Value = serde_json::from_str(&run.out).unwrap();
        let changes = report["changes"].as_array().unwrap().clone();
        changes.into_iter().find(|change| change["metric"] == "role_recall").unwrap()
    };
    let same = compare();
    assert_eq!(
        (&same["better"], &same["worse"], &same["delta"]),
        (&0.into(), &0.into(), &0.0.into())
    );
    // The same answers, judged by a label that they don't hit.
    evals.files.write(
        "known.jsonl",
        SUITE.replace("src/login.py", "src/basket.py").replace("\"end\":4", "\"end\":2"),
    );
    let changed = compare();
    assert_eq!((&changed["better"], &changed["worse"]), (&0.into(), &1.into()));
    assert_eq!((&changed["delta"], &changed["p"]), (&(-1.0).into(), &1.0.into()));
}

#[test]
fn a_page_has_the_plots_and_tables_and_asks_for_nothing_else() {
    let evals = Evals::new(SUITE);
    let run = evals.run(&["known.jsonl", "--html", "report.html"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let page = evals.read("report.html");
    for part in ["Recall by repository", "Calibration", "Observed tokens", "held against maps"] {
        let behind = page.split(part).nth(1).expect(part);
        assert!(
            behind
                .trim_start_matches(|c| c != '\n')
                .trim_start()
                .starts_with("<figure class=\"plot\" role=\"img\""),
            "{part}"
        );
    }
    assert_eq!(page.matches("<svg").count(), page.matches("<figure class=\"plot\"").count());
    assert!(page.contains("<tr><td>MRR</td><td>1.000 [1.000, 1.000]</td></tr>"), "{page}");
    let asks = page.replace("http://www.w3.org/2000/svg", "");
    for fetched in ["http:", "https:", "<script", "<link", "url("] {
        assert!(!asks.contains(fetched), "{fetched}");
    }
}

#[test]
fn repeats_are_kept_apart() {
    let evals = Evals::new(SUITE);
    let run = evals.run(&["known.jsonl", "--system", "retriever", "--repeats", "3", "--jobs", "2"]);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    let results = report["results"].as_array().unwrap();
    let order: Vec<(&str, u64)> = results
        .iter()
        .map(|result| (result["case"].as_str().unwrap(), result["repeat"].as_u64().unwrap()))
        .collect();
    assert_eq!(
        order,
        [("login", 0), ("login", 1), ("login", 2), ("none", 0), ("none", 1), ("none", 2)]
    );
}

#[test]
fn what_cannot_be_used_is_said_the_rest_is_scored_and_the_exit_code_is_2() {
    let evals = Evals::new(&format!(
        "{SUITE}nonsense\n{}\n{}\n{}\n{}\n",
        r#"{"id":"login","repo":"o/shop","question":"again?","negative":true}"#,
        r#"{"id":"late","repo":"o/moved","commit":"0123456789abcdef0123456789abcdef01234567","question":"how?","negative":true}"#,
        r#"{"id":"far","repo":"o/elsewhere","question":"how?","negative":true}"#,
        r#"{"id":"off","repo":"o/shop","question":"total of a basket?","gold_spans":[{"file":"src/basket.py","start":2,"end":3}]}"#
    ));
    evals.files.write("corpora/o__moved@ffffffffffff/a.py", "pass\n");
    let run = evals.run(&["known.jsonl", "--system", "retriever"]);
    assert_eq!(run.code, 2);
    let said: Vec<&str> = run.err.lines().collect();
    assert_eq!(said.len(), 5, "{}", run.err);
    assert!(said[0].starts_with("warning: known.jsonl:3: not a case: "), "{}", run.err);
    assert_eq!(said[1], "warning: known.jsonl:4: login: the id \"login\" is line 1's already");
    assert_eq!(
        said[2],
        "warning: known: late: corpora/o__moved@ffffffffffff is a checkout of o/moved at ffffffffffff, and the labels are \
         for 0123456789abcdef0123456789abcdef01234567"
    );
    assert!(said[3].starts_with("warning: known: far: no checkout of o/elsewhere"), "{}", run.err);
    assert_eq!(
        said[4],
        "warning: known: off: the label src/basket.py:2-3 is outside its file, which has 2 lines"
    );
    let report: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(report["results"].as_array().unwrap().len(), 3);
    assert_eq!(report["problems"].as_array().unwrap().len(), 5);
}

#[test]
fn files_that_are_not_there_are_a_line_and_a_hint() {
    let evals = Evals::new(SUITE);
    evals.files.write("again/known.jsonl", SUITE);
    for (arguments, error) in [
        (&["none.jsonl"][..], "cannot read none.jsonl: "),
        (&["known.jsonl", "again/known.jsonl"], "two suites have the same file name"),
        (&["known.jsonl", "--baseline", "known.jsonl"], "known.jsonl is not a result of eval: "),
        (&["known.jsonl", "--out", "none/now.json"], "cannot write none/now.json.partial: "),
    ] {
        let run = evals.run(arguments);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{arguments:?}");
        let lines: Vec<&str> = run.err.lines().collect();
        assert!(lines[0].starts_with(&format!("error: {error}")), "{}", run.err);
        assert!(lines[1].starts_with("hint: "), "{}", run.err);
    }
}
