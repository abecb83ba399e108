//! What lowers the confidence of a map: lines that were hardly seen, places and facts that are lost, too wide, doubtful or
//! only of supporting files.

use serde_json::{Value, json};

use retriever_report::{Confidence, ReasonCode, Verdict};
use retriever_search::{NoAnswerReason, Question};

use crate::{
    cases::{check, evidence, expect, good_but, numbered},
    evidence::Evidence,
};

/// Asserts the confidence, and the codes that lowered it, of a submission about files of numbered lines.
#[track_caller]
fn assert_confidence(files: &str, lines: u32, submitted: &Value, wanted: &str) {
    let source: String =
        files.split('\n').map(|file| format!("//- /src/{file}\n{}", numbered(lines))).collect();
    let validation = check(&mut Evidence::new(&source), submitted);
    expect(&format!("{files} {submitted}"), &validation, wanted);
}

fn place(reference: &str) -> Value {
    json!({"ref": reference, "why": ""})
}

fn fact(line: u32) -> Value {
    json!({"fact": format!("`value_{line}` is computed."), "refs": [format!("src/a.rs:{line}")]})
}

/// (what was delivered of a file, the place, whether that counts as read)
const READ: &[(&str, &str, bool)] = &[
    ("read=1-4", "1-4", true),
    ("grep=1-4", "1-4", false),
    ("grep=1-5", "1-5", true),
    ("grep=1-5", "2-3", true),
    ("grep=1-4 grep=10-16", "1-4", false),
    ("grep=1-4 read=1-2", "1-4", true),
    ("grep=1-4 read=1-1", "1-4", false),
    ("grep=1-4 decl=value_1:1-4", "1-4", true),
    ("grep=1-4 decl=value_1:1-3", "1-4", false),
    ("grep=3 decl=value_3:3-3", "3", false),
];

#[test]
fn a_place_counts_as_read_if_most_of_it_was_or_a_search_showed_all_of_it() {
    for (delivered, lines, is_read) in READ {
        let submitted =
            json!({"primary": [place(&format!("src/a.rs:{lines}"))], "findings": [fact(3)]});
        let wanted =
            if *is_read { "confidence high\n-code unread" } else { "confidence low\ncode unread" };
        assert_confidence(&format!("a.rs {delivered}"), 20, &submitted, wanted);
    }
}

#[test]
fn what_is_unread_is_compared_with_all_places() {
    for (files, refs, wanted) in [
        (
            "a.rs read=1-9\nb.rs grep=1-2",
            &["a.rs:1-9", "b.rs:1-2"][..],
            "confidence medium\ncode unread",
        ),
        (
            "a.rs read=3\nb.rs grep=1-2\nc.rs grep=1-2",
            &["b.rs:1-2", "c.rs:1-2"],
            "confidence low\ncode unread",
        ),
        (
            "a.rs read=1-9\nb.rs grep=1-2\nc.rs grep=1-2",
            &["a.rs:1-9", "b.rs:1-2", "c.rs:1-2"],
            "confidence low\ncode unread",
        ),
    ] {
        let primary: Vec<Value> = refs.iter().map(|lines| place(&format!("src/{lines}"))).collect();
        assert_confidence(files, 20, &json!({"primary": primary, "findings": [fact(3)]}), wanted);
    }
}

/// What stands for the items of [`LOSSES`].
const ITEMS: &[(&str, &str)] = &[
    ("ONE", r#"{"ref": "src/a.rs:1-9", "why": ""}"#),
    ("TWO", r#"{"ref": "src/b.rs:1-9", "why": ""}"#),
    ("LOST", r#"{"ref": "c99", "why": ""}"#),
    ("REQUIRED", r#"{"ref": "c99", "purpose": "change it", "required": true}"#),
    ("FACT", r#"{"fact": "`value_3` is computed.", "refs": ["src/a.rs:3"]}"#),
    ("VAGUE", r#"{"fact": "All of it works so.", "refs": ["src/a.rs:5"]}"#),
    ("DOUBT_7", r#"{"fact": "`value_7` is in seconds.", "refs": ["src/a.rs:1-9"]}"#),
    ("DOUBT_9", r#"{"fact": "`value_9` is in seconds.", "refs": ["src/a.rs:1-9"]}"#),
];

/// (what is submitted, what is wanted of the map)
const LOSSES: &[(&str, &str)] = &[
    (r#"{"summary": "s"}"#, "confidence low\ncode no_evidence\n-code no_findings"),
    (r#"{"primary": [ONE]}"#, "confidence medium\ncode no_findings\n-code no_evidence"),
    (r#"{"secondary": [ONE]}"#, "confidence low\ncode no_evidence\ncode no_findings"),
    (r#"{"findings": [FACT]}"#, "confidence low\ncode no_evidence\n-code no_findings"),
    (r#"{"primary": [ONE], "findings": [FACT]}"#, "confidence high"),
    (r#"{"primary": [ONE, LOST], "findings": [FACT]}"#, "confidence low\ncode ref_unknown"),
    (r#"{"primary": [ONE, LOST, TWO], "findings": [FACT]}"#, "confidence medium"),
    (r#"{"primary": [ONE], "secondary": [LOST], "findings": [FACT]}"#, "confidence medium"),
    (r#"{"primary": [ONE], "findings": [FACT], "read_targets": [REQUIRED]}"#, "confidence low"),
    (
        r#"{"primary": [ONE], "findings": [FACT], "recommended_primary_action": "read_targets"}"#,
        "confidence medium\ncode action_targets_derived",
    ),
    (
        r#"{"primary": [{"ref": "src/a.rs:1-9", "why": "", "role": "ui"}], "findings": [FACT]}"#,
        "confidence high\ncode role_unbacked",
    ),
    (r#"{"primary": [ONE], "findings": [FACT, VAGUE]}"#, "confidence medium\ncode fact_unverified"),
    (r#"{"primary": [ONE], "findings": [VAGUE]}"#, "confidence low\ncode fact_unverified"),
    (
        r#"{"primary": [ONE], "findings": [FACT, DOUBT_7]}"#,
        "confidence high\ncode fact_unconfirmed",
    ),
    (
        r#"{"primary": [ONE], "findings": [DOUBT_9, FACT, DOUBT_7]}"#,
        "confidence medium\ncode fact_unconfirmed",
    ),
    (
        r#"{"primary": [ONE], "findings": [FACT], "missing": [{"what": "no `value_3` twice", "critical": true}]}"#,
        "confidence low\ncode gap_critical",
    ),
    (
        r#"{"primary": [ONE], "findings": [FACT], "missing": [{"what": "`GhostKeeper` was not found", "critical": true}]}"#,
        "confidence low\ncode gap_critical\nM something that the report calls critical; what it said of it did not hold",
    ),
    (
        r#"{"primary": [ONE], "findings": [FACT], "missing": [{"what": "`GhostKeeper` was not found"}]}"#,
        "confidence medium\n-code gap_critical\n-M",
    ),
    (
        r#"{"primary": [ONE], "findings": [FACT], "missing": [{"what": "no `value_3` twice"}]}"#,
        "confidence high\n-code",
    ),
    (
        r#"{"primary": [ONE], "findings": [FACT], "confidence": "medium"}"#,
        "confidence medium\ncode claimed_lower",
    ),
    (
        r#"{"primary": [ONE], "findings": [FACT], "confidence": "high"}"#,
        "confidence high\n-code claimed",
    ),
    (r#"{"primary": [ONE], "confidence": "high"}"#, "confidence medium\n-code claimed"),
    (r#"{"primary": [ONE], "confidence": "medium"}"#, "confidence medium\n-code claimed"),
];

#[test]
fn places_and_facts_that_are_missing_lower_it() {
    for (submitted, wanted) in LOSSES {
        let items = ITEMS.iter();
        let text =
            items.fold((*submitted).to_owned(), |text, (name, item)| text.replace(name, item));
        let submitted: Value = serde_json::from_str(&text).unwrap();
        assert_confidence("a.rs read=1-9\nb.rs read=1-9", 20, &submitted, wanted);
    }
}

#[test]
fn a_very_long_declaration_tells_little_and_two_of_them_less() {
    let both = json!([place("src/a.rs:1-361"), place("src/b.rs:1-361")]);
    for (end, primary, wanted) in [
        (360, json!([place("src/a.rs:1-360")]), "confidence high\n-code range_broad"),
        (361, json!([place("src/a.rs:1-361")]), "confidence medium\ncode range_broad"),
        (361, both, "confidence low\ncode range_broad"),
    ] {
        let file = |name| format!("{name}.rs read=1-361 decl=value_1:1-{end}");
        let submitted = json!({"primary": primary, "findings": [fact(3)]});
        assert_confidence(&format!("{}\n{}", file("a"), file("b")), 361, &submitted, wanted);
    }
}

#[test]
fn supporting_files_count_unless_the_question_asks_for_them() {
    let submitted = json!({"primary": [place("src/a.rs:1-9")], "findings": [fact(3)]});
    for (kind, hint, wanted) in [
        ("test", "", "confidence low\ncode test_only"),
        ("generated", "", "confidence low\ncode test_only"),
        ("vendored", "", "confidence low\ncode test_only"),
        ("docs", "", "confidence low\ncode test_only"),
        ("route", "", "confidence high\n-code test_only"),
        ("test", "src/a.rs", "confidence high\n-code test_only"),
        ("test", "src", "confidence high\n-code test_only"),
        ("test", "sr", "confidence low\ncode test_only"),
        ("test", "src/b.rs", "confidence low\ncode test_only"),
        ("test", ".", "confidence low\ncode test_only"),
    ] {
        let source = format!("//- /src/a.rs read=1-9 {kind}\n{}", numbered(9));
        let mut evidence = Evidence::new(&source);
        evidence.question.hints.extend((!hint.is_empty()).then(|| hint.to_owned()));
        expect(&format!("{kind} {hint}"), &check(&mut evidence, &submitted), wanted);
    }
}

/// (whether the ranking doubts that it is there, the pattern that no file matches, what is submitted, what is wanted)
fn absences() -> Vec<(bool, &'static str, Value, &'static str)> {
    let absent = json!({
        "summary": "There is no billing: nothing matches \"invoice\".",
        "primary": [],
        "findings": [{"fact": "`login` checks the password.", "refs": ["c1"]}],
        "missing": [{"what": "Billing", "critical": true}],
        "recommended_primary_action": "answer_from_report",
        "confidence": "high",
    });
    let shown = "confidence medium\naction answer_from_report\ncode gap_critical";
    let mut named = absent.clone();
    named["summary"] = json!("There is no billing: no `Ledger.post` was found.");
    let mut with_place = absent.clone();
    with_place["primary"] = json!([{"ref": "c1", "why": "checks the password"}]);
    let mut invented = absent.clone();
    invented["summary"] = json!("There is no billing: `Ledger.post` writes nothing.");
    vec![
        (true, "invoice|billing", absent.clone(), shown),
        (
            true,
            "invoice|billing",
            absent.clone(),
            "summary There is no billing: nothing matches \"invoice\".",
        ),
        (true, "invoice|billing", invented, "-summary There is no billing: `Ledger"),
        // Only what was searched for may be named.
        (
            true,
            "billing|ledger|post",
            named.clone(),
            "summary There is no billing: no `Ledger.post` was found.",
        ),
        (true, "billing|ledger", named, "-summary There is no billing: no `Ledger"),
        (false, "invoice|billing", absent.clone(), "confidence low\n-action answer"),
        (true, "", absent.clone(), "confidence low\n-action answer"),
        // That no line has both words does not say that none has one.
        (true, "billing invoice", absent.clone(), "confidence low\n-action answer"),
        // Not a word of the question.
        (true, "ledger", absent, "confidence low\n-action answer"),
        (true, "invoice|billing", with_place, "confidence low\n-action answer"),
    ]
}

#[test]
fn that_something_is_not_there_is_shown_by_the_ranking_and_by_a_search_of_all_files() {
    for (is_doubtful, pattern, submitted, wanted) in absences() {
        let mut evidence = evidence();
        evidence.question = Question::new("How does billing write an invoice?");
        let words = vec!["billing".to_owned()];
        evidence.no_answer = is_doubtful.then_some(NoAnswerReason { words });
        evidence.ledger.record_unmatched(pattern);
        let validation = check(&mut evidence, &submitted);
        expect(&format!("{is_doubtful} {pattern} {submitted}"), &validation, wanted);
    }
}

const SAVE: &str = "`login` saves a session of the user after `verify_hash` holds.";
const FIND: &str = "`login` calls `find_user` before `verify_hash`.";
const DENY: &str = "`login` denies the session unless `verify_hash` holds.";

const CONTRADICTORY: &[(&str, &str)] = &[
    (
        "`login` checks the password with the hash.",
        "`login` does not check the password with the hash.",
    ),
    (SAVE, "`login` saves no session of the user after `verify_hash` holds."),
    (DENY, "`login` denies the session if `verify_hash` holds."),
    (FIND, "`verify_hash` is asked by `login` before it calls `find_user`."),
    (
        "`login` saves neither a session nor a user of `verify_hash`.",
        "`login` saves a session and a user of `verify_hash`.",
    ),
    // Two denials in one clause say what none does.
    (
        "`login` never checks the password without the hash of a user.",
        "`login` checks no password with the hash of a user.",
    ),
];

/// Pairs of which both may be true.
const COMPATIBLE: &[(&str, &str)] = &[
    ("The password is checked with the hash.", "The password is not checked with the hash."),
    (
        "`login` checks the password of a user.",
        "`login` checks no password of a user with `verify_hash`.",
    ),
    (SAVE, "`login` saves no session where `find_user` gives nothing."),
    (SAVE, "`login` saves a session of the user and no longer waits after `verify_hash` holds."),
    (SAVE, "`login` saves no session of the user before `verify_hash` holds."),
    (FIND, "`login` calls `verify_hash` before `save_session`."),
    (
        "`login` does not check the password without the hash of a user.",
        "`login` checks the password with the hash of a user.",
    ),
    // Few words of many are the same.
    (
        "`login` finds the user and checks the password with the hash, and a session is saved.",
        "`login` does not grant or keep any session which the user drops.",
    ),
    ("`verify_hash` is no part of the session.", "`save_session` is a part of the session."),
    (DENY, "`login` grants the session if `verify_hash` holds."),
    (
        "`login` saves a session when `verify_hash` returns true.",
        "`login` saves no session when `verify_hash` returns false.",
    ),
    (
        "`login` saves a session if `verify_hash` succeeds.",
        "`login` saves no session if `verify_hash` fails.",
    ),
    (
        "`login` saves a session when the `user` is 30.",
        "`login` saves no session when the `user` is 60.",
    ),
    (
        "`login` does not save the password of the `user`.",
        "`login` has to save the password of the `user`.",
    ),
    (
        "`login` does not save the password of the `user`.",
        "`login` must save the password of the `user`.",
    ),
    (
        "`login` saves neither a session nor a user of `verify_hash`.",
        "`login` saves no session or user of `verify_hash`.",
    ),
    ("`login` takes `password` before `hash`.", "`verify_hash` takes `hash` before `password`."),
    (FIND, "`login` calls `verify_hash` again before `find_user`."),
    (
        "With no hash, `login` denies the session that `verify_hash` asks for.",
        "`login` denies the session that `verify_hash` asks for.",
    ),
    (
        "With no hash left `login` calls `verify_hash` and `find_user`.",
        "`login` calls `verify_hash` and `find_user`.",
    ),
];

#[test]
fn statements_that_contradict_each_other_are_not_high() {
    let told = |first: &str, second: &str| {
        let submitted = good_but(json!({
            "summary": "`login` checks the password.",
            "flow": "",
            "findings": [
                {"fact": first, "refs": ["c1"]},
                {"fact": second, "refs": ["c1"]},
            ],
        }));
        let validation = check(&mut evidence(), &submitted);
        let verdicts: Vec<Verdict> = validation.map.findings.iter().map(|it| it.verdict).collect();
        let is_told =
            validation.reasons.iter().any(|reason| reason.code == ReasonCode::FactContradicted);
        let is_marked = verdicts.iter().all(|verdict| *verdict == Verdict::Unconfirmed);
        assert_eq!(is_told, is_marked, "{first} {second} {verdicts:?}");
        assert_eq!(is_told, validation.map.confidence != Confidence::High, "{first} {second}");
        (is_told, validation.repairable)
    };
    for (first, second) in CONTRADICTORY {
        assert_eq!(told(first, second), (true, true), "{first} {second}");
    }
    let wrong: Vec<_> = COMPATIBLE.iter().filter(|(first, second)| told(first, second).0).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
