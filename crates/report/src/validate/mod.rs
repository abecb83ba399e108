//! The validator: turns a draft into a code map whose every place was delivered, line by line, from content that has not
//! changed. It is pure: the result depends on the draft and the [`ValidationContext`] only. Its rules
//! remove and downgrade, with a reason code; one rule a file, applied in the order of [`validate`]. Two of them add: lines of the
//! ledger that hold a statement are cited with it, and primary places stand in for read targets that are missing.

mod citation;
mod claimed_role_check;
mod confidence;
mod cut_reasons;
mod delivered_range;
mod draft_under_validation;
mod duplicate_citations;
mod evidence_ids_in_prose;
mod grounding;
mod kept_draft_items;
mod length_limits;
mod list_truncation;
mod map_builder;
mod range_width;
mod recommended_action;
mod report_repair;
mod resolve_citation;
mod room_cuts;
mod source_code_in_reports;
mod support_file_demotion;
mod token_limit;
mod uncited_files;
mod validation_input;

pub use kept_draft_items::{KeptItem, KeptItems};
pub use report_repair::repair_note;
pub use validation_input::{MapLimits, ValidationContext};

use self::{draft_under_validation::DraftUnderValidation, grounding::Grounding};
use crate::{
    code_map::{CodeMap, ReportAuthor},
    submitted_draft::ReportDraft,
    validation_reason_codes::ValidationReason,
};

/// The result of validating a draft.
#[derive(Clone, Debug)]
pub struct ValidationResult {
    /// The map. The caller sets the run's figures in `meta`, then calls [`CodeMap::set_report_tokens`].
    pub map: CodeMap,
    /// What stands of the draft, before the map was cut to its room.
    pub kept: KeptItems,
    /// Everything that was dropped, changed or counted against the draft, in order.
    pub reasons: Vec<ValidationReason>,
    /// Whether a repair turn of the model could correct something critical.
    pub repairable: bool,
}

/// Validates a draft.
pub fn validate(draft: &ReportDraft, context: &ValidationContext<'_>) -> ValidationResult {
    let mut state = DraftUnderValidation::new(draft, context);
    source_code_in_reports::remove_fenced(&mut state, context);
    let grounding = Grounding::new(context);
    grounding.ground_places(&mut state);
    duplicate_citations::apply(&mut state, context);
    grounding.ground_rest(&mut state);
    claimed_role_check::apply(&mut state, context);
    support_file_demotion::apply(&mut state, context);
    source_code_in_reports::remove_copied(&mut state, context);
    evidence_ids_in_prose::apply(&mut state, context);
    list_truncation::apply(&mut state);
    uncited_files::apply(&mut state, context);
    recommended_action::clean_targets(&mut state, context);

    let kept = KeptItems::of(&state);
    let repairable = report_repair::is_repairable(&state, draft, context);
    claimed_role_check::name_missing(&mut state, context);
    let before_cuts = report_repair::ReportSizes::of(&state);
    let (initial, _) = confidence::compute(&state, context);
    let mut action = recommended_action::decide(&mut state, context, initial);
    let (computed, counted) = confidence::compute(&state, context);
    let mut confidence = computed.min(initial);
    if fit(&mut state, context, |state| {
        map_builder::build(state, context, confidence, action, &counted)
    }) {
        // A removed part may have been the only one that covered a role.
        confidence = confidence.min(confidence::compute(&state, context).0);
        action = recommended_action::lower(&mut state, context, confidence, action);
    }
    let (computed, counted) = confidence::compute(&state, context);
    let build = |state: &DraftUnderValidation| {
        map_builder::build(state, context, computed.min(confidence), action, &counted)
    };
    fit(&mut state, context, build);
    let mut map = build(&state);
    cut_reasons::add(&mut map, &state, draft, context, map_limit(context));
    map.set_report_tokens();
    state.reasons.extend(counted);
    let is_over = context.author == ReportAuthor::Model && before_cuts.is_more_than(&state);
    // A repair turn needs a note of what to repair.
    let repairable = (repairable || is_over) && !repair_note(&state.reasons).is_empty();
    ValidationResult { map, kept, reasons: state.reasons, repairable }
}

/// Cuts `state` until the map that `build` makes of it fits the token limit. Returns whether evidence was cut.
fn fit(
    state: &mut DraftUnderValidation,
    context: &ValidationContext<'_>,
    build: impl Fn(&DraftUnderValidation) -> CodeMap,
) -> bool {
    token_limit::apply(state, map_limit(context), |state| build(state).token_count())
}

/// Returns the tokens of a map without the figures of the run.
fn map_limit(context: &ValidationContext<'_>) -> u64 {
    context.limits.max_tokens.saturating_sub(token_limit::META_TOKENS)
}
