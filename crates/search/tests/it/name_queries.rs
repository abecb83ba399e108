//! A query that is a name is answered by its declaration, and a short query by the file that is named with its words.

use retriever_search::Question;
use retriever_test_support::Fixture;

use crate::searching::candidates;

/// Returns the ranked files of each query, and the name that the first place declares.
fn ranked(fixture: &Fixture, queries: &[&str]) -> Vec<(Vec<String>, String)> {
    let questions: Vec<Question> = queries.iter().map(|query| Question::new(*query)).collect();
    let found = candidates(fixture, &questions).into_iter().map(|found| {
        let files = found.files().into_iter().map(ToString::to_string).collect();
        let first = found.candidates.first().and_then(|first| first.symbols.first());
        (files, first.map(|symbol| symbol.name.clone()).unwrap_or_default())
    });
    found.collect()
}

#[test]
fn a_name_leads_to_its_declaration() {
    let uses = "    let parcel = Parcel::new(); parcel.ship(); parcel.ship();\n".repeat(20);
    let fixture = Fixture::new("");
    fixture.write("src/desk.rs", format!("pub fn serve_parcel() {{\n{uses}}}\n"));
    fixture.write("src/v1/parcel.rs", "pub struct Parcel {\n    pub old: u8,\n}\n");
    fixture.write(
        "src/parcel.rs",
        "pub struct Parcel {\n    pub weight: u8,\n}\n\nimpl Parcel {\n    pub fn ship(&self) {}\n}\n",
    );
    fixture.write("src/boat.rs", "pub struct Boat;\n\nimpl Boat {\n    pub fn ship(&self) {}\n}\n");
    // A word of grammar, a method beside a field, and a constant of the preprocessor that others only use.
    fixture.write("src/shelf.rs", "pub fn get(at: u8) -> u8 {\n    at\n}\n");
    let belt = "pub struct Order {\n    pub run: u8,\n}\n\npub struct Belt;\n\nimpl Belt {\n    pub fn run(&self) {}\n}\n";
    fixture.write("src/belt.rs", belt);
    // A module and an import are not what they name, and what stands in a long class is found there.
    fixture.write("src/lib.rs", "mod crate_of;\nmod belt;\n");
    fixture.write("src/exec.rs", "pub fn crate_of(at: u8) -> u8 {\n    at\n}\n");
    let hook =
        "const weigh = require('weigh');\n\nclass Hook {\n  weigh() { return weigh(this); }\n}\n";
    fixture.write("src/hook.js", hook);
    fixture.write("src/utils/winches.js", "function winchOf() {\n  return winches;\n}\n");
    fixture.write("src/yard.js", "export const winches = { big: 1 };\n");
    let steps = "  def step\n    lift\n  end\n".repeat(50);
    fixture.write("src/hoist.rb", format!("class Hoist\n{steps}  TOP_SPEED = 5\n{steps}end\n"));
    fixture.write(
        "src/limits.h",
        "#ifndef LIMITS_H\n#define LIMITS_H\n\n#define MIN_LOAD 1\n#define MAX_LOAD 7\n#define FULL 9\n\n#endif\n",
    );
    fixture
        .write("src/crane.c", "int lift(int load) {\n    return load < MAX_LOAD && MAX_LOAD;\n}\n");
    let queries = [
        ("Parcel", "src/parcel.rs", "Parcel"),
        ("`Parcel`", "src/parcel.rs", "Parcel"),
        ("Parcel::ship", "src/parcel.rs", "ship"),
        ("Boat.ship()", "src/boat.rs", "ship"),
        ("serve_parcel", "src/desk.rs", "serve_parcel"),
        ("get", "src/shelf.rs", "get"),
        ("run", "src/belt.rs", "run"),
        ("MAX_LOAD", "src/limits.h", "MAX_LOAD"),
        ("crate_of", "src/exec.rs", "crate_of"),
        ("weigh", "src/hook.js", "weigh"),
        ("winches", "src/yard.js", "winches"),
        ("TOP_SPEED", "src/hoist.rb", "TOP_SPEED"),
    ];
    let found = ranked(&fixture, &queries.map(|(query, ..)| query));
    for ((query, file, name), (files, first)) in queries.iter().zip(found) {
        assert_eq!((files[0].as_str(), first.as_str()), (*file, *name), "{query}: {files:?}");
    }
}

#[test]
fn a_comment_leads_to_the_declaration_below_it() {
    let fixture = Fixture::new("");
    let till = "class Till {\n    /**\n    *@param sum paid with a voucher\n    **/\n    void pay(int sum) {}\n}\n";
    fixture.write("src/Till.java", till);
    let found = ranked(&fixture, &["who takes a voucher"]);
    assert_eq!(found[0].1, "pay");
}

#[test]
fn a_tree_without_a_language_of_the_graph_is_searched() {
    let fixture = Fixture::new("");
    fixture.write("parcel.jl", "function ship_parcel()\n  1\nend\n");
    let found = ranked(&fixture, &["ship_parcel", "where is ship_parcel called"]);
    for (files, _) in found {
        assert_eq!(files, ["parcel.jl"]);
    }
}

#[test]
fn of_a_name_with_many_definitions_those_are_added_that_no_word_has_found() {
    let fixture = Fixture::new("");
    for at in 0..150 {
        fixture.write(&format!("src/a{at:03}.py"), "def settle():\n    pass\n");
    }
    fixture.write("src/z.py", "class settle:\n    pass\n");
    assert_eq!(ranked(&fixture, &["settle"])[0].0[0], "src/z.py");
}
