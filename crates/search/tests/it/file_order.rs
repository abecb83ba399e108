//! The learned order of files: it decides short questions, and neither lifts a copy nor overrules a caller.

use retriever_search::{Candidate, CandidateSet, Question, ScorePart};
use retriever_test_support::Fixture;

use crate::searching::candidates;

/// A store whose file of that name declares it, and callers that say its words much more often.
fn fixture() -> Fixture {
    let fixture = Fixture::new("");
    let uses = "    // the session store keeps a session\n    store(session);\n".repeat(30);
    fixture.write("src/desk.rs", format!("pub fn serve(session: u8) {{\n{uses}}}\n"));
    fixture.write("src/hall.rs", format!("pub fn open_session(session: u8) {{\n{uses}}}\n"));
    let store = "pub struct SessionStore {\n    sessions: Vec<u8>,\n}\n\nimpl SessionStore {\n    pub fn load(&self) {}\n}\n";
    fixture.write("src/session_store.rs", store);
    fixture.write("vendor/session_store/session_store.rs", store);
    fixture
}

/// Returns what the learned order added to a score.
fn moved(candidate: &Candidate) -> f64 {
    candidate.score.get(ScorePart::FileOrder)
}

fn files(found: &CandidateSet) -> Vec<&str> {
    found.files().into_iter().map(|path| path.as_str()).collect()
}

#[test]
fn a_short_question_is_put_into_the_learned_order() {
    let found = candidates(&fixture(), &[Question::new("session store")]).remove(0);
    assert_eq!(files(&found)[0], "src/session_store.rs");
    assert!(found.candidates.iter().any(|candidate| moved(candidate) > 0.0), "no file is moved");
}

#[test]
fn tests_documents_and_copies_are_not_moved() {
    let fixture = fixture();
    let says = "The session store keeps sessions. A session of the store ends.\n";
    fixture.write("docs/session_store.md", format!("# Session store\n{says}\n## Store\n{says}"));
    fixture.write("tests/session_store.rs", "#[test]\nfn session_store_loads() {}\n");
    fixture.write("vendor/session/store.rs", "pub struct Session;\npub struct Store;\n");
    let found = candidates(&fixture, &[Question::new("session store")]).remove(0);
    let is_other = |candidate: &&Candidate| !candidate.file.path.as_str().starts_with("src/");
    let others: Vec<_> = found.candidates.iter().filter(is_other).collect();
    assert!(others.len() > 2);
    assert!(others.iter().all(|other| moved(other) == 0.0), "{others:#?}");
}

#[test]
fn tests_that_are_asked_for_beside_code_do_not_replace_it() {
    let fixture = fixture();
    let shows = "#[test]\nfn session_store_keeps() {\n    let store = store();\n    assert!(store.keeps(session()));\n}\n";
    fixture.write("tests/session_store.rs", shows.repeat(3));
    let questions = [
        "how does the session store keep a session, and which test shows it",
        "which test shows how the session store keeps a session",
        "how does the session store keep a session, and where is that tested",
        "where is the session that the store keeps replaced and tested",
    ];
    let found = candidates(&fixture, &questions.map(Question::new));
    let firsts: Vec<&str> = found.iter().map(|found| files(found)[0]).collect();
    assert_eq!(firsts[1], "tests/session_store.rs");
    for beside in [0, 2, 3] {
        assert!(firsts[beside].starts_with("src/"), "{firsts:?}");
        assert!(files(&found[beside]).contains(&"tests/session_store.rs"));
    }
}

#[test]
fn two_things_whose_tests_are_asked_for_make_no_question_about_code() {
    let fixture = Fixture::new("");
    let shows = "fn lexer_and_parser_read() {\n    assert!(parser(lexer()));\n}\n".repeat(3);
    fixture.write("src/lexer_parser.rs", &shows);
    fixture.write("tests/lexer_parser.rs", &shows);
    let sets_up = "pub fn set_up_database() {}\npub fn tear_down_database() {}\n";
    fixture.write("tests/databases.rs", sets_up);
    fixture.write("src/databases.rs", sets_up);
    let questions = [
        ("where is the lexer and parser tested", "tests/lexer_parser.rs"),
        ("where are the lexer and the parser tested", "tests/lexer_parser.rs"),
        ("which helper functions set up and tear down test databases", "tests/databases.rs"),
    ];
    let found = candidates(&fixture, &questions.map(|(question, _)| Question::new(question)));
    for ((question, file), found) in questions.iter().zip(found) {
        assert_eq!(files(&found)[0], *file, "{question}");
    }
}

#[test]
fn a_file_that_is_pointed_at_keeps_its_place() {
    let fixture = fixture();
    let mut hinted = Question::new("session store");
    hinted.hints = vec!["src/desk.rs".to_owned()];
    let named = Question::new("session store in src/desk.rs");
    for found in candidates(&fixture, &[hinted, named]) {
        assert_eq!(files(&found)[0], "src/desk.rs");
        assert_eq!(moved(&found.candidates[0]), 0.0);
    }
}
