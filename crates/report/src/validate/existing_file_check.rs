//! A reference must lead to an existing file inside the root.

use super::{citation::quoted, validation_context::ValidationContext};
use crate::{
    place_reference::{ReferencedPlace, parse_reference},
    validation_reason_codes::{ReasonCode, ValidationReason},
};
use retriever_workspace::FileState;

pub(super) fn check_path(
    reference: &str,
    context: &ValidationContext<'_>,
) -> Result<ReferencedPlace, ValidationReason> {
    let fail = |code, detail: &str| ValidationReason::new(code, quoted(reference), detail);
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
