//! Resolves a reference to a citation by the reference checks, in order: the path exists, the file is unchanged since its
//! lines were delivered, the lines were delivered, the range is narrow enough.

use super::{
    citation::Citation,
    delivered_range::check_delivered,
    existing_file_check::check_path,
    range_width::{RangeWidthLimits, check_width},
    stale_evidence::check_current,
    validation_context::ValidationContext,
};
use crate::validation_reason_codes::ValidationReason;

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
