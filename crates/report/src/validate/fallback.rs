//! The map when no report could be had: what was delivered at the best candidates, as a draft that goes through the same
//! validator. Low by construction, and never without something to do next while anything is known.

use std::collections::BTreeSet;

use super::{
    citation::Citation, context::ValidationContext, grounding::default_reason,
    role_backing::is_backed, validate,
};
use crate::{
    draft::{Draft, DraftPrimary, DraftReadTarget, DraftSecondary, GapSearch},
    ledger::{FileEvidence, Ledger},
    map::{Action, Author, CodeMap, Status},
    mentions::{Mention, mentions},
};
use retriever_search::{Role, words_in};
use retriever_workspace::{FileState, LineRange, RepoPath};

const MOST: usize = 5;
const TO_READ: usize = 3;

/// The files that [`fallback`] may cite, so that the caller can find out how they stand.
pub fn fallback_paths(ledger: &Ledger) -> Vec<RepoPath> {
    ledger
        .files()
        .filter(|file| !file.delivered.is_empty())
        .map(|file| file.stamp.path.clone())
        .collect()
}

/// Writes a map from the ledger and the candidates.
pub fn fallback(context: &ValidationContext<'_>) -> CodeMap {
    let context =
        &ValidationContext { author: Author::Fallback, status: Status::Fallback, ..*context };
    let mut draft = Draft::default();
    for spot in best(context) {
        let reference = format!("{}:{}", spot.path, spot.range);
        let role = role(&spot, context);
        let why = default_reason(&spot, context);
        if spot.is_support(context) {
            draft.secondary.push(DraftSecondary { reference, role, why });
            continue;
        }
        if draft.primary.len() == MOST {
            continue;
        }
        if draft.read_targets.len() < TO_READ {
            let purpose = "see whether it answers the question".to_owned();
            let reference = reference.clone();
            draft.read_targets.push(DraftReadTarget { reference, purpose, required: false });
        }
        draft.primary.push(DraftPrimary { reference, symbols: Vec::new(), role, why });
    }
    draft.secondary.truncate(2);
    draft.gap_search = gap_search(context);
    draft.recommended_primary_action = Some(if draft.read_targets.is_empty() {
        Action::TargetedGapSearch
    } else {
        Action::ReadTargets
    });
    validate(&draft, context).map
}

/// Delivered places, best first: the candidates' in their order, then what was read elsewhere, then the rest.
fn best(context: &ValidationContext<'_>) -> Vec<Citation> {
    let limit = context.limits.max_width;
    let mut spots: Vec<Citation> = Vec::new();
    for candidate in context.candidates {
        if let Some(file) = current(&candidate.file.path, context) {
            let wanted = candidate.range.or_else(|| file.read.runs().first().copied());
            let wanted = wanted.or_else(|| file.delivered.runs().first().copied());
            if let Some(range) = wanted {
                add(&mut spots, file, range, limit);
            }
        }
    }
    let files: Vec<&FileEvidence> =
        context.ledger.files().filter_map(|file| current(&file.stamp.path, context)).collect();
    let mut by_reading = files.clone();
    by_reading.sort_by_key(|file| (std::cmp::Reverse(file.read.len()), &file.stamp.path));
    for file in &by_reading {
        let longest = |runs: &[LineRange]| runs.iter().copied().max_by_key(|run| run.width());
        if let Some(range) = longest(file.read.runs()) {
            add(&mut spots, file, range, limit);
        }
    }
    if spots.is_empty() {
        for file in &by_reading {
            if let Some(range) = file.delivered.runs().first() {
                add(&mut spots, file, *range, limit);
            }
        }
    }
    spots.truncate(3 * MOST);
    spots
}

/// Adds the longest delivered run inside `wanted`, or the head of it when it is too wide.
fn add(spots: &mut Vec<Citation>, file: &FileEvidence, wanted: LineRange, limit: u32) {
    let Some(run) = file.delivered.longest_within(wanted) else { return };
    let end = run.start().saturating_add(limit.saturating_sub(1));
    let head = LineRange::new(run.start(), end).filter(|_| !file.is_declaration(run));
    let range = head.and_then(|head| head.intersect(run)).unwrap_or(run);
    let path = &file.stamp.path;
    if !spots.iter().any(|spot| spot.path == *path && spot.range.overlaps(range)) {
        spots.push(Citation { path: path.clone(), range });
    }
}

fn current<'a>(path: &RepoPath, context: &ValidationContext<'a>) -> Option<&'a FileEvidence> {
    let file = context.ledger.file(path)?;
    (context.file_states.get(path) == Some(&FileState::Current(file.stamp.hash))).then_some(file)
}

fn role(spot: &Citation, context: &ValidationContext<'_>) -> Option<Role> {
    let suggested: BTreeSet<Role> = context
        .candidates
        .iter()
        .filter(|c| c.file.path == spot.path && c.range.is_some_and(|r| r.overlaps(spot.range)))
        .flat_map(|candidate| candidate.evidence_roles.iter().copied())
        .collect();
    let asked =
        |role: &Role| context.question.roles.contains(role) || context.scope.roles.contains(role);
    let best = suggested.iter().copied().find(asked).or_else(|| suggested.first().copied());
    best.filter(|role| is_backed(*role, spot, context))
}

/// The question's identifiers, then its longer words, in the folders of the best candidates.
fn gap_search(context: &ValidationContext<'_>) -> GapSearch {
    let mut terms: Vec<String> = Vec::new();
    for mention in mentions(&context.question.text) {
        if let Mention::Identifier(name) | Mention::Word(name) | Mention::File(name) = mention
            && !terms.contains(&name)
        {
            terms.push(name);
        }
    }
    let in_order = context.question.text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let words = in_order.filter(|word| word.chars().count() >= 4 && !is_filler(word));
    for word in words {
        let known = terms.iter().any(|term| words_in(term).contains(&word.to_lowercase()));
        if !known && !terms.iter().any(|term| term == word) {
            terms.push(word.to_owned());
        }
    }
    terms.truncate(MOST);
    let mut scopes: Vec<String> = Vec::new();
    let ranked = context.candidates.iter().map(|candidate| &candidate.file.path);
    for path in ranked.chain(context.ledger.places().iter().map(|place| &place.path)) {
        let folder = path.parent().filter(|folder| *folder != RepoPath::root());
        let scope = folder.as_ref().unwrap_or(path).as_str().to_owned();
        if scopes.len() < TO_READ && !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    GapSearch { terms, scopes }
}

fn is_filler(word: &str) -> bool {
    const FILLER: &str = " about after also before between code does each file files find from have \
        here into itself just made make makes module more most only over repository show some such \
        than that their them then there these they this those through trace what when where which \
        while whole will with within work works would ";
    FILLER.contains(&format!(" {} ", word.to_lowercase()))
}
