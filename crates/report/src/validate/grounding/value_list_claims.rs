//! Checks lists in plain words where code has values: "get, put and patch". Other checks look up only names of code,
//! not plain words.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;

use super::evidence::RunEvidence;
use crate::{
    prose_normalization::literal_regex, validate::citation::Citation,
    validation_reason_parts::ReasonDetail,
};

/// Returns a member of a list in `step` that no delivered line has, where the cited lines have all others in quotes.
pub(super) fn wrong_member(
    step: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<ReasonDetail> {
    static LIST: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(r"\b([a-z][a-z0-9_]*(?:, [a-z][a-z0-9_]*)+,? (?:and|or) [a-z][a-z0-9_]*)\b")
    });
    let list = LIST.as_ref()?;
    if !list.is_match(step) {
        return None;
    }
    let cited: String = refs.iter().map(|citation| citation.text(&evidence.context)).collect();
    let quoted: BTreeSet<&str> = cited.split(['\'', '"', '`']).collect();
    let is_quoted = |word: &str| quoted.contains(word);
    let lists = list.captures_iter(step).filter_map(|found| found.get(1));
    lists.map(|list| list.as_str()).find_map(|list| {
        let words = list.split([',', ' ']).filter(|word| !["", "and", "or"].contains(word));
        let (quoted, others): (Vec<&str>, Vec<&str>) = words.partition(|word| is_quoted(word));
        let is_list_of_code = quoted.len() > 1 && others.len() == 1;
        let other = others.first().filter(|other| is_list_of_code && !evidence.is_said(other))?;
        let detail = ReasonDetail::said("no line shown").say_to_model(" to you").say(" has ");
        Some(detail.quote(other).say(" among them"))
    })
}
