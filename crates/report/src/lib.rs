//! The report of a run: the ledger of delivered evidence, the draft that a model submits, the deterministic validator, the
//! code map that is left, and its renderers.
//!
//! The crate is pure: no files, no network, no clock, no async. The caller records what it delivered in a
//! [`Ledger`](ledger::Ledger), parses a submission with [`parse`] or [`parse_text`], looks up the state of every file of
//! [`cited_paths`], and calls [`validate`].

mod draft;
pub mod json;
pub mod ledger;
mod map;
mod mentions;
mod parse;
mod prose;
mod quantity;
mod reason;
mod reference;
pub mod render;
pub mod schema;
mod structure;
mod token_density;
mod validate;

pub use draft::{
    Draft, DraftFinding, DraftMissing, DraftPrimary, DraftReadTarget, DraftSecondary, SUBMIT,
};
pub use map::{
    Action, Author, CODE_MAP_VERSION, CodeMap, Confidence, Finding, GapSearch, KnownPlace, Meta,
    Missing, Place, PlaceList, Primary, ReadTarget, Secondary, SessionUse, Status, StopReason,
    Usage, Verdict,
};
pub use parse::{ParsedReport, parse, parse_text};
pub use reason::{Reason, ReasonCode};
pub use reference::{cited_paths, claimed_places};
pub use structure::{Direction, FileStructure, Relation};
pub use token_density::{Density, Widths};
pub use validate::{MapLimits, Validation, ValidationContext, repair_note, validate};
