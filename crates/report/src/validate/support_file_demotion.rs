//! Tests, test support, generated and vendored files and documentation are not primary unless the question asks for them.
//! They become secondary places while there is room.

use super::{
    citation::quoted,
    draft_under_validation::{DraftPlace, DraftUnderValidation},
    validation_input::ValidationContext,
};
use crate::{
    report_limits::MAX_SECONDARY,
    validation_reason_codes::{ReasonCode, ValidationReason},
};

pub(super) fn apply(state: &mut DraftUnderValidation, context: &ValidationContext<'_>) {
    let (support, primary): (Vec<DraftPlace>, Vec<DraftPlace>) = std::mem::take(&mut state.primary)
        .into_iter()
        .partition(|item| item.citation.is_support(context));
    state.primary = primary;
    for mut item in support {
        let overlaps = |other: &DraftPlace| other.citation.overlaps(&item.citation);
        let fits = state.secondary.len() < MAX_SECONDARY && !state.secondary.iter().any(overlaps);
        let detail = if fits { "moved to secondary" } else { "dropped" };
        let reference = quoted(&item.reference);
        state.reasons.push(ValidationReason::new(ReasonCode::SupportOnly, reference, detail));
        if fits {
            item.is_demoted = true;
            item.symbols.clear();
            state.secondary.push(item);
        }
    }
}
