//! Lines of the file must have been delivered, from the content that the file still has.

use super::{citation::quoted, validation_context::ValidationContext};
use crate::{
    evidence_ledger::{EvidenceLedger, FileEvidence},
    place_reference::ReferencedPlace,
    validation_reason_codes::{ReasonCode, ValidationReason},
};
use retriever_workspace::FileState;

pub(super) fn check_current<'a>(
    reference: &str,
    place: &ReferencedPlace,
    context: &ValidationContext<'a>,
) -> Result<&'a FileEvidence, ValidationReason> {
    let fail = |code, detail: &str| Err(ValidationReason::new(code, quoted(reference), detail));
    let ledger: &'a EvidenceLedger = context.ledger;
    let Some(file) = ledger.file(&place.path) else {
        let is_listed = ledger.places().iter().any(|listed| listed.path == place.path);
        let code = if is_listed { ReasonCode::ListingOnly } else { ReasonCode::RangeUnobserved };
        return fail(code, "none of its lines were shown");
    };
    if context.file_states.get(&place.path) != Some(&FileState::Current(file.stamp.hash)) {
        let detail = "the file changed after its lines were shown; read it again";
        return fail(ReasonCode::Stale, detail);
    }
    if !file.delivered.is_empty() {
        return Ok(file);
    }
    if file.superseded.is_empty() {
        return fail(ReasonCode::ListingOnly, "none of its lines were shown");
    }
    let detail = "its lines were shown before the file changed; read it again";
    fail(ReasonCode::Stale, detail)
}
