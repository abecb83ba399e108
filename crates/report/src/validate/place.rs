//! A reference leads to a file inside the root that exists.

use super::{Judgement, evidence::short};
use crate::{
    code::{Code, Reason},
    reference::{self, Claim},
};
use retriever_workspace::Standing;

pub(super) fn check(reference: &str, judgement: &Judgement<'_>) -> Result<Claim, Reason> {
    let fail = |code, detail: &str| Reason::new(code, short(reference), detail);
    let claim = reference::read(reference, judgement.ledger, judgement.root).map_err(|code| {
        fail(
            code,
            match code {
                Code::PathOutside => "leads out of the root",
                Code::RangeUnobserved => "is no range of lines",
                _ => "is no ID that was shown and no path",
            },
        )
    })?;
    match judgement.standing.get(&claim.path) {
        Some(Standing::Current(_)) => Ok(claim),
        Some(Standing::Outside) => Err(fail(Code::PathOutside, "leads out of the root")),
        Some(Standing::Missing) | None => Err(fail(Code::PathMissing, "does not exist")),
    }
}
