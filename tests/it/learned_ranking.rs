//! The learned judge of places through the public boundary: what it goes by, what it may change, and where its table is from.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use pretty_assertions::assert_eq;
use strum::VariantArray;

use crate::{
    recon::{ask, described, open},
    support::{fixture::Fixture, run::Asking},
};
use retriever::{
    indexing::GraphIndex,
    search::Question,
    search::{
        FileFeature, FullTextSnapshot, RankingFeature, RoleCues, SearchCorpus, TrainingPool,
        candidate_pool,
    },
    workspace::{Cancellation, RepoPath},
};

const LEDGERS: &str = r#"
//- /src/ledger.rs
/// What was paid and is owed.
pub struct Ledger { entries: Vec<Entry> }

impl Ledger {
    pub fn settle_invoice(&mut self, invoice: &Invoice) -> Result<(), Unpaid> {
        for entry in self.entries.iter_mut().filter(|entry| entry.invoice == invoice.id) {
            if entry.paid(invoice) {
                self.archive(entry);
            }
        }
        Ok(())
    }

    fn archive(&self, entry: &Entry) {
        self.shelf.put(entry.clone());
    }

    pub fn invoice(&self) -> &Invoice { &self.invoice }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settles_an_invoice_that_was_paid() {
        let mut ledger = Ledger::default();
        ledger.settle_invoice(&Invoice::paid()).unwrap();
        assert!(ledger.entries.is_empty());
    }
}
//- /src/Bills.java
class Bills {
    void settleInvoice(Invoice invoice) {
        store.remove(invoice);
    }

    @Test
    void invoicesAreSettled() {
        settleInvoice(new Invoice());
    }
}
"#;

const QUESTION: &str = "How is an invoice settled and archived?";

fn pool(source: &str, question: &str) -> TrainingPool {
    static CUES: LazyLock<RoleCues> = LazyLock::new(RoleCues::default);
    let never = Cancellation::new();
    let fixture = Fixture::new(source);
    let index = GraphIndex::new(Arc::new(open(&fixture)), None);
    index.ask_on_walk_if_quick(&never, |walk, graph| {
        let workspace = index.workspace();
        let words = FullTextSnapshot::read(workspace, walk, &never);
        let ground =
            SearchCorpus { workspace, walk, index: &words, graph, role_cues: &CUES, similar: None };
        candidate_pool(&ground, &Question::new(question), &never)
    })
}

const PASSAGE_ORDER: &[u8] = include_bytes!("../../crates/search/src/ranking/passage_order.bin");
const FILE_ORDER: &[u8] = include_bytes!("../../crates/search/src/ranking/file_order.bin");
const FILE_ORDER_MANIFEST: &str = include_str!("../../evals/ranking/file_order.json");

#[test]
fn the_tables_are_those_whose_making_is_told() {
    let told = include_str!("../../evals/ranking/README.md");
    for (table, told) in [(PASSAGE_ORDER, told), (FILE_ORDER, FILE_ORDER_MANIFEST)] {
        let hash = blake3::hash(table).to_hex();
        assert!(told.contains(hash.as_str()), "another table was made: {hash}");
    }
    let manifest: serde_json::Value = serde_json::from_str(FILE_ORDER_MANIFEST).unwrap();
    assert_eq!(manifest["features"], serde_json::json!(names_in(FILE_ORDER)));
}

/// Returns the names of the features that a table uses.
fn names_in(table: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(table);
    text.lines().skip(1).take_while(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn the_tables_ask_for_features_that_there_are_and_change_an_order() {
    for name in names_in(PASSAGE_ORDER) {
        assert!(name.parse::<RankingFeature>().is_ok(), "{name}");
    }
    for name in names_in(FILE_ORDER) {
        assert!(name.parse::<FileFeature>().is_ok(), "{name}");
    }
    let found = ask(&Fixture::new(LEDGERS), &Question::new(QUESTION));
    let mut parts = found.candidates.iter().flat_map(|candidate| candidate.score.iter());
    assert!(parts.any(|(part, _)| part.as_ref() == "learned"), "{:?}", found.candidates);
}

#[test]
fn what_is_learned_changes_the_order_within_files_and_no_points() {
    let sorted = |mut totals: Vec<f64>| {
        totals.sort_by(f64::total_cmp);
        totals.iter().map(|total| format!("{total:.9}")).collect::<Vec<_>>()
    };
    let mut by_hand: BTreeMap<RepoPath, Vec<f64>> = BTreeMap::new();
    for found in pool(LEDGERS, QUESTION).candidates {
        let total = found.candidate.score.total();
        by_hand.entry(found.candidate.file.path).or_default().push(total);
    }
    let mut learned: BTreeMap<RepoPath, f64> = BTreeMap::new();
    for candidate in ask(&Fixture::new(LEDGERS), &Question::new(QUESTION)).candidates {
        // What other places say of one comes after it.
        let aside = ["corroboration", "common name", "file order"];
        let own = candidate.score.iter().filter(|(part, _)| !aside.contains(&part.as_ref()));
        let own: f64 = own.map(|(_, points)| points).sum();
        let total = format!("{own:.9}");
        let path = candidate.file.path.clone();
        assert!(sorted(by_hand[&path].clone()).contains(&total), "{candidate:?}");
        let best = learned.entry(path).or_insert(f64::MIN);
        *best = best.max(own);
    }
    for (path, best) in learned {
        let by_hand = by_hand[&path].iter().copied().fold(f64::MIN, f64::max);
        assert!((best - by_hand).abs() < 1e-9, "{path}");
    }
}

#[test]
fn facts_say_what_stands_where() {
    let pool = pool(LEDGERS, QUESTION);
    let fact = |name: &str, fact: RankingFeature| {
        let place = pool
            .candidates
            .iter()
            .find(|found| described(&found.candidate).ends_with(name))
            .unwrap();
        place.features.get(fact)
    };
    assert_eq!(pool.candidates[0].features.as_slice().len(), RankingFeature::VARIANTS.len());
    for (more, less, which) in [
        ("settle_invoice", " invoice", RankingFeature::Name),
        ("settle_invoice", " invoice", RankingFeature::Body),
        ("settle_invoice", " invoice", RankingFeature::Work),
        ("settle_invoice", " invoice", RankingFeature::Lines),
    ] {
        let (more_of, less_of) = (fact(more, which), fact(less, which));
        assert!(more_of > less_of, "{which:?}: {more} {more_of}, {less} {less_of}");
    }
    let shares = [
        RankingFeature::Name,
        RankingFeature::Body,
        RankingFeature::Any,
        RankingFeature::Own,
        RankingFeature::Around,
        RankingFeature::Close,
    ];
    for found in &pool.candidates {
        assert!(shares.iter().all(|share| (0.0..=1.0).contains(&found.features.get(*share))));
    }
}

#[tokio::test]
async fn tests_beside_the_code_are_nothing_to_read() {
    let fixture = Fixture::new(LEDGERS);
    let found = ask(&fixture, &Question::new(QUESTION));
    let beside: Vec<String> = found
        .candidates
        .iter()
        .filter(|candidate| candidate.in_test && !candidate.file.traits.is_secondary())
        .map(described)
        .collect();
    for test in ["settles_an_invoice_that_was_paid", "invoicesAreSettled"] {
        assert!(beside.iter().any(|place| place.ends_with(test)), "{test}: {beside:?}");
    }
    assert!(!beside.iter().any(|place| place.ends_with("settle_invoice")), "{beside:?}");
    let map = Asking::new(&fixture, QUESTION).ask_offline().await.map;
    assert!(!map.read_targets.is_empty());
    for candidate in found.candidates.iter().filter(|candidate| candidate.in_test) {
        let lines = candidate.range.unwrap();
        let is_it =
            |path: &str, start: u32| path == candidate.file.path.as_str() && lines.contains(start);
        assert!(
            !map.read_targets.iter().any(|target| is_it(&target.place.path, target.place.start))
        );
        assert!(!map.primary.iter().any(|item| is_it(&item.place.path, item.place.start)));
    }
}

#[test]
fn private_is_what_a_keyword_before_the_name_hides() {
    let source = "\
//- /src/berth.c
static int at(int berth) {
    return find_berth(berth);
}
int open_berth(int berth) {
    return find_berth(berth);
}
//- /src/Berth.java
class Berth {
    private int iv(int berth) {
        return findBerth(berth);
    }
    static int take(int berth) {
        return findBerth(berth);
    }
}
";
    let pool = pool(source, "where is a berth found");
    for (place, is_hidden) in [
        ("berth.c at", 1.0),
        ("berth.c open_berth", 0.0),
        ("Berth.java iv", 1.0),
        ("Berth.java take", 0.0),
    ] {
        let found = pool.candidates.iter().find(|it| described(&it.candidate).ends_with(place));
        let found = found.unwrap_or_else(|| panic!("{place} is a place"));
        assert_eq!(found.features.get(RankingFeature::Hidden), is_hidden, "{place}");
    }
}
