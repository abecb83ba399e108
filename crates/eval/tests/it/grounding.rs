//! The grounding suite: labelled statements against the validator.

use std::collections::BTreeMap;

use pretty_assertions::assert_eq;
use retriever_eval::{
    TableStyle,
    grounding::{
        GroundingReport, GroundingSuite, LabelledStatementCheckout, LabelledStatementVerdict,
        Proportion, ValidatedLabelledStatement,
    },
};
use retriever_search::RoleCues;
use retriever_test_support::Fixture;
use retriever_workspace::{FileTraitsConfig, Workspace, WorkspaceConfig};
use serde_json::json;

const SOURCE: &str = "\
//- /src/auth.rs
pub fn login(name: &str) -> Session {
    let user = find_user(name);
    save_session(&user, 30 * 60)
}
";

/// (kind, label, text, what is wrong in it, outcome)
const STATEMENTS: &[(&str, &str, &str, &str, LabelledStatementVerdict)] = &[
    ("fact", "true", "`login` saves a session for 30 minutes.", "", LabelledStatementVerdict::Kept),
    (
        "fact",
        "invented_name",
        "`login` asks `TokenVault`.",
        "`TokenVault`",
        LabelledStatementVerdict::Dropped,
    ),
    ("fact", "false_word", "`login` drops a session.", "drops", LabelledStatementVerdict::Passed),
    (
        "flow",
        "true",
        "login calls find_user, then save_session.",
        "",
        LabelledStatementVerdict::Kept,
    ),
    (
        "summary",
        "undelivered",
        "It asks find_user first. Then session_bus is told.",
        "session_bus",
        LabelledStatementVerdict::Trimmed,
    ),
    ("why", "true", "looks the user up", "", LabelledStatementVerdict::Kept),
    ("purpose", "true", "see how long a session lives", "", LabelledStatementVerdict::Kept),
    ("missing", "true", "a limit of sessions", "", LabelledStatementVerdict::Kept),
];

fn judged() -> Vec<ValidatedLabelledStatement> {
    let fixture = Fixture::new(SOURCE);
    let workspace =
        Workspace::open(fixture.root(), &WorkspaceConfig::default(), &FileTraitsConfig::default())
            .unwrap();
    let lines = json!([{"path": "src/auth.rs", "start": 1, "end": 4}]);
    let mut suite = GroundingSuite::default();
    for (at, (kind, label, text, wrong, _)) in STATEMENTS.iter().enumerate() {
        let statement = json!({
            "id": at.to_string(), "repo": "o/n", "commit": "c", "language": "rust", "half": "build", "run": "a",
            "kind": kind, "style": "short", "text": text, "refs": lines, "delivered": lines, "label": label,
            "wrong": (!wrong.is_empty()).then_some(wrong),
        });
        suite.add_statements(&statement.to_string()).unwrap();
    }
    let cues = RoleCues::default();
    LabelledStatementCheckout { workspace: &workspace, cues: &cues, structures: &BTreeMap::new() }
        .judge(&suite)
        .unwrap()
        .0
}

#[test]
fn each_statement_is_compared_with_its_label() {
    let results = judged();
    for (result, (_, _, text, _, outcome)) in results.iter().zip(STATEMENTS) {
        assert_eq!(result.outcome, *outcome, "{text}: {result:?}");
    }
    let report = GroundingReport::new(results, Vec::new());
    let build = &report.figures[0];
    assert_eq!((build.kept_true.count, build.kept_true.of), (5, 5));
    assert_eq!((build.passed_false.count, build.passed_false.of), (1, 3));
    assert!(report.table(TableStyle::Plain).contains("false passed"));
}

#[test]
fn a_line_that_is_no_statement_is_named() {
    let error = GroundingSuite::default().add_statements("\n{}\n").unwrap_err();
    assert!(error.starts_with("line 2: missing field"), "{error}");
}

#[test]
fn intervals_are_wilsons() {
    let share = Proportion::new(8, 10);
    assert!((share.low - 0.490_2).abs() < 1e-3 && (share.high - 0.943_3).abs() < 1e-3, "{share}");
    assert_eq!(Proportion::new(0, 0).to_string(), "–");
    assert_eq!(Proportion::new(0, 100).low, 0.0);
}
