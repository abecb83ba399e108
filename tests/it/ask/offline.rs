//! Maps that no model had a part in.

use pretty_assertions::assert_eq;
use retriever::{
    report::{CodeMap, Confidence, MapStatus, RecommendedAction},
    search::PlaceRole,
};

use crate::support::{fixture::Fixture, run::Asking};

use super::{PROJECT, QUESTION, check, has, primaries};

#[tokio::test]
async fn offline_reads_what_it_reports() {
    let fixture = Fixture::new(PROJECT);
    let answer = Asking::new(&fixture, QUESTION).ask_offline().await;
    check(&fixture, &answer.map);
    assert_eq!((answer.map.status, answer.map.confidence), (MapStatus::Complete, Confidence::Low));
    assert_eq!(serde_json::to_value(answer.map.meta.author).unwrap(), "offline");
    assert!(
        primaries(&answer.map).iter().any(|place| place.starts_with("src/dispatch.rs")),
        "{:?}",
        answer.map
    );

    let again = Asking::new(&fixture, QUESTION).ask_offline().await;
    let timeless = |mut map: CodeMap| {
        map.meta.elapsed_ms = 0;
        map.meta.report_tokens = 0;
        map
    };
    assert_eq!(timeless(again.map), timeless(answer.map), "the same question has the same answer");
}

#[tokio::test]
async fn offline_leads_with_tests_only_if_they_are_asked_for() {
    let fixture = Fixture::new(
        "//- /src/rounding.py\ndef round_total(total):\n    return round(total, 2)\n\
         //- /tests/test_rounding.py\ndef test_round_total():\n    assert round_total(1.005) == 1.0\n",
    );
    for (question, roles, leads) in [
        ("which test covers the rounding of a total?", &[][..], true),
        ("where is a total rounded?", &[PlaceRole::Test], true),
        ("where is a total rounded?", &[], false),
    ] {
        let mut asking = Asking::new(&fixture, question);
        asking.question.roles = roles.to_vec();
        let map = asking.ask_offline().await.map;
        let is_test = |place: &String| place.starts_with("tests/");
        assert_eq!(primaries(&map).iter().any(is_test), leads, "{question} {roles:?}: {map:?}");
    }
}

#[tokio::test]
async fn offline_claims_no_name_for_lines_that_are_without_it() {
    let filler: String = (0..300).map(|n| format!("    x{n} = {n}\n")).collect();
    let source =
        format!("//- /ledger.py\ndef enormous():\n{filler}    flush_journal(x1)\n{filler}");
    let fixture = Fixture::new(&source);
    let map = Asking::new(&fixture, "when is the journal flushed").ask_offline().await.map;
    check(&fixture, &map);
    assert!(
        map.primary.iter().any(|place| place.place.start > 1 && place.place.end >= 302),
        "{map:?}"
    );
    assert!(!has(&map, "fact_unsupported"), "{:?}", map.meta.reasons);
}

#[tokio::test]
async fn offline_says_when_nothing_matches() {
    let fixture = Fixture::new(PROJECT);
    let pasted = format!("It stops\n{}", "    at other.Thing.run(Thing.java:7)\n".repeat(600));
    assert!(pasted.len() > 20_000);
    for question in [
        "where is the kubernetes autoscaler?",
        "the",
        "?",
        "où est la facturation ?",
        "課金はどこで行われますか",
        &pasted,
    ] {
        let map = Asking::new(&fixture, question).ask_offline().await.map;
        check(&fixture, &map);
        assert_eq!(map.confidence, Confidence::Low, "{question}");
        assert_ne!(
            map.recommended_primary_action,
            RecommendedAction::AnswerFromReport,
            "{question}"
        );
    }
}

#[tokio::test]
async fn a_word_from_another_domain_does_not_steer_the_answer() {
    let fixture = Fixture::new(
        "//- /src/forms/update_form.ts\nexport function updateForm(api: Api) {\n  api.update();\n}\n\
         //- /src/invoices/rounding.ts\nexport function roundInvoiceTotal(total: number) {\n  return Math.round(total * 100) / 100;\n}\n\
         //- /src/api/update.ts\nexport const update = () => fetch('/update');\n",
    );
    let map = Asking::new(&fixture, "where does the update of an invoice total get rounded?")
        .ask_offline()
        .await
        .map;
    assert_eq!(map.primary[0].place.path, "src/invoices/rounding.ts", "{:?}", primaries(&map));
}
