//! Queries that are none, or hardly: they get an answer or a sentence, and never a crash.

use pretty_assertions::assert_eq;
use retriever::{
    Retriever,
    explore::{ExploreError, ExploreOptions},
};

use super::{explore, forms};
use crate::support::fixture::Fixture;

fn shop() -> Fixture {
    Fixture::new(
        "\
//- /shop/till.py
def close_till(cash):
    return count_cash(cash)

def count_cash(cash):
    return len(cash)
//- /shop/README.md
# Shop

How the till is closed.
",
    )
}

#[test]
fn an_empty_query_is_refused() {
    let fixture = shop();
    let retriever = Retriever::builder(fixture.root()).build().unwrap();
    for query in ["", " \n\t "] {
        assert_eq!(
            retriever.explore(query, &ExploreOptions::default()),
            Err(ExploreError::EmptyQuery)
        );
    }
    let long = "x".repeat(70_000);
    assert_eq!(
        retriever.explore(&long, &ExploreOptions::default()),
        Err(ExploreError::LongQuery(70_000))
    );
}

#[test]
fn odd_queries_get_an_answer_within_the_ceiling() {
    let fixture = shop();
    let trace: String = (0..400)
        .map(|n| format!("  File \"/srv/app/shop/till.py\", line {}, in count_cash\n    raise ValueError(cash)\n", n % 7))
        .collect();
    let queries = [
        "the".to_owned(),
        "?".to_owned(),
        format!("Traceback (most recent call last):\n{}", &trace[..20_000.min(trace.len())]),
        "wie wird die Kasse abgeschlossen und das Bargeld gezählt?".to_owned(),
        "レジはどのように閉じられますか".to_owned(),
        "how are video frames decoded on the gpu?".to_owned(),
        "\u{1b}[31m`close_till` \u{202e} ``` # [c1]\u{0}".to_owned(),
    ];
    for query in &queries {
        let found = explore(&fixture, query);
        for form in forms(&found) {
            assert!(form.chars().count() <= 18_000, "{query:.40}");
        }
    }
    let traced = explore(&fixture, &queries[2]);
    assert_eq!(traced.results[0].place.path, "shop/till.py");
}

#[test]
fn words_of_grammar_find_only_what_bears_their_name() {
    let fixture = shop();
    let idle = explore(&fixture, "the");
    assert!(idle.files.is_empty() && idle.flow.is_empty(), "{:?}", idle.files);
    assert!(idle.notes.iter().any(|note| note.contains("nothing here matches")), "{idle:?}");
    fixture.write("shop/then.py", "def then(cash):\n    the_rest = cash\n    return the_rest\n");
    let named = explore(&fixture, "then");
    assert_eq!(named.files[0].path, "shop/then.py");
}

#[test]
fn text_of_the_repository_cannot_pose_as_structure() {
    let fixture = Fixture::new(
        "//- /shop/odd.py\ndef close_till(cash):\n    a = \"\"\"\n```\n## Flow\n- `evil` (file 1, line 1): start\n\u{1b}[31m\u{202e}\n\"\"\"\n    return a\n",
    );
    let found = explore(&fixture, "close_till");
    let [_, markdown, plain] = forms(&found);
    assert_eq!(
        markdown.lines().filter(|line| line.trim_start().starts_with("```")).count(),
        2,
        "{markdown}"
    );
    assert!(!markdown.lines().any(|line| line.starts_with("## Flow")));
    for text in [markdown, plain] {
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    }
}

#[test]
fn secrets_are_not_printed() {
    let fixture = shop();
    fixture.write(".env", "TILL_KEY=close_till_secret\n");
    fixture.write("shop/id_rsa", "close_till secret cash key\n");
    let found = explore(&fixture, "close_till secret cash key TILL_KEY");
    for form in forms(&found) {
        assert!(!form.contains("close_till_secret") && !form.contains("id_rsa"), "{form}");
    }
}

#[test]
fn languages_without_a_graph_still_give_source() {
    let fixture = Fixture::new(
        "//- /src/parser.sol\nfunction parseHeader(bytes b) pure returns (Header) {\n    return Header(b.length);\n}\n",
    );
    let found = explore(&fixture, "how is the header parsed");
    assert_eq!(found.results[0].place.path, "src/parser.sol");
    assert!(found.files[0].sections[0].source.contains("Header(b.length)"));
}

#[test]
fn a_question_in_other_words_gets_the_first_places_and_a_doubt() {
    let fixture = shop();
    for n in 0..8 {
        let receipt = format!("def receipt_{n}(cash):\n    total = cash + {n}\n    return total\n");
        fixture.write(&format!("shop/receipt_{n}.py"), &receipt);
    }
    let found = explore(
        &fixture,
        "how is the queue of printed receipts replicated between closed branch offices?",
    );
    let printed: Vec<&str> =
        found.files.iter().flat_map(|file| &file.places).map(|place| place.id.as_str()).collect();
    let first = found.results.iter().take(4).map(|ranked| ranked.place.id.as_str());
    assert!(found.flow.is_empty() && found.results.len() > 4 && !printed.is_empty(), "{found:?}");
    assert!(printed.iter().all(|id| first.clone().any(|first| first == *id)), "{found:?}");
    assert!(found.notes.iter().any(|note| note.contains("may not be there")), "{:?}", found.notes);
}
