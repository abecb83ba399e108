//! Tests, test support, generated and vendored files and documentation are not primary unless the question asks for them. They
//! move to the secondary places while there is room.

use super::{Item, Judgement, Work, evidence::short, schema::MAX_SECONDARY};
use crate::code::{Code, Reason};

pub(super) fn apply(work: &mut Work, judgement: &Judgement<'_>) {
    let (moved, kept): (Vec<Item>, Vec<Item>) = std::mem::take(&mut work.primary)
        .into_iter()
        .partition(|item| item.spot.is_support(judgement));
    work.primary = kept;
    for mut item in moved {
        let room = work.secondary.len() < MAX_SECONDARY;
        let known = work.secondary.iter().any(|other| {
            other.spot.path == item.spot.path && other.spot.range.overlaps(item.spot.range)
        });
        let detail = if room && !known { "moved to secondary" } else { "dropped" };
        work.reasons.push(Reason::new(Code::SupportOnly, short(&item.reference), detail));
        if room && !known {
            item.symbols.clear();
            work.secondary.push(item);
        }
    }
}
