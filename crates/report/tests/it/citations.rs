//! Which references become citations: spellings, file states, delivered lines, width, overlaps.

use retriever_report::{
    Verdict, cited_paths,
    evidence_ledger::{EvidenceSource, FileVersion, LineRange},
    parse,
};
use retriever_search::Intent;
use retriever_workspace::{ContentHash, FileState, FileTraits, RepoPath};
use serde_json::json;

use crate::{
    cases::{check, evidence, expect, good_but, numbered},
    evidence::{Evidence, ROOT},
};

#[test]
fn any_spelling_of_a_delivered_place_is_that_place() {
    for spelling in [
        "c1",
        "c1.",
        "C1",
        "[c1]",
        " `c1` ",
        "c1:3-9",
        "[c1]:3-9",
        "[c1:3-9]",
        "c1: 3 - 9",
        "c1:3–9",
        "c1 lines 3-9",
        "c1 (lines 3-9)",
        "src/auth.rs:3-9",
        "./src/auth.rs:3-9",
        "src//auth.rs:3-9",
        "src\\auth.rs:3-9",
        "/work/project/src/auth.rs:3-9",
        "file:///work/project/src/auth.rs:3-9",
        "src/auth.rs:3—9",
        "src/auth.rs : 3 - 9",
        "src/auth.rs#L3-L9",
        "src/auth.rs#L3-9",
        "src/auth.rs:L3-L9",
        "src/auth.rs lines 3-9",
        "src/auth.rs, lines 3-9",
        "src/auth.rs (3-9)",
        "src/auth.rs (lines 3 to 9)",
        "`src/auth.rs:3-9`",
        "c1 src/auth.rs:3-9",
        "[c1] src/auth.rs:3-9",
        "src/auth.rs:3-9 (c1)",
        "src/auth.rs:3-9 [c1]",
        "auth.rs:3-9",
        "(src/auth.rs:3-9)",
        "src/x/../auth.rs:3-9",
    ] {
        let submitted =
            good_but(json!({"primary": [{"ref": spelling, "role": "handler", "why": "w"}]}));
        expect(
            spelling,
            &check(&mut evidence(), &submitted),
            "P src/auth.rs:3-9 handler\n-code ra\n-code ref\n-code path",
        );
    }
}

#[test]
fn other_forms_of_references_mean_what_they_say() {
    for (reference, want) in [
        ("c1:5", "P src/auth.rs:5-5"),
        ("src/auth.rs:5", "P src/auth.rs:5-5"),
        ("src/auth.rs:5:14", "P src/auth.rs:5-5"),
        // Part of the file outside the ID's own range, but delivered.
        ("c1:11-13", "P src/auth.rs:11-13"),
        // A file alone is its one delivered run.
        ("src/auth.rs", "P src/auth.rs:1-13"),
        ("src/hits.rs", "P src/hits.rs:50-50"),
        ("c1, c2", "P src/auth.rs:3-9"),
        ("c99, c2", "P src/store.rs:1-3"),
    ] {
        let submitted = good_but(json!({"primary": [{"ref": reference, "why": "w"}]}));
        expect(reference, &check(&mut evidence(), &submitted), want);
    }
}

#[test]
fn the_id_of_a_first_line_means_the_declaration_once_all_of_it_was_delivered() {
    let path = RepoPath::parse("src/auth.rs", "").unwrap();
    for (last, lines, want) in [
        (13, "", "P src/auth.rs:5-13"),
        (14, "", "P src/auth.rs:5-5"),
        (13, ":5", "P src/auth.rs:5-5"),
    ] {
        let mut evidence = evidence();
        let id = evidence.ledger.assign_id(&path, LineRange::line(5));
        evidence.ledger.record_first_line(id, LineRange::new(5, last).unwrap());
        let reference = format!("{id}{lines}");
        let submitted = good_but(json!({"primary": [{"ref": reference, "why": "w"}]}));
        expect(&reference, &check(&mut evidence, &submitted), want);
    }
}

#[test]
fn the_extent_of_a_first_line_ends_with_the_content_that_it_was_shown_of() {
    let path = RepoPath::parse("src/auth.rs", "").unwrap();
    let mut evidence = evidence();
    let id = evidence.ledger.assign_id(&path, LineRange::line(5));
    evidence.ledger.record_first_line(id, LineRange::new(5, 13).unwrap());
    let file = evidence.ledger.file(&path).unwrap();
    let newer = FileVersion { hash: ContentHash::of(b"newer"), ..file.version.clone() };
    let lines: Vec<_> = file.delivered_lines().map(|(at, line)| (at, line.to_owned())).collect();
    evidence.ledger.record_delivery(&newer, EvidenceSource::Read, &lines);
    evidence.file_states.insert(path, FileState::Current(newer.hash));
    let submitted = good_but(json!({"primary": [{"ref": id.to_string(), "why": "w"}]}));
    expect("newer", &check(&mut evidence, &submitted), "P src/auth.rs:5-5");
}

#[test]
fn several_references_in_one_string_are_several() {
    for refs in [
        json!(["c1, c2"]),
        json!("c1; c2"),
        json!(["[c1, c2]"]),
        json!(["c1 and c2"]),
        json!([{"path": "src/auth.rs", "start": 3, "end": 9}, {"ref": "c2"}]),
    ] {
        let submitted =
            good_but(json!({"findings": [{"fact": "login ends in save_session.", "refs": refs}]}));
        expect(
            "refs",
            &check(&mut evidence(), &submitted),
            "F login ends in save_session. @ src/auth.rs:3-9 src/store.rs:1-3",
        );
    }
    let submitted = good_but(
        json!({"findings": [{"fact": "login ends in save_session.", "refs": ["c1:3-4, 7-8"]}]}),
    );
    expect(
        "lines",
        &check(&mut evidence(), &submitted),
        "F login ends in save_session. @ src/auth.rs:3-4 src/auth.rs:7-8",
    );
}

#[test]
fn names_with_colons_digits_and_spaces_are_paths() {
    for (path, reference) in [
        ("odd:10", "odd:10:1-2"),
        ("a b (3).rs", "a b (3).rs:1-2"),
        ("x#L5", "x#L5:1-2"),
        ("v1,2.rs", "v1,2.rs:1-2"),
    ] {
        let mut evidence = Evidence::new("");
        let path = RepoPath::parse(path, "").unwrap();
        let version = FileVersion {
            path: path.clone(),
            hash: ContentHash::of(b""),
            total_lines: 2,
            traits: FileTraits::default(),
        };
        evidence.ledger.record_delivery(
            &version,
            EvidenceSource::Read,
            &[(1, "fn a() {".into()), (2, "}".into())],
        );
        evidence.file_states.insert(path.clone(), FileState::Current(version.hash));
        let submitted = json!({"primary": [{"ref": reference, "role": "handler", "why": ""}]});
        expect(
            reference,
            &check(&mut evidence, &submitted),
            &format!("P {path}:1-2 handler\n-code ra\n-code ref"),
        );
        let cited = cited_paths(&parse(&submitted).draft.unwrap(), &evidence.ledger, ROOT);
        assert_eq!(cited, [path]);
    }
}

/// (what is wrong, the reference, what is wanted of the map)
const UNFOUNDED: &[(&str, &str, &str)] = &[
    ("an ID that was never given out", "c900", "code ref_unknown"),
    ("an ID beyond the shown list", "c4:1-3", "code ref_unknown"),
    ("no reference at all", "the login code", "code ref_unknown"),
    ("a path that does not exist", "src/nowhere.rs:1-9", "code path_missing"),
    ("a path above the root", "../secret.rs:1-9", "code path_outside"),
    ("a path elsewhere", "/etc/passwd:1-3", "code path_outside"),
    ("a line that was never shown", "src/auth.rs:14", "code range_unobserved"),
    ("padding around a search hit", "src/hits.rs:30-70", "code range_unobserved"),
    ("lines turned around", "src/auth.rs:9-3", "code range_unobserved"),
    ("line nought", "src/auth.rs:0", "code range_unobserved"),
    ("lines behind the end", "src/auth.rs:900-950", "code range_unobserved"),
];

#[test]
fn an_unfounded_primary_is_dropped_with_its_code_and_costs_confidence() {
    for (name, reference, wanted) in UNFOUNDED {
        let submitted = good_but(json!({"primary": [
            {"ref": "c1", "role": "handler", "why": "w"}, {"ref": reference, "role": "persistence", "why": "w"},
        ]}));
        let validation = check(&mut evidence(), &submitted);
        expect(
            name,
            &validation,
            &format!(
                "{wanted}\nP src/auth.rs:3-9 handler\n-confidence high\n-P src/hits\n-P src/nowhere"
            ),
        );
        assert_eq!(validation.map.primary.len(), 1, "{name}");
    }
}

#[test]
fn how_a_file_stands_decides_over_what_was_shown() {
    let file = "fn a() {\n    b();\n}\n";
    for (words, code) in [
        ("read=1-3 edited", "stale"),
        ("read=1-3 redelivered=1", "stale"),
        ("read=1-3 gone", "path_missing"),
        ("read=1-3 outside", "path_outside"),
        ("list", "listing_only"),
    ] {
        let mut evidence = Evidence::new(&format!("//- /src/a.rs {words}\n{file}"));
        let submitted =
            json!({"primary": [{"ref": "src/a.rs:1-3", "role": "handler", "why": "w"}]});
        expect(
            words,
            &check(&mut evidence, &submitted),
            &format!("code {code}\nconfidence low\n-P"),
        );
    }
}

#[test]
fn ranges_shrink_to_what_was_shown_when_half_of_it_was() {
    for (read, claimed, wanted) in [
        ("1-2", "1-100", "-P\ncode range_unobserved"),
        ("1-5", "1-10", "P src/a.rs:1-5\ncode range_tightened"),
        ("1-4", "1-10", "-P\ncode range_unobserved"),
        ("3-20", "1-20", "P src/a.rs:3-20\ncode range_tightened"),
        // The heading of a declaration is not the declaration.
        ("5-5 decl=value_5:5-20", "5-20", "-P\ncode range_unobserved"),
    ] {
        let total = if claimed == "1-100" { 2 } else { 20 };
        let mut evidence =
            Evidence::new(&format!("//- /src/a.rs read={read}\n{}", numbered(total)));
        let submitted = json!({"primary": [{"ref": format!("src/a.rs:{claimed}"), "why": "w"}]});
        let validation = check(&mut evidence, &submitted);
        expect(claimed, &validation, wanted);
        let mut verdicts = validation.map.primary.iter().map(|place| place.verdict);
        assert!(verdicts.all(|verdict| verdict == Verdict::Tightened), "{claimed}");
    }
}

/// A tool shows the first line of a caller and the lines of its calls under one ID. Lines that a model chose itself are cited as
/// a whole or not at all.
#[test]
fn a_finding_cites_each_run_of_lines_that_was_shown_under_an_id() {
    for (reference, wanted) in [("c1", &[(5, 5), (12, 12)][..]), ("src/a.rs:5-20", &[])] {
        let lines = "//- /src/a.rs read=5-5 read=12-12 id=5-20";
        let mut evidence = Evidence::new(&format!("{lines}\n{}", numbered(20)));
        let fact = "`value_5` stands before `value_12`.";
        let submitted = json!({"findings": [{"fact": fact, "refs": [reference]}]});
        let validation = check(&mut evidence, &submitted);
        let refs = validation.map.findings.iter().flat_map(|finding| &finding.refs);
        let lines: Vec<_> = refs.map(|place| (place.start, place.end)).collect();
        assert_eq!(lines, wanted, "{reference}");
        let codes: Vec<&str> = validation.reasons.iter().map(|it| it.code.as_ref()).collect();
        let said = if wanted.is_empty() { "range_unobserved" } else { "range_tightened" };
        assert!(codes.contains(&said), "{reference}: {codes:?}");
    }
}

#[test]
fn wide_ranges_are_declarations_or_shrink_to_one_that_is_named() {
    for (declared, why, wanted) in [
        ("", "w", "-P\ncode range_wide"),
        ("decl=value_5:1-300", "w", "P src/a.rs:1-300\n-code range_broad\n-code range_wide"),
        ("syntax=value_5:1-300", "w", "P src/a.rs:1-300\n-code range_broad\n-code range_wide"),
        ("decl=value_5:2-299", "w", "P src/a.rs:2-299\ncode range_tightened\n-code range_broad"),
        ("decl=value_5:5-60", "value_5 starts it", "P src/a.rs:5-60\ncode range_tightened"),
        ("decl=value_5:5-60", "something else", "-P\ncode range_wide"),
        ("decl=value_5:5-200", "value_5 starts it", "-P\ncode range_wide"),
        (
            "decl=value_5:5-60 decl=value_70:70-110",
            "value_5 and value_70",
            "P src/a.rs:5-110\ncode range_tightened",
        ),
    ] {
        let mut evidence =
            Evidence::new(&format!("//- /src/a.rs read=1-300 {declared}\n{}", numbered(300)));
        let submitted = json!({"primary": [{"ref": "src/a.rs:1-300", "why": why}]});
        expect(why, &check(&mut evidence, &submitted), wanted);
    }
    let mut evidence = Evidence::new(&format!("//- /src/a.rs read=1-300\n{}", numbered(300)));
    let submitted = json!({"primary": [{"ref": "src/a.rs:1-120", "why": "w"}]});
    expect("the limit itself", &check(&mut evidence, &submitted), "P src/a.rs:1-120\n-code range");
}

#[test]
fn overlaps_merge_and_duplicates_go() {
    let submitted = good_but(json!({
        "primary": [
            {"ref": "src/auth.rs:3-9", "role": "handler", "why": "w"}, {"ref": "src/auth.rs:8-13", "why": "w"},
            {"ref": "c2", "role": "persistence", "why": "w"}, {"ref": "src/store.rs:1-3", "why": "w"},
        ],
        "secondary": [{"ref": "src/auth.rs:4-5", "why": "w"}],
        "read_targets": [{"ref": "c1", "purpose": "p"}, {"ref": "src/auth.rs:3-9", "purpose": "q", "required": true}],
    }));
    let validation = check(&mut evidence(), &submitted);
    expect(
        "merge",
        &validation,
        "
        P src/auth.rs:3-13 handler
        P src/store.rs:1-3 persistence
        R src/auth.rs:3-9 required
        code range_duplicate
        -S",
    );
    assert_eq!((validation.map.primary.len(), validation.map.read_targets.len()), (2, 1));
}

#[test]
fn what_is_said_of_merged_lines_is_said_once() {
    for (first, second, wanted) in [
        ("checks the password", "checks the password", "why checks the password"),
        ("checks the password", "the password", "why checks the password"),
        ("checks the password.", "denies", "why checks the password; denies"),
        ("checks the password", "", "why checks the password"),
        ("", "denies", "why denies"),
    ] {
        let submitted = good_but(json!({"primary": [
            {"ref": "src/auth.rs:3-6", "why": first}, {"ref": "src/auth.rs:5-9", "why": second},
        ]}));
        expect(first, &check(&mut evidence(), &submitted), wanted);
    }
}

#[test]
fn a_finding_that_repeats_another_one_goes() {
    let told = |second: &str| {
        let fact = |text: &str| json!({"fact": text, "refs": ["c1"]});
        let findings = [fact("`login` saves a session."), fact(second)];
        let validation = check(&mut evidence(), &good_but(json!({"findings": findings})));
        let is_told = validation.reasons.iter().any(|it| it.detail.as_str() == "repeats a finding");
        (validation.map.findings.len(), is_told)
    };
    assert_eq!(told("`login` saves a session."), (1, true));
    assert_eq!(told("`login` saves a Session."), (1, true));
    assert_eq!(told("`login` finds the user."), (2, false));
}

#[test]
fn part_of_a_function_has_the_role_of_the_whole() {
    const SAVE: &str = "\
pub fn save(user: &User) {
    let id = user.id;
    check(id);
    database().insert(\"users\", id)
}
";
    for (outline, lines, wanted) in [
        ("syntax=save:1-5", "2-3", "P src/store.rs:2-3 persistence"),
        ("syntax=save:1-5:class", "2-3", "P src/store.rs:2-3"),
        ("syntax=check:2-3", "2-3", "P src/store.rs:2-3"),
        ("", "2-4", "P src/store.rs:2-4 persistence"),
    ] {
        let source = format!("//- /src/store.rs read=1-5 {outline}\n{SAVE}");
        let place =
            json!({"ref": format!("src/store.rs:{lines}"), "role": "persistence", "why": "w"});
        let validation = check(&mut Evidence::new(&source), &json!({"primary": [place]}));
        expect(outline, &validation, wanted);
    }
}

#[test]
fn overlaps_that_would_grow_too_wide_keep_the_better_one() {
    let mut evidence = Evidence::new(&format!("//- /src/a.rs read=1-300\n{}", numbered(300)));
    let submitted = json!({"primary": [{"ref": "src/a.rs:1-100", "why": ""}, {"ref": "src/a.rs:90-180", "why": ""}]});
    let validation = check(&mut evidence, &submitted);
    expect("grow", &validation, "P src/a.rs:1-100\ncode range_duplicate");
    assert_eq!(validation.map.primary.len(), 1);
}

#[test]
fn a_read_target_keeps_its_lines_next_to_a_primary_place_of_its_file() {
    let mut evidence = Evidence::new(&format!("//- /src/a.rs read=1-300\n{}", numbered(300)));
    evidence.question.intent = Intent::Edit;
    let submitted = json!({
        "primary": [{"ref": "src/a.rs:1-10", "why": ""}],
        "read_targets": [{"ref": "src/a.rs:200-240", "purpose": "change the target", "required": true}],
    });
    expect(
        "own range",
        &check(&mut evidence, &submitted),
        "P src/a.rs:1-10\nR src/a.rs:200-240 required\naction read_targets",
    );
}

#[test]
fn the_reason_of_a_place_inside_another_one_is_held_against_its_own_lines() {
    for (why, wanted, verdict) in [
        ("`logout` drops it", "checks the password; `logout` drops it", Verdict::AsSubmitted),
        // That is true of lines 3-9.
        (
            "`login` saves a session",
            "checks the password; `login` saves a session",
            Verdict::Unconfirmed,
        ),
    ] {
        let submitted = json!({
            "primary": [{"ref": "src/auth.rs:1-13", "why": "checks the password"}],
            "secondary": [{"ref": "src/auth.rs:11-13", "why": why}],
        });
        let map = check(&mut evidence(), &submitted).map;
        let [place] = map.primary.as_slice() else { panic!("{map:#?}") };
        assert_eq!((place.why.as_str(), place.verdict), (wanted, verdict), "{why}");
    }
}

#[test]
fn lines_that_were_not_shown_are_refused_with_those_that_were() {
    let four = "read=1-3 grep=5 grep=7 grep=9";
    for (reference, delivered, detail) in [
        ("src/a.rs:20-30", four, "lines 20-30 were not shown; shown: 1-3, 5, 7, 9"),
        (
            "src/a.rs:20-30",
            "grep=1 grep=3 grep=5 grep=7 grep=9",
            "lines 20-30 were not shown; shown: 1, 3, 5, 7, …",
        ),
        ("src/a.rs", four, "say which lines: 1-3, 5, 7, 9"),
    ] {
        let source = format!("//- /src/a.rs {delivered}\n{}", numbered(40));
        let submitted = json!({"primary": [{"ref": reference, "why": "w"}]});
        let reasons = check(&mut Evidence::new(&source), &submitted).reasons;
        assert_eq!(reasons[0].detail.as_str(), detail);
    }
}
