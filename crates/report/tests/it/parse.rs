//! Submissions of any quality are parsed without losing their valid parts.

use retriever_report::{ReasonCode, parse, parse_text};
use retriever_search::PlaceRole;
use serde_json::json;

#[test]
fn bad_items_never_cost_good_ones() {
    let parsed = parse(&json!({
        "summary": 7, "flow": null,
        "primary": [{"ref": "c1", "role": "wizard", "why": "w"}, {"why": "no ref"}, "c2", 5, {"ref": "c2", "role": "handler"}],
        "findings": {"fact": "f", "refs": "c1"},
        "read_targets": [{"ref": "c1", "purpose": "p", "required": "yes"}],
        "missing": ["the rest"], "requested_roles": "handler, wizard",
        "recommended_primary_action": "give_up", "confidence": 0.9, "extra": {"a": 1},
    }));
    let draft = parsed.draft.unwrap();
    assert_eq!(draft.summary, "7");
    let primary: Vec<(&str, Option<PlaceRole>)> =
        draft.primary.iter().map(|p| (p.reference.as_str(), p.role)).collect();
    assert_eq!(primary, [("c1", None), ("c2", None), ("c2", Some(PlaceRole::Handler))]);
    assert_eq!(draft.findings[0].refs, ["c1"]);
    assert!(draft.read_targets[0].required);
    assert_eq!(draft.missing[0].what, "the rest");
    assert_eq!(draft.requested_roles, [PlaceRole::Handler]);
    assert_eq!((draft.recommended_primary_action, draft.confidence), (None, None));
    let codes: Vec<ReasonCode> = parsed.problems.iter().map(|problem| problem.code).collect();
    for code in [
        ReasonCode::SchemaType,
        ReasonCode::SchemaRole,
        ReasonCode::SchemaValue,
        ReasonCode::SchemaRequired,
        ReasonCode::SchemaItem,
    ] {
        assert!(codes.contains(&code), "{code}: {:#?}", parsed.problems);
    }
}

#[test]
fn what_is_no_report_is_none() {
    for nothing in [json!(null), json!([]), json!({}), json!({"x": 1}), json!("hello"), json!(3)] {
        let parsed = parse(&nothing);
        assert!(parsed.draft.is_none(), "{nothing}");
        assert_eq!(parsed.problems[0].code, ReasonCode::SchemaUnusable);
    }
    for wrapped in [
        json!({"report": {"summary": "s"}}),
        json!([{"summary": "s"}]),
        json!("{\"summary\": \"s\"}"),
        json!({"name": "submit_report", "arguments": "{\"summary\": \"s\"}"}),
    ] {
        assert_eq!(parse(&wrapped).draft.unwrap().summary, "s", "{wrapped}");
    }
    let nested =
        |depth| (0..depth).fold(json!({"summary": "s"}), |inner, _| json!({"report": inner}));
    assert_eq!(parse(&nested(4)).draft.unwrap().summary, "s");
    assert!(parse(&nested(5)).draft.is_none());
    let listed = |depth| (0..depth).fold(json!({"summary": "s"}), |inner, _| json!([inner]));
    assert_eq!(parse(&listed(4)).draft.unwrap().summary, "s");
    assert!(parse(&listed(5)).draft.is_none());
    let encoded =
        |depth| (0..depth).fold(json!({"summary": "s"}), |inner, _| json!(inner.to_string()));
    assert_eq!(parse(&encoded(4)).draft.unwrap().summary, "s");
    assert!(parse(&encoded(5)).draft.is_none());
}

#[test]
fn reports_are_found_in_text() {
    for (text, truncated) in [
        (r#"{"summary": "s", "primary": [{"ref": "c1"}]}"#, false),
        (
            "Here you are:\n```json\n{\"summary\": \"s\", \"primary\": [{\"ref\": \"c1\"}]}\n```\nDone {ok}.",
            false,
        ),
        (
            r#"I use {braces} and [c1]. {"summary": "s", "primary": [{"ref": "c1"}]} That's it."#,
            false,
        ),
        (r#"{"draft": 1} {"summary": "s", "primary": [{"ref": "c1"}]}"#, false),
        (r#"{"summary": "s", "primary": [{"ref": "c1"}, {"ref": "c2", "wh"#, true),
        (r#"{"summary": "s", "primary": [{"ref": "c1"}], "flow": "it \"beg"#, true),
    ] {
        let parsed = parse_text(text).unwrap();
        let draft = parsed.draft.unwrap();
        assert_eq!(
            (draft.summary.as_str(), draft.primary[0].reference.as_str()),
            ("s", "c1"),
            "{text}"
        );
        assert_eq!(
            parsed.problems.iter().any(|p| p.code == ReasonCode::SchemaTruncated),
            truncated,
            "{text}"
        );
    }
    for text in ["", "no report", "{", "[1, 2", "{\"x\": 1}", &"{".repeat(5_000)] {
        assert!(parse_text(text).is_none(), "{text}");
    }
}
