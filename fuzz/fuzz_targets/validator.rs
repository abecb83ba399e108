//! Arbitrary reports on a ledger with a gap: every place of the validated map lies in delivered lines.
#![no_main]

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use libfuzzer_sys::fuzz_target;
use retriever_report::{
    MapLimits, MapStatus, ReportAuthor, ValidationContext, cited_paths,
    evidence_ledger::{EvidenceLedger, EvidenceSource, FileVersion, LineRange},
    parse_text, validate,
};
use retriever_search::{Question, RequestedPlaceKinds, RoleCues};
use retriever_workspace::{ContentHash, FileState, FileTraits, RepoPath};

const ROOT: &str = "/srv/project";

static CUES: LazyLock<RoleCues> = LazyLock::new(RoleCues::default);

fuzz_target!(|text: &str| {
    let Some(parsed) = parse_text(text) else { return };
    let Some(draft) = parsed.draft else { return };
    let mut ledger = EvidenceLedger::new();
    let hash = ContentHash::of(b"content");
    let path = RepoPath::parse("src/a.rs", ROOT).expect("a plain path");
    let version =
        FileVersion { path: path.clone(), hash, total_lines: 300, traits: FileTraits::default() };
    let lines: Vec<(u32, String)> = (1..=40)
        .chain(60..=200)
        .map(|n| (n, format!("fn handler_{n}() {{ send({n}) }}")))
        .collect();
    ledger.record_delivery(&version, EvidenceSource::Read, &lines);
    for (start, end) in [(1, 40), (60, 200), (30, 70)] {
        ledger.assign_id(&path, LineRange::new(start, end));
    }
    let file_states: BTreeMap<_, _> = cited_paths(&draft, &ledger, ROOT)
        .into_iter()
        .map(|path| (path, FileState::Current(hash)))
        .collect();
    let context = ValidationContext {
        question: &Question::new("how is it handled?"),
        root: ROOT,
        ledger: &ledger,
        file_states: &file_states,
        existing_scopes: &BTreeSet::new(),
        structures: &BTreeMap::new(),
        candidates: &[],
        no_answer: None,
        scope: &RequestedPlaceKinds::default(),
        cues: &CUES,
        problems: &parsed.problems,
        author: ReportAuthor::Model,
        status: MapStatus::Complete,
        limits: MapLimits::default(),
    };
    let map = validate(&draft, &context).map;
    let delivered = &ledger.file(&path).expect("delivered above").delivered;
    for place in map.places() {
        assert_eq!(place.path, "src/a.rs");
        let range = LineRange::new(place.start, place.end);
        assert!(range.is_some_and(|range| delivered.contains(range)), "{place:?}");
    }
});
