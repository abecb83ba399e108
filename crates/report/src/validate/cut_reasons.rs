//! What of a report was cut and why, as the map tells its planner where there is room. A text that was refused is not repeated: it
//! may be false, or an order.

use super::{
    draft_under_validation::DraftUnderValidation, resolve_citation::resolve_reference,
    validation_input::ValidationContext,
};
use crate::{
    code_map::{CodeMap, ReportAuthor},
    prose_normalization::{single_line, truncate},
    submitted_draft::ReportDraft,
    validation_reason_codes::{ReasonCode, ValidationReason},
};

/// Most cuts that are told.
const MAX_CUTS: usize = 4;

/// Adds the cuts to `map` that `limit` tokens leave room for, those for room first.
pub(super) fn add(
    map: &mut CodeMap,
    (state, draft): (&DraftUnderValidation, &ReportDraft),
    context: &ValidationContext<'_>,
    limit: u64,
) {
    let is_cut = |reason: &&ValidationReason| {
        let is_other = matches!(reason.code, ReasonCode::RangeTightened | ReasonCode::RoleUnbacked);
        let is_shortened = matches!(reason.code, ReasonCode::OverBudget | ReasonCode::SchemaLength);
        context.author == ReportAuthor::Model
            && (is_shortened || (reason.code.is_rejection() && !is_other))
    };
    let mut cuts: Vec<&ValidationReason> = state.reasons.iter().filter(is_cut).collect();
    cuts.sort_by_key(|reason| reason.code != ReasonCode::OverBudget);
    for reason in cuts {
        let cut = format!("{}: {}", item(&reason.reference, draft, context), why(&reason.detail));
        if map.meta.cuts.len() < MAX_CUTS && !map.meta.cuts.contains(&cut) {
            map.meta.cuts.push(cut);
            if map.token_count() > limit {
                map.meta.cuts.pop();
            }
        }
    }
}

/// Returns what a reason is about: a part of the report, with its place if that is known.
fn item(reference: &str, draft: &ReportDraft, context: &ValidationContext<'_>) -> String {
    let place = |reference: &str| {
        let (cited, _) = resolve_reference(reference, "", context).ok()?;
        Some(format!("{}:{}", cited.path, cited.range))
    };
    if let Some(number) = reference.strip_prefix("finding ") {
        let found = draft.findings.iter().enumerate();
        let mut found = found.filter(|(at, it)| it.number_in_report(*at).to_string() == number);
        let cited = found.find_map(|(_, finding)| finding.refs.iter().find_map(|it| place(it)));
        return cited.map_or_else(|| "finding".to_owned(), |place| format!("finding at {place}"));
    }
    let fields = ["why", "purpose", "symbols"].into_iter();
    let mut of_places = fields.filter_map(|field| {
        let reference = reference.strip_prefix(field)?.strip_prefix(" of ")?;
        Some(place(reference).map_or_else(|| field.to_owned(), |at| format!("{field} of {at}")))
    });
    of_places.next().unwrap_or_else(|| match reference {
        "summary" | "flow" | "report" | "gap_search" => reference.to_owned(),
        gap if gap.starts_with("missing ") => "missing".to_owned(),
        reference => place(reference).unwrap_or_else(|| "item".to_owned()),
    })
}

/// Returns why something was cut, without the text that was.
fn why(detail: &str) -> String {
    let reason = detail.split("; cut").next().unwrap_or_default();
    if reason.ends_with(" is an instruction") {
        return "tells its reader what to do".to_owned();
    }
    let reason = reason.replace(" to you", "");
    let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || "_.:-".contains(c));
    let parts = reason.split('"').enumerate().map(|(at, part)| match at % 2 {
        1 if !is_name(part) => "\"…\"".to_owned(),
        1 => format!("\"{part}\""),
        _ => part.to_owned(),
    });
    truncate(&single_line(&parts.collect::<String>()), 100)
}
