//! A range must be at most as wide as the limit, or exactly a declaration. A wider range is reduced to the declarations in
//! it that its item names. If the item names none, the reference is rejected: any other cut would be arbitrary.

use super::citation::quoted;
use crate::{
    ledger::FileEvidence,
    prose::has_word,
    reason::{Reason, ReasonCode},
};
use retriever_workspace::LineRange;

/// What the width of a range is checked against.
pub(super) struct WidthCheck<'a> {
    pub(super) reference: &'a str,
    pub(super) file: &'a FileEvidence,
    /// The item's text, which may name declarations.
    pub(super) hint: &'a str,
    pub(super) limit: u32,
}

pub(super) fn check_width(
    range: LineRange,
    check: &WidthCheck<'_>,
    changes: &mut Vec<Reason>,
) -> Result<LineRange, Reason> {
    let WidthCheck { reference, file, hint, limit } = *check;
    if range.width() <= limit {
        return Ok(range);
    }
    if file.is_declaration(range) {
        let detail = format!("{} lines, exactly a declaration", range.width());
        changes.push(Reason::new(ReasonCode::RangeBroad, quoted(reference), detail));
        return Ok(range);
    }
    let named: Vec<LineRange> = file
        .declarations
        .iter()
        .filter(|declaration| range.covers(declaration.range) && has_word(hint, &declaration.name))
        .map(|declaration| declaration.range)
        .filter(|inner| inner.width() <= limit && file.delivered.contains(*inner))
        .collect();
    let span = named.iter().copied().reduce(LineRange::span);
    match span.filter(|span| span.width() <= limit).or_else(|| named.first().copied()) {
        Some(reduced) => {
            let detail = format!("lines {range} were cut to the declaration named, {reduced}");
            changes.push(Reason::new(ReasonCode::RangeTightened, quoted(reference), detail));
            Ok(reduced)
        }
        None => Err(Reason::new(
            ReasonCode::RangeWide,
            quoted(reference),
            format!("{} lines; cite at most {limit}, or one declaration", range.width()),
        )),
    }
}
