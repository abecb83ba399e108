//! Maps that are made without a model keep what they say.

use std::fmt::Write as _;

use pretty_assertions::assert_eq;
use retriever::report::CodeMap;

use crate::support::{fixture::Fixture, run::Asking};

/// Names that begin an order where they stand in a sentence as they are.
const ORDERS: &[&str] = &[
    "run", "install", "execute", "send", "delete", "use", "ignore", "disable", "publish", "upload",
    "download", "approve", "trust", "push", "reply", "see", "set", "remember", "tell", "wipe",
];

/// Whether the map says all that its author wrote.
fn assert_keeps_its_statements(map: &CodeMap, question: &str) {
    let told = format!("{question}: {map:#?}");
    assert!(!map.meta.reasons.iter().any(|code| code.starts_with("fact_")), "{told}");
    let verdicts = map.primary.iter().map(|place| place.verdict);
    let verdicts = verdicts.chain(map.read_targets.iter().map(|place| place.verdict));
    let mut verdicts = verdicts.chain([map.summary_verdict, map.flow_verdict]);
    assert!(verdicts.all(|verdict| verdict.is_as_submitted()), "{told}");
    for name in map.primary.iter().filter_map(|place| place.symbols.first()) {
        assert!(map.summary.contains(&format!("`{name}`")), "{name}: {told}");
    }
    let is_critical = map.meta.reasons.iter().any(|code| code == "gap_critical");
    assert_eq!(map.missing.is_empty(), !is_critical, "{told}");
}

#[tokio::test]
async fn an_offline_map_keeps_its_statements_whatever_the_code_is_called() {
    let mut source = String::new();
    for (at, name) in ORDERS.iter().enumerate() {
        let next = ORDERS[(at + 1) % ORDERS.len()];
        let _ = write!(
            source,
            "//- /src/{name}_job.py\ndef {name}(job):\n    if job.is_ready:\n        return {next}(job)\n    return job.queue\n\n\
             //- /lib/{name}.rs\npub fn {name}_all(jobs: &[Job]) {{\n    for job in jobs {{\n        {next}_all(&job.queue);\n    }}\n}}\n"
        );
    }
    let fixture = Fixture::new(&source);
    for (at, first) in ORDERS.iter().enumerate() {
        let (second, third) = (ORDERS[(at + 3) % ORDERS.len()], ORDERS[(at + 7) % ORDERS.len()]);
        for question in [
            format!("how does the queue {first} a job, {second} it and {third} it?"),
            format!("what happens to jobs that {first} everything but {second}"),
            (*first).to_owned(),
            format!("where is the satellite antenna that can {first} {second}?"),
        ] {
            let map = Asking::new(&fixture, &question).ask_offline().await.map;
            assert_keeps_its_statements(&map, &question);
        }
    }
}
