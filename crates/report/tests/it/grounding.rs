//! What texts may mention: facts against their lines, prose against what was delivered, IDs, source code.

use retriever_report::{Confidence, ReasonCode};
use retriever_search::Question;
use serde_json::json;

use crate::{
    cases::{check, evidence, expect, good_but},
    evidence::Evidence,
};

/// (the fact about `login`, whether it stays)
const FACTS: &[(&str, bool)] = &[
    ("It calls `find_user` and then verify_hash.", true),
    ("It calls fetch_user first.", false),
    ("It calls Session::denied on a wrong hash.", true),
    ("It calls Session::granted on a wrong hash.", false),
    ("It returns store.save_session at last.", true),
    ("It calls lookupAccount first.", false),
    ("A PaymentGateway is asked.", false),
    ("It calls verify_hash() before save_session(user).", true),
    ("It calls retry() twice.", false),
    ("`c1` ends in `crate::store::save_session`.", true),
    ("It ends in crate::vault::save_session.", false),
    ("The `Password` is verified.", true),
    ("The `token` is verified.", false),
    ("MAX_TRIES is 3.", false),
    ("The code in src/auth.rs saves a session.", true),
    ("The code in src/session/manager.rs saves a session.", false),
    ("Sessions live for 30 minutes.", true),
    ("Sessions live for 1800 seconds.", true),
    ("Sessions live for 1800000 ms.", true),
    ("Sessions live for 90 minutes.", false),
    ("It listens on port 8080.", false),
    ("It answers 404 in 12 cases, e.g. for an unknown user (line 40).", true),
    ("The user's hash is compared, i.e. verified by OAuth or HTTP APIs.", true),
];

#[test]
fn facts_name_only_what_their_own_lines_hold() {
    for (fact, stays) in FACTS {
        let submitted = good_but(json!({"findings": [{"fact": fact, "refs": ["c1"]}]}));
        let validation = check(&mut evidence(), &submitted);
        let kept = validation.map.findings.len() == 1;
        assert_eq!(kept, *stays, "{fact}: {:?}", validation.reasons);
        assert_eq!(
            validation.reasons.iter().any(|r| r.code == ReasonCode::FactUnsupported),
            !stays,
            "{fact}"
        );
        assert!(*stays || validation.map.confidence < Confidence::High, "{fact}");
    }
}

#[test]
fn a_fact_needs_the_lines_it_cites_and_not_others_of_the_file() {
    let submitted =
        good_but(json!({"findings": [{"fact": "drop_session ends it.", "refs": ["c1"]}]}));
    expect("elsewhere", &check(&mut evidence(), &submitted), "-F\ncode fact_unsupported");
    // One of two references fell away, and with it what it showed.
    let submitted = good_but(
        json!({"findings": [{"fact": "drop_session ends it.", "refs": ["c1", "src/auth.rs:14-20"]}]}),
    );
    expect(
        "fallen",
        &check(&mut evidence(), &submitted),
        "-F\ncode fact_unsupported\ncode range_unobserved",
    );
}

#[test]
fn the_name_of_the_declaration_around_the_lines_is_theirs() {
    let submitted =
        good_but(json!({"findings": [{"fact": "`login` calls `find_user`.", "refs": ["c1:4-5"]}]}));
    expect(
        "around",
        &check(&mut evidence(), &submitted),
        "F `login` calls `find_user`. @ src/auth.rs:4-5",
    );
}

#[test]
fn code_of_any_language_is_evidence() {
    for (file, code, fact) in [
        (
            "a.py",
            "if user is None:\n    raise AuthError\n",
            "It raises AuthError when user is None.",
        ),
        ("a.yaml", "retries:\n  max_attempts: 5\n", "max_attempts is 5."),
        ("a.sql", "INSERT INTO user_session VALUES (1);\n", "It inserts into user_session."),
        ("Makefile", "build:\n\tcargo build\n", "The build target runs cargo."),
    ] {
        let end = code.lines().count();
        let mut evidence = Evidence::new(&format!("//- /{file} read=1-{end}\n{code}"));
        let submitted = json!({"findings": [{"fact": fact, "refs": [format!("{file}:1-{end}")]}]});
        expect(
            file,
            &check(&mut evidence, &submitted),
            &format!("F {fact} @ {file}:1-{end}\n-code fact"),
        );
    }
}

#[test]
fn prose_loses_the_sentences_that_name_what_was_not_shown() {
    let submitted = good_but(json!({
        "summary": "login calls verify_hash. Then TokenIssuer signs it. See src/auth.rs.",
        "flow": "login, then session_bus, then done.",
        "primary": [{"ref": "c1", "why": "delegates to TokenIssuer", "symbols": ["login", "issue_token"]}],
    }));
    expect(
        "prose",
        &check(&mut evidence(), &submitted),
        "
        summary login calls verify_hash. See src/auth.rs.
        flow
        why declares `login`
        symbols login
        code fact_unsupported
        -confidence high",
    );
}

#[test]
fn prose_may_name_the_questions_words_and_any_shown_path() {
    let mut evidence = evidence();
    evidence.question = Question::new("Where does PaymentGateway come in?");
    let submitted =
        good_but(json!({"summary": "PaymentGateway has no part in src/hits.rs or store.rs."}));
    expect(
        "question",
        &check(&mut evidence, &submitted),
        "summary PaymentGateway has no part in src/hits.rs or store.rs.\n-code fact",
    );
}

#[test]
fn ids_in_prose_become_names() {
    let submitted = good_but(json!({
        "summary": "The work is done in [c1], stored by c2 (c1).",
        "flow": "See [c1, c2] and c77.",
        "findings": [{"fact": "c1 verifies the hash.", "refs": ["c1"]}],
    }));
    expect(
        "ids",
        &check(&mut evidence(), &submitted),
        "
        summary The work is done in `login`, stored by `save_session` (`login`).
        flow See `login`, `save_session` and.
        F `login` verifies the hash. @ src/auth.rs:3-9",
    );
}

#[test]
fn prose_is_one_clean_line_without_source() {
    let line = "    store::save_session(&user, 30 * 60) // with a comment that makes the line long enough to be known";
    let mut evidence = Evidence::new(&format!("//- /src/a.rs read=1\n{line}\n"));
    let copied = line.trim();
    let submitted = json!({
        "summary": "First.\n\u{200b}Second\u{7}. ```rust\nlet x = 1;\n``` Third.",
        "flow": format!("It runs {copied}. Then it ends."),
        "primary": [{"ref": "src/a.rs:1", "why": copied}],
        "findings": [{"fact": copied, "refs": ["src/a.rs:1"]}, {"fact": "The user is saved ```x```", "refs": ["src/a.rs:1"]}],
    });
    expect(
        "raw",
        &check(&mut evidence, &submitted),
        "
        flow Then it ends.
        why
        code raw_source
        -F",
    );
    let summary = check(&mut evidence, &submitted).map.summary;
    assert_eq!(summary, "First. Second . Third.");
}

#[test]
fn long_texts_are_cut_at_a_sentence_or_a_word_and_marked() {
    let sentence = "The session of the user is saved and checked again, e.g. twice. ";
    let words = "the session of the user is saved and checked again ";
    let submitted = good_but(json!({"summary": sentence.repeat(20), "flow": words.repeat(40)}));
    let validation = check(&mut evidence(), &submitted);
    expect("long", &validation, "code schema_length\nconfidence high");
    assert!(validation.map.summary.ends_with("e.g. twice."), "{}", validation.map.summary);
    assert!(validation.map.flow.ends_with('…'), "{}", validation.map.flow);
    let (summary, flow) = (&validation.map.summary, &validation.map.flow);
    assert!(
        (500..=600).contains(&summary.chars().count())
            && (700..=800).contains(&flow.chars().count())
    );
}
