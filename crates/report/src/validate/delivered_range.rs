//! The lines must have been delivered. If only part of them was, the longest run of delivered lines is taken instead, if it
//! is at least half of the cited range. Lines past the end of the file count as cited and undelivered. A reference without
//! lines means the only run of delivered lines of the file.

use super::citation::place_cited;
use crate::{
    evidence_ledger::FileEvidence,
    place_reference::ReferencedPlace,
    validation_reason_codes::{ReasonCode, ValidationReason},
    validation_reason_parts::ReasonDetail,
};
use retriever_workspace::LineRange;

pub(super) fn check_delivered(
    reference: &str,
    place: &ReferencedPlace,
    file: &FileEvidence,
    changes: &mut Vec<ValidationReason>,
) -> Result<LineRange, ValidationReason> {
    let Some(cited) = place.range else {
        return match file.delivered.runs() {
            [only] => Ok(*only),
            runs => Err(ValidationReason::new(
                ReasonCode::RangeUnobserved,
                place_cited(reference),
                ReasonDetail::said(format!("say which lines: {}", listed(runs))),
            )),
        };
    };
    if file.delivered.contains(cited) {
        return Ok(cited);
    }
    let run = file.delivered.longest_within(cited);
    let is_half = |run: &LineRange| u64::from(run.width()) * 2 >= u64::from(cited.width());
    if let Some(run) = run.filter(is_half) {
        let detail = ReasonDetail::said(format!("only lines {run} of {cited} were shown"));
        changes.push(ValidationReason::new(
            ReasonCode::RangeTightened,
            place_cited(reference),
            detail,
        ));
        return Ok(run);
    }
    let (code, detail) = if file.superseded.covered(cited) > file.delivered.covered(cited) {
        let detail = format!("lines {cited} were shown before the file changed; read it again");
        (ReasonCode::Stale, detail)
    } else {
        let shown = listed(file.delivered.runs());
        (ReasonCode::RangeUnobserved, format!("lines {cited} were not shown; shown: {shown}"))
    };
    Err(ValidationReason::new(code, place_cited(reference), ReasonDetail::said(detail)))
}

fn listed(runs: &[LineRange]) -> String {
    const MAX_LISTED: usize = 4;
    let ranges: Vec<String> = runs.iter().take(MAX_LISTED).map(ToString::to_string).collect();
    let more = if runs.len() > MAX_LISTED { ", …" } else { "" };
    if ranges.is_empty() { "none".to_owned() } else { format!("{}{more}", ranges.join(", ")) }
}
