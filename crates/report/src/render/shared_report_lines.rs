//! Lines that the renderers share.

use crate::{
    code_map::{CodeMap, ReportAuthor, Verdict},
    run_reason_codes::meaning_of_reason,
};
use retriever_workspace::escape_control;

/// Returns the line on how far the map can be trusted and what to do with it.
pub(super) fn verdict_line(map: &CodeMap) -> String {
    let model = map.meta.model.as_deref().unwrap_or("the model");
    let author = match map.meta.author {
        ReportAuthor::Model => model.to_owned(),
        ReportAuthor::Offline => "offline driver (no model)".to_owned(),
        ReportAuthor::Fallback => format!("offline driver, since {model} gave no report"),
    };
    format!(
        "confidence {} · next {} · {} · by {author}",
        map.confidence, map.recommended_primary_action, map.status,
    )
}

/// Returns what the map does not list: places that had no room, and files that were read and not cited. `shown` writes a path.
pub(super) fn not_listed(
    map: &CodeMap,
    shown: impl Fn(&str) -> String,
) -> impl Iterator<Item = String> {
    let lists = [("left out for room", &map.left_out), ("also read", &map.also_read)];
    let lists = lists.into_iter().filter(|(_, places)| !places.is_empty());
    lists.map(move |(label, places)| {
        let places: Vec<String> = places.iter().map(|place| shown(place)).collect();
        format!("{label}: {}", places.join(", "))
    })
}

/// Returns a line for each reason against the report: its code and what it means; then one for each cut.
pub(super) fn reason_lines(map: &CodeMap) -> impl Iterator<Item = String> {
    let reasons = map.meta.reasons.iter().map(|reason| match meaning_of_reason(reason) {
        Some(meaning) => format!("{reason}: {meaning}"),
        None => reason.clone(),
    });
    reasons.chain(map.meta.cuts.iter().map(|cut| format!("cut: {}", escape_control(cut))))
}

/// Returns what follows a text that its lines do not confirm.
pub(super) const fn doubt(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Unconfirmed => " (not confirmed)",
        Verdict::AsSubmitted | Verdict::Tightened | Verdict::Recited | Verdict::Cut => "",
    }
}

/// Returns the suggested search as one line.
pub(super) fn search_line(map: &CodeMap) -> Option<String> {
    let gap = &map.gap_search;
    if gap.is_empty() {
        return None;
    }
    let terms = gap.terms.join(", ");
    Some(escape_control(&match gap.scopes.as_slice() {
        [] => terms,
        scopes => format!("{terms} in {}", scopes.join(", ")),
    }))
}
