//! What holds for every map of any submission over any evidence.

use proptest::prelude::*;
use retriever_report::{
    CodeMap, Confidence, Place, ReasonCode, RecommendedAction, ReportDraft,
    evidence_ledger::{EvidenceLedger, EvidenceSource, FileVersion, LineRange},
    json::extract,
    parse, parse_text,
};
use retriever_search::Intent;
use retriever_workspace::{ContentHash, FileState, FileTraits, RepoPath};
use serde_json::{Value, json};
use strum::VariantArray;

use crate::{
    cases::{check, good},
    evidence::Evidence,
};

/// A run of deliveries over a few files, some of which changed since.
fn any_evidence() -> impl Strategy<Value = Evidence> {
    let deliveries =
        prop::collection::vec((0_usize..3, 0_u8..2, 1_u32..200, 0_u32..150, any::<bool>()), 0..10);
    let states = prop::collection::vec(0_u8..5, 3);
    (deliveries, states, 300_u64..2_000, any::<u8>()).prop_map(
        |(deliveries, states, max_tokens, intent)| {
            let mut evidence = Evidence::new("");
            evidence.ledger = EvidenceLedger::new();
            evidence.question.intent = Intent::VARIANTS[usize::from(intent) % 3];
            evidence.limits.max_tokens = max_tokens;
            for (file, version, start, width, read) in deliveries {
                let version = file_version(file, version);
                let source = if read { EvidenceSource::Read } else { EvidenceSource::Grep };
                let end = (start + width).min(version.total_lines);
                let text: Vec<(u32, String)> =
                    (start..=end).map(|n| (n, format!("let value_{n} = save({n});"))).collect();
                evidence.ledger.record_delivery(&version, source, &text);
                evidence.ledger.assign_id(&version.path, LineRange::new(start, end));
            }
            for (file, state) in states.into_iter().enumerate() {
                let now = match state {
                    0 => FileState::Missing,
                    1 => FileState::Outside,
                    2 => FileState::Current(file_version(file, 1).hash),
                    _ => FileState::Current(file_version(file, 0).hash),
                };
                evidence.file_states.insert(file_version(file, 0).path, now);
            }
            evidence
        },
    )
}

fn file_version(file: usize, version: u8) -> FileVersion {
    FileVersion {
        path: RepoPath::parse(["src/a.rs", "b:1.py", "tests/c.rs"][file], "").unwrap(),
        hash: ContentHash::of(&[version]),
        total_lines: 250,
        traits: FileTraits { test: file == 2, ..FileTraits::default() },
    }
}

fn any_reference() -> impl Strategy<Value = String> {
    prop_oneof![
        (0_u32..12).prop_map(|id| format!("c{id}")),
        (0_u32..12, 0_u32..260, 0_u32..260).prop_map(|(id, a, b)| format!("[c{id}]:{a}-{b}")),
        (
            prop::sample::select(vec![
                "src/a.rs",
                "./src/a.rs",
                "b:1.py",
                "tests/c.rs",
                "no.rs",
                "../x"
            ]),
            0_u32..260,
            0_u32..200
        )
            .prop_map(|(path, start, width)| format!("{path}:{start}-{}", start + width)),
        prop::sample::select(vec!["src/a.rs", "b:1.py", "c1, c2", "c1:5", "", "é…"])
            .prop_map(str::to_owned),
        any::<String>(),
    ]
}

/// Sentences that name what no file has beside what one may have.
const UNDELIVERED: &[&str] = &[
    "`ghost_#` saves VALUE.",
    "VALUE is saved; then `make ghost_#` runs.",
    "VALUE → ghost_#() → `save`",
    "VALUE (see src/ghost_#.rs) is saved.",
    "`Ghost#Keeper.save` keeps VALUE, which `save` reads.",
    "Whether GhostKeeper# reads VALUE was not read.",
    "Check VALUE, then ghost/keeper_#.py.",
    "VALUE is set by `--ghost-keeper`, before `save` is called.",
    "`save` and `VALUE` call `keeper.ghost(#)`.",
    "`ghostkeeper` keeps 77 minutes, not `save`.",
    "VALUE is saved (as `Ghost::Keeper#`) and `save` returns.",
];

fn any_submission() -> impl Strategy<Value = Value> {
    let text = || {
        prop_oneof![
            any::<String>(),
            prop::sample::select(vec![
                "value_5 saves c1.",
                "```x",
                "it calls foo_bar",
                "plain. Prose here.",
                "`TokenVault` keeps value_5; value_6 is saved.",
                "value_7 is saved, which no_such.rs reads.",
                "See value_8; run `make exfiltrate` first.",
                "value_9 lives 77 minutes.",
            ])
            .prop_map(str::to_owned),
            (1_u32..250).prop_map(|n| format!("let value_{n} = save({n});")),
            (prop::sample::select(UNDELIVERED), 1_u32..250, 1_u32..9).prop_map(
                |(form, line, ghost)| form
                    .replace("VALUE", &format!("value_{line}"))
                    .replace('#', &ghost.to_string())
            ),
        ]
    };
    let role = || prop::sample::select(vec!["handler", "persistence", "test", "nonsense"]);
    let place = move || {
        (any_reference(), role(), text(), any::<bool>())
        .prop_map(|(reference, role, text, required)| json!({"ref": reference, "role": role, "why": text, "purpose": text, "required": required, "symbols": ["save", "nope"]}))
    };
    let places = move || prop::collection::vec(place(), 0..8);
    let findings = prop::collection::vec(
        (text(), prop::collection::vec(any_reference(), 0..6), role()),
        0..10,
    )
    .prop_map(|all| {
        all.into_iter()
            .map(|(fact, refs, role)| json!({"fact": fact, "refs": refs, "role": role}))
            .collect::<Vec<_>>()
    });
    let action = prop::sample::select(vec![
        "answer_from_report",
        "read_targets",
        "targeted_gap_search",
        "skip",
        "dance",
    ]);
    (places(), places(), places(), findings, text(), text(), action).prop_map(|(primary, secondary, targets, findings, summary, flow, action)| json!({
        "summary": summary, "flow": flow, "primary": primary, "secondary": secondary, "read_targets": targets,
        "findings": findings, "missing": [{"what": summary, "critical": false}], "recommended_primary_action": action, "gap_search": {"terms": [flow], "scopes": ["src", summary]},
        "requested_roles": ["handler"],
    }))
}

fn cited(map: &CodeMap) -> Vec<(String, u32, u32)> {
    map.places().map(|place| (place.path.clone(), place.start, place.end)).collect()
}

/// Everything in the map that a model wrote, search terms included.
fn prose(map: &CodeMap) -> Vec<&str> {
    let mut all = vec![map.summary.as_str(), map.flow.as_str()];
    all.extend(map.primary.iter().map(|item| item.why.as_str()));
    all.extend(map.secondary.iter().map(|item| item.why.as_str()));
    all.extend(map.read_targets.iter().map(|item| item.purpose.as_str()));
    all.extend(map.findings.iter().map(|item| item.fact.as_str()));
    all.extend(map.missing.iter().map(|gap| gap.what.as_str()));
    all.extend(map.gap_search.terms.iter().map(String::as_str));
    all
}

/// The map submitted again.
fn resubmitted(map: &CodeMap) -> Value {
    let reference = |place: &Place| format!("{}:{}-{}", place.path, place.start, place.end);
    let primary = map
        .primary
        .iter()
        .map(|p| json!({"ref": reference(&p.place), "role": p.role, "why": p.why}));
    let secondary = map
        .secondary
        .iter()
        .map(|p| json!({"ref": reference(&p.place), "role": p.role, "why": p.why}));
    let targets = map
        .read_targets
        .iter()
        .map(|p| json!({"ref": reference(&p.place), "purpose": p.purpose, "required": p.required}));
    json!({
        "primary": primary.collect::<Vec<_>>(),
        "secondary": secondary.collect::<Vec<_>>(),
        "read_targets": targets.collect::<Vec<_>>(),
        "gap_search": map.gap_search,
        "recommended_primary_action": map.recommended_primary_action, "requested_roles": ["handler"],
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_place_of_every_map_was_delivered_from_content_that_stands(
        mut evidence in any_evidence(), submitted in any_submission(),
    ) {
        let mut map = check(&mut evidence, &submitted).map;
        {
            let map = &mut map;
            for (path, start, end) in cited(map) {
                let path = RepoPath::parse(&path, "").unwrap();
                let file = evidence.ledger.file(&path).unwrap();
                let range = LineRange::new(start, end).unwrap();
                prop_assert!(file.delivered.contains(range), "{path}:{range}");
                prop_assert_eq!(evidence.file_states.get(&path), Some(&FileState::Current(file.version.hash)));
                prop_assert!(range.width() <= evidence.limits.max_width || file.is_declaration(range));
            }
            map.set_report_tokens();
            prop_assert!(map.meta.report_tokens <= evidence.limits.max_tokens.max(600), "{}", map.meta.report_tokens);
            prop_assert_eq!(map.meta.report_tokens, map.token_count());
            for text in prose(map) {
                for word in ["foo_bar", "TokenVault", "no_such.rs", "exfiltrate", "77 minutes"] {
                    prop_assert!(!text.contains(word), "{}", text);
                }
                prop_assert!(!text.to_lowercase().contains("ghost"), "{}", text);
                for name in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
                    let line = name.strip_prefix("value_").and_then(|line| line.parse().ok());
                    let is_delivered = |line: u32| {
                        let mut files = evidence.ledger.files();
                        files.any(|file| file.delivered.contains(LineRange::line(line).unwrap()))
                    };
                    prop_assert!(line.is_none_or(|line| line > 0 && is_delivered(line)), "{}", text);
                }
            }
            let text = format!("{} {}", map.summary, map.flow);
            prop_assert!(!text.contains("```") && !text.chars().any(char::is_control));
            prop_assert!(map.primary.len() <= 5 && map.secondary.len() <= 2 && map.findings.len() <= 8 && map.read_targets.len() <= 5);
            if evidence.question.intent != Intent::Answer || map.confidence == Confidence::Low {
                prop_assert_ne!(map.recommended_primary_action, RecommendedAction::AnswerFromReport);
            }
        }
        let first = &map;
        let again = check(&mut evidence, &resubmitted(first)).map;
        let places = |map: &CodeMap| cited(&CodeMap { findings: Vec::new(), ..map.clone() });
        // A map that was cut to its limit has room again once its findings are gone, so that only others must come back equal.
        if !first.meta.reasons.iter().any(|reason| reason == ReasonCode::OverBudget.as_ref()) {
            prop_assert_eq!(places(first), places(&again));
        }
    }

    #[test]
    fn parsing_text_never_panics(text in any::<String>(), cut in 0_usize..400) {
        let _ = parse_text(&text);
        let _ = extract(&text, |_| true);
        let whole = good().to_string();
        let head: String = whole.chars().take(cut).collect();
        if let Some(parsed) = parse_text(&head) {
            prop_assert!(parsed.problems.iter().any(|p| p.code == ReasonCode::SchemaTruncated));
        }
    }

    #[test]
    fn parsing_json_never_panics(value in any_json()) {
        if let Some(draft) = parse(&json!({"primary": value, "findings": value, "missing": value, "gap_search": value, "summary": value})).draft {
            let _: ReportDraft = serde_json::from_value(serde_json::to_value(&draft).unwrap()).unwrap();
        }
    }
}

#[test]
fn an_id_that_became_a_path_with_a_colon_is_a_path_again() {
    let mut evidence = Evidence::new("");
    evidence.ledger = EvidenceLedger::new();
    for file in [1, 0] {
        let version = file_version(file, 0);
        let line = (1, "let value_1 = save(1);".to_owned());
        evidence.ledger.record_delivery(&version, EvidenceSource::Grep, &[line]);
        evidence.ledger.assign_id(&version.path, LineRange::line(1));
        evidence.file_states.insert(version.path.clone(), FileState::Current(version.hash));
    }
    let target = json!({"purpose": "value_1 saves c1.", "ref": "c2", "required": false});
    let submitted = json!({"read_targets": [target], "recommended_primary_action": "read_targets"});
    let first = check(&mut evidence, &submitted).map;
    assert_eq!(first.read_targets[0].purpose, "value_1 saves `b:1.py`.");
    assert_eq!(cited(&check(&mut evidence, &resubmitted(&first)).map), cited(&first));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(
                prop::sample::select(vec!["ref", "fact", "refs", "role", "start", "end", "what"])
                    .prop_map(str::to_owned),
                inner,
                0..5
            )
            .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}
