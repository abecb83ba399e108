//! The workspace: opening, normal forms, walking, reading, traits.

use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    path::Path,
    sync::{Arc, Mutex},
};

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use retriever_test_support::Fixture;
use retriever_workspace::{
    Cancellation, ContentHash, ContentHashes, FileState, FileTraitsConfig, LineRange, ReadError,
    RepoPath, SkippedFiles, TextEncoding, WalkedFile, Workspace, WorkspaceConfig,
};

fn path(text: &str) -> RepoPath {
    RepoPath::parse(text, "").unwrap()
}

fn open(root: &Path) -> Workspace {
    Workspace::open(root, &WorkspaceConfig::default(), &FileTraitsConfig::default()).unwrap()
}

fn walked(workspace: &Workspace, scope: &str) -> Vec<String> {
    let walk = workspace.walk(&path(scope));
    walk.files.into_iter().map(|entry| entry.path.to_string()).collect()
}

#[test]
fn a_walk_is_sorted_and_obeys_the_ignore_files_of_the_tree() {
    let fixture = Fixture::new(
        "//- /.gitignore\ntarget/\n*.log\n//- /src/b.rs\nb\n//- /src/a.rs\na\n//- /target/x.rs\nx\n\
         //- /src/.ignore\nskipped.rs\n//- /src/skipped.rs\ns\n//- /src/c.log\nc\n//- /.hidden/h.rs\nh\n\
         //- /.git/info/exclude\nlocal.rs\n//- /local.rs\nl\n//- /.git/config\nurl\n",
    );
    let workspace = open(fixture.root());
    assert_eq!(walked(&workspace, ""), ["src/a.rs", "src/b.rs"]);
    assert_eq!(walked(&workspace, "src"), ["src/a.rs", "src/b.rs"]);
    assert_eq!(walked(&workspace, "src/a.rs"), ["src/a.rs"]);
    assert_eq!(walked(&workspace, "target"), ["target/x.rs"]);
    assert_eq!(walked(&workspace, "target/x.rs"), ["target/x.rs"]);
    assert_eq!(walked(&workspace, ".git"), Vec::<String>::new());
    assert_eq!(walked(&workspace, "nowhere"), Vec::<String>::new());
}

#[test]
fn a_file_of_a_walk_is_hashed_once_for_all_who_ask() {
    let fixture = Fixture::new("//- /a.rs\none\n//- /.gitignore\nb.rs\n//- /b.rs\ntwo\n");
    fixture.write("blob.bin", b"ab\0cd");
    let workspace = open(fixture.root());
    let walk = Arc::new(workspace.walk(&RepoPath::root()));
    let hashes = ContentHashes::new(&workspace, &walk);
    let before = Some(ContentHash::of(b"one\n"));
    assert_eq!(hashes.of(&path("a.rs")), before);
    fixture.write("a.rs", b"three\n");
    assert_eq!(hashes.of(&path("a.rs")), before);
    assert_eq!(["b.rs", "blob.bin", "gone.rs"].map(|file| hashes.of(&path(file))), [None; 3]);
}

#[test]
fn a_file_is_read_with_its_lines_hash_and_encoding() {
    let fixture = Fixture::new("//- /src/a.rs\none\r\ntwo\n\nfour");
    fixture.write("le.txt", b"\xff\xfea\0\n\0b\0");
    fixture.write("be.txt", b"\xfe\xff\0a\0\n\0b");
    fixture.write("latin.txt", b"caf\xe9\n");
    fixture.write("empty.txt", b"");
    fixture.write("blob.bin", b"ab\0cd");
    let workspace = open(fixture.root());
    let file = workspace.read(&path("src/a.rs")).unwrap();
    assert_eq!((file.line_count(), file.encoding), (4, TextEncoding::Utf8));
    assert_eq!(file.line(1), Some("one"));
    assert_eq!(file.line(5), None);
    let lines: Vec<_> = file.lines(LineRange::new(2, 9).unwrap()).collect();
    assert_eq!(lines, [(2, "two"), (3, ""), (4, "four")]);
    assert_eq!(workspace.file_state(&path("src/a.rs")), FileState::Current(file.hash));
    for (name, encoding) in [("le.txt", TextEncoding::Utf16Le), ("be.txt", TextEncoding::Utf16Be)] {
        let file = workspace.read(&path(name)).unwrap();
        assert_eq!((file.text(), file.encoding), ("a\nb", encoding));
    }
    let latin = workspace.read(&path("latin.txt")).unwrap();
    assert_eq!((latin.text(), latin.encoding), ("caf\u{fffd}\n", TextEncoding::Lossy));
    assert_eq!(workspace.read(&path("empty.txt")).unwrap().line_count(), 0);
    let refused = |name: &str| workspace.read(&path(name)).unwrap_err();
    assert_eq!(refused("blob.bin"), ReadError::Binary(path("blob.bin")));
    assert_eq!(refused("src"), ReadError::Folder(path("src")));
    assert_eq!(refused("src/none.rs"), ReadError::Missing(path("src/none.rs")));
    assert_eq!(refused("src/a.rs/x"), ReadError::Missing(path("src/a.rs/x")));
    assert_eq!(workspace.file_state(&path("src/none.rs")), FileState::Missing);
}

#[test]
fn a_root_that_can_not_be_used_is_refused_in_words() {
    let fixture = Fixture::new("//- /file.txt\nx\n");
    let refused = |root: &Path, files: &WorkspaceConfig, traits: &FileTraitsConfig| {
        let error = Workspace::open(root, files, traits).unwrap_err();
        assert!(error.hint().contains("--root") || error.hint().contains("globs"), "{error}");
        error.to_string()
    };
    let (files, traits) = (WorkspaceConfig::default(), FileTraitsConfig::default());
    assert!(refused(&fixture.root().join("none"), &files, &traits).ends_with("does not exist"));
    assert!(
        refused(&fixture.root().join("file.txt"), &files, &traits).ends_with("is not a folder")
    );
    let bad = || vec!["a{b".to_owned()];
    let cases = [
        (WorkspaceConfig { ignore: bad(), ..files.clone() }, traits.clone(), "workspace.ignore"),
        (WorkspaceConfig { ignore: vec!["!a".into()], ..files.clone() }, traits.clone(), "\"!a\""),
        (WorkspaceConfig { secrets: bad(), ..files.clone() }, traits.clone(), "workspace.secrets"),
        (files, FileTraitsConfig { vendored: bad(), ..traits }, "traits.vendored"),
    ];
    for (files, traits, part) in cases {
        let sentence = refused(fixture.root(), &files, &traits);
        assert!(sentence.contains(part), "{sentence}");
    }
}

#[test]
fn configuration_narrows_and_widens_the_walk() {
    let fixture = Fixture::new(
        "//- /a.rs\na\n//- /big.txt\n0123456789abcdef\n//- /.cfg/x.toml\nx\n//- /gen/g.rs\ng\n//- /.env\nK=1\n\
         //- /notes/private.txt\np\n",
    );
    let config = WorkspaceConfig {
        ignore: vec!["gen/**".into()],
        hidden: true,
        secrets: vec!["notes/**".into()],
        max_file_bytes: 10,
        ..WorkspaceConfig::default()
    };
    let workspace = Workspace::open(fixture.root(), &config, &FileTraitsConfig::default()).unwrap();
    assert_eq!(walked(&workspace, ""), [".cfg/x.toml", "a.rs"]);
    let skipped = workspace.walk(&RepoPath::root()).skipped;
    assert_eq!((skipped.secrets, skipped.too_large), (2, 1));
    let refused = workspace.read(&path("big.txt")).unwrap_err();
    assert_eq!(refused.to_string(), "big.txt has 17 bytes, more than the limit of 10");
    assert!(refused.hint().contains("max_file_bytes"));
    assert!(matches!(workspace.read(&path("notes/private.txt")), Err(ReadError::Secret(_))));
}

#[test]
fn a_pattern_of_folders_leaves_files_of_that_name() {
    let fixture = Fixture::new("//- /a/out/x.txt\nx\n//- /b/out\ny\n//- /out/z.txt\nz\n");
    let config = WorkspaceConfig { ignore: vec!["out/".into()], ..WorkspaceConfig::default() };
    let workspace = Workspace::open(fixture.root(), &config, &FileTraitsConfig::default()).unwrap();
    for scope in ["", "b", "b/out"] {
        assert_eq!(walked(&workspace, scope), ["b/out"], "{scope}");
    }
}

#[test]
fn odd_spellings_lead_to_the_same_path() {
    let fixture = Fixture::new("//- /src/a.rs\nx\n");
    let workspace = open(fixture.root());
    let absolute = format!("{}/src/a.rs", workspace.root());
    let given = fixture.root().join("src/a.rs");
    for raw in [
        "src/a.rs",
        "./src/a.rs",
        "src//a.rs",
        "src/x/../a.rs",
        "src\\a.rs",
        " src/a.rs ",
        &absolute,
        &format!("file://{absolute}"),
        given.to_str().unwrap(),
    ] {
        assert_eq!(workspace.normalize(raw).unwrap().as_str(), "src/a.rs", "{raw}");
    }
    for raw in ["../a.rs", "src/../../a.rs", "/etc/hostname", "C:\\a.rs", "a\0b", "a\nb"] {
        assert!(workspace.normalize(raw).is_err(), "{raw}");
    }
}

#[test]
fn suggested_paths_share_their_last_parts_or_have_a_similar_name() {
    let fixture = Fixture::new(
        "//- /src/agent/loop.rs\n1\n//- /src/model/loop.rs\n1\n//- /src/agent/budget.rs\n1\n//- /web/app.ts\n1\n",
    );
    let workspace = open(fixture.root());
    let cases: [(&str, &[&str]); 6] = [
        ("agent/loop.rs", &["src/agent/loop.rs", "src/model/loop.rs"]),
        ("lib/agent/Loop.rs", &["src/agent/loop.rs", "src/model/loop.rs"]),
        ("src/agent/buget.rs", &["src/agent/budget.rs"]),
        ("scr/agent", &["src/agent"]),
        ("zzz/qqqq", &[]),
        ("", &[]),
    ];
    for (wanted, expected) in cases {
        let found: Vec<_> = workspace
            .suggest_paths(wanted, 2, &Cancellation::new())
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(found.iter().take(expected.len()).collect::<Vec<_>>(), expected, "{wanted}");
        assert_eq!(found.is_empty(), expected.is_empty(), "{wanted}");
    }
    let cancelled = Cancellation::new();
    cancelled.cancel();
    assert_eq!(workspace.suggest_paths("agent/loop.rs", 2, &cancelled), []);
}

#[test]
fn a_folder_is_listed_by_the_rules_of_a_walk_and_not_below() {
    let fixture = Fixture::new(
        "//- /.gitignore\ntarget/\n*.log\n//- /src/b.rs\n//- /src/a.rs\n//- /src/x.log\n//- /src/deep/er/c.rs\n\
         //- /target/x.rs\n//- /.hidden/h.rs\n//- /.env\nK=1\n//- /readme.md\n",
    );
    let workspace = open(fixture.root());
    let cases: [(&str, &[&str], &[&str]); 5] = [
        ("", &["readme.md"], &["src"]),
        ("src", &["src/a.rs", "src/b.rs"], &["src/deep"]),
        ("src/deep", &[], &["src/deep/er"]),
        ("target", &["target/x.rs"], &[]),
        ("nowhere", &[], &[]),
    ];
    for (folder, files, folders) in cases {
        let named =
            |paths: Vec<RepoPath>| paths.iter().map(ToString::to_string).collect::<Vec<_>>();
        let (found, below) = workspace.list_folder(&path(folder));
        assert_eq!(named(found), files, "{folder}");
        assert_eq!(named(below), folders, "{folder}");
    }
}

#[test]
fn minified_text_is_recognised_by_its_lines() {
    let fixture = Fixture::new("");
    fixture.write("long.js", "x".repeat(30_000));
    fixture.write("dense.js", format!("{}\n", "x".repeat(900)).repeat(10));
    fixture.write("code.js", "let a = 1;\n".repeat(3_000));
    fixture.write("one.txt", "x".repeat(900));
    // One line that is too long among many short ones, and one of exactly the limit.
    for (name, chars) in [("bundle.js", 20_480), ("table.js", 20_479)] {
        let long = format!("{}\n", "x".repeat(chars));
        fixture.write(name, long + &"let a = 1;\n".repeat(3_000));
    }
    let workspace = open(fixture.root());
    for (name, minified) in [
        ("long.js", true),
        ("dense.js", true),
        ("code.js", false),
        ("one.txt", false),
        ("bundle.js", true),
        ("table.js", false),
    ] {
        assert_eq!(workspace.read(&path(name)).unwrap().is_minified(), minified, "{name}");
    }
}

/// The traits of a path as one word each, `-` for none.
fn traits_of(workspace: &Workspace, name: &str, head: &str) -> String {
    let traits = workspace.traits(&path(name), head);
    let words: Vec<&str> = [
        (traits.test, "test"),
        (traits.support, "support"),
        (traits.generated, "generated"),
        (traits.docs_example, "docs"),
        (traits.vendored, "vendored"),
    ]
    .iter()
    .filter(|(holds, _)| *holds)
    .map(|(_, word)| *word)
    .collect();
    if words.is_empty() { "-".to_owned() } else { words.join(" ") }
}

#[test]
fn traits_follow_the_conventions_of_each_language() {
    let fixture = Fixture::new("");
    let workspace = open(fixture.root());
    let table = include_str!("traits.txt");
    let rows: Vec<(&str, &str)> = table
        .lines()
        .filter(|row| !row.is_empty() && !row.starts_with('#'))
        .map(|row| row.split_once(" = ").expect("a row is `path = traits`"))
        .collect();
    let wrong: Vec<String> = rows
        .iter()
        .map(|(name, expected)| (name, expected, traits_of(&workspace, name, "")))
        .filter(|(_, expected, found)| *expected != found)
        .map(|(name, expected, found)| format!("{name}: {found}, not {expected}"))
        .collect();
    assert!(rows.len() > 150);
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn releases_of_other_projects_are_told_by_their_banner() {
    let fixture = Fixture::new("");
    let workspace = open(fixture.root());
    let banner = "/*!\n * Acme Calendar v3.4.0\n * (c) 2017 A. Body\n */\n(function () {";
    for (name, head, vendored) in [
        ("app/public/js/acme.js", banner, true),
        ("Web/scripts/acme.css", "/*! acme 0.2.1 */", true),
        ("static/acme.js", "/* Acme 5.0.3\nCopyright © 2017 Acme, LLC\n */", true),
        ("static/acme.js", "//! acme.js\n//! version : 2.13.0\n//! license : MIT\nx();", true),
        // The library's own sources, and other languages.
        ("js/src/acme.js", banner, false),
        ("static/acme.php", banner, false),
        // No release, or none of a library.
        (
            "static/own.js",
            "/* Copyright 2017 Acme. Licensed under the Apache License, Version 2.0 */",
            false,
        ),
        ("static/own.js", "/* Since 2.13.0 the list is sorted. */", false),
        ("static/own.js", "const version = '2.13.0'; // license", false),
        ("static/own.js", "// Sends it.\nconst license = '2.13.0';", false),
    ] {
        assert_eq!(workspace.traits(&path(name), head).vendored, vendored, "{name}: {head}");
    }
}

#[test]
fn generators_name_themselves_in_a_comment_at_the_top() {
    let fixture = Fixture::new("");
    let workspace = open(fixture.root());
    for (head, generated) in [
        ("// Code generated by a tool. DO NOT EDIT.\npackage a", true),
        ("/* @generated */", true),
        ("/******/ (() => { // webpackBootstrap", true),
        ("const NAME = \"webpackBootstrap\";", false),
        ("// <auto-generated />\nnamespace A;", true),
        ("// <autogenerated>\n//     Made by a tool.", true),
        ("// Rows with <auto-increment> come first.", false),
        ("string note = \"<auto-generated />\";", false),
        ("#!/bin/sh\n# This file was automatically generated by x.", true),
        ("\"\"\"Auto-generated file.\"\"\"", true),
        ("// This file is auto-generated, do not edit", true),
        ("<!-- generated by x; do not edit -->", true),
        ("/**\n * A worker.\n * - Please do NOT modify this file.\n */", true),
        ("// What this file does not edit.", false),
        ("let text = \"Code generated by x. DO NOT EDIT.\";", false),
        ("// Assigns auto-generated identifiers to rows.", false),
        ("// The generated code is checked in the tests.", false),
        ("\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n// @generated", false),
    ] {
        assert_eq!(workspace.traits(&path("src/a.rs"), head).generated, generated, "{head}");
    }
}

#[test]
fn configured_globs_add_traits() {
    let fixture = Fixture::new("");
    let config = FileTraitsConfig { test: vec!["qa/**".into()], ..FileTraitsConfig::default() };
    let workspace = Workspace::open(fixture.root(), &WorkspaceConfig::default(), &config).unwrap();
    assert!(workspace.traits(&path("qa/a.rs"), "").test);
    assert!(!workspace.traits(&path("src/qa/a.rs"), "").test);
}

#[test]
fn path_kinds_are_whole_words() {
    let fixture = Fixture::new("");
    let workspace = open(fixture.root());
    for (name, kinds) in [
        ("src/routes/users.ts", "route"),
        ("src/components/Button.tsx", "component"),
        ("src/useSession.ts", "hook"),
        ("src/use-session.ts", "hook"),
        ("src/user.rs", "-"),
        ("src/UserService.java", "service"),
        ("src/api/users.py", "api"),
        ("src/storefront.ts", "-"),
        ("src/user_store.go", "store"),
        ("src/actions.ts", "action"),
        ("src/types.ts", "type"),
        ("src/index.d.ts", "type"),
        ("vite.config.ts", "config"),
        ("Cargo.toml", "config"),
        ("proto/a.proto", "api"),
        ("src/protocol.rs", "-"),
    ] {
        let found: Vec<String> =
            workspace.traits(&path(name), "").path_kinds.iter().map(ToString::to_string).collect();
        let found = if found.is_empty() { "-".to_owned() } else { found.join(" ") };
        assert_eq!(found, kinds, "{name}");
    }
    // Traits that are known for a text come from any of the paths that have it.
    let fixture =
        Fixture::new("//- /src/routes/users.ts\nexport {}\n//- /src/user.rs\nexport {}\n");
    let workspace = open(fixture.root());
    let known = workspace.traits(&path("src/useSession.ts"), "// @generated");
    for (name, kinds) in [("src/routes/users.ts", "route"), ("src/user.rs", "")] {
        let file = workspace.read_with_traits(&path(name), |_| Some(known.clone())).unwrap();
        let found: Vec<String> = file.traits.path_kinds.iter().map(ToString::to_string).collect();
        assert_eq!((found.join(" "), file.traits.generated), (kinds.to_owned(), true), "{name}");
    }
}

proptest! {
    #[test]
    fn a_normalised_path_never_leaves_the_root(raw in "[a./\\\\: c-]{0,24}|\\PC{0,24}") {
        if let Ok(path) = RepoPath::parse(&raw, "/work/root") {
            prop_assert!(!path.as_str().starts_with('/'));
            prop_assert!(!path.as_str().ends_with('/'));
            let parts: Vec<&str> = path.as_str().split('/').collect();
            prop_assert!(path.as_str().is_empty() || parts.iter().all(|p| !matches!(*p, "" | "." | "..")));
        }
    }

    #[test]
    fn a_path_means_the_same_whatever_root_it_is_not_in(raw in "[a./\\\\: c-]{0,24}|\\PC{0,24}") {
        prop_assert_eq!(RepoPath::parse(&raw, "").ok(), RepoPath::parse(&raw, "/work/root").ok());
    }

    #[test]
    fn a_relative_path_means_the_same_below_the_root(raw in "[ab]{1,3}(/[ab.]{1,3}){0,4}") {
        let absolute = RepoPath::parse(&format!("/work/root/{raw}"), "/work/root");
        prop_assert_eq!(RepoPath::parse(&raw, "/work/root").ok(), absolute.ok());
    }
}

#[test]
fn skipped_files_are_counted_by_their_reason_and_said_in_words() {
    let at = || path("a");
    let errors = [
        ReadError::Secret(at()),
        ReadError::Binary(at()),
        ReadError::TooLarge { path: at(), size: 9, limit: 1 },
        ReadError::Missing(at()),
    ];
    let mut skipped = SkippedFiles::default();
    assert_eq!(skipped.describe(), "");
    for (at, error) in errors.iter().enumerate() {
        (0..=at).for_each(|_| skipped.count(error));
    }
    assert_eq!(skipped.describe(), "1 private, 2 binary, 3 too large, 4 unreadable");
    let more = SkippedFiles { ignored: 5, hidden: 6, unprintable: 7, uncounted: true, ..skipped };
    skipped.add(&more);
    assert_eq!(
        skipped.describe(),
        "5 ignored, 6 hidden, 2 private, 4 binary, 6 too large, 7 with unprintable names, 8 unreadable, \
         ignored and hidden ones (not counted)"
    );
}

#[test]
fn a_walk_gives_the_bytes_of_texts_in_a_form_that_can_be_searched() {
    let fixture = Fixture::new("//- /plain.txt\nab\n");
    // One control byte in ten is still text, and those of a terminal are.
    let files: [(&str, &[u8], Option<&str>); 9] = [
        ("be.txt", b"\xfe\xff\0a\0b", Some("ab")),
        ("bom.txt", b"\xef\xbb\xbfab", Some("ab")),
        ("le.txt", b"\xff\xfea\0b\0", Some("ab")),
        ("nul.txt", b"ab\0cdefghijklmnopqrstuvwxyz", None),
        ("one.txt", b"a\x01cdefghij", Some("a\x01cdefghij")),
        ("one_more.txt", b"a\x01cdefghi", None),
        ("terminal.txt", b"\x1b\x0c\t\r\n", Some("\x1b\x0c\t\r\n")),
        ("two.txt", b"a\x01\x02defghij", None),
        ("empty.txt", b"", Some("")),
    ];
    for (name, bytes, _) in files {
        fixture.write(name, bytes);
    }
    let found = Mutex::new(BTreeMap::new());
    open(fixture.root()).walk_parallel(&RepoPath::root(), || {
        |file: &WalkedFile<'_>| {
            let mut buffer = Vec::new();
            let text =
                file.bytes(&mut buffer).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            found.lock().unwrap().insert(file.path.to_string(), text.ok());
            ControlFlow::Continue(())
        }
    });
    let found = found.into_inner().unwrap();
    for (name, _, wanted) in files.into_iter().chain([("plain.txt", &b""[..], Some("ab\n"))]) {
        assert_eq!(found[name].as_deref(), wanted, "{name}");
    }
}

#[test]
fn the_extension_is_what_follows_the_last_dot_of_a_name() {
    for (name, extension) in [
        ("src/a.rs", "rs"),
        ("a.test.TS", "TS"),
        (".env", ""),
        ("src.d/.env", ""),
        (".env.rs", "rs"),
        ("src.d/Makefile", ""),
        ("a.", ""),
    ] {
        assert_eq!(path(name).extension(), extension, "{name}");
    }
}

#[test]
fn a_script_without_an_extension_has_that_of_its_interpreter() {
    let fixture = Fixture::new("//- /a.py\nx = 1\n");
    for (line, extension) in [
        ("#!/bin/sh", "sh"),
        ("#!/usr/bin/env bash", "sh"),
        ("#! /usr/bin/python3.11 -u", "py"),
        ("#!/usr/bin/env -S FOO=1 node --harmony", "js"),
        ("#!/usr/bin/ruby2.7", "rb"),
        ("#!/usr/bin/env", ""),
        ("#!/opt/own/runner", ""),
        ("# !/bin/sh", ""),
        ("", ""),
    ] {
        fixture.write("bin/run", format!("{line}\nexit 0\n"));
        let workspace = open(fixture.root());
        let file = workspace.read(&path("bin/run")).unwrap();
        assert_eq!(
            (file.extension(), file.is_script()),
            (extension, !extension.is_empty()),
            "{line}"
        );
    }
    let file = open(fixture.root()).read(&path("a.py")).unwrap();
    assert_eq!((file.extension(), file.is_script()), ("py", false));
}

#[test]
fn a_folder_of_many_files_is_walked_to_its_end() {
    let fixture = Fixture::new("");
    for at in 0..600 {
        fixture.write(&format!("many/{at:03}.rs"), "x\n");
    }
    let found = walked(&open(fixture.root()), "");
    let wanted: Vec<String> = (0..600).map(|at| format!("many/{at:03}.rs")).collect();
    assert_eq!(found, wanted);
}
