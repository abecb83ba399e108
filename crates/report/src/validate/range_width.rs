//! A range must be at most as wide as the limit, or exactly a declaration. A wider range is reduced to the declaration
//! that it nearly equals, or to the declarations in it that its item names. If there is none, the reference is
//! rejected, since any other cut would be arbitrary.

use super::citation::place_cited;
use crate::{
    evidence_ledger::{Declaration, FileEvidence},
    file_structure::FileStructure,
    prose_normalization::has_word,
    validation_reason_codes::{ReasonCode, ValidationReason},
    validation_reason_parts::ReasonDetail,
};
use retriever_workspace::LineRange;

/// How many times wider than the limit a declaration may be that is cited as a whole and still tells where to look.
const DECLARATION_WIDTHS: u32 = 3;

/// Returns the lines of the widest declaration that counts nothing against a report, for a limit of other ranges.
pub(super) const fn widest_declaration(limit: u32) -> u32 {
    limit.saturating_mul(DECLARATION_WIDTHS)
}

/// What the width of a range is checked against.
pub(super) struct RangeWidthLimits<'a> {
    pub(super) reference: &'a str,
    pub(super) file: &'a FileEvidence,
    pub(super) structure: Option<&'a FileStructure>,
    /// The item's text, which may name declarations.
    pub(super) hint: &'a str,
    pub(super) limit: u32,
}

impl<'a> RangeWidthLimits<'a> {
    fn declarations(&self) -> impl Iterator<Item = &'a Declaration> + use<'a> {
        let known = self.structure.map_or(&[][..], |structure| structure.declarations.as_slice());
        known.iter().chain(&self.file.declarations)
    }
}

pub(super) fn check_width(
    range: LineRange,
    check: &RangeWidthLimits<'_>,
    changes: &mut Vec<ValidationReason>,
) -> Result<LineRange, ValidationReason> {
    let RangeWidthLimits { reference, file, hint, limit, .. } = *check;
    if range.width() <= limit {
        return Ok(range);
    }
    if let Some(whole) = nearly_whole(range, check) {
        if whole != range {
            let detail = format!("lines {range} were cut to the declaration, {whole}");
            let detail = ReasonDetail::said(detail);
            changes.push(ValidationReason::new(
                ReasonCode::RangeTightened,
                place_cited(reference),
                detail,
            ));
        }
        if whole.width() > widest_declaration(limit) {
            let detail = format!("{} lines, exactly a declaration", whole.width());
            let detail = ReasonDetail::said(detail);
            let code = ReasonCode::RangeBroad;
            changes.push(ValidationReason::new(code, place_cited(reference), detail));
        }
        return Ok(whole);
    }
    let named: Vec<LineRange> = check
        .declarations()
        .filter(|declaration| range.covers(declaration.range) && has_word(hint, &declaration.name))
        .map(|declaration| declaration.range)
        .filter(|inner| inner.width() <= limit && file.delivered.contains(*inner))
        .collect();
    let span = named.iter().copied().reduce(LineRange::span);
    match span.filter(|span| span.width() <= limit).or_else(|| named.first().copied()) {
        Some(reduced) => {
            let detail = format!("lines {range} were cut to the declaration named, {reduced}");
            let detail = ReasonDetail::said(detail);
            changes.push(ValidationReason::new(
                ReasonCode::RangeTightened,
                place_cited(reference),
                detail,
            ));
            Ok(reduced)
        }
        None => Err(ValidationReason::new(
            ReasonCode::RangeWide,
            place_cited(reference),
            ReasonDetail::said(format!(
                "{} lines; cite at most {limit}, or one declaration",
                range.width()
            )),
        )),
    }
}

/// Returns the declaration that fills `range`, but for a tenth of its lines.
fn nearly_whole(range: LineRange, check: &RangeWidthLimits<'_>) -> Option<LineRange> {
    let ranges = check.declarations().map(|declaration| declaration.range);
    let widest = ranges.filter(|inner| range.covers(*inner)).max_by_key(|inner| inner.width())?;
    (u64::from(widest.width()) * 10 >= u64::from(range.width()) * 9).then_some(widest)
}
