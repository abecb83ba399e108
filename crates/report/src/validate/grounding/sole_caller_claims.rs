//! Checks "only `a` calls `b`" and "`b` is never called" against the graph's calls of a delivered declaration. The
//! graph can contradict such a claim, but not prove it, since a call whose target is unknown has no edge.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    code_names::{NAME, declared_as, is_code, own_name},
    evidence::RunEvidence,
};
use crate::{
    file_structure::{Relation, RelationDirection},
    prose_normalization::literal_regex,
    validation_reason_parts::ReasonDetail,
};
use retriever_search::words_in;

/// Finds a function that calls what the text says only another one or none calls.
pub(super) fn other_caller(text: &str, evidence: &RunEvidence<'_>) -> Option<ReasonDetail> {
    static ONLY: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"(?i:\bonly)\s+{NAME}\s+(?:ever\s+)?(?:calls|invokes)\s+{NAME}|{NAME}\s+is\s+the\s+(?:only|sole)\s+caller\s+of\s+{NAME}"
        ))
    });
    static PASSIVE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"{NAME}\s+is\s+(?:only\s+(?:ever\s+)?(?:called|invoked)|(?:called|invoked)\s+only)\s+(?:by|from)\s+{NAME}"
        ))
    });
    static NEVER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"(?i:\bnothing|\bnobody|\bno\s+function)\s+(?:ever\s+)?calls\s+{NAME}|{NAME}\s+(?:is\s+never\s+called|has\s+no\s+callers?)\b"
        ))
    });
    let active = ONLY.as_ref()?.captures_iter(text).filter_map(|found| {
        let group = |at| Some(found.get(at)?.as_str());
        Some((group(1).or_else(|| group(3)), group(2).or_else(|| group(4))?))
    });
    let passive = PASSIVE.as_ref()?.captures_iter(text);
    let passive =
        passive.filter_map(|found| Some((Some(found.get(2)?.as_str()), found.get(1)?.as_str())));
    let never = NEVER.as_ref()?.captures_iter(text);
    let never =
        never.filter_map(|found| Some((None, found.get(1).or_else(|| found.get(2))?.as_str())));
    let is_named = |name: &str| is_code(name, text);
    let claims = active.chain(passive).chain(never);
    let mut claims =
        claims.filter(|(caller, callee)| caller.is_none_or(is_named) && is_named(callee));
    claims.find_map(|(caller, callee)| {
        let other = caller_beside(caller.map(own_name), callee, evidence)?;
        Some(ReasonDetail::quoted(other).say(" calls ").quote(own_name(callee)).say(" too"))
    })
}

/// Returns a function that calls the one declaration of `callee` and is not `caller`. Tests do not count.
fn caller_beside<'a>(
    caller: Option<&str>,
    callee: &str,
    evidence: &RunEvidence<'a>,
) -> Option<&'a str> {
    let declared = declared_as(callee, evidence);
    let (path, declaration) = *declared.first()?;
    if declared.iter().any(|other| other.0 != path || other.1.range != declaration.range) {
        return None;
    }
    let is_test = |name: &str| words_in(name).into_iter().any(|word| word.starts_with("test"));
    let is_other = |relation: &&Relation| {
        let is_caller = |name: &str| caller == Some(name);
        relation.direction == RelationDirection::Incoming
            && relation.is_call
            && relation.range == declaration.range
            && relation.other != own_name(callee)
            && !is_caller(&relation.other)
            && !relation.other_container.as_deref().is_some_and(is_caller)
            && !is_test(&relation.other)
    };
    let relations = &evidence.structure(path)?.relations;
    relations.iter().find(is_other).map(|relation| relation.other.as_str())
}
