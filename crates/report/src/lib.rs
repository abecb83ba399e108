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
mod map_density;
mod mentions;
mod parse;
mod place_reference;
mod prose;
mod quantity;
mod reason;
pub mod render;
pub mod schema;
mod structure;
mod validate;

pub use draft::{
    Draft, DraftFinding, DraftMissing, DraftPrimary, DraftReadTarget, DraftSecondary, SUBMIT,
};
pub use map::{
    CODE_MAP_VERSION, CodeMap, Confidence, Finding, GapSearch, KnownPlace, MapMetadata, MapStatus,
    Missing, Place, PlaceList, Primary, ReadTarget, RecommendedAction, ReportAuthor, Secondary,
    SessionUsage, StopReason, Usage, Verdict,
};
pub use map_density::{MapDensity, PlaceWidths};
pub use parse::{ParsedReport, parse, parse_text};
pub use place_reference::{cited_paths, claimed_places};
pub use reason::{Reason, ReasonCode, Remedy};
pub use structure::{FileStructure, Relation, RelationDirection};
pub use validate::{MapLimits, Validation, ValidationContext, repair_note, validate};
