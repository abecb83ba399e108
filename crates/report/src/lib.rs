//! The report of a run: the ledger of delivered evidence, the draft that a model submits, the deterministic validator, the
//! code map that is left, and its renderers.
//!
//! The crate is pure: no files, no network, no clock, no async. The caller records what it delivered in an
//! [`EvidenceLedger`](evidence_ledger::EvidenceLedger), parses a submission with [`parse`] or [`parse_text`], looks up the
//! state of every file of [`cited_paths`], and calls [`validate`].

mod code_map;
mod code_mentions_in_prose;
mod compare_maps;
mod corrected_draft;
pub mod evidence_ledger;
mod file_structure;
pub mod json;
mod map_size_stats;
mod parse_report;
mod place_reference;
mod prose_normalization;
mod quantity;
pub mod render;
mod report_limits;
mod report_tool;
mod run_reason_codes;
mod sentence_clauses;
mod submitted_draft;
mod token_ratios;
pub mod tool_schema;
mod validate;
mod validation_reason_codes;
mod validation_reason_parts;

pub use code_map::{
    CODE_MAP_VERSION, CodeGraphUse, CodeMap, Confidence, Finding, GapSearch, KnownPlace,
    MAX_PLACE_LINES, MapMetadata, MapStatus, MissingItem, Place, PlaceList, PrimaryPlace,
    ReadTarget, RecommendedAction, ReportAuthor, SecondaryPlace, SessionUsage, StopReason,
    TokenUsage, Verdict,
};
pub use corrected_draft::{JudgedDraft, corrected, with_better_prose};
pub use file_structure::{FileStructure, Relation, RelationDirection};
pub use map_size_stats::{MapSizeStats, PlaceWidths};
pub use parse_report::{ParsedReport, parse, parse_text};
pub use place_reference::{cited_paths, claimed_places, scope_paths};
pub use report_limits::{MAX_PRIMARY, MAX_READ_TARGETS, MAX_SECONDARY, ReportRoom};
pub use report_tool::submit_tool;
pub use run_reason_codes::{RunReason, meaning_of_reason};
pub use submitted_draft::{
    DraftFinding, DraftGap, DraftPrimary, DraftReadTarget, DraftSecondary, ReportDraft, SUBMIT,
};
pub use validate::{
    KeptItem, KeptItems, MapLimits, ValidationContext, ValidationResult, repair_note, validate,
};
pub use validation_reason_codes::{ReasonCode, UncitedEvidence, ValidationReason};
pub use validation_reason_parts::{ReasonDetail, ReasonSubject};
