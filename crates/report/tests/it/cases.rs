//! What the validator's cases share: evidence as a string, a submission as JSON, and the lines that the map must and must
//! not contain.

use std::collections::BTreeMap;

use retriever_report::{
    ValidationReason, ValidationResult, Verdict, evidence_ledger::LineRange, parse, validate,
};
use retriever_search::{Candidate, CandidateSource, PlaceRole, ScoreParts};
use retriever_workspace::RepoPath;
use serde_json::{Value, json};

use crate::evidence::Evidence;

pub(crate) const LOGIN: &str = "\
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
pub(crate) fn never_shown() {}
//- /src/store.rs read=1-4 id=1-3 decl=save_session:1-3
pub fn save_session(user: &User, ttl: u32) -> Session {
    database().insert(\"sessions\", user.id, ttl)
}
// The end.
//- /src/hits.rs grep=50
"
.trim_ascii_end();

/// [`LOGIN`] with a file of which only a search hit in line 50 was shown.
pub(crate) fn evidence() -> Evidence {
    Evidence::new(&format!("{LOGIN}\n{}", numbered(100)))
}

pub(crate) fn numbered(lines: u32) -> String {
    (1..=lines).map(|line| format!("let value_{line} = compute({line});\n")).collect()
}

pub(crate) fn check(evidence: &mut Evidence, submitted: &Value) -> ValidationResult {
    let parsed = parse(submitted);
    evidence.problems = parsed.problems;
    validate(&parsed.draft.unwrap(), &evidence.context())
}

/// The map as lines: one per place, finding, code and setting.
pub(crate) fn lines(validation: &ValidationResult) -> Vec<String> {
    let map = &validation.map;
    let role = |role: Option<PlaceRole>| role.map(|role| format!(" {role}")).unwrap_or_default();
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
        lines.push(format!("P {}:{}-{}{}", p.place.path, p.place.start, p.place.end, role(p.role)));
        lines.push(format!("why {}", p.why));
        lines.push(format!("symbols {}", p.symbols.join(",")));
    }
    for s in &map.secondary {
        lines.push(format!("S {}:{}-{}{}", s.place.path, s.place.start, s.place.end, role(s.role)));
    }
    for f in &map.findings {
        let refs: Vec<String> =
            f.refs.iter().map(|r| format!("{}:{}-{}", r.path, r.start, r.end)).collect();
        lines.push(format!("F {}{} @ {}", f.fact, role(f.role), refs.join(" ")));
    }
    for r in &map.read_targets {
        let required = if r.required { " required" } else { "" };
        lines.push(format!("R {}:{}-{}{required}", r.place.path, r.place.start, r.place.end));
    }
    lines.extend(map.missing.iter().map(|m| format!("M {}", m.what)));
    lines.extend(map.meta.reasons.iter().map(|code| format!("code {code}")));
    lines.into_iter().map(|line| line.trim_end().to_owned()).collect()
}

/// Each wanted line is one of the map's; after `-` no line starts with it.
#[track_caller]
pub(crate) fn expect(name: &str, validation: &ValidationResult, wanted: &str) {
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
pub(crate) fn good() -> Value {
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

pub(crate) fn good_but(changes: Value) -> Value {
    let mut submitted = good();
    let changes: BTreeMap<String, Value> = serde_json::from_value(changes).unwrap();
    for (key, value) in changes {
        submitted[key] = value;
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

pub(crate) fn candidate(evidence: &Evidence, path: &str, roles: &[PlaceRole]) -> Candidate {
    let file = evidence.ledger.file(&RepoPath::parse(path, "").unwrap()).unwrap();
    Candidate {
        file: file.version.clone(),
        range: LineRange::new(1, 1),
        symbols: Vec::new(),
        part_of: None,
        adjacent: Vec::new(),
        owner: None,
        signature: None,
        score: ScoreParts::default(),
        source: CandidateSource::Graph,
        matching_names: Vec::new(),
        provenance: Vec::new(),
        graph: None,
        in_test: false,
        evidence_roles: roles.iter().copied().collect(),
        shown_roles: roles.iter().copied().collect(),
        leading_role: roles.first().copied(),
    }
}

/// Asserts what becomes of each text of `texts` about lines of the file at `path`. A row has the lines, or the path and the
/// lines, the field that the text stands in, the text, and its verdict, empty where nothing of it stays.
#[track_caller]
pub(crate) fn assert_verdicts(source: &str, path: &str, texts: &[(&str, &str, &str, &str)]) {
    let mut wrong = Vec::new();
    for (lines, field, text, wanted) in texts {
        let judged = judge(source, path, (lines, field, text));
        if judged.verdict != *wanted {
            wrong.push((lines, field, text, judged.verdict, judged.reasons));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What became of a text.
pub(crate) struct JudgedText {
    /// Empty where nothing of it stays.
    pub(crate) verdict: String,
    /// What is left of it.
    pub(crate) text: String,
    pub(crate) reasons: Vec<ValidationReason>,
}

/// Returns what becomes of a text: the lines that it cites, the field that it stands in, and what it says.
pub(crate) fn judge(
    source: &str,
    path: &str,
    (lines, field, text): (&str, &str, &str),
) -> JudgedText {
    let places: Vec<String> = lines.split(' ').map(|lines| place_of(path, lines)).collect();
    let submitted = match field {
        "fact" => json!({"findings": [{"fact": text, "refs": places}]}),
        "why" => json!({"primary": [{"ref": places[0], "why": text}]}),
        "purpose" => json!({"read_targets": [{"ref": places[0], "purpose": text}]}),
        "missing" => json!({"primary": [{"ref": places[0]}], "missing": [{"what": text}]}),
        field => json!({"primary": [{"ref": places[0]}], field: text}),
    };
    let ValidationResult { map, reasons, .. } = check(&mut Evidence::new(source), &submitted);
    let left = match field {
        "fact" => map.findings.first().map(|item| (&item.fact, item.verdict)),
        "why" => map.primary.first().map(|item| (&item.why, item.verdict)),
        "purpose" => map.read_targets.first().map(|item| (&item.purpose, item.verdict)),
        "missing" => map.missing.first().map(|item| (&item.what, Verdict::AsSubmitted)),
        "flow" => Some((&map.flow, map.flow_verdict)),
        _ => Some((&map.summary, map.summary_verdict)),
    };
    let left = left.filter(|(text, _)| !text.is_empty());
    let verdict = left.map(|(_, verdict)| serde_json::to_value(verdict).unwrap());
    let verdict = verdict.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
    let text = left.map_or_else(String::new, |(text, _)| text.clone());
    JudgedText { verdict, text, reasons }
}

fn place_of(path: &str, lines: &str) -> String {
    if lines.contains(':') { format!("src/{lines}") } else { format!("{path}:{lines}") }
}
