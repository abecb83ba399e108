//! The report: what the model submits, the rules that judge it, and the code map that is left.

mod code;
mod confidence;
mod density;
mod draft;
mod fallback;
mod found;
pub mod ledger;
mod map;
mod prose;
mod reference;
pub mod render;
pub mod schema;
mod validate;

pub use code::{Code, Reason};
pub use density::{Density, Widths, measure};
pub use draft::{
    Draft, DraftFinding, DraftMissing, DraftPrimary, DraftReadTarget, DraftSecondary, GapSearch,
    SUBMIT,
};
pub use fallback::{fallback, fallback_paths};
pub use found::{Found, find_json};
pub use map::{
    Action, Author, CODE_MAP_VERSION, CodeMap, Confidence, Finding, Known, List, Meta, Missing,
    Place, Primary, ReadTarget, Secondary, SessionUse, Status, StopReason, Usage,
};
pub use validate::{
    Judgement, Limits, Parsed, Validation, cited_paths, claimed_places, parse, parse_text,
    repair_note, validate,
};
