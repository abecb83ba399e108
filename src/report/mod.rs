//! The report: what the model submits, the rules that judge it, and the code map that is left.

mod draft;
mod map;

pub use draft::{
    Draft, DraftFinding, DraftMissing, DraftPrimary, DraftReadTarget, DraftSecondary, GapSearch,
};
pub use map::{
    Action, CODE_MAP_VERSION, CodeMap, Confidence, Finding, Meta, Missing, Place, Primary,
    ReadTarget, Secondary, Status, StopReason,
};
