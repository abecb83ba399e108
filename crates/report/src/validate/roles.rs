//! A claimed role is backed: by the kind of file, by the form or words of the delivered lines, or by a candidate of
//! the deterministic channels at the same place. An unbacked role is taken off its item; the item stays.

use super::{
    Judgement, Work,
    evidence::{Spot, short},
};
use crate::code::{Code, Reason};
use retriever_search::Role;

pub(super) fn apply(work: &mut Work, judgement: &Judgement<'_>) {
    let Work { primary, secondary, findings, reasons, .. } = work;
    for item in primary.iter_mut().chain(secondary) {
        let spots = std::slice::from_ref(&item.spot);
        judge(&mut item.role, spots, &short(&item.reference), judgement, reasons);
    }
    for fact in findings {
        judge(&mut fact.role, &fact.refs, &fact.label, judgement, reasons);
    }
}

fn judge(
    role: &mut Option<Role>,
    spots: &[Spot],
    reference: &str,
    judgement: &Judgement<'_>,
    reasons: &mut Vec<Reason>,
) {
    let Some(claimed) = *role else { return };
    if !spots.iter().any(|spot| is_backed(claimed, spot, judgement)) {
        let detail = format!("nothing in the cited lines shows the role {claimed}");
        reasons.push(Reason::new(Code::RoleUnbacked, reference, detail));
        *role = None;
    }
}

/// Whether anything backs `role` at the place.
pub(crate) fn is_backed(role: Role, spot: &Spot, judgement: &Judgement<'_>) -> bool {
    let Some(file) = spot.file(judgement) else { return false };
    judgement.cues.backs(role, &spot.text(judgement), &file.stamp.traits)
        || judgement.candidates.iter().any(|candidate| {
            candidate.file.path == spot.path
                && candidate.range.is_some_and(|range| range.overlaps(spot.range))
                && candidate.evidence_roles.contains(&role)
        })
}
