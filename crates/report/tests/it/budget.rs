//! What of a report is cut first when its map has more tokens than may be.

use pretty_assertions::assert_eq;
use retriever_report::{CodeMap, ReasonCode, ReportAuthor, ValidationResult, Verdict};
use serde_json::{Value, json};

use crate::{
    cases::{check, evidence, good, numbered},
    evidence::Evidence,
};

fn rich() -> (String, Value) {
    let files = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
    let source: String = files
        .iter()
        .map(|name| format!("//- /src/{name}.rs read=1-20\n{}", numbered(20)))
        .collect();
    let sentence = |number: u32| format!("`value_{number}` is what `compute` makes of it here.");
    let many =
        |from: u32, count: u32| (from..from + count).map(sentence).collect::<Vec<_>>().join(" ");
    let place = |file: &str, at: u32, text: &str| json!({"ref": format!("src/{file}.rs:{at}-{}", at + 4), "why": many(at, 3), "purpose": many(at, 3), "symbols": [text]});
    let fact = |at: u32| json!({"fact": sentence(at), "refs": [format!("src/f.rs:{at}")]});
    let mut required = place("e", 10, "");
    required["required"] = json!(true);
    let submitted = json!({
        "summary": many(1, 10), "flow": many(1, 14),
        "primary": [place("a", 1, "value_1"), place("b", 2, "value_2")],
        "secondary": [place("c", 3, "")],
        "read_targets": [required, place("d", 4, "")],
        "findings": [fact(1), fact(2), fact(3), fact(4), fact(5), fact(6)],
        "missing": [{"what": "no `value_9` in use"}, {"what": "no `value_8` in use"}],
        "gap_search": {"terms": ["value_9", "value_8"], "scopes": ["src/a.rs", "src/b.rs"]},
    });
    (source, submitted)
}

/// Tokens that are kept for the figures of a run.
const RESERVED: u64 = 75;

/// The parts of a map that a cut can change, each with its size.
fn sizes(map: &CodeMap) -> Vec<(&'static str, usize)> {
    let chars = |text: &str| text.chars().count();
    let whys = map.primary.iter().map(|item| chars(&item.why));
    let whys = whys.chain(map.secondary.iter().map(|item| chars(&item.why)));
    let whys = whys.chain(map.read_targets.iter().map(|item| chars(&item.purpose)));
    vec![
        ("also_read", map.also_read.len()),
        ("reasons of over 90", whys.filter(|chars| *chars > 90).count()),
        ("read_targets", map.read_targets.len()),
        ("secondary", map.secondary.len()),
        ("findings", map.findings.len()),
        ("flow", chars(&map.flow)),
        ("summary", chars(&map.summary)),
        ("missing", map.missing.len()),
        ("symbols", map.primary.iter().map(|item| item.symbols.len()).sum()),
        ("primary", map.primary.len()),
        ("left_out", map.left_out.len()),
        ("terms", map.gap_search.terms.len()),
        ("scopes", map.gap_search.scopes.len()),
    ]
}

/// The cuts of [`rich`] one by one: the part, and what is left of it.
const CUTS: &[&str] = &[
    "also_read 2",
    "also_read 1",
    "also_read 0",
    "reasons of over 90 4",
    "read_targets 1",
    "reasons of over 90 3",
    "secondary 0",
    "reasons of over 90 2",
    "reasons of over 90 1",
    "reasons of over 90 0",
    "findings 5",
    "findings 4",
    "flow 367",
    "summary 275",
    "findings 3",
    "findings 2",
    "findings 1",
    "left_out 2",
    "missing 1",
    "symbols 1",
    "symbols 0",
    "left_out 1",
    "left_out 0",
    "primary 1",
    "left_out 0",
    "terms 1",
    "scopes 1",
    "terms 0",
    "scopes 0",
    "flow 0",
    "summary 0",
    "findings 0",
    "left_out 0",
    "read_targets 0",
    "left_out 0",
    "missing 0",
    "primary 0",
];

#[test]
fn what_saves_least_is_cut_first() {
    let (source, submitted) = rich();
    let mut evidence = Evidence::new(&source);
    let mut cuts: Vec<String> = Vec::new();
    let mut before: Option<Vec<(&str, usize)>> = None;
    let mut limit = 5_000;
    while limit > 0 {
        evidence.limits.max_tokens = limit;
        let map = check(&mut evidence, &submitted).map;
        let now = sizes(&map);
        for ((part, was), (_, is)) in before.iter().flatten().zip(&now) {
            if is < was {
                cuts.push(format!("{part} {is}"));
                // A shorter text says that it is one.
                match *part {
                    "flow" if *is > 0 => assert_eq!(map.flow_verdict, Verdict::Cut),
                    "summary" if *is > 0 => assert_eq!(map.summary_verdict, Verdict::Cut),
                    _ => {}
                }
            }
        }
        before = Some(now);
        // One token less than what is left, with what is reserved for the run's figures.
        limit = (limit - 1).min(map.token_count() + RESERVED - 1);
        if map.primary.is_empty() {
            break;
        }
    }
    let cuts: Vec<&str> = cuts.iter().map(String::as_str).collect();
    assert_eq!(cuts, CUTS);
}

#[test]
fn a_map_of_exactly_its_limit_is_whole() {
    let mut evidence = evidence();
    let whole = check(&mut evidence, &good()).map.token_count() + RESERVED;
    let (mut cut, mut repeated) = (0, 0);
    for limit in whole - 30..=whole + 30 {
        evidence.limits.max_tokens = limit;
        let ValidationResult { map, reasons, .. } = check(&mut evidence, &good());
        // A role that the place has, too, goes first and without a word.
        let is_over = reasons.iter().any(|reason| reason.code == ReasonCode::OverBudget);
        repeated += u32::from(map.findings[0].role.is_none() && !is_over);
        assert!(map.findings[0].role.is_none() || !is_over, "{limit}");
        for reason in reasons.iter().filter(|reason| reason.code == ReasonCode::OverBudget) {
            assert!(!reason.detail.as_str().starts_with("is 0 "), "{limit}: {}", reason.detail);
            cut += 1;
        }
    }
    assert!((1..60).contains(&cut) && repeated > 0, "{cut} {repeated}");
}

#[test]
fn a_report_that_is_too_long_is_repaired_by_its_model_alone() {
    let (source, submitted) = rich();
    let mut evidence = Evidence::new(&source);
    for (author, limit, wanted) in [
        (ReportAuthor::Model, 5_000, false),
        (ReportAuthor::Model, 800, true),
        (ReportAuthor::Offline, 800, false),
    ] {
        (evidence.author, evidence.limits.max_tokens) = (author, limit);
        assert_eq!(check(&mut evidence, &submitted).repairable, wanted, "{author:?} {limit}");
    }
}

#[test]
fn what_was_cut_is_said_with_how_much_it_was_too_long() {
    let (source, submitted) = rich();
    let mut evidence = Evidence::new(&source);
    let (mut first, mut said): (Option<u64>, String) = (None, String::new());
    for limit in (400..=1_200).rev().step_by(20) {
        evidence.limits.max_tokens = limit;
        let reasons = check(&mut evidence, &submitted).reasons;
        let mut of_room = reasons.iter().filter(|reason| reason.code == ReasonCode::OverBudget);
        let Some(reason) = of_room.next() else { continue };
        assert_eq!(of_room.next(), None, "one sum");
        let (over, cuts) = reason.detail.as_str().split_once(" characters too long: ").unwrap();
        let over: u64 = over.strip_prefix("is ").unwrap().parse().unwrap();
        // What is told of the cuts takes room, too.
        let least = *first.get_or_insert(over + limit * 38 / 10) - limit * 38 / 10;
        assert!((least..least + 120).contains(&over), "{limit}: {over}, {least}");
        said.push_str(cuts);
    }
    // The items that went have the characters that they took.
    assert!(said.contains("1 of findings left out (finding 6: "), "{said}");
    assert!(said.contains("why shortened") && said.contains("3 of findings left out"), "{said}");
}

/// A text of exactly `chars` characters.
fn text_of(chars: usize) -> String {
    let text = "`value_1` is what `compute` makes of it ";
    text.chars()
        .chain("and that is all of it ".chars().cycle())
        .take(chars - 1)
        .chain(['.'])
        .collect()
}

#[test]
fn a_text_of_exactly_the_length_that_it_is_cut_to_stays() {
    for (field, chars) in
        [("summary", 300), ("flow", 400), ("fact", 240), ("why", 120), ("why", 90)]
    {
        let text = text_of(chars);
        let mut submitted = json!({
            "primary": [{"ref": "src/a.rs:1-9", "why": "it is there"}],
            "secondary": [{"ref": "src/b.rs:1-9", "why": "it is there"}],
            "findings": [{"fact": "`value_1` is computed.", "refs": ["src/a.rs:1"]}],
        });
        match field {
            "why" => submitted["primary"][0]["why"] = json!(text),
            "fact" => submitted["findings"][0]["fact"] = json!(text),
            field => submitted[field] = json!(text),
        }
        let source = ["a", "b"].map(|name| format!("//- /src/{name}.rs read=1-9\n{}", numbered(9)));
        let mut evidence = Evidence::new(&source.concat());
        let mut limit = 5_000;
        while limit > 0 {
            evidence.limits.max_tokens = limit;
            let map = check(&mut evidence, &submitted).map;
            let left = match field {
                "summary" => &map.summary,
                "flow" => &map.flow,
                "fact" => map.findings.first().map_or(&map.flow, |finding| &finding.fact),
                _ => map.primary.first().map_or(&map.flow, |place| &place.why),
            };
            assert!(left.is_empty() || *left == text || chars == 120, "{field} {limit}: {left}");
            if map.primary.is_empty() {
                break;
            }
            limit = (limit - 1).min(map.token_count() + RESERVED - 1);
        }
    }
}
