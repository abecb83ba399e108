//! A process that answers many questions keeps what it has read of files and of the graph: after any edit it explores the tree like
//! one that has just begun.

use std::fs;

use proptest::prelude::*;
use retriever::{Retriever, config::Config, explore::ExploreOptions};
use tempfile::TempDir;

use crate::support::fixture::Fixture;

const PATHS: [&str; 4] =
    ["pack/mill.py", "pack/bakery.py", "pack/tests/test_mill.py", "web/oven.ts"];

/// Parts of files: the same names with other lines, owners, callers, and documentation.
const PARTS: [&str; 8] = [
    "def grind(corn):\n    \"\"\"Grinds corn to flour.\"\"\"\n    return sieve(corn)\n\n\n",
    "def sieve(corn):\n    # Größere Körner bleiben liegen.\n    return bake(corn)\n\n\n",
    "def bake(flour):\n    return open_oven(flour)\n\n\ndef open_oven(flour):\n    return [flour]\n\n\n",
    "class Mill:\n    def grind(self, corn):\n        return self.sieve(corn)\n\n    def sieve(self, corn):\n        save(corn)\n        return corn\n\n\n",
    "class Miller(Mill):\n    def sieve(self, corn):\n        return grind(corn)\n\n\n",
    "from pack.mill import grind, sieve\nfrom pack.bakery import bake\n\n\n",
    "def test_grind():\n    assert grind(1) == bake(1)\n\n\n",
    "export class Oven {\n  bake(flour: Flour) {\n    return this.handleHeat(flour);\n  }\n\n  handleHeat(flour: Flour) {\n    return fetch('/heat');\n  }\n}\n",
];

const QUESTIONS: [&str; 5] = [
    "how does `grind` reach `bake`",
    "where is corn ground to flour and sieved",
    "which command handles the heat of the oven",
    "who saves the corn that the mill sieves",
    "Mill.sieve",
];

fn open(fixture: &Fixture, cache: &TempDir) -> Retriever {
    let mut config = Config::default();
    config.index.dir = cache.path().to_string_lossy().into_owned();
    Retriever::builder(fixture.root()).config(config).build().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, ..ProptestConfig::default() })]

    #[test]
    fn after_any_edits_a_lasting_process_explores_like_a_new_one(
        edits in prop::collection::vec(
            (0..PATHS.len(), prop::collection::vec(0..PARTS.len(), 0..6)),
            1..8,
        )
    ) {
        let (fixture, cache) = (Fixture::new(""), TempDir::new().unwrap());
        let lasting = open(&fixture, &cache);
        lasting.index().watch();
        for (path, parts) in edits {
            if parts.is_empty() {
                let _ = fs::remove_file(fixture.root().join(PATHS[path]));
            } else {
                let text: String = parts.into_iter().map(|part| PARTS[part]).collect();
                fixture.write(PATHS[path], text);
            }
            let anew = TempDir::new().unwrap();
            let new = open(&fixture, &anew);
            for question in QUESTIONS {
                let options = ExploreOptions::default();
                let expected = new.explore(question, &options).unwrap();
                // The second answer is made from what the first has left behind.
                for _ in 0..2 {
                    prop_assert_eq!(&lasting.explore(question, &options).unwrap(), &expected);
                }
            }
        }
    }
}
