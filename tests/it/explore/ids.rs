//! The names of places: they stay while a declaration stays, and lead back to it from any process.

use std::collections::BTreeSet;

use pretty_assertions::assert_eq;
use retriever::{
    Retriever,
    explore::{ExploreOptions, PlaceContextError},
};

use super::explore;
use crate::support::fixture::Fixture;

const POND: &str = "\
//- /pond.py
def feed_ducks(bread):
    return share(bread)

def share(bread):
    return bread
//- /notes.txt
the ducks are fed at noon
nobody feeds them bread
//- /pond.zig
fn feedDucks(bread: u8) u8 {
    return bread;
}
";

fn context(fixture: &Fixture, ids: &[&str]) -> Result<Vec<String>, PlaceContextError> {
    let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
    let retriever = Retriever::builder(fixture.root()).build().unwrap();
    let found = retriever.context(&ids, &ExploreOptions::default())?;
    Ok(found
        .places
        .iter()
        .map(|place| format!("{} {}", place.place.path, place.place.name))
        .collect())
}

#[test]
fn every_printed_id_leads_back_to_its_place() {
    let fixture = Fixture::new(POND);
    let found = explore(&fixture, "how are the ducks fed with bread");
    assert!(found.results.len() >= 3, "{:?}", found.results);
    let ids: BTreeSet<&str> = found.results.iter().map(|found| found.place.id.as_str()).collect();
    assert_eq!(ids.len(), found.results.len());
    for result in &found.results {
        assert_eq!(result.place.id.len(), 8);
        let place = context(&fixture, &[&result.place.id]).unwrap();
        assert_eq!(place.len(), 1);
        assert!(place[0].starts_with(&result.place.path), "{place:?} {result:?}");
        assert_eq!(context(&fixture, &[&result.place.id[..6]]).unwrap(), place);
        assert_eq!(context(&fixture, &[&result.place.id.to_uppercase()]).unwrap(), place);
    }
}

#[test]
fn an_id_stays_when_the_lines_around_its_declaration_move() {
    let fixture = Fixture::new(POND);
    let id_of = |name: &str| {
        let found = explore(&fixture, "feed_ducks share");
        found.results.iter().find(|found| found.place.name == name).unwrap().place.id.clone()
    };
    let before = id_of("feed_ducks");
    let moved = "import os\n\n\ndef feed_ducks(bread, more=1):\n    return share(bread) + more\n\ndef share(bread):\n    return bread\n";
    fixture.write("pond.py", moved);
    assert_eq!(id_of("feed_ducks"), before);
    fixture.write("pond.py", moved.replace("feed_ducks", "feed_geese"));
    assert_eq!(context(&fixture, &[&before]), Err(PlaceContextError::Unknown(before.clone())));
}

#[test]
fn a_line_stands_for_the_narrowest_declaration_around_it() {
    let fixture = Fixture::new(POND);
    for (named, place) in [
        ("pond.py:2", "pond.py feed_ducks"),
        ("pond.py:4-5", "pond.py share"),
        ("pond.py:3", "pond.py 3-5"),
    ] {
        assert_eq!(context(&fixture, &[named]).unwrap(), [place]);
    }
    for (path, line) in [("pond.py", 999), ("none.py", 1)] {
        let gone = PlaceContextError::NoLine { path: path.to_owned(), line };
        assert_eq!(context(&fixture, &[&format!("{path}:{line}-{line}")]), Err(gone));
    }
}

#[test]
fn what_is_no_id_or_fits_several_is_said() {
    let many: String = (0..1_500).map(|n| format!("def task_{n}():\n    pass\n")).collect();
    let fixture = Fixture::new(&format!("//- /tasks.py\n{many}"));
    let first = explore(&fixture, "task_7").results[0].place.id.clone();
    for bad in ["", "k3", "not an id!", "toolongtobeone", "il0o"] {
        let error = context(&fixture, &[bad]).unwrap_err();
        assert!(matches!(error, PlaceContextError::NotAnId(_)), "{bad}: {error}");
    }
    let error = context(&fixture, &["s12"]).unwrap_err();
    assert!(error.to_string().contains("--session"), "{error}");
    assert_eq!(context(&fixture, &[]), Err(PlaceContextError::NoId));
    let number = 51;
    let many = vec![first.as_str(); number];
    assert_eq!(context(&fixture, &many), Err(PlaceContextError::ManyIds { number }));
    assert_eq!(context(&fixture, &many[1..]).map(|places| places.len()), Ok(1));
    // Of 1,500 declarations in one file some share the first four letters.
    let ambiguous = (b"0123456789abcdefghjkmnpqrstvwxyz").iter().find_map(|letter| {
        let mut prefix: Vec<u8> = first.as_bytes()[..4].to_vec();
        prefix[3] = *letter;
        let prefix = String::from_utf8(prefix).unwrap();
        match context(&fixture, &[&prefix]) {
            Err(PlaceContextError::Ambiguous { total, matches, .. }) => Some((total, matches)),
            _ => None,
        }
    });
    let (total, matches) = ambiguous.expect("a prefix that fits several");
    assert!(total >= 2);
    assert!(matches[0].contains("tasks.py:"), "{matches:?}");
}

#[test]
fn a_context_that_is_too_long_loses_its_longest_source_first() {
    let long = format!("REEDS_{{}} = \"{}\"\n", "reed ".repeat(70));
    let fixture = Fixture::new(POND);
    fixture.write("reeds.py", long.replace("{}", "1") + &long.replace("{}", "2"));
    let ids = ["reeds.py:1", "reeds.py:2", "pond.py:1"].map(str::to_owned);
    let retriever = Retriever::builder(fixture.root()).build().unwrap();
    let options = ExploreOptions { budget: Some(1_300), depth: 0, ..ExploreOptions::default() };
    let found = retriever.context(&ids, &options).unwrap();
    assert!(found.truncated);
    let with_source = found.places.iter().filter(|place| !place.sections.is_empty());
    let names: Vec<&str> = with_source.map(|place| place.place.name.as_str()).collect();
    assert_eq!(names.last(), Some(&"feed_ducks"), "{names:?}");
    assert_eq!(found.places.len(), 3);
}
