//! What was cut of a report for want of room, and the sentence that says so. [`super::token_limit`] makes the cuts.

use crate::{token_ratios::map_chars, validation_reason_parts::ReasonDetail};

/// What was cut of a report for want of room.
#[derive(Debug, Default)]
pub(super) struct RoomCuts {
    /// Tokens that it was too long.
    pub(super) over: u64,
    pub(super) fields: Vec<CutField>,
}

impl RoomCuts {
    /// Says how much it was too long, and what went.
    pub(super) fn note(&self) -> ReasonDetail {
        let over = map_chars(self.over);
        let mut detail = ReasonDetail::said(format!("is {over} characters too long: "));
        for (at, cut) in self.fields.iter().enumerate() {
            detail = detail.say(if at == 0 { "" } else { ", " }).followed_by(&cut.note());
        }
        detail
    }
}

/// What was cut of a field.
#[derive(Debug)]
pub(super) struct CutField {
    pub(super) field: &'static str,
    pub(super) times: u32,
    /// The items that went, each with the characters that it had taken.
    pub(super) items: Vec<String>,
}

impl CutField {
    /// Says what was cut. The items have references as the model wrote them.
    fn note(&self) -> ReasonDetail {
        let Self { field, times, items } = self;
        let note = ReasonDetail::said(match *field {
            "why" | "fact" | "flow" | "summary" | "symbols" => format!("{field} shortened"),
            _ => format!("{times} of {field} left out"),
        });
        match items.as_slice() {
            [] => note,
            items => note.say_to_model(&format!(" ({})", items.join(", "))),
        }
    }
}
