//! What counts as delivered, and what an ID stands for.

use std::collections::BTreeSet;

use pretty_assertions::assert_eq;
use retriever_report::evidence_ledger::{
    Declaration, EvidenceId, EvidenceLedger, EvidenceSource, FileVersion, LineRange,
};
use retriever_workspace::{ContentHash, FileTraits, RepoPath};

fn file_version(path: &str, content: &[u8]) -> FileVersion {
    FileVersion {
        path: RepoPath::parse(path, "").unwrap(),
        hash: ContentHash::of(content),
        total_lines: 9,
        traits: FileTraits::default(),
    }
}

fn lines(numbers: &[u32]) -> Vec<(u32, String)> {
    numbers.iter().map(|number| (*number, format!("line {number}"))).collect()
}

#[test]
fn a_place_has_one_id_and_an_id_is_no_evidence() {
    let mut ledger = EvidenceLedger::new();
    let path = RepoPath::parse("src/a.rs", "").unwrap();
    let whole = ledger.assign_id(&path, None);
    let part = ledger.assign_id(&path, LineRange::new(2, 4));
    assert_eq!(ledger.assign_id(&path, None), whole);
    assert_eq!((whole.to_string(), part.to_string()), ("c1".to_owned(), "c2".to_owned()));
    assert_eq!(ledger.place(part).unwrap().range, LineRange::new(2, 4));
    assert!(ledger.file(&path).is_none());
    for (text, id) in [
        ("[C2]", Some(part)),
        (" c1 ", Some(whole)),
        ("c", None),
        ("c1x", None),
        ("x1", None),
        ("c+1", None),
    ] {
        assert_eq!(text.parse::<EvidenceId>().ok(), id, "{text}");
    }
}

#[test]
fn new_lines_are_counted_once_whatever_delivers_them() {
    let mut ledger = EvidenceLedger::new();
    let file = file_version("src/a.rs", b"old");
    assert_eq!(ledger.record_delivery(&file, EvidenceSource::Grep, &lines(&[3])), 1);
    assert_eq!(ledger.record_delivery(&file, EvidenceSource::Read, &lines(&[2, 3, 4])), 2);
    let evidence = ledger.file(&file.path).unwrap();
    let range = LineRange::new(2, 4).unwrap();
    assert!(evidence.delivered.contains(range) && evidence.read.contains(range));
    let text: Vec<(u32, &str)> = evidence.lines_in(LineRange::new(3, 9).unwrap()).collect();
    assert_eq!(text, [(3, "line 3"), (4, "line 4")]);
}

#[test]
fn a_delivery_from_newer_content_supersedes_earlier_ones() {
    let mut ledger = EvidenceLedger::new();
    ledger.record_delivery(
        &file_version("src/a.rs", b"old"),
        EvidenceSource::Read,
        &lines(&[1, 2]),
    );
    ledger.record_delivery(&file_version("src/a.rs", b"new"), EvidenceSource::Read, &lines(&[2]));
    let evidence = ledger.files().next().unwrap();
    assert_eq!(evidence.delivered.runs(), [LineRange::line(2).unwrap()]);
    assert_eq!(evidence.superseded.runs(), [LineRange::new(1, 2).unwrap()]);
}

#[test]
fn the_id_of_a_first_line_is_that_of_its_declaration_until_the_file_changes() {
    let mut ledger = EvidenceLedger::new();
    let (edited, same) = (file_version("src/a.rs", b"old"), file_version("src/b.rs", b"x"));
    let (line, whole) = (LineRange::line(2), LineRange::new(2, 4));
    let ids = [&edited, &same].map(|file| {
        ledger.record_delivery(file, EvidenceSource::Read, &lines(&[2, 3, 4]));
        let id = ledger.assign_id(&file.path, line);
        ledger.record_first_line(id, whole.unwrap());
        id
    });
    // Asked for again, the line is the line; asked for as a whole, the declaration has the ID.
    for (range, stands_for) in [(line, line), (whole, whole), (line, whole)] {
        assert_eq!(ledger.assign_id(&same.path, range), ids[1]);
        assert_eq!(ledger.place(ids[1]).unwrap().range, stands_for);
    }
    let newer = file_version("src/a.rs", b"new");
    ledger.record_delivery(&newer, EvidenceSource::Read, &lines(&[2]));
    assert_eq!(ledger.assign_id(&edited.path, line), ids[0]);
    assert_eq!(ledger.assign_id(&edited.path, whole).to_string(), "c3");
    assert_eq!(ledger.assign_id(&same.path, line), ids[1]);
}

#[test]
fn words_of_three_letters_are_remembered_of_what_was_asked_and_said() {
    let mut ledger = EvidenceLedger::new();
    ledger.record_unmatched("ab|Abc|a_b|create table");
    ledger.record_asked("is Abc::a_b(x)");
    ledger.record_annotation("is Abc::a_b(x)");
    let words = |words: &BTreeSet<String>| words.iter().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(words(ledger.unmatched()), "a_b abc");
    assert_eq!(words(ledger.asked()), "a_b abc");
    assert_eq!(words(ledger.annotation_words()), "Abc a_b");
}

#[test]
fn tokens_are_counted_for_the_run_and_for_known_files() {
    let mut ledger = EvidenceLedger::new();
    let file = file_version("src/a.rs", b"x");
    ledger.record_tokens(Some(&file.path), 5);
    ledger.record_delivery(&file, EvidenceSource::Read, &lines(&[1]));
    ledger.record_tokens(Some(&file.path), 7);
    ledger.record_tokens(None, 1);
    assert_eq!((ledger.tokens(), ledger.file(&file.path).unwrap().tokens), (13, 7));
}

#[test]
fn delivered_lines_are_known_by_the_narrowest_place_around_them() {
    let mut ledger = EvidenceLedger::new();
    let (file, other) = (file_version("src/a.rs", b"x"), file_version("src/b.rs", b"x"));
    for file in [&file, &other] {
        ledger.record_delivery(file, EvidenceSource::Read, &lines(&[1, 2, 3, 4, 5, 6]));
        ledger.assign_id(&file.path, None);
        ledger.assign_id(&file.path, LineRange::new(1, 6));
        ledger.assign_id(&file.path, LineRange::new(2, 4));
    }
    let known = |file: &FileVersion, start, end| {
        let found = ledger.delivered_as(file, LineRange::new(start, end).unwrap());
        found.map(|place| place.id.to_string()).unwrap_or_default()
    };
    for (start, end, id) in [(2, 4, "c3"), (3, 3, "c3"), (1, 4, "c2"), (6, 6, "c2"), (6, 7, "")] {
        assert_eq!(known(&file, start, end), id, "{start}-{end}");
    }
    assert_eq!(known(&other, 3, 3), "c6");
    assert_eq!(known(&file_version("src/a.rs", b"newer"), 2, 4), "");
    assert_eq!(known(&file_version("src/c.rs", b"x"), 2, 4), "");
    assert!(ledger.place("c0".parse().unwrap()).is_none());
    assert!(ledger.place("c7".parse().unwrap()).is_none());
}

#[test]
fn only_the_exact_extent_of_a_declaration_is_one() {
    let mut ledger = EvidenceLedger::new();
    let file = file_version("src/a.rs", b"x");
    let range = LineRange::new(2, 4).unwrap();
    let declaration = Declaration { range, name: "login".to_owned(), kind: "fn".to_owned() };
    ledger.record_declaration(&file, declaration);
    let evidence = ledger.file(&file.path).unwrap();
    for (start, end, is_one) in [(2, 4, true), (2, 3, false), (1, 4, false), (3, 4, false)] {
        let range = LineRange::new(start, end).unwrap();
        assert_eq!(evidence.is_declaration(range), is_one, "{range}");
    }
    let source = |evidence: &retriever_report::evidence_ledger::FileEvidence| {
        (evidence.delivered.is_empty(), evidence.read.is_empty())
    };
    assert_eq!(source(evidence), (true, true));
    ledger.record_delivery(&file, EvidenceSource::Grep, &lines(&[2]));
    assert_eq!(source(ledger.file(&file.path).unwrap()), (false, true));
}
