//! When a report is worth a turn of repair, and what the note to the model says.

use retriever_report::{
    ReasonCode, ReportAuthor, ReportDraft, UncitedEvidence, ValidationReason, parse, repair_note,
};
use retriever_search::{Intent, PlaceRole};
use serde_json::{Value, json};

use crate::cases::{check, evidence, good, good_but};

/// (what is submitted, the intent, whether it is worth a repair)
fn submissions() -> Vec<(&'static str, Value, Intent, bool)> {
    let lost = json!([{"ref": "c1", "role": "handler", "why": "w"}, {"ref": "c99", "why": "w"}]);
    vec![
        ("holds", good(), Intent::Answer, false),
        ("nothing at all", json!({"summary": "`login` saves."}), Intent::Answer, false),
        (
            "an answer without evidence",
            json!({"summary": "`login` saves.", "recommended_primary_action": "answer_from_report"}),
            Intent::Answer,
            true,
        ),
        ("all places lost", json!({"primary": [{"ref": "c99", "why": ""}]}), Intent::Answer, true),
        (
            "all facts lost",
            json!({"findings": [{"fact": "A", "refs": ["c99"]}]}),
            Intent::Answer,
            true,
        ),
        ("a place lost", good_but(json!({"primary": lost})), Intent::Answer, true),
        (
            "a fact lost",
            good_but(json!({"findings": [{"fact": "Sessions live for 90 days.", "refs": ["c1"]}]})),
            Intent::Answer,
            true,
        ),
        ("a flow lost", good_but(json!({"flow": "`nothing_here` runs."})), Intent::Answer, true),
        (
            "a clause of a fact lost",
            good_but(json!({"findings": [
                {"fact": "`login` saves a session; `nothing_here` runs.", "refs": ["c1"]}
            ]})),
            Intent::Answer,
            true,
        ),
        (
            "a summary lost",
            good_but(json!({"summary": "`nothing_here` runs."})),
            Intent::Answer,
            true,
        ),
        ("no flow", good_but(json!({"flow": ""})), Intent::Answer, false),
        (
            "a secondary place lost",
            good_but(json!({"secondary": [{"ref": "c99", "why": "w"}]})),
            Intent::Answer,
            false,
        ),
        ("gives up", good_but(json!({"recommended_primary_action": "skip"})), Intent::Answer, true),
        (
            "gives up on nothing",
            json!({"summary": "`login` saves.", "recommended_primary_action": "skip"}),
            Intent::Answer,
            false,
        ),
    ]
}

#[test]
fn a_report_that_lost_substance_is_worth_a_repair() {
    for (name, submitted, intent, wanted) in submissions() {
        let mut evidence = evidence();
        evidence.question.intent = intent;
        let validation = check(&mut evidence, &submitted);
        assert_eq!(validation.repairable, wanted, "{name}: {:#?}", validation.reasons);
        // No model could mend what no model wrote.
        evidence.author = ReportAuthor::Offline;
        assert!(!check(&mut evidence, &submitted).repairable, "{name}");
    }
}

#[test]
fn a_lost_reference_is_worth_a_repair_only_where_a_role_is_missing() {
    for (secondary, roles, wanted) in [
        ("c99", &[PlaceRole::Ui][..], true),
        ("c99", &[], false),
        ("src/hits.rs:50", &[PlaceRole::Ui], false),
    ] {
        let submitted = good_but(json!({"secondary": [{"ref": secondary, "why": ""}]}));
        let mut evidence = evidence();
        evidence.question.roles = roles.to_vec();
        let validation = check(&mut evidence, &submitted);
        assert_eq!(
            validation.repairable, wanted,
            "{secondary} {roles:?}: {:#?}",
            validation.reasons
        );
    }
}

#[test]
fn the_note_lists_what_can_be_mended_once_and_rejections_first() {
    let reason = |code, detail: &str| ValidationReason::new(code, "c1", detail);
    let remedy = || {
        let place = serde_json::from_value(json!({"path": "src/a.rs", "start": 3, "end": 5}));
        Box::new(UncitedEvidence {
            name: "login".to_owned(),
            place: place.unwrap(),
            reference: "c4".to_owned(),
        })
    };
    let reasons = [
        reason(ReasonCode::GapOpen, "open"),
        reason(ReasonCode::ActionTerms, "terms"),
        reason(ReasonCode::RefUnknown, "unknown"),
        reason(ReasonCode::RefUnknown, "unknown"),
        reason(ReasonCode::FactUnconfirmed, "doubt"),
        ValidationReason { remedy: Some(remedy()), ..reason(ReasonCode::FactUnconfirmed, "cited") },
        reason(ReasonCode::Unread, "unread"),
    ];
    let note = repair_note(&reasons);
    let lines: Vec<&str> = note.lines().collect();
    assert_eq!(
        lines,
        [
            "- ref_unknown c1: unknown",
            "- action_terms c1: terms",
            "- fact_unconfirmed c1: cited; `login` stands at src/a.rs:3-5; cite c4 too",
        ]
    );
    assert_eq!(repair_note(&reasons[..1]), "");
}

#[test]
fn a_long_note_counts_what_it_leaves_out() {
    let long = |number: usize, chars: usize| {
        ValidationReason::new(ReasonCode::RefUnknown, format!("c{number}"), "x".repeat(chars))
    };
    // "- ref_unknown c1: " and the line break are 19 bytes; 20 are kept for the count.
    for (chars, left_out) in [(961, ""), (962, "(+1 more)")] {
        let note = repair_note(&[long(1, chars)]);
        assert_eq!(note.ends_with(left_out) && note.contains("(+1 more)"), !left_out.is_empty());
        assert!(note.len() <= 1_000);
    }
    let note = repair_note(&[long(1, 500), long(2, 600), long(3, 300), long(4, 700)]);
    assert!(note.contains("c1: x") && note.contains("c3: x"), "{note}");
    assert!(note.ends_with("(+2 more)") && note.len() <= 1_000, "{note}");
}

#[test]
fn a_draft_has_references_in_any_list() {
    for (submitted, wanted) in [
        (json!({"summary": "s"}), false),
        (json!({"findings": [{"fact": "f", "refs": ["c1"]}]}), true),
        (json!({"primary": [{"ref": "c1"}]}), true),
        (json!({"secondary": [{"ref": "c1"}]}), true),
        (json!({"read_targets": [{"ref": "c1"}]}), true),
    ] {
        assert_eq!(parse(&submitted).draft.unwrap().has_references(), wanted, "{submitted}");
    }
    let draft: ReportDraft =
        serde_json::from_value(json!({"findings": [{"fact": "f", "refs": []}]})).unwrap();
    assert!(!draft.has_references());
}
