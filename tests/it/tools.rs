//! The tools as a model sees them: arguments in, text and a ledger out.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use retriever::{
    config::{FileTraitsConfig, WorkspaceConfig},
    estimate_tokens,
    evidence_ledger::{EvidenceLedger, EvidenceSource, FileVersion, LineRange, LineSet},
    tools::{
        ObservationExcerpt, ToolContext, ToolError, ToolObservation, ToolOutcome, ToolRegistry,
        ToolResult,
        render_tool_result::{ObservationBudget, RenderedObservation, render},
        tool_schema,
    },
    workspace::escape_for_model,
    workspace::{Cancellation, ContentHash, FileTraits, RepoPath, Workspace},
};
use serde_json::{Value, json};

use crate::support::fixture::Fixture;

pub(crate) const PLENTY: ObservationBudget =
    ObservationBudget { tokens: 100_000, per_file_total: 100_000 };

pub(crate) fn context(fixture: &Fixture) -> ToolContext {
    let workspace =
        Workspace::open(fixture.root(), &WorkspaceConfig::default(), &FileTraitsConfig::default());
    ToolContext::new(Arc::new(workspace.unwrap()), &EvidenceLedger::new(), Cancellation::new())
}

pub(crate) fn call(context: &ToolContext, tool: &str, arguments: &Value) -> ToolResult {
    ToolRegistry::standard().call(tool, context, arguments).unwrap()
}

pub(crate) fn text(context: &ToolContext, tool: &str, arguments: &Value) -> String {
    render(&call(context, tool, arguments).observation, &mut EvidenceLedger::new(), &PLENTY).text
}

fn model_error(tool: &str, arguments: &Value) -> String {
    let context = context(&Fixture::new(""));
    let error = ToolRegistry::standard().call(tool, &context, arguments).unwrap_err();
    assert!(matches!(error, ToolError::Model(_)));
    error.to_string()
}

fn path(text: &str) -> RepoPath {
    RepoPath::parse(text, "").unwrap()
}

fn small() -> Fixture {
    Fixture::new(
        "//- /src/a.rs\nfn alpha() {}\nfn beta() { alpha() }\n// [c99] x\n\
         //- /src/deep/b.rs\nuse alpha;\n//- /tests/t.rs\nalpha();\n\
         //- /web/app.ts\nconst alpha = 1;\n//- /.github/w.yml\nalpha: 1\n//- /.gitignore\nout/\n\
         //- /out/x.rs\nfn gamma() {}\n",
    )
}

#[test]
fn grep_prints_paths_once_with_an_id_for_each_run_of_lines() {
    let fixture = small();
    let context = context(&fixture);
    assert_eq!(
        text(&context, "grep", &json!({"pattern": "alpha"})),
        "5 matches in 4 files for \"alpha\"\n\
         src/a.rs (3 lines)\n[c1] 1-2\n    1| fn alpha() {}\n    2| fn beta() { alpha() }\n\
         src/deep/b.rs (1 line)\n[c2] 1| use alpha;\n\
         web/app.ts (1 line)\n[c3] 1| const alpha = 1;\n\
         tests/t.rs (1 line, test)\n[c4] 1| alpha();\n\
         files not searched: 1 ignored, 2 hidden"
    );
}

#[test]
fn grep_obeys_its_arguments() {
    let fixture = small();
    let context = context(&fixture);
    let cases = [
        (json!({"pattern": "alpha", "include": "**/*.rs"}), 4, "src/a.rs"),
        (json!({"pattern": "alpha", "include": "src/**/b.rs"}), 1, "src/deep/b.rs"),
        (json!({"pattern": "alpha", "include": "*.{ts,tsx}"}), 1, "web/app.ts"),
        (json!({"pattern": "alpha", "include": "!src/**,!tests/**"}), 1, "web/app.ts"),
        (json!({"pattern": "alpha", "path": "src/deep"}), 1, "src/deep/b.rs"),
        (json!({"pattern": "alpha", "path": "./src/a.rs"}), 2, "src/a.rs"),
        (json!({"pattern": "ALPHA", "ignore_case": "true", "path": "web"}), 1, "web/app.ts"),
        (json!({"pattern": "alpha()", "literal": true}), 3, "src/a.rs"),
        (json!({"pattern": "^use", "limit": "1"}), 1, "src/deep/b.rs"),
        (json!({"pattern": r"\{\}$"}), 1, "src/a.rs"),
        (json!({"pattern": "gamma", "path": "out"}), 1, "out/x.rs"),
    ];
    for (arguments, total, first) in cases {
        let typed = call(&context, "grep", &arguments).typed;
        assert_eq!(typed["total_matches"], total, "{arguments}");
        assert_eq!(typed["matches"][0]["path"], first, "{arguments}");
    }
}

#[test]
fn a_call_says_what_it_looked_for() {
    let fixture = small();
    let context = context(&fixture);
    // What no file has, if nothing is found, only a search of all files in any case of letters says.
    for (tool, arguments, text, is_exhaustive) in [
        ("grep", json!({"pattern": "zeta", "ignore_case": true}), Some("zeta"), true),
        // The names that arguments also have, and values in the wrong type.
        ("grep", json!({"query": "zeta", "ignore_case": "true"}), Some("zeta"), true),
        ("grep", json!({"pattern": "zeta"}), Some("zeta"), false),
        (
            "grep",
            json!({"pattern": "zeta", "ignore_case": true, "path": "src"}),
            Some("zeta"),
            false,
        ),
        (
            "grep",
            json!({"pattern": "zeta", "ignore_case": true, "glob": "*.rs"}),
            Some("zeta"),
            false,
        ),
        // Plain text is one name, not two.
        (
            "grep",
            json!({"pattern": "a|b", "ignore_case": true, "literal": true}),
            Some("a|b"),
            false,
        ),
        ("glob", json!({"pattern": "**/zeta.rs"}), Some("**/zeta.rs"), false),
        ("read", json!({"file": "src/a.rs"}), None, false),
    ] {
        let searched = call(&context, tool, &arguments).searched;
        let found = searched.map(|it| (it.text, it.is_exhaustive));
        assert_eq!(found, text.map(|text| (text.to_owned(), is_exhaustive)), "{tool} {arguments}");
    }
}

#[test]
fn each_way_to_find_nothing_has_its_own_answer() {
    let fixture = small();
    let context = context(&fixture);
    let cases = [
        ("grep", json!({"pattern": "gamma"}), ToolOutcome::NoMatch, "1 ignored, 2 hidden"),
        ("grep", json!({"pattern": "Alpha"}), ToolOutcome::NoMatch, "ignore_case=true"),
        (
            "grep",
            json!({"pattern": "a", "include": "*.py"}),
            ToolOutcome::NoMatch,
            "none of 4 files",
        ),
        ("grep", json!({"pattern": ""}), ToolOutcome::BadPattern, "empty"),
        ("grep", json!({"pattern": "zeta("}), ToolOutcome::BadPattern, "unclosed group"),
        ("grep", json!({"pattern": "a\nb"}), ToolOutcome::BadPattern, "within one line"),
        ("grep", json!({"pattern": "a", "include": "[a"}), ToolOutcome::BadPattern, "\"[a\""),
        ("grep", json!({"pattern": "a", "path": "srk"}), ToolOutcome::BadPath, "did you mean src"),
        ("grep", json!({"pattern": "a", "path": "../x"}), ToolOutcome::BadPath, "outside"),
        ("glob", json!({"pattern": "*.py"}), ToolOutcome::NoMatch, "no file matches \"*.py\""),
        ("glob", json!({"pattern": "apps.ts"}), ToolOutcome::NoMatch, "did you mean web/app.ts"),
        ("glob", json!({"pattern": "a{b"}), ToolOutcome::BadPattern, "can't be used"),
        ("read", json!({"file": "a.rs"}), ToolOutcome::BadPath, "did you mean src/a.rs"),
        ("read", json!({"file": "c7"}), ToolOutcome::BadPath, "c7 is not an ID that was shown"),
        ("read", json!({"file": "src"}), ToolOutcome::BadPath, "folders: deep/"),
        ("read", json!({"file": "src/a.rs:9"}), ToolOutcome::BadArguments, "has 3 lines"),
        (
            "read",
            json!({"file": "src/a.rs", "num_lines": 0}),
            ToolOutcome::BadArguments,
            "at least 1",
        ),
    ];
    for (tool, arguments, outcome, part) in cases {
        let result = call(&context, tool, &arguments);
        assert_eq!(result.observation.outcome, outcome, "{tool} {arguments}");
        let text = render(&result.observation, &mut EvidenceLedger::new(), &PLENTY).text;
        assert!(text.contains(part), "{tool} {arguments}: {text}");
    }
}

#[test]
fn a_pattern_that_is_no_regular_expression_is_searched_as_text_and_says_so() {
    let fixture = Fixture::new("//- /a.js\nrun(x);\nif (?<=y) z\n");
    let context = context(&fixture);
    for pattern in ["run(", "(?<=y)"] {
        let text = text(&context, "grep", &json!({"pattern": pattern}));
        assert!(text.starts_with("1 match in 1 file"), "{text}");
        assert!(text.contains("searched as plain text"), "{text}");
    }
}

#[test]
fn grep_pages_through_the_same_order_and_names_the_next_call() {
    let fixture = Fixture::new("");
    for file in 0..30 {
        fixture.write(&format!("f{file:02}.txt"), "hit\n".repeat(3));
    }
    fixture.write("z.txt", "hit\n".repeat(50));
    let context = context(&fixture);
    let first = call(&context, "grep", &json!({"pattern": "hit", "limit": 40})).typed;
    assert_eq!(first["total_matches"], 140);
    assert_eq!((&first["next_offset"], &first["outcome"]), (&json!(40), &json!("truncated")));
    let mut seen: Vec<(String, u64)> = Vec::new();
    let mut offset = Some(0);
    while let Some(from) = offset {
        let page =
            call(&context, "grep", &json!({"pattern": "hit", "limit": 40, "offset": from})).typed;
        for hit in page["matches"].as_array().unwrap() {
            seen.push((hit["path"].as_str().unwrap().to_owned(), hit["line"].as_u64().unwrap()));
        }
        offset = page["next_offset"].as_u64();
    }
    assert!(seen.is_sorted());
    assert_eq!(seen.len(), 140, "a limit that is given is the only one");
    let last = text(&context, "grep", &json!({"pattern": "hit", "offset": 90}));
    assert!(last.contains("20 of 140 matches in 31 files"), "{last}");
    assert!(last.contains("+30 more in this file: grep pattern=\"hit\" path=\"z.txt\""), "{last}");
    let one = call(&context, "grep", &json!({"pattern": "hit", "path": "z.txt"})).typed;
    assert_eq!(one["matches"].as_array().unwrap().len(), 50);
}

#[test]
fn context_lines_are_shown_and_overlapping_runs_are_one() {
    let fixture = Fixture::new("//- /a.txt\n1\n2\nhit\n4\nhit\n6\n7\n8\n9\nhit\n");
    let context = context(&fixture);
    let text = text(&context, "grep", &json!({"pattern": "hit", "context": 1}));
    assert!(
        text.contains("[c1] 2-6\n    2| 2\n    3| hit\n    4| 4\n    5| hit\n    6| 6\n"),
        "{text}"
    );
    assert!(text.contains("[c2] 9-10\n    9| 9\n   10| hit"), "{text}");
}

#[test]
fn a_long_line_is_cut_around_its_match() {
    let line = format!("{}needle{}", "é".repeat(5_000), "x".repeat(5_000));
    let fixture = Fixture::new("");
    fixture.write("min.js", &line);
    let context = context(&fixture);
    let text = text(&context, "grep", &json!({"pattern": "needle"}));
    assert!(text.contains("(+4900 chars)…") && text.contains("needle"), "{text}");
    assert!(text.len() < 1_500);
    let read = self::text(&context, "read", &json!({"file": "min.js"}));
    assert!(read.contains("é…(+9606 chars)"), "{read}");
}

#[test]
fn utf16_and_crlf_files_are_searched_as_text() {
    let fixture = Fixture::new("");
    fixture.write("wide.txt", b"\xff\xfeo\0n\0e\0\n\0t\0w\0o\0");
    fixture.write("dos.txt", "one\r\ntwo\r\n");
    let context = context(&fixture);
    let text = text(&context, "grep", &json!({"pattern": "^two$"}));
    assert!(text.contains("[c1] 2| two\nwide.txt (2 lines)\n[c2] 2| two"), "{text}");
}

#[test]
fn glob_lists_the_newest_first_over_everything_that_matches() {
    let fixture =
        Fixture::new("//- /a/old.rs\n1\n//- /a/b/new.rs\n2\n//- /c/mid.rs\n3\n//- /c/x.ts\n4\n");
    for (path, seconds) in
        [("a/old.rs", 100), ("c/mid.rs", 200), ("a/b/new.rs", 300), ("c/x.ts", 50)]
    {
        let file = std::fs::File::options().write(true).open(fixture.root().join(path)).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds)).unwrap();
    }
    let context = context(&fixture);
    let cases = [
        (json!({"pattern": "*.rs"}), vec!["a/b/new.rs", "c/mid.rs", "a/old.rs"]),
        (json!({"pattern": "**/*.rs", "limit": 1}), vec!["a/b/new.rs"]),
        (json!({"pattern": "**/*.rs", "limit": 1, "offset": 2}), vec!["a/old.rs"]),
        (json!({"pattern": "a/*.rs"}), vec!["a/old.rs"]),
        (json!({"pattern": "a/**/new.rs"}), vec!["a/b/new.rs"]),
        (json!({"pattern": "*.{ts,tsx}"}), vec!["c/x.ts"]),
        (json!({"pattern": "b/*.rs", "path": "a"}), vec!["a/b/new.rs"]),
        (json!({"pattern": "a"}), vec!["a/b/new.rs", "a/old.rs"]),
        (json!({"pattern": "/c/"}), vec!["c/mid.rs", "c/x.ts"]),
    ];
    for (arguments, expected) in cases {
        let typed = call(&context, "glob", &arguments).typed;
        let files: Vec<&str> = typed["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| f["path"].as_str().unwrap())
            .collect();
        assert_eq!(files, expected, "{arguments}");
    }
    let text = text(&context, "glob", &json!({"pattern": "*.rs", "limit": 2}));
    assert_eq!(
        text,
        "2 of 3 files by folder, newest first\n[c1] a/b/new.rs (1 line)\n[c2] c/mid.rs (1 line)\n\
         refine, or see more: glob pattern=\"*.rs\" offset=2"
    );
}

#[test]
fn glob_prints_the_files_of_a_folder_below_it() {
    let fixture =
        Fixture::new("//- /a/x.rs\n1\n2\n//- /a/y.rs\n1\n//- /b/z.rs\n1\n//- /top.rs\n1\n");
    let context = context(&fixture);
    let shown = text(&context, "glob", &json!({"pattern": "*.rs"}));
    let mut lines: Vec<&str> = shown.lines().skip(1).collect();
    let at = lines.iter().position(|line| *line == "a/").unwrap();
    let folder: Vec<&str> = lines.drain(at..at + 3).map(without_id).collect();
    assert!(folder.contains(&"x.rs (2 lines)") && folder.contains(&"y.rs (1 line)"), "{shown}");
    let mut others: Vec<&str> = lines.into_iter().map(without_id).collect();
    others.sort_unstable();
    assert_eq!(others, ["b/z.rs (1 line)", "top.rs (1 line)"], "{shown}");
}

fn without_id(line: &str) -> &str {
    line.split_once("] ").map_or(line, |(_, rest)| rest)
}

#[test]
fn read_takes_paths_ids_and_lines() {
    let fixture = Fixture::new("");
    fixture.write("src/a.rs", (1..=60).map(|n| format!("line {n}\n")).collect::<String>());
    let mut context = context(&fixture);
    let mut ledger = EvidenceLedger::new();
    let id = ledger.assign_id(&path("src/a.rs"), LineRange::new(10, 12));
    context.places = Arc::new(BTreeMap::from([(id, (path("src/a.rs"), LineRange::new(10, 12)))]));
    let cases = [
        (json!({"file": "src/a.rs"}), 1, 60),
        (json!({"file": "src/a.rs", "start_line": 50}), 50, 60),
        (json!({"file": "src/a.rs", "start_line": "5", "num_lines": "2"}), 5, 6),
        (json!({"path": "src/a.rs", "num_lines": 3.0}), 1, 3),
        (json!({"file": "src/a.rs:20-30"}), 20, 30),
        (json!({"file": "src/a.rs:20"}), 20, 20),
        (json!({"file": "c1"}), 10, 12),
        (json!({"file": "[c1]"}), 10, 12),
        (json!({"file": "c1:40-58"}), 40, 58),
        (json!({"file": "c1", "start_line": 3, "num_lines": 1}), 3, 3),
        (json!({"file": "src/a.rs", "start_line": 55, "num_lines": 4_000_000_000_u64}), 55, 60),
    ];
    for (arguments, first, last) in cases {
        let typed = call(&context, "read", &arguments).typed;
        let lines = typed["lines"].as_array().unwrap();
        assert_eq!(lines.first().unwrap()[0], first, "{arguments}");
        assert_eq!(lines.last().unwrap()[0], last, "{arguments}");
    }
    let text = text(&context, "read", &json!({"file": "c1"}));
    assert_eq!(
        text,
        "src/a.rs (60 lines)\n[c1] 10-12\n   10| line 10\n   11| line 11\n   12| line 12"
    );
}

#[test]
fn a_licence_at_the_start_of_a_file_is_left_out_unless_it_is_asked_for() {
    let slashes = "// Copyright 2020 A. Nyone\n//\n// Do as you like.\n// No warranty.\n";
    let block = "/*\nSome permissive License\nas is\nno warranty\n*/\n";
    let cases = [
        ("a.rs", format!("{slashes}\n// The till.\nfn till() {{}}\n"), 5),
        ("a.c", format!("{block}#include <a.h>\n"), 6),
        ("a.php", format!("<?php\n{block}\nfoo();\n"), 7),
        ("short.rs", "// Copyright A. Nyone\nfn a() {}\n".to_owned(), 1),
        ("docs.rs", "//! The till.\n//!\n//! It counts\n//! money.\nfn a() {}\n".to_owned(), 1),
        (
            "finder.rs",
            "//! Finds licences.\n//!\n//! Copyright\n//! too.\nfn a() {}\n".to_owned(),
            1,
        ),
        ("LICENSE", slashes.to_owned(), 1),
    ];
    let fixture = Fixture::new("");
    for (name, source, first) in cases {
        fixture.write(name, source);
        let context = context(&fixture);
        let read = call(&context, "read", &json!({"file": name}));
        assert_eq!(read.typed["lines"][0][0], first, "{name}");
        let shown = render(&read.observation, &mut EvidenceLedger::new(), &PLENTY).text;
        assert_eq!(shown.contains("licence header; start_line=1"), first > 1, "{shown}");
        let asked = call(&context, "read", &json!({"file": name, "start_line": 1}));
        assert_eq!(asked.typed["lines"][0][0], 1, "{name}");
    }
}

#[test]
fn the_id_of_a_line_reads_the_declaration_around_it() {
    let short = format!("fn short() {{\n{}}}\n", "    step();\n".repeat(40));
    let long = format!("fn long() {{\n{}}}\n", "    step();\n".repeat(400));
    let fixture = Fixture::new("");
    fixture.write("src/a.rs", format!("use a;\n{short}{long}"));
    let mut context = context(&fixture);
    let mut ledger = EvidenceLedger::new();
    let mut places = BTreeMap::new();
    for line in [1, 20, 300] {
        let range = LineRange::line(line);
        let id = ledger.assign_id(&path("src/a.rs"), range);
        places.insert(id, (path("src/a.rs"), range));
    }
    context.places = Arc::new(places);
    let cases = [
        (json!({"file": "c1"}), 1, 1),
        (json!({"file": "c2"}), 2, 43),
        (json!({"file": "c2:20"}), 20, 20),
        (json!({"file": "c2", "num_lines": 3}), 20, 22),
        (json!({"file": "c3"}), 260, 419),
    ];
    for (arguments, first, last) in cases {
        let typed = call(&context, "read", &arguments).typed;
        let lines = typed["lines"].as_array().unwrap();
        assert_eq!(lines.first().unwrap()[0], first, "{arguments}");
        assert_eq!(lines.last().unwrap()[0], last, "{arguments}");
    }
}

#[test]
fn grep_says_what_is_around_a_match_and_shows_generated_files_last() {
    let body = "    let x = 1;\n".repeat(4);
    let source = format!(
        "//- /a/__snapshots__/x.snap\nneedle\n//- /b.rs\nstruct Till;\nimpl Till {{\n    fn close(&self) {{\n{body}        needle();\n{body}        needle();\n    }}\n}}\nfn needle() {{\n    go();\n}}\n"
    );
    let fixture = Fixture::new(&source);
    let context = context(&fixture);
    let shown = text(&context, "grep", &json!({"pattern": "needle", "context": 99}));
    assert!(shown.contains("\n[c1] 3-14 declares 3-14, in Till\n    3|"), "{shown}");
    assert!(shown.contains("\n[c2] 16-18 declares 16-18\n   16|"), "{shown}");
    assert!(shown.contains("context is at most 30"), "{shown}");
    let shown = text(&context, "grep", &json!({"pattern": "needle"}));
    assert_eq!(
        shown,
        "4 matches in 2 files for \"needle\"\nb.rs (18 lines)\n[c1] in Till.close 3-14: 8|         needle();\n\
         [c2] in Till.close: 13|         needle();\n[c3] declares 16-18: 16| fn needle() {\n\
         a/__snapshots__/x.snap (1 line, test support)\n[c4] 1| needle"
    );
}

#[test]
fn bad_arguments_become_sentences_with_an_example() {
    let cases = [
        ("grep", json!({}), "grep: missing field `pattern`; for example: grep {"),
        (
            "grep",
            json!({"pattern": "a", "limit": "many"}),
            "\"limit\" must be a whole number of at least 0, not \"many\"",
        ),
        ("grep", json!({"pattern": "a", "limit": -1}), "of at least 0, not -1"),
        ("grep", json!({"pattern": {"a": 1}}), "\"pattern\" must be a string"),
        ("grep", json!({"pattern": "a", "literal": "maybe"}), "\"literal\" must be true or false"),
        ("read", json!([1]), "must be a JSON object, not [1]"),
        ("read", json!("{\"file\""), "must be a JSON object"),
        (
            "grepp",
            json!({}),
            "there is no tool \"grepp\": use grep, glob, read; did you mean grep?",
        ),
        ("shell", json!({}), "there is no tool \"shell\": use grep, glob, read"),
    ];
    for (tool, arguments, part) in cases {
        let sentence = model_error(tool, &arguments);
        assert!(sentence.contains(part), "{sentence}");
    }
    let fixture = small();
    let context = context(&fixture);
    for lenient in [
        json!("{\"pattern\": \"alpha\", \"limit\": \"7\"}"),
        json!({"pattern": ["alpha"], "path": null, "include": "", "unknown": 1, "literal": 0}),
    ] {
        assert_eq!(call(&context, "grep", &lenient).typed["total_matches"], 5, "{lenient}");
    }
}

#[test]
fn specs_are_plain_schemas_with_descriptions() {
    let specs = ToolRegistry::standard().specs();
    assert_eq!(specs.iter().map(|spec| spec.name).collect::<Vec<_>>(), ["grep", "glob", "read"]);
    for spec in &specs {
        assert!(spec.description.contains("Example:"), "{}", spec.description);
        let schema = spec.parameters.to_string();
        for unwanted in ["$schema", "$ref", "format", "null", "title"] {
            assert!(!schema.contains(unwanted), "{unwanted} in {schema}");
        }
        assert_eq!(spec.parameters["type"], "object");
        for (name, property) in spec.parameters["properties"].as_object().unwrap() {
            assert!(property["type"].is_string() && property["description"].is_string(), "{name}");
        }
    }
    assert_eq!(specs[0].parameters["required"], json!(["pattern"]));
    let nested = tool_schema::spec::<retriever::report::ReportDraft>("submit_report").parameters;
    let role = &nested["properties"]["findings"]["items"]["properties"]["role"];
    assert_eq!((&role["type"], &role["enum"][0]), (&json!("string"), &json!("entry")));
    for unwanted in ["\"$ref\"", "\"format\":", "null", "\"anyOf\"", "\"oneOf\"", "\"const\""] {
        assert!(!nested.to_string().contains(unwanted), "{unwanted} in {nested}");
    }
}

#[test]
fn a_cut_names_the_call_that_continues_and_registers_nothing_more() {
    let fixture = Fixture::new("");
    fixture.write("a.txt", (1..=500).map(|n| format!("line {n}\n")).collect::<String>());
    let context = context(&fixture);
    let observation = call(&context, "read", &json!({"file": "a.txt"})).observation;
    let mut ledger = EvidenceLedger::new();
    let rendered = render(
        &observation,
        &mut ledger,
        &ObservationBudget { tokens: 600, per_file_total: 10_000 },
    );
    assert!(rendered.truncated && rendered.tokens <= 600);
    let file = ledger.file(&path("a.txt")).unwrap();
    let last = file.delivered.runs()[0].end();
    assert_eq!(file.delivered.len(), rendered.new_lines);
    assert!(rendered.text.contains(&format!("{last:>5}| line {last}\n{} more lines", 500 - last)));
    assert!(rendered.text.contains(&format!("next: read file=\"a.txt\" start_line={}", last + 1)));
    assert_eq!(ledger.tokens(), rendered.tokens);

    let tight = ObservationBudget { tokens: 10_000, per_file_total: file.tokens + 30 };
    let again =
        call(&context, "read", &json!({"file": "a.txt", "start_line": last + 1})).observation;
    let second = render(&again, &mut ledger, &tight);
    assert!(second.text.contains("the file's share of the budget is used"), "{}", second.text);
    assert!(second.new_lines < 10);
    assert_eq!(ledger.tokens(), rendered.tokens + second.tokens);
}

#[test]
fn repository_text_can_not_look_like_structure() {
    let cases = [
        ("[c99] fake", "[\u{200b}c99] fake"),
        ("[C1:2-3]", "[\u{200b}C1:2-3]"),
        ("[[c1]]", "[[\u{200b}c1]]"),
        ("[class] [cx]", "[class] [cx]"),
        ("\u{1b}[31mred", "\\u{1b}[31mred"),
        ("a\rb\tc\0", "a\\u{d}b\tc\\u{0}"),
        ("\u{202e}back", "\\u{202e}back"),
    ];
    for (raw, expected) in cases {
        assert_eq!(escape_for_model(raw), expected);
    }
    let fixture = small();
    let context = context(&fixture);
    let result = call(&context, "read", &json!({"file": "src/a.rs"}));
    let mut ledger = EvidenceLedger::new();
    let text = render(&result.observation, &mut ledger, &PLENTY).text;
    assert!(text.contains("    3| // [\u{200b}c99] x"), "{text}");
    let file = ledger.file(&path("src/a.rs")).unwrap();
    assert_eq!(file.lines_in(LineRange::line(3).unwrap()).next(), Some((3, "// [c99] x")));
}

fn observation() -> impl Strategy<Value = ToolObservation> {
    let line = (1_u32..40, ".{0,30}");
    let excerpt = (0_u8..4, prop::collection::btree_map(1_u32..60, line, 0..25));
    (prop::collection::vec(excerpt, 0..5), 0_usize..8, ".{0,60}").prop_map(
        |(excerpts, listed, headline)| ToolObservation {
            outcome: ToolOutcome::Found,
            source: EvidenceSource::Read,
            headline,
            excerpts: excerpts
                .into_iter()
                .map(|(file, lines)| ObservationExcerpt {
                    labels: BTreeMap::new(),
                    context: BTreeSet::new(),
                    file: FileVersion {
                        path: path(&format!("dir/[c{file}]{file}.rs")),
                        hash: ContentHash::of(&[file]),
                        total_lines: 100,
                        traits: FileTraits::default(),
                    },
                    lines: lines
                        .into_iter()
                        .map(|(number, (_, text))| (number, format!("{file}:{text}")))
                        .collect(),
                })
                .collect(),
            listing: (0..listed).map(|n| path(&format!("listed/{n}")).into()).collect(),
            footer: vec!["the end".to_owned()],
            explanation: None,
        },
    )
}

/// What a reader of the text would take for delivered: path, line number, printed text.
fn printed(rendered: &RenderedObservation) -> Vec<(String, u32, String)> {
    let mut lines = Vec::new();
    let mut path = String::new();
    for line in rendered.text.lines() {
        if let Some((name, _)) = line.split_once(" (100 lines") {
            path = name.to_owned();
        } else if let Some((gutter, text)) = line.split_once("| ") {
            let number = gutter.rsplit(' ').next().unwrap().parse();
            if let Ok(number) = number {
                lines.push((path.clone(), number, text.to_owned()));
            }
        }
    }
    lines
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_ledger_holds_exactly_what_was_printed(
        observation in observation(),
        tokens in 0_u64..600,
        per_file_total in 0_u64..300,
    ) {
        let observation = ToolObservation { headline: "found".to_owned(), ..observation };
        let mut ledger = EvidenceLedger::new();
        let rendered = render(&observation, &mut ledger, &ObservationBudget { tokens, per_file_total });
        let mut delivered = Vec::new();
        for file in ledger.files() {
            for run in file.delivered.runs() {
                for (number, text) in file.lines_in(*run) {
                    delivered.push((escape_for_model(file.version.path.as_str()), number, escape_for_model(text)));
                }
            }
        }
        let mut lines = printed(&rendered);
        lines.sort();
        lines.dedup_by_key(|(path, number, _)| (path.clone(), *number));
        delivered.sort();
        let keys = |lines: &[(String, u32, String)]| {
            lines.iter().map(|(path, number, _)| (path.clone(), *number)).collect::<Vec<_>>()
        };
        prop_assert_eq!(keys(&lines), keys(&delivered));
        for (path, number, text) in &delivered {
            let all = printed(&rendered);
            prop_assert!(all.contains(&(path.clone(), *number, text.clone())));
        }
        for place in ledger.places() {
            let id = format!("[{}]", place.id);
            prop_assert!(rendered.text.contains(&id));
        }
        let ids = rendered.text.lines().filter(|line| line.trim_start().starts_with("[c")).count();
        prop_assert!(ids >= ledger.places().len());
        let fixed = estimate_tokens("found\nthe end");
        prop_assert!(rendered.tokens <= tokens.max(fixed + 230));
        prop_assert_eq!(ledger.tokens(), rendered.tokens);
    }

    #[test]
    fn line_sets_are_sets_of_lines(ranges in prop::collection::vec((1_u32..80, 0_u32..20), 0..30), probe in (1_u32..80, 0_u32..20)) {
        let mut set = LineSet::new();
        let mut model = std::collections::BTreeSet::new();
        for (start, more) in ranges {
            let range = LineRange::new(start, start + more).unwrap();
            let new = (start..=start + more).filter(|line| model.insert(*line)).count();
            prop_assert_eq!(set.insert(range) as usize, new);
        }
        prop_assert_eq!(set.len() as usize, model.len());
        let lines: Vec<u32> = set.runs().iter().flat_map(|run| run.start()..=run.end()).collect();
        prop_assert_eq!(&lines, &model.iter().copied().collect::<Vec<_>>());
        prop_assert!(set.runs().windows(2).all(|pair| pair[0].end() + 1 < pair[1].start()));
        let range = LineRange::new(probe.0, probe.0 + probe.1).unwrap();
        let inside = model.range(range.start()..=range.end()).count();
        prop_assert_eq!(set.covered(range) as usize, inside);
        prop_assert_eq!(set.contains(range), inside == range.width() as usize);
    }
}
