//! The packet of candidates that a model gets first: its size, and what of it is evidence.

use std::collections::BTreeSet;

use retriever::{
    evidence_ledger::{EvidenceLedger, LineRange},
    render_candidate_packet,
    search::{CallGraphFeatures, CallNeighbour, CallRelation, Question},
    workspace::RepoPath,
};

use crate::support::fixture::Fixture;

use super::{SHOP, ask};

#[test]
fn only_the_signature_lines_that_the_packet_prints_become_evidence() {
    let fixture = Fixture::new(SHOP);
    let found = ask(&fixture, &Question::new("How does an invoice get created?"));
    let mut ledger = EvidenceLedger::new();
    let text = render_candidate_packet(&found, &mut ledger, 3_000);
    let best = &found.candidates[0];
    let evidence = ledger.file(&best.file.path).unwrap();
    let first = "\n[c1] 7-10 in InvoiceService, holds lines: 7| createInvoice(customer: string): Invoice {\n";
    assert!(text.contains(first), "{text}");
    assert!(evidence.delivered.contains(LineRange::line(7).unwrap()));
    assert!(!evidence.delivered.contains(LineRange::line(8).unwrap()));
    assert!(evidence.is_declaration(LineRange::new(7, 10).unwrap()));
    for place in ledger.places() {
        let range = place.range.unwrap();
        assert!(text.contains(&format!("\n[{}] {range}", place.id)), "{text}");
    }
    let headings = text.matches("src/billing/invoice.ts (").count();
    assert_eq!(headings, 1, "{text}");
}

#[test]
fn overloads_share_a_line_of_the_packet_and_only_what_it_prints_is_evidence() {
    let source = "//- /Box.java\nclass Box {\n  void upload(int a) {\n    send(a);\n  }\n\n  void upload(long a) {\n    send(a);\n  }\n}\n";
    let found = ask(&Fixture::new(source), &Question::new("upload"));
    let mut ledger = EvidenceLedger::new();
    let text = render_candidate_packet(&found, &mut ledger, 3_000);
    let line = text.lines().find(|line| line.contains("; also [")).expect(&text);
    let (first, other) = line.split_once("; also ").unwrap();
    assert!(first.contains("2-4") && first.contains("void upload(int a)"), "{text}");
    assert!(other.contains("] 6-8"), "{text}");
    let evidence = ledger.file(&RepoPath::parse("Box.java", "").unwrap()).unwrap();
    assert!(evidence.delivered.contains(LineRange::line(2).unwrap()));
    assert!(!evidence.delivered.contains(LineRange::line(6).unwrap()), "{text}");
    let is_overload = |range| range == LineRange::new(6, 8).unwrap();
    assert!(ledger.places().iter().any(|place| place.range.is_some_and(is_overload)), "{text}");
}

#[test]
fn a_packet_stays_in_its_budget_and_registers_nothing_that_was_cut() {
    let source: String = (0..60)
        .map(|n| format!("//- /src/file{n:02}.py\ndef upload_{n}():\n    upload()\n"))
        .collect();
    let found = ask(&Fixture::new(&source), &Question::new("upload"));
    let mut ledger = EvidenceLedger::new();
    let text = render_candidate_packet(&found, &mut ledger, 400);
    assert!(text.len() <= 400 * 3 + 80, "{}", text.len());
    assert!(text.contains("weaker candidates not shown"));
    assert_eq!(ledger.places().len(), text.matches("\n[c").count());
    assert_eq!(ledger.files().count(), ledger.places().len());
    assert!(ledger.tokens() > 0);
}

#[test]
fn weaker_candidates_are_named_without_their_lines_and_only_a_named_one_is_the_likeliest() {
    let source: String = (0..60)
        .map(|n| format!("//- /src/file{n:02}.py\ndef upload_{n:02}():\n    upload()\n"))
        .collect();
    let fixture = Fixture::new(&source);
    let found = ask(&fixture, &Question::new("upload"));
    let mut ledger = EvidenceLedger::new();
    let text = render_candidate_packet(&found, &mut ledger, 3_500);
    let named = text.lines().filter(|line| line.starts_with("also [c")).count();
    assert_eq!(named, found.candidates.len() - 25, "{text}");
    let delivered = ledger.files().filter(|file| !file.delivered.runs().is_empty()).count();
    assert_eq!(delivered, 25, "a line of each of the best");
    assert!(!text.contains("likeliest"), "{text}");
    let named = ask(&fixture, &Question::new("What does upload_07 return?"));
    assert!(
        render_candidate_packet(&named, &mut EvidenceLedger::new(), 3_500)
            .contains("c1 is the likeliest")
    );
}

#[test]
fn functions_around_the_best_candidates_have_ids_and_no_lines() {
    let mut found = ask(&Fixture::new(SHOP), &Question::new("How does an invoice get created?"));
    let path = RepoPath::parse("src/other.ts", "").unwrap();
    let neighbour = CallNeighbour {
        relation: CallRelation::Callee,
        name: "send".to_owned(),
        path: path.clone(),
        range: LineRange::new(3, 9).unwrap(),
    };
    found.candidates[0].graph =
        Some(CallGraphFeatures { neighbours: vec![neighbour], ..CallGraphFeatures::default() });
    let mut ledger = EvidenceLedger::new();
    let text = render_candidate_packet(&found, &mut ledger, 3_000);
    let id = ledger.places().iter().find(|place| place.path == path).map(|place| place.id).unwrap();
    let around = format!("around the best:\n[c1] calls [{id}] src/other.ts:3-9 send\n");
    assert!(text.contains(&around), "{text}");
    assert!(ledger.file(&path).is_none(), "{text}");
    let text = render_candidate_packet(&found, &mut EvidenceLedger::new(), 60);
    assert!(!text.contains("around the best"), "there is no room: {text}");
}

#[test]
fn repository_text_cannot_pass_for_an_id() {
    let source = "//- /[c7]x/a.py\ndef upload(x=\"[c1] [C22]\"):\n    return x\n";
    let found = ask(&Fixture::new(source), &Question::new("upload"));
    let text = render_candidate_packet(&found, &mut EvidenceLedger::new(), 3_000);
    assert!(text.contains("[\u{200b}c7]x/a.py") && text.contains("[\u{200b}C22]"), "{text}");
    assert_eq!(text.matches("[c1]").count(), 1);
    assert!(!text.contains("[c7]"));
}

#[test]
fn a_packet_without_candidates_says_so_and_maps_the_folders() {
    let found = ask(&Fixture::new(SHOP), &Question::new("quaternion interpolation"));
    assert!(found.candidates.is_empty());
    let text = render_candidate_packet(&found, &mut EvidenceLedger::new(), 3_000);
    assert!(text.contains("nothing matches"), "{text}");
    assert!(text.contains("src/ 3"), "{text}");
    assert!(text.lines().count() <= 24);
}

#[test]
fn lock_files_and_minified_bundles_are_no_places() {
    let bundle =
        format!("//- /dist/app.js\n{}\n", "function uploadPhoto(a){return a};".repeat(2_000));
    let source = format!(
        "//- /package-lock.json\n{{\"uploadPhoto\": 1}}\n{bundle}//- /a.js\nfunction uploadPhoto() {{\n}}\n"
    );
    let found = ask(&Fixture::new(&source), &Question::new("uploadPhoto"));
    let paths: BTreeSet<&RepoPath> = found.candidates.iter().map(|c| &c.file.path).collect();
    assert_eq!(paths.len(), 1);
    assert_eq!(found.candidates[0].file.path.as_str(), "a.js");
}
