//! The validator against arbitrary reports on a ledger with a gap: every place of the map lies in delivered lines.
#![no_main]

use std::{collections::BTreeMap, sync::LazyLock};

use libfuzzer_sys::fuzz_target;
use retriever::{
    Question,
    ledger::{FileStamp, Ledger, LineRange, Source},
    model::Author,
    search::QuestionScope,
    search::RoleCues,
    report::{Judgement, Limits, Status, cited_paths, parse_text, validate},
    workspace::{ContentHash, FileTraits, RepoPath, Standing},
};

const ROOT: &str = "/srv/project";

static CUES: LazyLock<RoleCues> = LazyLock::new(RoleCues::default);

fuzz_target!(|text: &str| {
    let Some(parsed) = parse_text(text) else { return };
    let Some(draft) = parsed.draft else { return };
    let mut ledger = Ledger::new();
    let hash = ContentHash::of(b"content");
    let path = RepoPath::parse("src/a.rs", ROOT).expect("a plain path");
    let stamp = FileStamp { path: path.clone(), hash, total_lines: 300, traits: FileTraits::default() };
    let lines: Vec<(u32, String)> =
        (1..=40).chain(60..=200).map(|n| (n, format!("fn handler_{n}() {{ send({n}) }}"))).collect();
    ledger.deliver(&stamp, Source::Read, &lines);
    for (start, end) in [(1, 40), (60, 200), (30, 70)] {
        ledger.name(&path, LineRange::new(start, end));
    }
    let standing: BTreeMap<_, _> =
        cited_paths(&draft, &ledger, ROOT).into_iter().map(|path| (path, Standing::Current(hash))).collect();
    let judgement = Judgement {
        question: &Question::new("how is it handled?"),
        root: ROOT,
        ledger: &ledger,
        standing: &standing,
        candidates: &[],
        asked: &QuestionScope::default(),
        cues: &CUES,
        problems: &parsed.problems,
        author: Author::Model,
        status: Status::Complete,
        limits: Limits::default(),
    };
    let map = validate(&draft, &judgement).map;
    let delivered = &ledger.file(&path).expect("delivered above").delivered;
    let cited = map
        .primary
        .iter()
        .map(|p| (&p.path, p.start, p.end))
        .chain(map.secondary.iter().map(|p| (&p.path, p.start, p.end)))
        .chain(map.read_targets.iter().map(|p| (&p.path, p.start, p.end)))
        .chain(map.findings.iter().flat_map(|f| &f.refs).map(|p| (&p.path, p.start, p.end)));
    for (cited, start, end) in cited {
        assert_eq!(cited, "src/a.rs");
        assert!(LineRange::new(start, end).is_some_and(|range| delivered.contains(range)), "{start}-{end}");
    }
});
