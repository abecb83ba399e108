//! The validator, case by case: evidence as a string, a submission as JSON, and what must and must not be in the map.

use std::collections::BTreeMap;

use proptest::prelude::*;
use retriever::{
    estimate_tokens,
    ledger::{FileStamp, Ledger, LineRange, Source},
    model::Author,
    question::{Intent, Question, Role},
    recon::RoleCues,
    recon::{Candidate, CandidateSource, ScoreParts},
    report::{
        Action, Code, CodeMap, Confidence, Draft, Limits, Status, Validation, cited_paths,
        fallback, fallback_paths, find_json, measure, parse, parse_text, repair_note, validate,
    },
    workspace::{ContentHash, FileTraits, RepoPath, Standing},
};
use serde_json::{Value, json};

use crate::support::evidence::{Evidence, ROOT};

const LOGIN: &str = "\
//- /src/auth.rs read=1-13 decl=login:3-9 decl=logout:11-13 id=3-9
use crate::store;

pub fn login(name: &str, password: &str) -> Session {
    let user = store::find_user(name);
    if !verify_hash(password, &user.hash) {
        return Session::denied();
    }
    store::save_session(&user, 30 * 60)
}

pub fn logout(session: Session) {
    store::drop_session(session);
}
fn never_shown() {}
//- /src/store.rs read=1-4 id=1-3 decl=save_session:1-3
pub fn save_session(user: &User, ttl: u32) -> Session {
    database().insert(\"sessions\", user.id, ttl)
}
// The end.
//- /src/hits.rs grep=50
"
.trim_ascii_end();

/// [`LOGIN`] with a file of which only a search hit in line 50 was shown.
fn evidence() -> Evidence {
    Evidence::new(&format!("{LOGIN}\n{}", numbered(100)))
}

fn numbered(lines: u32) -> String {
    (1..=lines).map(|line| format!("let value_{line} = compute({line});\n")).collect()
}

fn check(evidence: &mut Evidence, submitted: &Value) -> Validation {
    let parsed = parse(submitted);
    evidence.problems = parsed.problems;
    validate(&parsed.draft.unwrap(), &evidence.judgement())
}

/// The map as lines: one per place, finding, code and setting.
fn lines(validation: &Validation) -> Vec<String> {
    let map = &validation.map;
    let role = |role: Option<Role>| role.map(|role| format!(" {role}")).unwrap_or_default();
    let mut lines = vec![
        format!("confidence {}", map.confidence),
        format!("action {}", map.recommended_primary_action),
        format!("summary {}", map.summary),
        format!("flow {}", map.flow),
        format!("terms {}", map.gap_search.terms.join(",")),
        format!("scopes {}", map.gap_search.scopes.join(",")),
        format!("repairable {}", validation.repairable),
    ];
    for p in &map.primary {
        lines.push(format!("P {}:{}-{}{}", p.path, p.start, p.end, role(p.role)));
        lines.push(format!("why {}", p.why));
        lines.push(format!("symbols {}", p.symbols.join(",")));
    }
    for s in &map.secondary {
        lines.push(format!("S {}:{}-{}{}", s.path, s.start, s.end, role(s.role)));
    }
    for f in &map.findings {
        let refs: Vec<String> =
            f.refs.iter().map(|r| format!("{}:{}-{}", r.path, r.start, r.end)).collect();
        lines.push(format!("F {}{} @ {}", f.fact, role(f.role), refs.join(" ")));
    }
    for r in &map.read_targets {
        let required = if r.required { " required" } else { "" };
        lines.push(format!("R {}:{}-{}{required}", r.path, r.start, r.end));
    }
    lines.extend(map.missing.iter().map(|m| format!("M {}", m.what)));
    lines.extend(map.meta.reasons.iter().map(|code| format!("code {code}")));
    lines.into_iter().map(|line| line.trim_end().to_owned()).collect()
}

/// Each wanted line is one of the map's; after `-` no line starts with it.
#[track_caller]
fn expect(name: &str, validation: &Validation, wanted: &str) {
    let lines = lines(validation);
    for want in wanted.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match want.strip_prefix('-') {
            Some(not) => assert!(
                !lines.iter().any(|line| line.starts_with(not)),
                "{name}: unwanted \"{not}\" in {lines:#?}\n{:#?}",
                validation.reasons
            ),
            None => assert!(
                lines.iter().any(|line| line == want),
                "{name}: no \"{want}\" in {lines:#?}\n{:#?}",
                validation.reasons
            ),
        }
    }
}

/// A submission that holds in every respect, to vary.
fn good() -> Value {
    json!({
        "summary": "`login` checks the password and saves a session.",
        "flow": "login calls find_user, then verify_hash, then save_session.",
        "primary": [
            {"ref": "c1", "role": "handler", "why": "checks the password", "symbols": ["login"]},
            {"ref": "c2", "role": "persistence", "why": "inserts the session"},
        ],
        "findings": [
            {"fact": "A session is saved for 30 minutes after verify_hash holds.", "refs": ["c1"], "role": "handler"},
            {"fact": "save_session inserts into the database.", "refs": ["c2"]},
        ],
        "requested_roles": ["handler", "persistence"],
        "recommended_primary_action": "answer_from_report",
        "confidence": "high",
    })
}

fn good_but(changes: Value) -> Value {
    let mut submitted = good();
    for (key, value) in changes.as_object().unwrap() {
        submitted[key] = value.clone();
    }
    submitted
}

#[test]
fn a_report_that_holds_is_high_and_unchanged() {
    let validation = check(&mut evidence(), &good());
    expect(
        "good",
        &validation,
        "
        confidence high
        action answer_from_report
        P src/auth.rs:3-9 handler
        P src/store.rs:1-3 persistence
        symbols login
        summary `login` checks the password and saves a session.
        F save_session inserts into the database. @ src/store.rs:1-3
        repairable false
        -code",
    );
}

#[test]
fn any_spelling_of_a_delivered_place_is_that_place() {
    for spelling in [
        "c1",
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
        let stamp = FileStamp {
            path: path.clone(),
            hash: ContentHash::of(b""),
            total_lines: 2,
            traits: FileTraits::default(),
        };
        evidence.ledger.deliver(&stamp, Source::Read, &[(1, "fn a() {".into()), (2, "}".into())]);
        evidence.standing.insert(path.clone(), Standing::Current(stamp.hash));
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
        ("1-2", "1-100", "P src/a.rs:1-2\ncode range_tightened"),
        ("1-5", "1-10", "P src/a.rs:1-5\ncode range_tightened"),
        ("1-4", "1-10", "-P\ncode range_unobserved"),
        ("3-20", "1-20", "P src/a.rs:3-20\ncode range_tightened"),
    ] {
        let total = if claimed == "1-100" { 2 } else { 20 };
        let mut evidence =
            Evidence::new(&format!("//- /src/a.rs read={read}\n{}", numbered(total)));
        let submitted = json!({"primary": [{"ref": format!("src/a.rs:{claimed}"), "why": "w"}]});
        expect(claimed, &check(&mut evidence, &submitted), wanted);
    }
}

#[test]
fn wide_ranges_are_declarations_or_shrink_to_one_that_is_named() {
    for (declared, why, wanted) in [
        ("", "w", "-P\ncode range_wide"),
        ("decl=value_5:1-300", "w", "P src/a.rs:1-300\ncode range_broad\n-code range_wide"),
        ("decl=value_5:5-60", "value_5 starts it", "P src/a.rs:5-60\ncode range_tightened"),
        ("decl=value_5:5-60", "something else", "-P\ncode range_wide"),
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
            validation.reasons.iter().any(|r| r.code == Code::FactUnsupported),
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
fn a_false_fact_on_an_unrelated_line_is_neither_backed_nor_trusted() {
    let mut evidence = Evidence::new("//- /src/a.ts read=1\nexport const unrelated = 1;\n");
    let submitted = json!({
        "primary": [{"ref": "src/a.ts:1", "role": "persistence", "why": "writes the row"}],
        "findings": [{"fact": "Writes the encrypted payment row to Postgres.", "role": "persistence", "refs": ["src/a.ts:1"]}],
        "recommended_primary_action": "answer_from_report", "requested_roles": ["persistence"], "confidence": "high",
    });
    expect(
        "unrelated",
        &check(&mut evidence, &submitted),
        "
        P src/a.ts:1-1
        code role_unbacked
        code fact_unverified
        code role_missing
        confidence low
        -action answer_from_report",
    );
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
fn claimed_roles_need_backing() {
    let cues = RoleCues::default();
    for (role, code) in [
        (Role::Entry, "fn main() {"),
        (Role::Entry, "router.get(\"/login\", login)"),
        (Role::Ui, "<button onClick={save}>Save</button>"),
        (Role::Handler, "def handle_login(request):"),
        (Role::State, "const [user, setUser] = useState(null)"),
        (Role::Data, "rows = parse_rows(text)"),
        (Role::Api, "await fetch(url)"),
        (Role::Persistence, "db.execute(\"INSERT INTO users VALUES (?)\")"),
        (Role::Persistence, "with open(path, \"w\") as out:"),
        (Role::Persistence, "fs::write(path, text)"),
        (Role::Render, "canvas.drawLine(a, b)"),
        (Role::Output, "serializeReport(report)"),
        (Role::Type, "export interface User {"),
        (Role::Test, "assert_eq!(a, b)"),
    ] {
        let roles = cues.roles_of(code, &FileTraits::default());
        assert!(roles.contains(&role), "{role}: {code}: {roles:?}");
        assert!(cues.backs(role, code, &FileTraits::default()), "{role}: {code}");
    }
    for role in Role::ALL {
        assert!(
            !cues.backs(*role, "export const unrelated = 1;", &FileTraits::default()),
            "{role}"
        );
    }
    let extra =
        BTreeMap::from([("persistence".to_owned(), vec!["stash".to_owned(), "put it".to_owned()])]);
    let own = RoleCues::with(&extra).unwrap();
    assert!(own.backs(Role::Persistence, "stashRow(row)", &FileTraits::default()));
    assert!(own.backs(Role::Persistence, "-- Put It away", &FileTraits::default()));
    assert!(RoleCues::with(&BTreeMap::from([("storage".to_owned(), vec![])])).is_err());
}

#[test]
fn paths_and_candidates_back_roles_too() {
    let submitted = json!({"primary": [{"ref": "src/a.ts:1", "role": "entry", "why": ""}]});
    let mut by_path = Evidence::new("//- /src/a.ts read=1 route\nexport const unrelated = 1;\n");
    expect("path", &check(&mut by_path, &submitted), "P src/a.ts:1-1 entry\n-code role_unbacked");
    let mut by_candidate = Evidence::new("//- /src/a.ts read=1\nexport const unrelated = 1;\n");
    by_candidate.candidates = vec![candidate(&by_candidate, "src/a.ts", &[Role::Entry])];
    expect(
        "candidate",
        &check(&mut by_candidate, &submitted),
        "P src/a.ts:1-1 entry\n-code role_unbacked",
    );
}

fn candidate(evidence: &Evidence, path: &str, roles: &[Role]) -> Candidate {
    let file = evidence.ledger.file(&RepoPath::parse(path, "").unwrap()).unwrap();
    Candidate {
        file: file.stamp.clone(),
        range: LineRange::new(1, 1),
        symbols: Vec::new(),
        signature: None,
        score: ScoreParts::default(),
        source: CandidateSource::Graph,
        provenance: Vec::new(),
        graph: None,
        estimated_tokens: 9,
        evidence_roles: roles.iter().copied().collect(),
    }
}

#[test]
fn supporting_files_are_primary_only_when_asked_for() {
    let source = |kind: &str| {
        format!(
            "{LOGIN} \n{}//- /x/login_check read=1-2 {kind}\nassert(login())\nrender()\n",
            numbered(100)
        )
    };
    let submitted = good_but(json!({"primary": [
        {"ref": "x/login_check:1-2", "role": "handler", "why": "w"}, {"ref": "c1", "role": "handler", "why": "w"},
        {"ref": "c2", "role": "persistence", "why": "w"},
    ]}));
    for kind in ["test", "generated", "docs", "vendored"] {
        expect(
            kind,
            &check(&mut Evidence::new(&source(kind)), &submitted),
            "S x/login_check:1-2\ncode support_only\n-P x/login_check\nconfidence medium",
        );
        let mut hinted = Evidence::new(&source(kind));
        hinted.question.hints = vec!["x".to_owned()];
        expect(kind, &check(&mut hinted, &submitted), "P x/login_check:1-2\n-code support_only");
    }
    let mut asked = Evidence::new(&source("test"));
    asked.asked.wants_tests = true;
    expect("asked", &check(&mut asked, &submitted), "P x/login_check:1-2\n-code support_only");
}

#[test]
fn evidence_of_tests_alone_is_low() {
    let mut evidence =
        Evidence::new("//- /tests/login.rs read=1-2 test\nfn save() {}\nassert!(login());\n");
    let submitted = json!({
        "primary": [{"ref": "tests/login.rs:1-2", "role": "persistence", "why": "w"}],
        "findings": [{"fact": "login is asserted.", "refs": ["tests/login.rs:2"]}],
    });
    expect(
        "tests",
        &check(&mut evidence, &submitted),
        "
        S tests/login.rs:1-2 persistence
        code test_only
        confidence low
        -P",
    );
}

/// (intent, changes to the good report, wanted)
fn actions() -> Vec<(Intent, Value, &'static str)> {
    let gap = json!({"terms": ["logout"], "scopes": ["src"]});
    vec![
        (
            Intent::Edit,
            json!({}),
            "action read_targets\ncode action_intent\ncode action_targets_derived\nR src/auth.rs:3-9 required\nrepairable true\n-confidence high",
        ),
        (
            Intent::Debug,
            json!({"read_targets": [{"ref": "c1", "purpose": "p"}]}),
            "action read_targets\ncode action_intent\nrepairable false",
        ),
        (
            Intent::Answer,
            json!({"read_targets": [{"ref": "c1", "purpose": "p", "required": true}]}),
            "action read_targets\ncode action_inconsistent",
        ),
        (
            Intent::Answer,
            json!({"read_targets": [{"ref": "c1", "purpose": "p"}]}),
            "action answer_from_report\n-code",
        ),
        (
            Intent::Answer,
            json!({"read_targets": [{"ref": "c1", "purpose": ""}], "primary": [{"ref": "c2", "why": "w"}]}),
            "code action_purpose\n-R src/auth.rs:3-9 r",
        ),
        (
            Intent::Answer,
            json!({"missing": [{"what": "the logout", "critical": true}], "gap_search": gap}),
            "code action_inconsistent\nconfidence low\ncode gap_critical\n-action answer",
        ),
        (
            Intent::Answer,
            json!({"missing": [{"what": "the logout", "critical": false}]}),
            "confidence medium\ncode gap_open\naction answer_from_report",
        ),
        (
            Intent::Answer,
            json!({"recommended_primary_action": "targeted_gap_search", "gap_search": gap}),
            "action targeted_gap_search\nterms logout\nscopes src",
        ),
        (
            Intent::Answer,
            json!({"recommended_primary_action": "targeted_gap_search"}),
            "action skip\ncode action_inconsistent",
        ),
        (
            Intent::Answer,
            json!({"recommended_primary_action": "skip"}),
            "action skip\ncode action_inconsistent\nrepairable true",
        ),
        (
            Intent::Answer,
            json!({"recommended_primary_action": "read_targets"}),
            "action read_targets\ncode action_targets_derived",
        ),
        (
            Intent::Answer,
            json!({"confidence": "low"}),
            "confidence low\ncode claimed_lower\n-action answer",
        ),
        (
            Intent::Answer,
            json!({"confidence": "medium"}),
            "confidence medium\ncode claimed_lower\naction answer_from_report",
        ),
    ]
}

#[test]
fn actions_are_lowered_to_what_the_report_supports() {
    for (intent, changes, wanted) in actions() {
        let mut evidence = evidence();
        evidence.question.intent = intent;
        expect(&changes.to_string(), &check(&mut evidence, &good_but(changes.clone())), wanted);
    }
}

#[test]
fn searches_are_concrete_and_bounded() {
    let submitted = good_but(json!({"gap_search": {
        "terms": ["", " logout ", "x", "*", "logout"],
        "scopes": ["src/", "./src/auth.rs", "src/**/*.rs", "**/*.rs", "lib", "lib/**", ".", "**", "../x", "a/**/b"],
    }}));
    expect(
        "search",
        &check(&mut evidence(), &submitted),
        "
        terms logout
        scopes src,src/auth.rs,src/**/*.rs,**/*.rs
        code action_terms
        code action_scope",
    );
}

#[test]
fn confidence_falls_with_what_the_evidence_is() {
    for (name, source, wanted) in [
        ("hits only", "grep=1-3", "confidence low\ncode unread"),
        ("read", "read=1-3", "confidence high\n-code"),
    ] {
        let mut evidence =
            Evidence::new(&format!("//- /src/a.rs {source}\nfn handle() {{\n  call();\n}}\n"));
        let submitted = json!({
            "primary": [{"ref": "src/a.rs:1-3", "role": "handler", "why": ""}],
            "findings": [{"fact": "handle runs call()", "refs": ["src/a.rs:1-3"]}], "requested_roles": ["handler"],
        });
        expect(name, &check(&mut evidence, &submitted), wanted);
    }
}

#[test]
fn confidence_falls_with_uncovered_roles() {
    let uncovered = good_but(json!({"requested_roles": ["handler", "persistence", "ui"]}));
    expect(
        "one of three",
        &check(&mut evidence(), &uncovered),
        "confidence medium\ncode role_missing",
    );
    let two = good_but(json!({"requested_roles": ["handler", "render", "ui"]}));
    expect("two of three", &check(&mut evidence(), &two), "confidence low\ncode role_missing");
    let mut asked = evidence();
    asked.question.roles = vec![Role::Handler, Role::Ui];
    expect(
        "the caller's",
        &check(&mut asked, &good()),
        "confidence low\ncode role_missing_critical",
    );
}

#[test]
fn no_author_but_a_model_is_above_low() {
    for author in [Author::Offline, Author::Fallback] {
        let mut evidence = evidence();
        evidence.author = author;
        expect(
            "author",
            &check(&mut evidence, &good()),
            "confidence low\ncode not_model\nrepairable false",
        );
    }
    let mut cut_short = evidence();
    cut_short.status = Status::Partial;
    expect("partial", &check(&mut cut_short, &good()), "confidence medium\ncode partial");
}

#[test]
fn only_made_up_references_leave_nothing_and_ask_for_repair() {
    let submitted = good_but(json!({
        "primary": [{"ref": "c900", "role": "handler", "why": "w"}, {"ref": "c901", "role": "handler", "why": "w"}],
        "findings": [{"fact": "It logs in.", "refs": ["c900"]}],
    }));
    let validation = check(&mut evidence(), &submitted);
    expect(
        "made up",
        &validation,
        "confidence low\naction skip\ncode ref_unknown\ncode no_evidence\nrepairable true\n-P\n-F",
    );
    let note = repair_note(&validation.reasons);
    assert!(
        note.len() <= 1_000 && note.contains("ref_unknown c900") && note.contains("c901"),
        "{note}"
    );
}

#[test]
fn a_repair_note_stays_short() {
    let primary: Vec<Value> =
        (900..935).map(|id| json!({"ref": format!("c{id}"), "role": "ui", "why": "w"})).collect();
    let validation = check(&mut evidence(), &good_but(json!({"primary": primary})));
    let note = repair_note(&validation.reasons);
    assert!(note.len() <= 1_000 && note.contains("more)"), "{note}");
}

#[test]
fn an_absent_feature_is_low_and_is_no_repair() {
    let submitted = json!({
        "summary": "There is no export.", "missing": [{"what": "any export", "critical": true}],
        "recommended_primary_action": "skip", "confidence": "high",
    });
    expect(
        "absent",
        &check(&mut evidence(), &submitted),
        "confidence low\naction skip\nsummary There is no export.\nM any export\nrepairable false",
    );
}

#[test]
fn surplus_items_go_after_bad_ones() {
    let mut primary: Vec<Value> =
        (900..904).map(|id| json!({"ref": format!("c{id}"), "why": "w"})).collect();
    primary.extend((1..=7).map(|line| json!({"ref": format!("src/auth.rs:{line}"), "why": "w"})));
    let validation = check(&mut evidence(), &good_but(json!({"primary": primary})));
    assert_eq!(validation.map.primary.len(), 5);
    expect("surplus", &validation, "P src/auth.rs:1-1\ncode schema_count");
}

#[test]
fn a_map_fits_its_limit_whatever_it_holds() {
    let filler = "the session of the user is saved and checked again ".repeat(40);
    let fact = |line: u32| json!({"fact": format!("value_{line} {filler}"), "refs": [format!("src/a.rs:{line}")]});
    let place = |line: u32| json!({"ref": format!("src/a.rs:{line}"), "role": "data", "why": filler, "purpose": filler, "required": line > 42});
    let submitted = json!({
        "summary": filler, "flow": filler,
        "primary": (1..=5).map(place).collect::<Vec<_>>(), "secondary": (21..=22).map(place).collect::<Vec<_>>(),
        "findings": (31..=38).map(fact).collect::<Vec<_>>(), "read_targets": (41..=45).map(place).collect::<Vec<_>>(),
        "gap_search": {"terms": ["aa", "bb"], "scopes": ["src"]},
    });
    for max_tokens in [1_600, 900, 600] {
        let mut evidence = Evidence::new(&format!("//- /src/a.rs read=1-50\n{}", numbered(50)));
        evidence.question.text = filler.clone();
        evidence.limits = Limits { max_tokens, ..Limits::default() };
        let mut map = check(&mut evidence, &submitted).map;
        measure(&mut map);
        assert!(map.meta.report_tokens <= max_tokens, "{} > {max_tokens}", map.meta.report_tokens);
        assert!(map.meta.reasons.contains(&"over_budget".to_owned()));
        assert!(!map.primary.is_empty(), "{max_tokens}");
    }
}

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
    let primary: Vec<(&str, Option<Role>)> =
        draft.primary.iter().map(|p| (p.reference.as_str(), p.role)).collect();
    assert_eq!(primary, [("c1", None), ("c2", None), ("c2", Some(Role::Handler))]);
    assert_eq!(draft.findings[0].refs, ["c1"]);
    assert!(draft.read_targets[0].required);
    assert_eq!(draft.missing[0].what, "the rest");
    assert_eq!(draft.requested_roles, [Role::Handler]);
    assert_eq!((draft.recommended_primary_action, draft.confidence), (None, None));
    let codes: Vec<Code> = parsed.problems.iter().map(|problem| problem.code).collect();
    for code in [
        Code::SchemaType,
        Code::SchemaRole,
        Code::SchemaValue,
        Code::SchemaRequired,
        Code::SchemaItem,
    ] {
        assert!(codes.contains(&code), "{code}: {:#?}", parsed.problems);
    }
}

#[test]
fn what_is_no_report_is_none() {
    for nothing in [json!(null), json!([]), json!({}), json!({"x": 1}), json!("hello"), json!(3)] {
        let parsed = parse(&nothing);
        assert!(parsed.draft.is_none(), "{nothing}");
        assert_eq!(parsed.problems[0].code, Code::SchemaUnusable);
    }
    for wrapped in [
        json!({"report": {"summary": "s"}}),
        json!([{"summary": "s"}]),
        json!("{\"summary\": \"s\"}"),
        json!({"name": "submit_report", "arguments": "{\"summary\": \"s\"}"}),
    ] {
        assert_eq!(parse(&wrapped).draft.unwrap().summary, "s", "{wrapped}");
    }
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
            parsed.problems.iter().any(|p| p.code == Code::SchemaTruncated),
            truncated,
            "{text}"
        );
    }
    for text in ["", "no report", "{", "[1, 2", "{\"x\": 1}", &"{".repeat(5_000)] {
        assert!(parse_text(text).is_none(), "{text}");
    }
}

#[test]
fn the_fallback_shows_what_was_delivered_and_what_to_do() {
    let mut evidence = evidence();
    evidence.question = Question::new("Where does save_session keep the sessions?");
    evidence.candidates =
        vec![candidate(&evidence, "src/store.rs", &[Role::Persistence, Role::Handler])];
    let map = fallback(&evidence.judgement());
    assert_eq!(
        (map.status, map.confidence, map.meta.author),
        (Status::Fallback, Confidence::Low, Author::Fallback)
    );
    assert_eq!(map.recommended_primary_action, Action::ReadTargets);
    assert_eq!(
        (map.primary[0].path.as_str(), map.primary[0].start, map.primary[0].end),
        ("src/store.rs", 1, 1)
    );
    assert!(map.primary.iter().any(|p| p.path == "src/auth.rs"));
    assert_eq!(map.gap_search.terms[0], "save_session");
    assert!(map.gap_search.scopes.contains(&"src".to_owned()));
    assert!(
        fallback_paths(&evidence.ledger).iter().all(|path| evidence.standing.contains_key(path))
    );
}

#[test]
fn the_fallback_of_nothing_delivered_searches_or_skips() {
    let mut listed = Evidence::new("//- /src/a.rs list\nx\n");
    listed.question = Question::new("Where are sessions stored?");
    let map = fallback(&listed.judgement());
    assert_eq!(map.recommended_primary_action, Action::TargetedGapSearch);
    assert_eq!(
        (map.gap_search.terms.as_slice(), map.gap_search.scopes.as_slice()),
        (["sessions".to_owned(), "stored".to_owned()].as_slice(), ["src".to_owned()].as_slice())
    );
    let nothing = Evidence::new("");
    assert_eq!(fallback(&nothing.judgement()).recommended_primary_action, Action::Skip);
    let stale = Evidence::new("//- /src/a.rs read=1 edited\nx\n");
    assert!(fallback(&stale.judgement()).primary.is_empty());
}

#[test]
fn every_code_has_one_word() {
    let words: std::collections::BTreeSet<&str> =
        Code::ALL.iter().map(|code| code.word()).collect();
    assert_eq!(words.len(), Code::ALL.len());
    for code in Code::ALL {
        assert_eq!(serde_json::to_value(code).unwrap(), json!(code.word()));
    }
}

/// A run of deliveries over a few files, some of which changed since.
fn any_evidence() -> impl Strategy<Value = Evidence> {
    let deliveries =
        prop::collection::vec((0_usize..3, 0_u8..2, 1_u32..200, 0_u32..150, any::<bool>()), 0..10);
    let standing = prop::collection::vec(0_u8..5, 3);
    (deliveries, standing, 300_u64..2_000, any::<u8>()).prop_map(
        |(deliveries, standing, max_tokens, intent)| {
            let mut evidence = Evidence::new("");
            evidence.ledger = Ledger::new();
            evidence.question.intent = Intent::ALL[usize::from(intent) % 3];
            evidence.limits.max_tokens = max_tokens;
            for (file, version, start, width, read) in deliveries {
                let stamp = stamp(file, version);
                let source = if read { Source::Read } else { Source::Grep };
                let end = (start + width).min(stamp.total_lines);
                let text: Vec<(u32, String)> =
                    (start..=end).map(|n| (n, format!("let value_{n} = save({n});"))).collect();
                evidence.ledger.deliver(&stamp, source, &text);
                evidence.ledger.name(&stamp.path, LineRange::new(start, end));
            }
            for (file, standing) in standing.into_iter().enumerate() {
                let now = match standing {
                    0 => Standing::Missing,
                    1 => Standing::Outside,
                    2 => Standing::Current(stamp(file, 1).hash),
                    _ => Standing::Current(stamp(file, 0).hash),
                };
                evidence.standing.insert(stamp(file, 0).path, now);
            }
            evidence
        },
    )
}

fn stamp(file: usize, version: u8) -> FileStamp {
    FileStamp {
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

fn any_submission() -> impl Strategy<Value = Value> {
    let text = || {
        prop_oneof![
            any::<String>(),
            prop::sample::select(vec![
                "value_5 saves c1.",
                "```x",
                "it calls foo_bar",
                "plain. Prose here."
            ])
            .prop_map(str::to_owned),
            (1_u32..250).prop_map(|n| format!("let value_{n} = save({n});")),
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
        "findings": findings, "recommended_primary_action": action, "gap_search": {"terms": [flow], "scopes": ["src", summary]},
        "requested_roles": ["handler"],
    }))
}

fn cited(map: &CodeMap) -> Vec<(String, u32, u32)> {
    let mut places: Vec<(String, u32, u32)> = Vec::new();
    places.extend(map.primary.iter().map(|p| (p.path.clone(), p.start, p.end)));
    places.extend(map.secondary.iter().map(|p| (p.path.clone(), p.start, p.end)));
    places.extend(map.read_targets.iter().map(|p| (p.path.clone(), p.start, p.end)));
    places.extend(
        map.findings.iter().flat_map(|f| &f.refs).map(|p| (p.path.clone(), p.start, p.end)),
    );
    places
}

/// The map submitted again.
fn resubmitted(map: &CodeMap) -> Value {
    let place = |path: &str, start: u32, end: u32| format!("{path}:{start}-{end}");
    json!({
        "primary": map.primary.iter().map(|p| json!({"ref": place(&p.path, p.start, p.end), "role": p.role, "why": p.why})).collect::<Vec<_>>(),
        "secondary": map.secondary.iter().map(|p| json!({"ref": place(&p.path, p.start, p.end), "role": p.role, "why": p.why})).collect::<Vec<_>>(),
        "read_targets": map.read_targets.iter().map(|p| json!({"ref": place(&p.path, p.start, p.end), "purpose": p.purpose, "required": p.required})).collect::<Vec<_>>(),
        "recommended_primary_action": map.recommended_primary_action, "requested_roles": ["handler"],
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_place_of_every_map_was_delivered_from_content_that_stands(
        mut evidence in any_evidence(), submitted in any_submission(),
    ) {
        let mut maps = vec![check(&mut evidence, &submitted).map, fallback(&evidence.judgement())];
        for map in &mut maps {
            for (path, start, end) in cited(map) {
                let path = RepoPath::parse(&path, "").unwrap();
                let file = evidence.ledger.file(&path).unwrap();
                let range = LineRange::new(start, end).unwrap();
                prop_assert!(file.delivered.contains(range), "{path}:{range}");
                prop_assert_eq!(evidence.standing.get(&path), Some(&Standing::Current(file.stamp.hash)));
                prop_assert!(range.width() <= evidence.limits.max_width || file.is_declaration(range));
            }
            measure(map);
            prop_assert!(map.meta.report_tokens <= evidence.limits.max_tokens.max(600), "{}", map.meta.report_tokens);
            prop_assert_eq!(map.meta.report_tokens, estimate_tokens(&serde_json::to_string(map).unwrap()));
            let text = format!("{} {}", map.summary, map.flow);
            prop_assert!(!text.contains("```") && !text.chars().any(char::is_control));
            prop_assert!(map.primary.len() <= 5 && map.secondary.len() <= 2 && map.findings.len() <= 8 && map.read_targets.len() <= 5);
            if evidence.question.intent != Intent::Answer || map.confidence == Confidence::Low {
                prop_assert_ne!(map.recommended_primary_action, Action::AnswerFromReport);
            }
        }
        let first = &maps[0];
        let again = check(&mut evidence, &resubmitted(first)).map;
        let places = |map: &CodeMap| cited(&CodeMap { findings: Vec::new(), ..map.clone() });
        // A map at its limit has room again once its findings are gone, so that only other maps must come back equal.
        prop_assert_eq!(places(first), places(&again));
    }

    #[test]
    fn parsing_text_never_panics(text in any::<String>(), cut in 0_usize..400) {
        let _ = parse_text(&text);
        let _ = find_json(&text, |_| true);
        let whole = good().to_string();
        let head: String = whole.chars().take(cut).collect();
        if let Some(parsed) = parse_text(&head) {
            prop_assert!(parsed.problems.iter().any(|p| p.code == Code::SchemaTruncated));
        }
    }

    #[test]
    fn parsing_json_never_panics(value in any_json()) {
        if let Some(draft) = parse(&json!({"primary": value, "findings": value, "missing": value, "gap_search": value, "summary": value})).draft {
            let _: Draft = serde_json::from_value(serde_json::to_value(&draft).unwrap()).unwrap();
        }
    }
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
