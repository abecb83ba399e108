//! What the graph can't know of a file, because of its language.

use retriever_graph::indexing::Language;

/// Says that nothing is resolved in the language of a file.
pub(super) fn outlined_only(path: &str) -> Option<String> {
    let language = Language::of_path(path).filter(|language| language.is_outlined())?;
    let name = language.name();
    Some(format!(
        "{name} is outlined only: what calls or names a definition is not known; grep for it"
    ))
}

/// Says that this build has no grammar for the language of a file.
pub(super) fn left_out(path: &str) -> Option<String> {
    let name = Language::left_out(path)?;
    Some(format!("this build has no grammar for {name}: one with the feature `more-languages` has"))
}
