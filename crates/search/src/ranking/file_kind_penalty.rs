//! The penalty of a file's kind: tests, generated code, documents, data and code for another platform are
//! rarely what is asked for, unless the question says so.

use super::named_platforms::NamedPlatforms;
use crate::{
    query::{ParsedQuery, RequestedPlaceKinds},
    retrieval_channels::FileTerms,
};
use retriever_workspace::{RepoPath, Workspace};

/// What is left of the score of a file by its kind, what a file of a kind that is asked for gains, and what is left of a test
/// that is asked for beside the code.
const TEST: f64 = 0.35;
const SUPPORT: f64 = 0.45;
const FOREIGN: f64 = 0.35;
const PROSE: f64 = 0.35;
const NO_CODE: f64 = 0.6;
const OTHER_PLATFORM: f64 = 0.5;
const ASKED_FOR: f64 = 1.25;
const ASKED_FOR_FURTHER: f64 = 0.45;

const PROSE_EXTENSIONS: &[&str] = &["md", "mdx", "markdown", "rst", "txt", "adoc", "ipynb", "po"];

/// Judges files by their kind.
pub(super) struct FileKindPenalties<'a> {
    workspace: &'a Workspace,
    scope: &'a RequestedPlaceKinds,
    platforms: NamedPlatforms,
}

impl<'a> FileKindPenalties<'a> {
    pub(super) fn new(workspace: &'a Workspace, query: &'a ParsedQuery) -> Self {
        let platforms = NamedPlatforms::of_question(&query.written_words);
        Self { workspace, scope: &query.scope, platforms }
    }

    /// Returns the share of its score that a file loses; negative if its kind is asked for.
    pub(super) fn lost_share(&self, file: &FileTerms<'_>) -> f64 {
        let (traits, scope) = (file.traits(self.workspace), self.scope);
        let mut keep = 1.0;
        if traits.test {
            keep *= match (scope.wants_tests, scope.wants_code_first) {
                (true, false) => ASKED_FOR,
                (true, true) => ASKED_FOR_FURTHER,
                _ => TEST,
            };
        }
        if traits.support && !scope.wants_tests && !scope.wants_support {
            keep *= SUPPORT;
        }
        let is_foreign = traits.generated || traits.vendored || file.is_minified();
        if is_foreign && !scope.wants_generated {
            keep *= FOREIGN;
        }
        if traits.docs_example || is_prose(file.path) {
            keep *= if scope.wants_docs { ASKED_FOR } else { PROSE };
        } else if !file.is_code() {
            keep *= NO_CODE;
        }
        if self.platforms.is_for_another(file.path.as_str()) {
            keep *= OTHER_PLATFORM;
        }
        1.0 - keep
    }
}

/// Whether a file is text for readers. Of those without an extension that are `README`, `LICENSE`; `Makefile` and scripts are
/// not.
pub(super) fn is_prose(path: &RepoPath) -> bool {
    let extension = path.extension();
    if extension.is_empty() {
        return path
            .file_name()
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || b"-_".contains(&byte));
    }
    PROSE_EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension))
        && path.file_name() != "CMakeLists.txt"
}
