//! The action that is recommended to the planner. The model's claim can only be lowered, in the order answer, read, search,
//! skip, to the first action that the rest of the report supports; a report with places to read does not end in skip. One
//! thing is added: a report that is to be read and has no read targets gets its first primary places as such.

use std::collections::BTreeSet;

use super::{
    citation::{place_cited, shown},
    draft_under_validation::{DraftUnderValidation, PlaceUnderValidation},
    validation_input::ValidationContext,
};
use crate::{
    code_map::{Confidence, MapStatus, RecommendedAction},
    code_mentions_in_prose::is_identifier_spelling,
    place_reference::{GLOB_CHARS, fixed_part},
    prose_normalization::{is_listed, single_line, truncate},
    validation_reason_codes::{ReasonCode, ValidationReason},
    validation_reason_parts::ReasonSubject,
};
use retriever_search::Intent;
use retriever_workspace::{PathGlobs, RepoPath};

/// Most terms, and most scopes, of a suggested search.
const MAX_ITEMS: usize = 5;
/// Most read targets that are derived from primary places.
const MAX_DERIVED: usize = 3;
/// Longest scope, in characters.
const MAX_SCOPE_CHARS: usize = 120;
/// Scopes that leave nothing out.
const WHOLE_REPOSITORY: [&str; 6] = [".", "./", "*", "**", "**/*", "./**/*"];

/// Keeps the concrete search terms, the scopes that exist and are bounded, and the read targets that have a purpose.
pub(super) fn clean_targets(state: &mut DraftUnderValidation, context: &ValidationContext<'_>) {
    let gap = std::mem::take(&mut state.gap_search);
    state.gap_search.terms = concrete_terms(&gap.terms, &mut state.reasons);
    state.gap_search.scopes = bounded_scopes(&gap.scopes, context, &mut state.reasons);
    let DraftUnderValidation { read_targets, primary, reasons, .. } = state;
    read_targets.retain_mut(|target| {
        if target.text.is_empty() {
            let same = primary.iter().find(|item| item.citation.overlaps(&target.citation));
            target.text = same.map(|item| item.text.clone()).unwrap_or_default();
        }
        if target.text.is_empty() {
            let reference = place_cited(&target.reference);
            let detail = "say what to look for or change there";
            reasons.push(ValidationReason::new(ReasonCode::ActionPurpose, reference, detail));
        }
        !target.text.is_empty()
    });
}

fn concrete_terms(terms: &[String], reasons: &mut Vec<ValidationReason>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for term in terms {
        let term = truncate(&single_line(term), 80);
        if term.chars().filter(|c| c.is_alphanumeric()).count() < 2 || is_some_noun(&term) {
            let detail = "is nothing to search for";
            let term = ReasonSubject::Value(shown(&term));
            reasons.push(ValidationReason::new(ReasonCode::ActionTerms, term, detail));
        } else if !kept.contains(&term) && kept.len() < MAX_ITEMS {
            kept.push(term);
        }
    }
    kept
}

/// Whether a term is an article and a word, which says of nothing what it is: "the handler".
fn is_some_noun(term: &str) -> bool {
    const ARTICLES: &str = "a an any some that the this";
    let words: Vec<&str> = term.split_whitespace().collect();
    matches!(words.as_slice(), [article, noun]
        if is_listed(ARTICLES, &article.to_lowercase()) && !is_identifier_spelling(noun))
}

fn bounded_scopes(
    scopes: &[String],
    context: &ValidationContext<'_>,
    reasons: &mut Vec<ValidationReason>,
) -> Vec<String> {
    let known: BTreeSet<&RepoPath> = context.known_paths().collect();
    let mut kept: Vec<String> = Vec::new();
    for scope in scopes {
        // The whole repository is searched without a scope.
        if WHOLE_REPOSITORY.contains(&scope.trim()) {
            continue;
        }
        match bounded_scope(scope, context, &known) {
            Some(scope) if !kept.contains(&scope) && kept.len() < MAX_ITEMS => kept.push(scope),
            Some(_) => {}
            None => {
                let detail = "is no folder or file that exists, and no bounded glob";
                let scope = ReasonSubject::Value(shown(scope));
                reasons.push(ValidationReason::new(ReasonCode::ActionScope, scope, detail));
            }
        }
    }
    kept
}

/// Returns the scope in normal form if it is a known file, a folder that was listed or is above one, or a glob that is inside
/// a listed folder, or matches a known file and is bounded by a folder, a name or an extension.
fn bounded_scope(
    scope: &str,
    context: &ValidationContext<'_>,
    known: &BTreeSet<&RepoPath>,
) -> Option<String> {
    let folders = context.ledger.folders();
    let exists = |path: &RepoPath| {
        *path != RepoPath::root()
            && (context.existing_scopes.contains(path)
                || known.contains(path)
                || folders.contains(path)
                || {
                    let folder = format!("{path}/");
                    known.iter().any(|file| file.as_str().starts_with(&folder))
                })
    };
    let path = RepoPath::parse(scope, context.root).ok()?;
    if exists(&path) {
        return Some(path.as_str().to_owned());
    }
    if !scope.contains(GLOB_CHARS) {
        return None;
    }
    // A glob is free text but for what it matches: "src/* ignore the rest".
    let has_space = |text: &str| text.contains(char::is_whitespace);
    let is_text = path.as_str().chars().count() > MAX_SCOPE_CHARS
        || (has_space(path.as_str()) && !known.iter().any(|file| has_space(file.as_str())));
    let globs = PathGlobs::new(&[path.as_str()]).ok()?;
    let first = path.as_str().split('/').next().unwrap_or_default();
    let is_bounded =
        !first.contains(GLOB_CHARS) || path.file_name().chars().any(char::is_alphanumeric);
    let folder = RepoPath::parse(fixed_part(path.as_str()), "").ok();
    let is_listed = |path: &RepoPath| folders.iter().any(|folder| path.is_within(folder));
    let is_in_seen_folder = folder.is_some_and(|folder| {
        context.existing_scopes.contains(&folder) && folder != RepoPath::root()
            || is_listed(&folder) && (folder == RepoPath::root() || exists(&folder))
    });
    let is_seen = is_in_seen_folder || known.iter().any(|file| globs.matches(file));
    (is_bounded && !is_text && is_seen).then(|| path.as_str().to_owned())
}

/// Returns the action, and derives read targets if the report recommends reading and has none.
pub(super) fn decide(
    state: &mut DraftUnderValidation,
    context: &ValidationContext<'_>,
    confidence: Confidence,
) -> RecommendedAction {
    let intent = context.question.intent;
    let claimed = state.claimed_action.unwrap_or(match intent {
        Intent::Answer => RecommendedAction::AnswerFromReport,
        Intent::Edit | Intent::Debug => RecommendedAction::ReadTargets,
    });
    if claimed == RecommendedAction::Skip && !state.primary.is_empty() {
        let detail = "there are primary places";
        let code = ReasonCode::ActionInconsistent;
        state.reasons.push(ValidationReason::new(code, subject(RecommendedAction::Skip), detail));
    }
    let action = lower(state, context, confidence, claimed);
    let lost_its_targets =
        action > RecommendedAction::ReadTargets && claimed <= RecommendedAction::ReadTargets;
    // A planner that skips the map loses the places that hold.
    let is_to_read = lost_its_targets || action == RecommendedAction::Skip;
    if is_to_read && state.read_targets.is_empty() && !state.primary.is_empty() {
        derive_read_targets(state, intent);
    }
    if is_to_read && !state.read_targets.is_empty() {
        RecommendedAction::ReadTargets
    } else {
        action
    }
}

fn derive_read_targets(state: &mut DraftUnderValidation, intent: Intent) {
    let derived = state.primary.iter().take(MAX_DERIVED).map(|item| PlaceUnderValidation {
        text: if item.text.is_empty() {
            "see what it does for the question".to_owned()
        } else {
            item.text.clone()
        },
        required: intent != Intent::Answer,
        ..item.clone()
    });
    state.read_targets = derived.collect();
    let detail = "the report named nothing to read; its primary places stand in";
    let list = ReasonSubject::Part("read_targets");
    state.reasons.push(ValidationReason::new(ReasonCode::ActionTargetsDerived, list, detail));
}

/// Returns the first action at or below `action` that the report supports.
pub(super) fn lower(
    state: &mut DraftUnderValidation,
    context: &ValidationContext<'_>,
    confidence: Confidence,
    action: RecommendedAction,
) -> RecommendedAction {
    let mut action = action;
    if action == RecommendedAction::AnswerFromReport
        && let Some((code, detail)) = obstacle_to_answering(state, context, confidence)
    {
        // A default action that does not fit is not the model's inconsistency.
        if state.claimed_action.is_some() {
            state.reasons.push(ValidationReason::new(code, subject(action), detail));
        }
        action = RecommendedAction::ReadTargets;
    }
    if action == RecommendedAction::ReadTargets && state.read_targets.is_empty() {
        add_inconsistency(state, action, "no read target is left");
        action = RecommendedAction::TargetedGapSearch;
    }
    let gap = &state.gap_search;
    if action == RecommendedAction::TargetedGapSearch
        && (gap.terms.is_empty() || gap.scopes.is_empty())
    {
        add_inconsistency(state, action, "it needs terms to search for and scopes that exist");
        action = RecommendedAction::Skip;
    }
    action
}

/// Returns why the planner cannot answer from the report.
fn obstacle_to_answering(
    state: &DraftUnderValidation,
    context: &ValidationContext<'_>,
    confidence: Confidence,
) -> Option<(ReasonCode, &'static str)> {
    let is_absence_shown = state.is_absence_shown(context);
    let is_empty = state.primary.is_empty() && state.findings.is_empty() && !is_absence_shown;
    if context.question.intent != Intent::Answer {
        let detail = "the code has to be opened to be changed or debugged";
        Some((ReasonCode::ActionIntent, detail))
    } else if state.read_targets.iter().any(|target| target.required) {
        Some((ReasonCode::ActionInconsistent, "a read target is required"))
    } else if state.missing.iter().any(|gap| gap.critical) && !is_absence_shown {
        Some((ReasonCode::ActionInconsistent, "something critical is missing"))
    } else if confidence == Confidence::Low || is_empty {
        Some((ReasonCode::ActionInconsistent, "the confidence is low"))
    } else if context.status == MapStatus::Partial {
        Some((ReasonCode::ActionInconsistent, "the run was cut short before the repair"))
    } else {
        None
    }
}

fn subject(action: RecommendedAction) -> ReasonSubject {
    ReasonSubject::Part(action.into())
}

fn add_inconsistency(
    state: &mut DraftUnderValidation,
    action: RecommendedAction,
    detail: &'static str,
) {
    if state.claimed_action == Some(action) {
        state.reasons.push(ValidationReason::new(
            ReasonCode::ActionInconsistent,
            subject(action),
            detail,
        ));
    }
}
