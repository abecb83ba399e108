//! Checks which of two values is taken: "the larger of `a` and `b`" contradicts lines that take the minimum.

use std::sync::LazyLock;

use regex::Regex;

use super::evidence::RunEvidence;
use crate::{
    prose_normalization::literal_regex, validate::citation::Citation,
    validation_reason_parts::ReasonDetail,
};

/// Which of two values is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extremum {
    Largest,
    Smallest,
}

/// Returns what `text` says to be the larger or the smaller of two where the cited lines take only the other.
pub(super) fn wrong_extremum(
    text: &str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<ReasonDetail> {
    let (said, words) = said_extremum(text)?;
    let taken = extrema_in(&evidence.code_of(refs));
    let is_other = !taken.is_empty() && taken.iter().all(|taken| *taken != said);
    is_other.then(|| ReasonDetail::quoted(words).say(" is the other of the two in the cited lines"))
}

fn said_extremum(text: &str) -> Option<(Extremum, &str)> {
    static LARGEST: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"\b(?:larger|greater|higher|bigger|longer|later|maximum) of\b|\b(?:never|not) (?:less|lower|smaller|fewer|shorter) than\b",
        )
    });
    static SMALLEST: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"\b(?:smaller|lesser|lower|shorter|earlier|minimum) of\b|\b(?:never|not) (?:more|greater|higher|larger|longer) than\b",
        )
    });
    let find = |form: &'static LazyLock<Option<Regex>>| Some(form.as_ref()?.find(text)?.as_str());
    match (find(&LARGEST), find(&SMALLEST)) {
        (Some(words), None) => Some((Extremum::Largest, words)),
        (None, Some(words)) => Some((Extremum::Smallest, words)),
        _ => None,
    }
}

/// Returns what the calls of `max` and `min` in some code take, by any spelling.
fn extrema_in(code: &str) -> Vec<Extremum> {
    static CALL: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(r"(?i)\b(?:f?(max|min)(?:imum)?(?:_by|of)?)\s*(?:<[^>]*>)?\(")
    });
    let found = CALL.as_ref().into_iter().flat_map(|form| form.captures_iter(code));
    let found = found.filter_map(|found| Some(found.get(1)?.as_str().eq_ignore_ascii_case("max")));
    found.map(|is_max| if is_max { Extremum::Largest } else { Extremum::Smallest }).collect()
}
