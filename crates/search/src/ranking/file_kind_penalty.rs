//! What the kind of a file costs it: tests, generated code, documents and data are rarely what is asked for, unless the
//! question says so.

use crate::{declarations, query::RequestedPlaceKinds, retrieval_channels::FileTerms};
use retriever_workspace::RepoPath;

/// What is left of the score of a file by its kind, what a file of a kind that is asked for gains, and what is left of a test
/// that is asked for beside the code.
const TEST: f64 = 0.35;
const SUPPORT: f64 = 0.45;
const FOREIGN: f64 = 0.35;
const PROSE: f64 = 0.35;
const NO_CODE: f64 = 0.6;
const ASKED_FOR: f64 = 1.25;
const ASKED_FOR_BESIDE: f64 = 0.45;

/// Returns the share of its score that a file loses; negative if its kind is asked for.
pub(super) fn lost_share(scope: &RequestedPlaceKinds, file: &FileTerms) -> f64 {
    let traits = &file.traits;
    let mut keep = 1.0;
    if traits.test {
        keep *= match (scope.wants_tests, scope.wants_code_first) {
            (true, false) => ASKED_FOR,
            (true, true) => ASKED_FOR_BESIDE,
            _ => TEST,
        };
    }
    if traits.support && !scope.wants_tests {
        keep *= SUPPORT;
    }
    let is_foreign = traits.generated || traits.vendored || file.is_minified;
    if is_foreign && !scope.wants_generated {
        keep *= FOREIGN;
    }
    if traits.docs_example || is_prose(&file.path) {
        keep *= if scope.wants_docs { ASKED_FOR } else { PROSE };
    } else if !declarations::is_code(file.path.extension()) {
        keep *= NO_CODE;
    }
    1.0 - keep
}

fn is_prose(path: &RepoPath) -> bool {
    let extension = path.extension().to_ascii_lowercase();
    matches!(
        extension.as_str(),
        "md" | "mdx" | "markdown" | "rst" | "txt" | "adoc" | "ipynb" | "po"
    ) || path.extension().is_empty()
}
