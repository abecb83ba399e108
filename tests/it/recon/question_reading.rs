//! What is read from a question: terms, intent, roles, names.

use std::collections::BTreeSet;

use retriever::search::{Intent, ParsedQuery, PlaceRole, Question, TermForm};

#[test]
fn a_reading_says_which_terms_were_written_as_names() {
    let reading = ParsedQuery::of(&Question::new(
        "Why does `parse_header` drop \"charset\" in src/net/http.rs when --max-depth is set for HttpClient.send()?",
    ));
    let is_named = |stem: &str, form: TermForm| {
        reading
            .terms
            .iter()
            .find(|term| term.stem == stem && term.form == form)
            .map(|term| term.is_named)
    };
    assert_eq!(is_named("parseheader", TermForm::Whole), Some(true));
    assert_eq!(is_named("httpclient", TermForm::Whole), Some(true));
    assert_eq!(is_named("send", TermForm::Whole), Some(true));
    assert_eq!(is_named("maxdepth", TermForm::Whole), Some(true));
    assert_eq!(is_named("max depth", TermForm::Pair), Some(true));
    assert_eq!(is_named("drop", TermForm::Word), Some(false));
    assert_eq!(is_named("why", TermForm::Word), None);
    assert_eq!(reading.mentions[0].path, "src/net/http.rs");
}

#[test]
fn what_only_goes_on_is_not_asked_for() {
    let cases = [
        ("a call keeps failing", false),
        ("it keeps everything", true),
        ("it keeps strings", true),
    ];
    for (text, asked) in cases {
        let reading = ParsedQuery::of(&Question::new(text));
        let keeps = reading.terms.iter().any(|term| term.stem == "keep" && term.weight > 0.0);
        assert_eq!(keeps, asked, "{text}");
    }
}

#[test]
fn a_reading_says_what_is_asked_for() {
    let of = |text: &str| ParsedQuery::of(&Question::new(text));
    assert_eq!(
        of("Which button opens the export dialog?").scope.roles,
        BTreeSet::from([PlaceRole::Ui, PlaceRole::Output])
    );
    assert!(of("where are the tests of the parser").scope.wants_tests);
    assert!(of("how are fake timers set up").scope.wants_support);
    assert!(!of("how are requests retried").scope.wants_support);
    assert!(of("is there an example of streaming").scope.wants_docs);
    assert!(of("where is the generated client").scope.wants_generated);
    assert!(!of("how are requests retried").scope.wants_tests);
    assert!(!of("no code says it without calling `test` on the result").scope.wants_tests);
    let required = Question { roles: vec![PlaceRole::State], ..Question::new("anything") };
    assert!(ParsedQuery::of(&required).scope.roles.contains(&PlaceRole::State));
}

#[test]
fn a_test_that_a_question_tells_of_is_not_asked_for() {
    for (text, asked) in [
        ("which tests cover the parser", true),
        ("is there a test for the parser", true),
        ("where is the retry tested", true),
        ("what does the test of the parser check", true),
        ("when my test calls the parser itself: where is the error raised", false),
        ("how does the library see that a test left a timer running", false),
        ("why is the timer of one reported in the next test", false),
        ("where is the error raised for a test that leaves a timer", false),
        ("a channel that is only used in tests has no timer: where is that decided", false),
        ("when my own test calls the parser, which tests cover that", true),
        ("how is it decided how long a target's tests may run", false),
        ("which of the target's tests must change", true),
        ("where are the parser's tests", true),
        ("which spec covers the parser", true),
        ("how are included spec files merged together", false),
        ("where is the spec of a target parsed", false),
        (
            "how is a broken file told from one that ends early while it is read, and what test shows it",
            true,
        ),
        ("why does the test of the parser fail on an empty file", false),
        ("which change breaks the tests of the parser", false),
        ("why do the tests not pass on one machine", false),
        ("which test passes a header to the client", true),
        ("which tests cover passing a callback", true),
        ("what test checks that an expired token no longer passes", true),
        ("which test covers the reader of a long list whose second file breaks off", true),
    ] {
        let scope = ParsedQuery::of(&Question::new(text)).scope;
        assert_eq!(scope.wants_tests, asked, "{text}");
        assert_eq!(scope.roles.contains(&PlaceRole::Test), asked, "{text}");
    }
}

#[test]
fn a_question_says_whether_it_asks_where_a_change_is_made() {
    for (text, asked) in [
        ("Where would I add a format for reports?", true),
        ("Where do we register one more driver?", true),
        ("I want a new key in the settings of the table", true),
        ("I would like to support tabs, too: what is the first step?", true),
        ("Which places must change so that a colour can be set?", true),
        ("I'd like to offer tabs, too", true),
        ("Which files have to be changed for a further driver?", true),
        ("What else needs to change for a further driver?", true),
        ("Which files should be updated for a further driver?", true),
        ("What is stored, printed and reset, and must it change together?", true),
        ("What do I have to touch to support tabs?", true),
        ("Why does to touch a tab close it?", false),
        ("Where is the format of reports chosen?", false),
        ("Where does a driver add its key?", false),
        ("Where can I see which driver is used?", false),
        ("What changes when a colour is set?", false),
        ("I want to know who adds a driver", false),
        ("Which settings do I change to see colours?", false),
        ("When does the pool need a new connection?", false),
        ("Which methods does a driver need to implement?", false),
        ("What makes the title fail to change?", false),
        ("Can the theme be changed at runtime?", false),
    ] {
        let scope = ParsedQuery::of(&Question::new(text)).scope;
        assert_eq!(scope.wants_change, asked, "{text}");
    }
    let edit = Question { intent: Intent::Edit, ..Question::new("the format of reports") };
    assert!(ParsedQuery::of(&edit).scope.wants_change);
}

#[test]
fn a_reading_is_bounded_whatever_is_pasted() {
    let noise: String = (0..20_000).map(|n| format!("someName{n}.field_{n}() ")).collect();
    let reading = ParsedQuery::of(&Question::new(noise));
    assert!(reading.terms.len() <= 200);
    assert!(reading.mentions.len() <= 60);
}
