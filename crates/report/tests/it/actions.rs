//! The recommended action, the search that may stand for it, and the limits of lists.

use retriever_report::{parse, scope_paths};
use retriever_search::Intent;
use retriever_workspace::RepoPath;
use serde_json::{Map, Value, json};

use crate::{
    cases::{check, expect, numbered},
    evidence::{Evidence, ROOT},
};

fn files() -> Evidence {
    let names = ["a", "b", "c", "d", "e", "f"];
    let files = names.iter().map(|name| format!("//- /src/{name}.rs read=1-9\n{}", numbered(9)));
    Evidence::new(&files.collect::<String>())
}

/// (a scope of a suggested search, the scope in the map; empty where it goes)
const SCOPES: &[(&str, &str)] = &[
    ("src/a.rs", "src/a.rs"),
    ("./src/a.rs", "src/a.rs"),
    ("src", "src"),
    ("src/", "src"),
    (".", ""),
    ("sr", ""),
    ("src/missing.rs", ""),
    ("../src", ""),
    ("src/*.rs", "src/*.rs"),
    ("src/**", "src/**"),
    ("**/*.rs", "**/*.rs"),
    ("**/*", ""),
    ("*", ""),
    ("*/a.rs", "*/a.rs"),
    ("*/?", ""),
    ("lib/*.rs", ""),
    ("src/[ab].rs", "src/[ab].rs"),
    ("src/{a,b}.rs", "src/{a,b}.rs"),
    ("src/{a.rs,all of it}", ""),
    ("src/{a.rs", ""),
];

#[test]
fn a_scope_is_a_known_file_or_folder_or_a_bounded_glob() {
    let long = |length: usize| format!("src/{{a,{}}}.rs", "x".repeat(length - 11));
    let (fits, too_long) = (long(120), long(121));
    let bounded = [(fits.as_str(), fits.as_str()), (too_long.as_str(), "")];
    for (scope, wanted) in SCOPES.iter().copied().chain(bounded) {
        let submitted = json!({
            "primary": [{"ref": "src/a.rs:1-9", "why": ""}],
            "gap_search": {"terms": ["value_1"], "scopes": [scope]},
        });
        let is_refused = wanted.is_empty() && ![".", "*", "**/*"].contains(&scope);
        let code = if is_refused { "code action_scope" } else { "-code action_scope" };
        let wanted = format!("scopes {wanted}").trim_end().to_owned();
        expect(scope, &check(&mut files(), &submitted), &format!("{wanted}\n{code}"));
    }
}

#[test]
fn a_folder_that_was_listed_is_a_scope_and_so_are_globs_inside_of_it() {
    for (scope, wanted) in [
        ("lib", "scopes lib"),
        ("lib/**/*.rs", "scopes lib/**/*.rs"),
        ("lib/a.rs", "scopes"),
        ("li", "scopes"),
        ("lib/ghost/*.rs", "scopes"),
    ] {
        let submitted = json!({
            "primary": [{"ref": "src/a.rs:1-9", "why": ""}],
            "gap_search": {"terms": ["value_1"], "scopes": [scope]},
        });
        let mut files = files();
        files.ledger.record_folder(RepoPath::parse("lib", "").unwrap());
        expect(scope, &check(&mut files, &submitted), wanted);
    }
}

#[test]
fn a_scope_that_exists_need_not_have_been_shown() {
    for (scope, wanted) in [
        ("lib", "scopes lib"),
        ("lib/", "scopes lib"),
        ("lib/**/*.rs", "scopes lib/**/*.rs"),
        ("lib/ghost", "scopes"),
        ("lib/ghost/**", "scopes"),
        ("ghost/*.rs", "scopes"),
    ] {
        let submitted = json!({
            "primary": [{"ref": "src/a.rs:1-9", "why": ""}],
            "gap_search": {"terms": ["value_1"], "scopes": [scope]},
        });
        let draft = parse(&submitted).draft.unwrap();
        let lib = RepoPath::parse("lib", "").unwrap();
        let mut files = files();
        files.existing_scopes = scope_paths(&draft, ROOT);
        files.existing_scopes.retain(|path| *path == lib);
        expect(scope, &check(&mut files, &submitted), wanted);
    }
}

#[test]
fn a_search_has_five_terms_and_scopes_each_once() {
    let scopes =
        ["src/a.rs", "src/a.rs", "src/b.rs", "src/c.rs", "src/d.rs", "src/e.rs", "src/f.rs"];
    let terms: Vec<String> = [1, 1, 2, 3, 4, 5, 6].map(|at| format!("value_{at}")).to_vec();
    let submitted = json!({
        "primary": [{"ref": "src/a.rs:1-9", "why": ""}],
        "gap_search": {"terms": terms, "scopes": scopes},
    });
    expect(
        "five",
        &check(&mut files(), &submitted),
        "terms value_1,value_2,value_3,value_4,value_5\n\
         scopes src/a.rs,src/b.rs,src/c.rs,src/d.rs,src/e.rs\n-code action",
    );
    for (term, wanted) in [
        ("a", "terms\ncode action_terms"),
        ("::x", "terms\ncode action_terms"),
        ("the handler", "terms\ncode action_terms"),
        ("the GhostKeeper", "terms\ncode fact_unsupported"),
        ("rm -rf /", "terms\ncode fact_unsupported"),
        ("if", "terms if\n-code action"),
        ("GhostKeeper", "terms GhostKeeper\n-code action"),
        ("SessionStore.expire_all", "terms SessionStore.expire_all\n-code action"),
        ("1,024-byte", "terms 1,024-byte\n-code action"),
        ("it calls ghost_keeper", "terms\ncode fact_unsupported"),
        ("src/ghost.rs", "terms\ncode fact_unsupported"),
        ("ghost.rs", "terms\ncode fact_unsupported"),
        ("the ghost_keeper of all sessions", "terms\ncode fact_unsupported"),
    ] {
        let submitted = json!({
            "primary": [{"ref": "src/a.rs:1-9", "why": ""}],
            "gap_search": {"terms": [term], "scopes": ["src"]},
        });
        expect(term, &check(&mut files(), &submitted), wanted);
    }
}

/// (the intent, the action that the model claims, what else it submits, what is wanted of the map)
const ACTIONS: &[(Intent, &str, &str, &str)] = &[
    (Intent::Answer, "", r#"{}"#, "action answer_from_report\n-code action\n-R"),
    (Intent::Answer, "answer_from_report", r#"{}"#, "action answer_from_report\n-code action"),
    (
        Intent::Answer,
        "answer_from_report",
        r#"{"read_targets": [{"ref": "src/b.rs:1-9", "purpose": "check it"}]}"#,
        "action answer_from_report\n-code action",
    ),
    (
        Intent::Answer,
        "answer_from_report",
        r#"{"read_targets": [{"ref": "src/b.rs:1-9", "purpose": "check it", "required": true}]}"#,
        "action read_targets\ncode action_inconsistent\nR src/b.rs:1-9 required",
    ),
    (
        Intent::Answer,
        "answer_from_report",
        r#"{"missing": [{"what": "no `value_1` twice", "critical": true}]}"#,
        "action read_targets\ncode action_inconsistent\nR src/a.rs:1-9",
    ),
    (
        Intent::Answer,
        "",
        r#"{"read_targets": [{"ref": "src/b.rs:1-9", "purpose": "check it", "required": true}]}"#,
        "action read_targets\n-code action_inconsistent",
    ),
    (Intent::Edit, "answer_from_report", r#"{}"#, "action read_targets\ncode action_intent"),
    (
        Intent::Edit,
        "",
        r#"{}"#,
        "action read_targets\n-code action_intent\nR src/a.rs:1-9 required",
    ),
    (Intent::Debug, "", r#"{}"#, "action read_targets\nR src/a.rs:1-9 required"),
    (
        Intent::Answer,
        "read_targets",
        r#"{}"#,
        "action read_targets\ncode action_targets_derived\nR src/a.rs:1-9",
    ),
    (
        Intent::Answer,
        "read_targets",
        r#"{"read_targets": [{"ref": "src/b.rs:1-9", "purpose": "check it"}]}"#,
        "action read_targets\n-code action\nR src/b.rs:1-9",
    ),
    (
        Intent::Answer,
        "targeted_gap_search",
        r#"{"gap_search": {"terms": ["value_1"], "scopes": ["src"]}}"#,
        "action targeted_gap_search\n-code action\n-R",
    ),
    (
        Intent::Answer,
        "targeted_gap_search",
        r#"{"gap_search": {"terms": ["value_1"]}}"#,
        "action read_targets\ncode action_inconsistent\ncode action_targets_derived\nR src/a.rs:1-9",
    ),
    (
        Intent::Answer,
        "targeted_gap_search",
        r#"{"gap_search": {"scopes": ["src"]}}"#,
        "action read_targets\ncode action_inconsistent\nR src/a.rs:1-9",
    ),
    (
        Intent::Answer,
        "skip",
        r#"{}"#,
        "action read_targets\ncode action_inconsistent\nR src/a.rs:1-9",
    ),
    (
        Intent::Edit,
        "skip",
        r#"{"primary": [], "read_targets": [{"ref": "src/a.rs:1-9", "purpose": "computes `value_1`", "required": true}]}"#,
        "action read_targets\n-code action_targets_derived\nR src/a.rs:1-9 required",
    ),
    (Intent::Answer, "skip", r#"{"primary": []}"#, "action skip\n-code action"),
    (
        Intent::Answer,
        "read_targets",
        r#"{"primary": [], "gap_search": {"terms": ["value_1"], "scopes": ["src"]}}"#,
        "action targeted_gap_search\n-R",
    ),
];

#[test]
fn the_action_is_the_first_that_the_rest_of_the_report_supports() {
    for (intent, claimed, more, wanted) in ACTIONS {
        let mut submitted = json!({
            "primary": [{"ref": "src/a.rs:1-9", "why": ""}],
            "findings": [{"fact": "`value_1` is computed.", "refs": ["src/a.rs:1"]}],
        });
        if !claimed.is_empty() {
            submitted["recommended_primary_action"] = json!(claimed);
        }
        let more: Map<String, Value> = serde_json::from_str(more).unwrap();
        submitted.as_object_mut().unwrap().extend(more);
        let mut evidence = files();
        evidence.question.intent = *intent;
        let name = format!("{intent:?} {submitted}");
        expect(&name, &check(&mut evidence, &submitted), wanted);
    }
}

#[test]
fn at_most_three_read_targets_are_derived_and_a_purpose_may_be_that_of_the_place() {
    let places: Vec<Value> = ["a", "b", "c", "d"]
        .iter()
        .map(|name| json!({"ref": format!("src/{name}.rs:1-9"), "why": ""}))
        .collect();
    let submitted = json!({"primary": places, "recommended_primary_action": "read_targets"});
    let map = check(&mut files(), &submitted).map;
    assert_eq!(map.read_targets.len(), 3);
    assert!(map.read_targets.iter().all(|target| target.purpose.contains("for the question")));
    for (why, code) in [
        ("computes `value_1`", "-code action_purpose\nR src/a.rs:2-3"),
        ("", "code action_purpose\n-R"),
    ] {
        let submitted = json!({
            "primary": [{"ref": "src/a.rs:1-9", "why": why}],
            "read_targets": [{"ref": "src/a.rs:2-3", "purpose": ""}, {"ref": "src/b.rs:2-3", "purpose": ""}],
            "recommended_primary_action": "targeted_gap_search",
            "gap_search": {"terms": ["value_1"], "scopes": ["src"]},
        });
        let validation = check(&mut files(), &submitted);
        expect(why, &validation, &code.replace("-code action_purpose", ""));
        assert!(validation.map.read_targets.iter().all(|target| target.purpose == why));
    }
}

#[test]
fn what_is_just_at_its_limit_is_not_cut() {
    let places = |count: u32| {
        let places = (1..=count).map(|line| json!({"ref": format!("src/a.rs:{line}"), "why": "", "purpose": format!("check `value_{line}`")}));
        places.collect::<Vec<Value>>()
    };
    let facts = |count: u32| {
        let facts = (1..=count)
            .map(|line| json!({"fact": format!("`value_{line}` is computed."), "refs": [format!("src/a.rs:{line}")]}));
        facts.collect::<Vec<Value>>()
    };
    let gaps = |count: u32| {
        (1..=count)
            .map(|line| json!({"what": format!("no `value_{line}` twice")}))
            .collect::<Vec<Value>>()
    };
    for (submitted, wanted) in [
        (json!({"primary": places(5)}), "-code schema_count"),
        (json!({"primary": places(6)}), "code schema_count\n-P src/a.rs:6"),
        (json!({"secondary": places(2)}), "-code schema_count"),
        (json!({"secondary": places(3)}), "code schema_count\n-S src/a.rs:3"),
        (json!({"read_targets": places(5)}), "-code schema_count"),
        (json!({"read_targets": places(6)}), "code schema_count\n-R src/a.rs:6"),
        (json!({"findings": facts(8)}), "-code schema_count"),
        (json!({"findings": facts(9)}), "code schema_count\n-F `value_9`"),
        (json!({"missing": gaps(3)}), "-code schema_count"),
        (json!({"missing": gaps(4)}), "code schema_count\n-M no `value_4`"),
    ] {
        let mut submitted = submitted;
        submitted["summary"] = json!("`value_1` is computed.");
        expect(&submitted.to_string(), &check(&mut files(), &submitted), wanted);
    }
    let symbols: Vec<String> = (1..=7).map(|line| format!("value_{line}")).collect();
    let submitted = json!({"primary": [{"ref": "src/a.rs:1-9", "why": "", "symbols": symbols}]});
    let wanted = "symbols value_1,value_2,value_3,value_4,value_5,value_6";
    expect("symbols", &check(&mut files(), &submitted), wanted);
}
