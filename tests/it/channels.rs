//! The channels of recon beside names and words: traces, quoted texts, conventional surfaces, relations; and what is said when
//! there is nothing to find.

use pretty_assertions::assert_eq;
use retriever::{
    evidence_ledger::EvidenceLedger,
    render_candidate_packet,
    search::{Candidate, CandidateSource, ParsedQuery},
    search::{PlaceRole, Question},
};

use crate::{
    recon::{ask, described, first},
    support::fixture::Fixture,
};

const DEPOT: &str = r#"
//- /depot/queue.py
class Queue:
    def push(self, parcel):
        if parcel is None:
            raise ValueError("a parcel needs an address before it can leave")
        self.parcels.append(parcel)

    def drain(self):
        while self.parcels:
            self.ship(self.parcels.pop())

    def ship(self, parcel):
        return self.carrier.take(parcel)
//- /depot/server.py
def setup(app, queue):
    limit = app.config.get("warehouse")
    app.add_url_rule("/parcels/overdue", view_func=make_view(limit))
    app.started = True
    return app


def make_view(limit):
    return limit
//- /depot/carrier.py
class Carrier:
    def take(self, parcel):
        label = self.print_label(parcel)
        self.trucks[label].load(parcel)

    def print_label(self, parcel):
        return parcel.address
//- /tests/test_queue.py
def test_push_refuses_nothing():
    with raises(ValueError, match="a parcel needs an address before it can leave"):
        Queue().push(None)
"#;

fn found(source: &str, question: &str) -> Candidate {
    let survey = ask(&Fixture::new(source), &Question::new(question));
    survey.candidates.into_iter().next().expect("something is found")
}

#[test]
fn the_innermost_frame_of_the_repository_comes_first_whichever_end_of_the_trace_it_is() {
    let python = "It stops\n\n```\nTraceback (most recent call last):\n  File \"/srv/depot/queue.py\", line 9, in drain\n    x\n  \
                  File \"/srv/depot/carrier.py\", line 3, in take\n    x\n  File \"/usr/lib/python3/json.py\", line 3, in loads\n\
                  KeyError: 7\n```\n";
    assert_eq!(first(DEPOT, python), "depot/carrier.py take");
    let reversed = "It stops\n\n```\nKeyError: 7\n    at load (/usr/lib/other.py:3)\n    at take (depot/carrier.py:3)\n    \
                    at drain (depot/queue.py:9)\n```\n";
    assert_eq!(first(DEPOT, reversed), "depot/carrier.py take");
}

#[test]
fn a_frame_that_only_raises_the_error_does_not_count_as_innermost() {
    let errors = "//- /depot/errors.py\ndef raise_error(text):\n    raise ValueError(text)\n";
    let depot = format!("{DEPOT}{errors}");
    let python = "It stops\n\n```\nTraceback (most recent call last):\n  File \"/srv/depot/carrier.py\", line 3, in take\n    x\n  \
                  File \"/srv/depot/errors.py\", line 2, in raise_error\n    x\nValueError: 7\n```\n";
    assert_eq!(first(&depot, python), "depot/carrier.py take");
    let reversed = "It stops\n\n```\nValueError: 7\n    at errors.raise_error (depot/errors.py:2)\n    at take (depot/carrier.py:3)\n```\n";
    assert_eq!(first(&depot, reversed), "depot/carrier.py take");
}

#[test]
fn a_text_that_is_quoted_leads_to_the_code_that_says_it() {
    for question in [
        "Who says \"a parcel needs an address before it can leave\"?",
        "Nothing works\n\n```\nValueError: a parcel needs an address before it can leave\n```\n",
        "Nothing works\n\nCaused by: lib.LoadError: bad parcel (7) of the noon delivery run: a parcel needs an address before it can leave\n",
    ] {
        let place = found(DEPOT, question);
        assert_eq!(described(&place), "depot/queue.py push", "{question}");
        assert_eq!(place.source, CandidateSource::Grep, "{question}");
        assert!(place.provenance[0].starts_with("text \"a parcel"), "{:?}", place.provenance);
    }
    let script = "//- /bin/depot\n#!/usr/bin/env bash\n\ncheck() {\n  echo \"no van is left for the night\"\n}\n";
    let place = found(&format!("{DEPOT}{script}"), "Who says \"no van is left for the night\"?");
    assert_eq!(described(&place), "bin/depot check");
    assert_eq!(place.source, CandidateSource::Grep);
}

#[test]
fn a_name_on_a_conventional_surface_leads_to_what_is_wired_there() {
    let cases = [
        ("what answers under /parcels/overdue", "depot/server.py setup", "route"),
        ("which setting names the warehouse", "depot/server.py setup", "setting"),
    ];
    for (question, place, surface) in cases {
        let best = found(DEPOT, question);
        assert_eq!(described(&best), place, "{question}");
        assert_eq!(best.source, CandidateSource::EntryPoint, "{question}");
        assert!(best.provenance[0].starts_with(surface), "{:?}", best.provenance);
    }
}

#[test]
fn tests_that_fail_are_how_a_fault_shows_and_not_what_is_asked_for() {
    let of = |text: &str| ParsedQuery::of(&Question::new(text)).scope;
    assert!(of("which tests cover the parser").wants_tests);
    let asked = of("Tests no longer passing since the upgrade");
    assert!(!asked.wants_tests && !asked.roles.contains(&PlaceRole::Test));
}

#[test]
fn relations_show_roles_that_no_word_does() {
    let source = "//- /src/lib.rs\npub trait Shape { fn area(&self) -> u32; }\npub struct Square;\nimpl Shape for Square {\n    \
                  fn area(&self) -> u32 { 4 }\n}\npub fn sum_of(shape: &dyn Shape) -> u32 {\n    grow(shape) + shrink(shape)\n}\n\
                  fn grow(shape: &dyn Shape) -> u32 { shape.area() }\nfn shrink(shape: &dyn Shape) -> u32 { shape.area() }\n";
    let survey = ask(&Fixture::new(source), &Question::new("sum_of grow Shape"));
    let roles = |name: &str| {
        let named = |place: &&Candidate| place.symbols.iter().any(|symbol| symbol.name == name);
        survey.candidates.iter().find(named).map(|place| place.evidence_roles.clone())
    };
    assert!(
        roles("sum_of").is_some_and(|roles| roles.contains(&PlaceRole::Entry)),
        "nobody calls it"
    );
    assert!(
        roles("grow").is_some_and(|roles| !roles.contains(&PlaceRole::Entry)),
        "somebody calls it"
    );
    assert!(
        roles("Shape").is_some_and(|roles| roles.contains(&PlaceRole::Type)),
        "it is implemented"
    );
}

#[test]
fn what_is_not_there_is_said_and_what_is_there_is_not_doubted() {
    let doubted = |question: &str| ask(&Fixture::new(DEPOT), &Question::new(question)).no_answer;
    for present in [
        "how is a parcel shipped",
        "Queue.drain",
        "depot/carrier.py",
        "who prints the label of a parcel",
        "where does the queue push a parcel",
        "when is the printed label of the carrier scribbled, smudged and overlooked",
        "where would I add invoices that are encrypted with a passphrase",
    ] {
        assert_eq!(doubted(present), None, "{present}");
    }
    for (absent, words) in [
        ("How are invoices encrypted with a passphrase?", &["invoices", "encrypted"][..]),
        ("which database migration runs first", &["database", "migration"]),
        ("où est la facturation", &["facturation"]),
        ("WebSocket handshake", &["handshake"]),
    ] {
        let absence = doubted(absent).unwrap_or_else(|| panic!("{absent}"));
        for word in words {
            assert!(absence.words.iter().any(|known| known == word), "{absent}: {absence:?}");
        }
    }
    let absence = doubted("Which places do we have to bill invoices from?").unwrap();
    assert_eq!(absence.words, ["invoices"], "how the question is put is not what is missing");
    let survey = ask(&Fixture::new(DEPOT), &Question::new("invoice encryption"));
    let text = render_candidate_packet(&survey, &mut EvidenceLedger::new(), 3_000);
    assert!(text.contains("note: nothing here is named after"), "{text}");
}

#[test]
fn what_a_comment_explains_in_the_words_of_a_question_is_there() {
    let question = Question::new("who refuses heavy luggage with stickers on zippers");
    for (comment, is_doubted) in
        [("# Refuses luggage that is heavy.\n", false), ("# Refuses what it has to.\n", true)]
    {
        let fixture = Fixture::new(DEPOT);
        fixture.write(
            "depot/scale.py",
            format!("{comment}def weigh(bag):\n    return bag.kilos < 9\n"),
        );
        assert_eq!(ask(&fixture, &question).no_answer.is_some(), is_doubted, "{comment}");
    }
}
