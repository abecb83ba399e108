//! Scores against numbers that were computed by hand.

use std::collections::BTreeMap;

use pretty_assertions::assert_eq;
use retriever_eval::{
    AnswerScores, CaseResult, CitedPlace, EvalCase, EvaluatedSystem, Metric, ScorableAnswer, Suite,
    compare, hits, score, sign_test, summarize,
};
use retriever_report::CodeMap;
use retriever_test_support::Fixture;
use retriever_workspace::{
    FileTraitsConfig, LineRange, LineSet, TextFile, Workspace, WorkspaceConfig,
};
use serde_json::{Value, json};

fn range(text: &str) -> LineRange {
    let (start, end) = text.split_once('-').unwrap();
    LineRange::new(start.parse().unwrap(), end.parse().unwrap()).unwrap()
}

#[test]
fn a_cited_range_hits_when_it_overlaps_and_is_narrow_or_inside() {
    for (cited, label, hit) in [
        ("10-20", "10-20", true),
        // One shared line is enough.
        ("20-30", "10-20", true),
        ("1-10", "10-20", true),
        // None is not.
        ("21-30", "10-20", false),
        ("1-9", "10-20", false),
        // Three times as wide still counts, one line more does not.
        ("1-30", "11-20", true),
        ("1-31", "11-20", false),
        ("9-11", "10-10", true),
        ("9-12", "10-10", false),
        // Inside at any width.
        ("15-15", "10-20", true),
        ("10-400", "1-4000", true),
    ] {
        assert_eq!(hits(range(cited), range(label)), hit, "{cited} on {label}");
    }
}

/// A checkout with files of 100 lines, whatever they are called.
fn files(names: &[&str]) -> BTreeMap<String, TextFile> {
    let fixture = Fixture::new("");
    for name in names {
        fixture.write(name, "    let value_of_line = compute();\n".repeat(100));
    }
    let (config, traits) = (WorkspaceConfig::default(), FileTraitsConfig::default());
    let workspace = Workspace::open(fixture.root(), &config, &traits).unwrap();
    names
        .iter()
        .map(|name| {
            let file = workspace.read(&workspace.normalize(name).unwrap()).unwrap();
            ((*name).to_owned(), file)
        })
        .collect()
}

fn case(more: &Value) -> EvalCase {
    let mut case = json!({ "id": "a", "repo": "o/n", "question": "how?" });
    case.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let suite = Suite::parse("s", "s.jsonl", &case.to_string());
    assert_eq!(suite.problems, []);
    suite.cases.into_iter().next().unwrap()
}

/// `a.rs:1-20`, or `a.rs`.
fn cited(places: &[&str]) -> Vec<CitedPlace> {
    places
        .iter()
        .map(|place| match place.split_once(':') {
            Some((path, lines)) => CitedPlace { path: path.to_owned(), range: Some(range(lines)) },
            None => CitedPlace { path: (*place).to_owned(), range: None },
        })
        .collect()
}

fn assert_scores(scores: &AnswerScores, expected: &[(Metric, Option<f64>)]) {
    for (metric, value) in expected {
        let is = scores.get(*metric);
        let near = match (is, value) {
            (Some(is), Some(value)) => (is - value).abs() < 1e-9,
            (is, value) => is.is_none() && value.is_none(),
        };
        assert!(near, "{metric}: {is:?}, by hand {value:?}");
    }
}

#[test]
fn rows_are_scored_by_any_of_their_places_and_optional_rows_ask_for_nothing() {
    let case = case(&json!({
        "evidence": [
            { "role": "entry", "required": true, "any_of": [
                { "path": "a.rs", "start": 1, "end": 10 },
                { "path": "b.rs", "start": 41, "end": 60 } ] },
            { "role": "data", "required": true, "any_of": [{ "path": "c.rs", "start": 1, "end": 10 }] },
            { "role": "type", "any_of": [{ "path": "d.rs", "start": 1, "end": 10 }] },
        ],
        "distractors": ["x/"],
    }));
    let answered = ScorableAnswer {
        ranked: Some(cited(&["x/y.rs:1-5", "d.rs:1-5", "b.rs:1-5", "b.rs:20-30", "c.rs:90-99"])),
        places: cited(&["b.rs:51-60", "d.rs:1-10", "x/y.rs:1-10", "x/y.rs:21-30"]),
        ..ScorableAnswer::default()
    };
    let scores = score(&case, &answered, &files(&["b.rs", "c.rs", "d.rs", "x/y.rs"]));
    assert_scores(
        &scores,
        &[
            (Metric::RoleRecall, Some(0.5)),
            // Files by rank: x/y.rs, d.rs, b.rs, c.rs; the gold ones are b.rs (or a.rs) and c.rs.
            (Metric::FileRecallAt1, Some(0.0)),
            (Metric::FileRecallAt3, Some(0.5)),
            (Metric::FileRecallAt5, Some(1.0)),
            (Metric::FileRecallAt10, Some(1.0)),
            (Metric::Mrr, Some(1.0 / 3.0)),
            // b.rs and d.rs are labelled, x/y.rs is not.
            (Metric::FilePrecision, Some(2.0 / 3.0)),
            (Metric::FileRecall, Some(0.5)),
            (Metric::FileF1, Some(4.0 / 7.0)),
            // 10 of b.rs and 10 of d.rs, of 40 cited lines.
            (Metric::LinePrecision, Some(0.5)),
            // Half of the 20 lines in b.rs, none of the 10 in c.rs.
            (Metric::LineRecall, Some(1.0 / 3.0)),
            (Metric::LineF1, Some(0.4)),
            (Metric::Distractors, Some(2.0)),
            (Metric::Fabricated, Some(0.0)),
            (Metric::NegativeOk, None),
        ],
    );
    assert_eq!(scores.widths, [10, 10, 10, 10]);
    assert!((scores.held - 0.5).abs() < 1e-9);
}

#[test]
fn a_fix_is_scored_by_its_files_and_lines() {
    let case = case(&json!({
        "gold_files": ["a.rs", "b.rs"],
        // The spans share lines, which count once.
        "gold_spans": [
            { "file": "a.rs", "start": 1, "end": 10 },
            { "file": "a.rs", "start": 6, "end": 20 } ],
    }));
    let answered = ScorableAnswer {
        ranked: Some(cited(&["a.rs", "c.rs"])),
        places: cited(&["a.rs:11-30"]),
        ..ScorableAnswer::default()
    };
    assert_scores(
        &score(&case, &answered, &files(&["a.rs", "b.rs", "c.rs"])),
        &[
            (Metric::RoleRecall, None),
            (Metric::FileRecallAt1, Some(0.5)),
            (Metric::Mrr, Some(1.0)),
            (Metric::FilePrecision, Some(1.0)),
            (Metric::FileRecall, Some(0.5)),
            (Metric::LinePrecision, Some(0.5)),
            (Metric::LineRecall, Some(0.5)),
            (Metric::LineF1, Some(0.5)),
            (Metric::Distractors, None),
        ],
    );
}

#[test]
fn an_answer_without_places_scores_nothing_instead_of_not_at_all() {
    let case = case(&json!({
        "gold_files": ["a.rs"], "gold_spans": [{ "file": "a.rs", "start": 1, "end": 10 }],
        "evidence": [{ "role": "entry", "required": true, "any_of": [{ "path": "a.rs", "start": 1, "end": 9 }] }],
    }));
    let answered = ScorableAnswer { ranked: Some(Vec::new()), ..ScorableAnswer::default() };
    let zero = [
        Metric::RoleRecall,
        Metric::FileRecallAt10,
        Metric::Mrr,
        Metric::FilePrecision,
        Metric::FileF1,
        Metric::LinePrecision,
        Metric::LineF1,
    ];
    let zero: Vec<(Metric, Option<f64>)> = zero.iter().map(|metric| (*metric, Some(0.0))).collect();
    assert_scores(&score(&case, &answered, &BTreeMap::new()), &zero);
}

#[test]
fn references_that_the_checkout_does_not_have_are_fabricated_and_score_nothing() {
    let case = case(&json!({ "gold_files": ["a.rs", "gone.rs"] }));
    let answered = ScorableAnswer {
        places: cited(&["a.rs:91-100", "a.rs:91-101", "gone.rs:1-2", "a.rs"]),
        map: Some(map(&json!({
            "findings": [{ "fact": "f", "refs": [{ "path": "other.rs", "start": 1, "end": 1 }] }],
        }))),
        ..ScorableAnswer::default()
    };
    let scores = score(&case, &answered, &files(&["a.rs"]));
    assert_scores(&scores, &[(Metric::Fabricated, Some(3.0)), (Metric::FileRecall, Some(0.5))]);
    // A file without lines is the whole file.
    assert_eq!(scores.widths, [100, 10]);
}

#[test]
fn references_to_lines_that_were_never_delivered_are_fabricated() {
    let case = case(&json!({ "gold_files": ["a.rs"] }));
    let lines = |text: &str| {
        let mut set = LineSet::default();
        set.insert(range(text));
        set
    };
    for (delivered, fabricated) in [
        (Some(&[("a.rs", "1-100"), ("b.rs", "1-5")][..]), 0.0),
        // One line short, and a file that was only named.
        (Some(&[("a.rs", "1-9"), ("b.rs", "1-5")]), 1.0),
        (Some(&[("a.rs", "1-9")]), 2.0),
        (Some(&[]), 2.0),
        (None, 0.0),
    ] {
        let delivered = delivered.map(|files| {
            files.iter().map(|(path, text)| ((*path).to_owned(), lines(text))).collect()
        });
        let answered = ScorableAnswer {
            places: cited(&["a.rs:1-10"]),
            map: Some(map(&json!({
                "findings": [{ "fact": "f", "refs": [{ "path": "b.rs", "start": 2, "end": 5 }] }],
            }))),
            delivered,
            ..ScorableAnswer::default()
        };
        let scores = score(&case, &answered, &files(&["a.rs", "b.rs"]));
        assert_scores(&scores, &[(Metric::Fabricated, Some(fabricated))]);
    }
}

fn map(more: &Value) -> CodeMap {
    let mut map = json!({
        "version": 1, "question": "how?", "intent": "answer", "status": "complete", "confidence": "low",
        "recommended_primary_action": "skip",
        "meta": { "author": "model", "stop_reason": "submitted", "steps": 3, "tool_calls": 7,
            "observed_tokens": 5000, "report_tokens": 400, "elapsed_ms": 12, "reasons": ["unread"] },
    });
    map.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    serde_json::from_value(map).unwrap()
}

#[test]
fn what_a_map_says_of_itself_is_kept() {
    let case = case(&json!({ "gold_files": ["a.rs"] }));
    let answered = ScorableAnswer {
        places: cited(&["a.rs:1-2"]),
        map: Some(map(&json!({ "summary": "It runs let value_of_line = compute(); and more." }))),
        ..ScorableAnswer::default()
    };
    let scores = score(&case, &answered, &files(&["a.rs"]));
    assert_scores(
        &scores,
        &[
            (Metric::ReportTokens, Some(400.0)),
            (Metric::ObservedTokens, Some(5000.0)),
            (Metric::Compression, Some(0.08)),
            (Metric::Steps, Some(3.0)),
            (Metric::Calls, Some(7.0)),
            (Metric::RawSourceBytes, Some(30.0)),
            (Metric::Fallback, Some(0.0)),
            (Metric::Cost, None),
            (Metric::NegativeOk, None),
        ],
    );
    assert_eq!(scores.reasons, ["unread"]);
}

#[test]
fn a_negative_question_is_right_when_the_map_is_low_and_sends_nobody_reading() {
    let case = case(&json!({ "negative": true }));
    for (confidence, action, right) in [
        ("low", "skip", 1.0),
        ("low", "targeted_gap_search", 1.0),
        ("low", "read_targets", 0.0),
        ("medium", "skip", 0.0),
        ("high", "answer_from_report", 0.0),
    ] {
        let map = map(&json!({ "confidence": confidence, "recommended_primary_action": action }));
        let answered = ScorableAnswer { map: Some(map), ..ScorableAnswer::default() };
        assert_scores(
            &score(&case, &answered, &BTreeMap::new()),
            &[
                (Metric::NegativeOk, Some(right)),
                (Metric::RoleRecall, None),
                (Metric::FileF1, None),
            ],
        );
    }
}

/// `repo/case/repeat = MRR`, a result each.
fn results(lines: &[(&str, f64)]) -> Vec<CaseResult> {
    lines
        .iter()
        .map(|(name, value)| {
            let parts: Vec<&str> = name.split('/').collect();
            CaseResult {
                suite: "s".to_owned(),
                case: parts[1].to_owned(),
                repo: parts[0].to_owned(),
                language: None,
                category: None,
                system: EvaluatedSystem::Retriever,
                repeat: parts[2].parse().unwrap(),
                key: String::new(),
                scores: AnswerScores {
                    values: BTreeMap::from([(Metric::Mrr, *value)]),
                    widths: vec![10, 130],
                    ..AnswerScores::default()
                },
                places: Vec::new(),
                ranked: Vec::new(),
                model_error: None,
            }
        })
        .collect()
}

#[test]
fn repositories_weigh_the_same_and_repeats_give_their_median() {
    let summary = summarize(
        "s",
        EvaluatedSystem::Retriever,
        &results(&[
            // Means by repeat: small 1, 0.5, 0; large 0.5, 0.5, 0.5; so the averages are 0.75, 0.5, 0.25.
            ("small/a/0", 1.0),
            ("small/a/1", 0.5),
            ("small/a/2", 0.0),
            ("large/b/0", 1.0),
            ("large/b/1", 1.0),
            ("large/b/2", 1.0),
            ("large/c/0", 0.0),
            ("large/c/1", 0.0),
            ("large/c/2", 0.0),
        ]),
    );
    let estimate = summary.metrics[&Metric::Mrr];
    assert!((estimate.value - 0.5).abs() < 1e-9, "{estimate:?}");
    assert!(estimate.low < 0.2 && estimate.high > 0.8, "{estimate:?}");
    assert_eq!((summary.cases, summary.repeats, estimate.cases), (3, 3, 3));
    assert_eq!((summary.widths.places, summary.widths.p90), (18, 130));
    assert!((summary.widths.median - 70.0).abs() < 1e-9);
    assert!((summary.widths.over_120 - 0.5).abs() < 1e-9);
}

#[test]
fn an_interval_of_values_that_are_all_the_same_has_no_width() {
    let summary =
        summarize("s", EvaluatedSystem::Retriever, &results(&[("r/a/0", 0.25), ("r/b/0", 0.25)]));
    let estimate = summary.metrics[&Metric::Mrr];
    assert_eq!((estimate.low, estimate.value, estimate.high), (0.25, 0.25, 0.25));
}

#[test]
fn the_sign_test_is_the_exact_binomial() {
    for (better, worse, p) in [
        (0, 0, 1.0),
        (1, 0, 1.0),
        (5, 0, 0.0625),
        (0, 5, 0.0625),
        (8, 2, 0.109_375),
        (3, 3, 1.0),
        (2000, 0, 0.0),
    ] {
        let is = sign_test(better, worse);
        assert!((is - p).abs() < 1e-9, "{better}:{worse} is {is}, not {p}");
    }
}

#[test]
fn a_change_is_counted_by_cases_that_both_runs_have() {
    let then = results(&[("r/a/0", 0.5), ("r/b/0", 0.5), ("r/c/0", 0.5), ("r/old/0", 0.0)]);
    let now = results(&[("r/a/0", 1.0), ("r/b/0", 0.25), ("r/c/0", 0.5), ("r/new/0", 1.0)]);
    let [change] = compare(&now, &then).try_into().unwrap();
    assert_eq!((change.metric, change.cases, change.better, change.worse), (Metric::Mrr, 3, 1, 1));
    assert!((change.delta - 0.25 / 3.0).abs() < 1e-9);
    assert!((change.p - 1.0).abs() < 1e-9);
}

#[test]
fn a_search_is_scored_by_the_gain_of_its_first_ten_files() {
    let case = case(&json!({
        "root": "lib", "category": "symbol", "relevant": ["lib/a.rs"], "secondary": ["deep/b.rs"],
    }));
    let ideal = 1.0 + 1.0 / 3.0_f64.log2();
    let far: Vec<String> = (0..10).map(|number| format!("{number}.rs:1-2")).collect();
    let far: Vec<&str> = far.iter().map(String::as_str).chain(["a.rs:1-2"]).collect();
    for (ranked, gain) in [
        (&["a.rs:1-2", "deep/b.rs:1-2"][..], ideal),
        // A file further up has the end of the label's path and is another one.
        (&["a.rs:1-2", "b.rs:1-2"], 1.0),
        // A file that is what the label says comes before one whose path ends so.
        (&["more/a.rs:1-2", "a.rs:1-2"], 1.0 / 3.0_f64.log2()),
        // A file ranks where its first place ranks, and counts once.
        (&["a.rs:1-2", "a.rs:5-9", "deep/b.rs:1-2"], ideal),
        (&["x.rs:1-2", "more/deep/b.rs:3-4"], 1.0 / 3.0_f64.log2()),
        // The end of a path is whole components.
        (&["xa.rs:1-2", "xdeep/b.rs:1-2"], 0.0),
        (&far, 0.0),
        (&[], 0.0),
    ] {
        let answer = ScorableAnswer { ranked: Some(cited(ranked)), ..ScorableAnswer::default() };
        let scores = score(&case, &answer, &BTreeMap::new());
        let value = scores.get(Metric::NdcgAt10).unwrap();
        assert!((value - gain / ideal).abs() < 1e-9, "{ranked:?}: {value}");
        assert_eq!(scores.get(Metric::FileRecall), None);
    }
}
