//! What was cut from a report and why, for the map if there is room. Refused text is not repeated: it may be false, or
//! an order.

use super::{
    draft_under_validation::DraftUnderValidation, resolve_citation::resolve_reference,
    validation_input::ValidationContext,
};
use crate::{
    code_map::{CodeMap, ReportAuthor},
    place_reference::parse_reference,
    prose_normalization::{single_line, truncate},
    submitted_draft::ReportDraft,
    validation_reason_codes::{ReasonCode, ValidationReason},
    validation_reason_parts::ReasonSubject,
};

/// Most cuts that are told.
const MAX_CUTS: usize = 4;
/// Longest reason of a cut, in characters.
const MAX_REASON_CHARS: usize = 100;

/// Adds the `reasons` for cuts to `map` that `limit` tokens leave room for, those for room first.
pub(super) fn add(
    map: &mut CodeMap,
    state: &DraftUnderValidation,
    draft: &ReportDraft,
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
        let why = truncate(&single_line(reason.detail.for_planner()), MAX_REASON_CHARS);
        let cut = format!("{}: {why}", item(&reason.subject, draft, context));
        if map.meta.cuts.len() < MAX_CUTS && !map.meta.cuts.contains(&cut) {
            map.meta.cuts.push(cut);
            if map.token_count() > limit {
                map.meta.cuts.pop();
            }
        }
    }
}

/// Returns the path of a reference to a file that the run showed, listed or ranked. Another path is text of the report.
fn known_path(reference: &str, context: &ValidationContext<'_>) -> Option<String> {
    let cited = parse_reference(reference, context.ledger, context.root).ok()?.path;
    context.known_paths().any(|path| *path == cited).then(|| cited.as_str().to_owned())
}

/// Returns what a reason is about: a part of the report, with its place if that is known.
fn item(subject: &ReasonSubject, draft: &ReportDraft, context: &ValidationContext<'_>) -> String {
    let place = |reference: &str| {
        let (cited, _) = resolve_reference(reference, "", context).ok()?;
        Some(format!("{}:{}", cited.path, cited.range))
    };
    match subject {
        ReasonSubject::Summary | ReasonSubject::Flow | ReasonSubject::Part(_) => {
            subject.to_string()
        }
        ReasonSubject::Finding(number) => {
            let found = draft.findings.iter().enumerate();
            let mut found = found.filter(|(at, it)| it.number_in_report(*at) == *number);
            let cited = found.find_map(|(_, finding)| finding.refs.iter().find_map(|it| place(it)));
            cited.map_or_else(|| "finding".to_owned(), |place| format!("finding at {place}"))
        }
        ReasonSubject::Gap(_) => "missing".to_owned(),
        ReasonSubject::TextOfPlace { field, reference } => place(reference)
            .map_or_else(|| (*field).to_owned(), |place| format!("{field} of {place}")),
        ReasonSubject::Reference(reference) => place(reference)
            .or_else(|| known_path(reference, context))
            .unwrap_or_else(|| "a cited place".to_owned()),
        ReasonSubject::Value(_) => "item".to_owned(),
    }
}
