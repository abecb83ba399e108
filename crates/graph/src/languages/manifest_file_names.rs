//! Which files are manifests of projects, in any of the languages.

use std::{collections::HashSet, sync::LazyLock};

use crate::{
    graph_model::Language,
    languages::{definition, language_definition::fits_manifest, languages_added_at_runtime},
};

/// Whether a file says how a project is laid out.
pub fn is_manifest(path: &str, text: &str) -> bool {
    may_be_manifest(path)
        && Language::of_path(path).is_none_or(|language| definition(language).is_manifest(text))
}

/// Returns the names of the manifests of all languages that are built in: those with or without a `*`.
fn built_in_manifests(is_pattern: bool) -> HashSet<&'static str> {
    let names = Language::ALL.iter().flat_map(|language| definition(*language).manifests);
    names.copied().filter(|name| name.contains('*') == is_pattern).collect()
}

/// Whether a file with this path says how a project is laid out, unless its text says that it is source code.
pub(crate) fn may_be_manifest(path: &str) -> bool {
    static NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| built_in_manifests(false));
    static PATTERNS: LazyLock<HashSet<&str>> = LazyLock::new(|| built_in_manifests(true));
    let name = path.rsplit('/').next().unwrap_or(path);
    NAMES.contains(name)
        || PATTERNS.iter().any(|pattern| fits_manifest(pattern, name))
        || languages_added_at_runtime::has_manifest(name)
}
