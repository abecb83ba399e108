//! What the kind of a file costs it: tests, generated and copied code, documents and data are rarely what is asked for,
//! unless the question says so.

use std::collections::BTreeSet;

use crate::{declarations, query::RequestedPlaceKinds, retrieval_channels::FileTerms};
use retriever_workspace::{FoundFile, RepoPath, Workspace};

/// What is left of the score of a file by its kind, what a file of a kind that is asked for gains, and what is left of a test
/// that is asked for beside the code.
const TEST: f64 = 0.35;
const SUPPORT: f64 = 0.45;
const FOREIGN: f64 = 0.35;
const PROSE: f64 = 0.35;
const NO_CODE: f64 = 0.6;
const ASKED_FOR: f64 = 1.25;
const ASKED_FOR_BESIDE: f64 = 0.45;

/// Files by which a folder is a package of this repository.
const MANIFESTS: &[&str] = &[
    "build.gradle",
    "build.gradle.kts",
    "build.sbt",
    "cargo.toml",
    "composer.json",
    "go.mod",
    "mix.exs",
    "package.json",
    "package.swift",
    "pom.xml",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
];

/// Words of which one names a licence, and what such a file's name may end with.
const LICENCES: &[&str] = &["license", "licence", "copying"];
const LICENCE_ENDINGS: &[&str] = &["", "txt", "md", "html", "rst"];
/// What names of files of build systems may end with.
const PROJECT: &str = "proj";

const PROSE_EXTENSIONS: &[&str] = &["md", "mdx", "markdown", "rst", "txt", "adoc", "ipynb", "po"];

/// Judges files by their kind.
pub(super) struct FileKindPenalties<'a> {
    workspace: &'a Workspace,
    scope: &'a RequestedPlaceKinds,
    /// Folders of copied code, each with its `/`.
    copied: Vec<&'a str>,
}

impl<'a> FileKindPenalties<'a> {
    pub(super) fn new(
        workspace: &'a Workspace,
        scope: &'a RequestedPlaceKinds,
        entries: &'a [FoundFile],
    ) -> Self {
        Self { workspace, scope, copied: copied_folders(entries) }
    }

    /// Returns the share of its score that a file loses; negative if its kind is asked for.
    pub(super) fn lost_share(&self, file: &FileTerms<'_>) -> f64 {
        let (traits, scope) = (file.traits(self.workspace), self.scope);
        let is_copied = self.copied.iter().any(|folder| file.path.as_str().starts_with(folder));
        let mut keep = 1.0;
        if traits.test {
            keep *= match (scope.wants_tests, scope.wants_code_first) {
                (true, false) => ASKED_FOR,
                (true, true) => ASKED_FOR_BESIDE,
                _ => TEST,
            };
        }
        if traits.support && !scope.wants_tests && !scope.wants_support {
            keep *= SUPPORT;
        }
        let is_foreign = traits.generated || traits.vendored || is_copied || file.is_minified();
        if is_foreign && !scope.wants_generated {
            keep *= FOREIGN;
        }
        if traits.docs_example || is_prose(file.path) {
            keep *= if scope.wants_docs { ASKED_FOR } else { PROSE };
        } else if !declarations::is_code(file.path.extension()) {
            keep *= NO_CODE;
        }
        1.0 - keep
    }
}

/// Whether `name` is one of `names`, without regard to case.
fn is_one_of(names: &[&str], name: &str) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

fn is_prose(path: &RepoPath) -> bool {
    let extension = path.extension();
    extension.is_empty() || is_one_of(PROSE_EXTENSIONS, extension)
}

/// Returns the folders that have a licence of their own and no manifest of a package: code that was copied from another
/// project. A folder with most of the code is the project itself, wherever it keeps its licence.
fn copied_folders(entries: &[FoundFile]) -> Vec<&str> {
    let (mut licensed, mut packages) = (BTreeSet::new(), BTreeSet::new());
    for entry in entries {
        let name = entry.path.file_name();
        let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
        let is_licence = is_one_of(LICENCE_ENDINGS, ending)
            && stem.split(['-', '_']).any(|part| is_one_of(LICENCES, part));
        let is_project = || {
            let end = ending.len().checked_sub(PROJECT.len()).and_then(|at| ending.get(at..));
            end.is_some_and(|end| end.eq_ignore_ascii_case(PROJECT))
        };
        let folders = if is_licence {
            &mut licensed
        } else if is_one_of(MANIFESTS, name) || is_project() {
            &mut packages
        } else {
            continue;
        };
        let folder = entry.path.as_str().trim_end_matches(|letter: char| letter != '/');
        if !folder.is_empty() {
            folders.insert(folder);
        }
    }
    let mut copied: Vec<&str> = licensed.difference(&packages).copied().collect();
    if !copied.is_empty() {
        let code = entries.iter().filter(|entry| declarations::is_code(entry.path.extension()));
        let mut code: Vec<&str> = code.map(|entry| entry.path.as_str()).collect();
        code.sort_unstable();
        copied.retain(|folder| {
            let below = &code[code.partition_point(|path| path < folder)..];
            2 * below.partition_point(|path| path.starts_with(*folder)) <= code.len()
        });
    }
    copied
}
