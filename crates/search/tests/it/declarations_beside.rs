//! A declaration that has no room of its own, since its file has as many places as it may, is part of the place beside it.

use std::collections::BTreeSet;

use retriever_search::Question;
use retriever_test_support::Fixture;

use crate::searching::candidates;

/// The functions of the file, in its order: the long ones are places, and a short one stands behind one of them.
const LONG: [&str; 6] = ["wash", "peel", "slice", "cook", "season", "serve"];

fn function(name: &str, lines: usize, word: &str) -> String {
    let body = format!("    note({word}, {word}_{name});\n").repeat(lines);
    format!("pub fn {name}_{word}() {{\n{body}}}\n\n")
}

/// Returns how many places the file has, and what stands beside them.
fn beside(short: &str) -> (usize, BTreeSet<String>) {
    let mut text = String::new();
    for name in LONG {
        text.push_str(&function(name, 8, "turnip"));
        text.push_str("// Far from the next one.\n".repeat(8).as_str());
    }
    let fixture = Fixture::new("");
    fixture.write("src/kitchen.rs", format!("{text}{}{short}", function("plate", 8, "turnip")));
    let found = candidates(&fixture, &[Question::new("what happens to the turnip?")]).remove(0);
    let mut names = BTreeSet::new();
    for place in &found.candidates {
        let others = place.adjacent.iter().flat_map(|other| &other.symbols);
        names.extend(others.map(|symbol| symbol.name.clone()));
        let lines = place.place_lines().unwrap();
        assert!(lines.covers(place.range.unwrap()));
        assert!(place.adjacent.iter().all(|other| lines.covers(other.range.unwrap())));
        assert!(place.adjacent.is_empty() || lines.width() <= 40, "{lines}");
    }
    (found.candidates.len(), names)
}

#[test]
fn a_declaration_without_room_is_part_of_the_place_beside_it() {
    let (places, names) = beside(&function("store", 7, "turnip"));
    assert_eq!(places, 6);
    assert_eq!(names.len(), 1, "{names:?}");
    let (places, names) = beside(&function("store", 7, "carrot"));
    assert_eq!((places, names.len()), (6, 0), "{names:?}");
}
