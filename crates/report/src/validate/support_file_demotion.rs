//! Tests, test support, generated and vendored files and documentation are not primary unless the question asks for them.
//! They become secondary places while there is room.

use super::{
    citation::place_cited,
    draft_under_validation::{DraftUnderValidation, PlaceUnderValidation},
    validation_input::ValidationContext,
};
use crate::{
    report_limits::MAX_SECONDARY,
    validation_reason_codes::{ReasonCode, ValidationReason},
};

pub(super) fn apply(state: &mut DraftUnderValidation, context: &ValidationContext<'_>) {
    let (support, primary): (Vec<PlaceUnderValidation>, Vec<PlaceUnderValidation>) =
        std::mem::take(&mut state.primary)
            .into_iter()
            .partition(|item| item.citation.is_secondary(context));
    state.primary = primary;
    for mut item in support {
        let overlaps = |other: &PlaceUnderValidation| other.citation.overlaps(&item.citation);
        let fits = state.secondary.len() < MAX_SECONDARY && !state.secondary.iter().any(overlaps);
        let detail = if fits { "moved to secondary" } else { "dropped" };
        let reference = place_cited(&item.reference);
        state.reasons.push(ValidationReason::new(ReasonCode::SupportOnly, reference, detail));
        if fits {
            item.is_demoted = true;
            item.symbols.clear();
            state.secondary.push(item);
        }
    }
}
