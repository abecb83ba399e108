//! Lines of the file were delivered, and from the content that it still has.

use super::{Judgement, evidence::short};
use crate::{
    code::{Code, Reason},
    ledger::{FileEvidence, Ledger},
    reference::Claim,
};
use retriever_workspace::Standing;

pub(super) fn check<'a>(
    reference: &str,
    claim: &Claim,
    judgement: &Judgement<'a>,
) -> Result<&'a FileEvidence, Reason> {
    let ledger: &'a Ledger = judgement.ledger;
    let Some(file) = ledger.file(&claim.path) else {
        let code = if ledger.places().iter().any(|place| place.path == claim.path) {
            Code::ListingOnly
        } else {
            Code::RangeUnobserved
        };
        return Err(Reason::new(code, short(reference), "none of its lines were shown"));
    };
    if judgement.standing.get(&claim.path) != Some(&Standing::Current(file.stamp.hash)) {
        return Err(Reason::new(
            Code::Stale,
            short(reference),
            "the file changed after its lines were shown; read it again",
        ));
    }
    if file.delivered.is_empty() {
        let (code, detail) = if file.superseded.is_empty() {
            (Code::ListingOnly, "none of its lines were shown")
        } else {
            (Code::Stale, "its lines were shown before the file changed; read it again")
        };
        return Err(Reason::new(code, short(reference), detail));
    }
    Ok(file)
}
