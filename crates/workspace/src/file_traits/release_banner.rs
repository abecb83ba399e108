//! Tells copies of other projects' releases by the banner that build tools put on top of scripts and style sheets: a name, a
//! version, a licence.

use std::sync::LazyLock;

use regex::Regex;

use crate::RepoPath;

/// Folders of what a web server hands out as it is. A project whose own sources have banners keeps them elsewhere.
const SERVED: &[&str] = &[
    "assets",
    "javascripts",
    "libs",
    "public",
    "resources",
    "scripts",
    "static",
    "stylesheets",
    "themes",
    "webapp",
    "webroot",
    "www",
    "wwwroot",
];

/// Bytes of the first comment that are searched.
const BANNER_BYTES: usize = 600;

/// `4.5.1`, or `v4.5`; a licence has two numbers (`Apache License, Version 2.0`).
static VERSION: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\bv?\d+\.\d+\.\d+|\bv\d+\.\d+").ok());
static TERMS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\blicen[sc]e|\bcopyright\b|\(c\)|©").ok());

/// Whether `path`, whose folders in lower case are `folders`, is served and its text starts with the banner of a release.
pub(super) fn is_release(path: &RepoPath, folders: &[String], head: &str) -> bool {
    let is_served = || folders.iter().any(|folder| SERVED.contains(&folder.as_str()));
    if !matches!(path.extension(), "js" | "mjs" | "cjs" | "css") || !is_served() {
        return false;
    }
    let is_match = |pattern: &Option<Regex>, text: &str| {
        pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
    };
    // `/*!` tells minifiers to keep the comment.
    first_comment(head).is_some_and(|banner| {
        is_match(&VERSION, banner) && (banner.starts_with("/*!") || is_match(&TERMS, banner))
    })
}

/// Returns the comment that a text starts with.
fn first_comment(head: &str) -> Option<&str> {
    let head = head.trim_start_matches('\u{feff}').trim_start();
    let head = &head[..head.floor_char_boundary(BANNER_BYTES)];
    if head.starts_with("/*") {
        return Some(head.split_once("*/").map_or(head, |(comment, _)| comment));
    }
    let lines = head.split_inclusive('\n').take_while(|line| line.trim_start().starts_with("//"));
    Some(&head[..lines.map(str::len).sum()]).filter(|comment| !comment.is_empty())
}
