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

/// A constructor is told by the type that it makes, and a test is no caller, wherever it stands.
#[tokio::test]
async fn offline_reasons_name_types_that_are_made_and_callers_that_are_no_tests() {
    let rust = "//- /src/billing.rs\npub struct Ledger {\n    total: u32,\n}\n\nimpl Ledger {\n    \
         pub fn new(total: u32) -> Self {\n        let total = total.max(1);\n        \
         Self { total }\n    }\n}\n\npub fn settle_invoice(amount: u32) -> u32 {\n    \
         let ledger = Ledger::new(amount);\n    let paid = ledger.total;\n    \
         paid + 1\n}\n\npub fn close_month() -> u32 {\n    let first = settle_invoice(1);\n    \
         first * 2\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn pays_once() {\n        \
         let paid = super::settle_invoice(2);\n        assert_eq!(paid, 3);\n    }\n}\n";
    let python = "//- /billing.py\nclass Ledger:\n    def __init__(self, total):\n        \
         self.total = max(total, 1)\n\n\ndef settle_invoice(amount):\n    \
         ledger = Ledger(amount)\n    paid = ledger.total\n    return paid + 1\n\n\n\
         def close_month():\n    first = settle_invoice(1)\n    return first * 2\n";
    for (source, made) in [(rust, Some("makes `Ledger`")), (python, None)] {
        let fixture = Fixture::new(source);
        let map = Asking::new(&fixture, "how is an invoice settled?").ask_offline().await.map;
        check(&fixture, &map);
        let place = map.primary.iter().find(|it| it.symbols.iter().any(|s| s == "settle_invoice"));
        let why = &place.expect("the function is a primary place").why;
        assert!(why.contains("called by `close_month`"), "{why}");
        assert!(made.is_none_or(|made| why.contains(made)), "{why}");
        for wrong in ["`new`", "`__init__`", "pays_once"] {
            assert!(!why.contains(wrong), "{why}");
        }
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

/// The first twelve candidates are places of their own; a further one that stands beside one of them is told with it.
#[tokio::test]
async fn offline_cites_what_stands_beside_a_better_place_with_it() {
    let file = |name: &str| {
        let functions = (0..6).map(|n| {
            format!("def flush_{name}_journal_{n}(journal):\n    journal.flush({n})\n    return journal\n\n\n")
        });
        format!("//- /{name}.py\n{}", functions.collect::<String>())
    };
    let fixture = Fixture::new(&["first", "second", "third"].map(file).concat());
    let map = Asking::new(&fixture, "how is the journal flushed?").ask_offline().await.map;
    check(&fixture, &map);
    assert!(map.listed_places().any(|place| place.end - place.start > 5), "{map:?}");
    assert!(map.listed_places().all(|place| place.end - place.start < 9), "{map:?}");
}

/// What the best place calls is told with it if it stands beside it, and takes no room from further places.
#[tokio::test]
async fn offline_cites_a_callee_beside_a_place_with_it() {
    let file = |name: &str| {
        let functions = (0..6).map(|n| {
            format!(
                "def flush_{name}_{n}(journal):\n    journal.flush({n})\n    return journal\n\n\n"
            )
        });
        functions.collect::<String>()
    };
    let calling = "def flush_journal(journal):
    journal.flush()
    settle(journal.book)
    return journal


def settle(book):
    total = sum(book)
    book.clear()
    book.append(total)
    return total


";
    let files = [("first", calling), ("second", ""), ("third", ""), ("fourth", "")];
    let files = files.map(|(name, head)| format!("//- /{name}.py\n{head}{}", file(name)));
    let fixture = Fixture::new(&files.concat());
    let map = Asking::new(&fixture, "how is the journal flushed?").ask_offline().await.map;
    check(&fixture, &map);
    let lines: Vec<_> = map
        .listed_places()
        .filter(|place| place.path == "first.py" && place.start < 12)
        .map(|place| (place.start, place.end))
        .collect();
    assert_eq!(lines, [(1, 11)], "{map:?}");
    assert_eq!(map.listed_places().count(), 12, "{map:?}");
    assert!(
        map.primary.iter().any(|place| place.symbols == ["flush_journal", "settle"]),
        "{map:?}"
    );
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
