//! Resolves a reference to a citation by the reference checks, in order: the path exists, the file is unchanged since its
//! lines were delivered, the lines were delivered, the range is narrow enough.

use retriever_workspace::FileState;

use super::{
    citation::{Citation, place_cited},
    delivered_range::check_delivered,
    range_width::{RangeWidthLimits, check_width},
    validation_input::ValidationContext,
};
use crate::{
    evidence_ledger::{EvidenceLedger, FileEvidence},
    place_reference::{ReferencedPlace, parse_reference},
    validation_reason_codes::{ReasonCode, ValidationReason},
    validation_reason_parts::ReasonDetail,
};

/// Returns the citation and what was changed to make it valid.
///
/// # Errors
///
/// The [`ValidationReason`] of the first check that fails.
pub(super) fn resolve_reference(
    reference: &str,
    hint: &str,
    context: &ValidationContext<'_>,
) -> Result<(Citation, Vec<ValidationReason>), ValidationReason> {
    let place = check_path(reference, context)?;
    let file = check_current(reference, &place, context)?;
    let mut changes = Vec::new();
    let range = check_delivered(reference, &place, file, &mut changes)?;
    let structure = context.structures.get(&place.path);
    let limit = context.limits.max_width;
    let width = RangeWidthLimits { reference, file, structure, hint, limit };
    let range = check_width(range, &width, &mut changes)?;
    Ok((Citation { path: place.path, range }, changes))
}

/// The reference must lead to an existing file inside the root.
fn check_path(
    reference: &str,
    context: &ValidationContext<'_>,
) -> Result<ReferencedPlace, ValidationReason> {
    let fail =
        |code, detail: &'static str| ValidationReason::new(code, place_cited(reference), detail);
    let place = parse_reference(reference, context.ledger, context.root).map_err(|code| {
        let detail = match code {
            ReasonCode::PathOutside => "leads out of the root",
            ReasonCode::RangeUnobserved => "is no range of lines",
            _ => "is no ID that was shown and no path",
        };
        fail(code, detail)
    })?;
    match context.file_states.get(&place.path) {
        Some(FileState::Current(_)) => Ok(place),
        Some(FileState::Outside) => Err(fail(ReasonCode::PathOutside, "leads out of the root")),
        Some(FileState::Missing) | None => Err(fail(ReasonCode::PathMissing, "does not exist")),
    }
}

/// Lines of the file must have been delivered, from the content that the file still has.
fn check_current<'a>(
    reference: &str,
    place: &ReferencedPlace,
    context: &ValidationContext<'a>,
) -> Result<&'a FileEvidence, ValidationReason> {
    let fail = |code, detail: ReasonDetail| {
        Err(ValidationReason::new(code, place_cited(reference), detail))
    };
    let stale = |said: &'static str| {
        fail(ReasonCode::Stale, ReasonDetail::from(said).say_to_model("; read it again"))
    };
    let ledger: &'a EvidenceLedger = context.ledger;
    let Some(file) = ledger.file(&place.path) else {
        let is_listed = ledger.places().iter().any(|listed| listed.path == place.path);
        let code = if is_listed { ReasonCode::ListingOnly } else { ReasonCode::RangeUnobserved };
        return fail(code, "none of its lines were shown".into());
    };
    if context.file_states.get(&place.path) != Some(&FileState::Current(file.version.hash)) {
        return stale("the file changed after its lines were shown");
    }
    if !file.delivered.is_empty() {
        return Ok(file);
    }
    if file.superseded.is_empty() {
        return fail(ReasonCode::ListingOnly, "none of its lines were shown".into());
    }
    stale("its lines were shown before the file changed")
}
