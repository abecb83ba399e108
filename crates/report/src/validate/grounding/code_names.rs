//! Names of code in a text, and the declarations that they stand for.

use super::evidence::RunEvidence;
use crate::{code_mentions_in_prose::is_identifier_spelling, prose_normalization::is_word_char};
use retriever_search::Declaration;
use retriever_workspace::RepoPath;

/// A name of code, in backticks or not, with or without arguments.
pub(super) const NAME: &str =
    r"`?([A-Za-z_$][\w$]*(?:(?:\.|::|->|\#)[A-Za-z_$][\w$]*)*)[?!]?(?:\([^()`]*\))?`?";

/// Returns the last part of a qualified name.
pub(super) fn own_name(name: &str) -> &str {
    let name = name.trim_end_matches("()");
    name.rsplit(['.', ':', '#', '>', '/']).next().unwrap_or(name)
}

/// Whether `name` reads as code where `text` has it.
pub(super) fn is_code(name: &str, text: &str) -> bool {
    is_identifier_spelling(name)
        || text.match_indices(name).any(|(at, _)| {
            text[at + name.len()..].starts_with(['`', '(']) && !text[..at].ends_with(is_word_char)
        })
}

/// Whether a function or a type of several lines has this name.
pub(super) fn has_body(name: &str, evidence: &RunEvidence<'_>) -> bool {
    let mut declared = evidence.declared(name).iter();
    declared.any(|(_, found)| found.is_function() || found.range.width() > 1)
}

/// Returns the declarations of a name. For `Type.name`, only those that belong to the type, if there are any.
pub(super) fn declared_as<'a>(
    name: &str,
    evidence: &RunEvidence<'a>,
) -> Vec<(&'a RepoPath, &'a Declaration)> {
    let mut named = evidence.declared(own_name(name)).to_vec();
    if let Some(owner) = owner_of(name) {
        let is_own = |(path, declaration): &(&RepoPath, &Declaration)| {
            let heads = evidence.structure(path).into_iter().flat_map(|of| &of.heads);
            heads.into_iter().any(|(range, head)| {
                *range == declaration.range
                    && head.split(' ').next().is_some_and(|container| container == owner)
            })
        };
        if named.iter().any(is_own) {
            named.retain(is_own);
        }
    }
    named
}

/// Returns the type of `Type.name`.
pub(super) fn owner_of(name: &str) -> Option<&str> {
    let owner = name.trim_end_matches("()").strip_suffix(own_name(name))?;
    let owner = own_name(owner.trim_end_matches(['.', ':', '#', '>', '-']));
    Some(owner).filter(|owner| owner.starts_with(char::is_uppercase))
}
