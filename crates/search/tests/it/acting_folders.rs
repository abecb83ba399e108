//! Of two files of one name, one for what reads and one for what writes, the verb of a question says which comes first.

use retriever_search::Question;
use retriever_test_support::Fixture;

use crate::searching::candidates;

/// Returns the file that comes first of two, of which the writer has more of the words.
fn first(question: &str) -> String {
    let fixture = Fixture::new("");
    let steps = "    step(ledger, document);\n".repeat(6);
    let of_document = "pub fn ledger_document() {\n    document(ledger);\n}\n";
    fixture.write("src/readers/ledger.rs", "pub fn ledger() {\n    document();\n}\n");
    fixture
        .write("src/writers/ledger.rs", format!("pub fn ledger() {{\n{steps}}}\n\n{of_document}"));
    fixture.write("src/desk.rs", "pub fn serve() {}\n");
    let found = candidates(&fixture, &[Question::new(question)]).remove(0);
    found.files()[0].as_str().to_owned()
}

#[test]
fn the_verb_says_which_of_two_files_of_one_name_is_meant() {
    for (question, expected) in [
        ("ledger document", "src/writers/ledger.rs"),
        ("writes a ledger document", "src/writers/ledger.rs"),
        ("reads a ledger document", "src/readers/ledger.rs"),
        ("how is a ledger document read", "src/readers/ledger.rs"),
    ] {
        assert_eq!(first(question), expected, "{question}");
    }
}
