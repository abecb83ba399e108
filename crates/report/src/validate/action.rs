//! What the planner should do next. The model's advice can only be lowered, along answer, read, search, skip, to the first
//! action that the rest of the report supports. One thing is added: a report that names good places and nothing to
//! read gets its first primary places as read targets, marked with a code, since "read these" is what it says.

use std::collections::BTreeSet;

use globset::Glob;

use super::{Item, Judgement, Work, evidence::short};
use crate::{
    Action, Confidence,
    code::{Code, Reason},
    prose::{clean, clip},
};
use retriever_search::Intent;
use retriever_workspace::RepoPath;

const MOST: usize = 5;
const DERIVED: usize = 3;

/// Keeps concrete terms and scopes that exist and are bounded.
pub(super) fn clean_gap_search(work: &mut Work, judgement: &Judgement<'_>) {
    let known = known_paths(judgement);
    let reasons = &mut work.reasons;
    let mut kept: Vec<String> = Vec::new();
    for term in &work.gap_search.terms {
        let term = clip(&clean(term), 80);
        if term.chars().filter(|c| c.is_alphanumeric()).count() < 2 {
            reasons.push(Reason::new(Code::ActionTerms, short(&term), "is nothing to search for"));
        } else if !kept.contains(&term) && kept.len() < MOST {
            kept.push(term);
        }
    }
    work.gap_search.terms = kept;
    let mut kept: Vec<String> = Vec::new();
    for scope in &work.gap_search.scopes {
        match bounded(scope, judgement.root, &known) {
            Some(scope) if !kept.contains(&scope) && kept.len() < MOST => kept.push(scope),
            Some(_) => {}
            None => {
                let detail = "is no folder, file or bounded glob that was seen";
                reasons.push(Reason::new(Code::ActionScope, short(scope), detail));
            }
        }
    }
    work.gap_search.scopes = kept;
    let Work { read_targets, primary, reasons, .. } = work;
    read_targets.retain_mut(|target| {
        if target.text.is_empty() {
            let same = primary.iter().find(|item| {
                item.spot.path == target.spot.path && item.spot.range.overlaps(target.spot.range)
            });
            target.text = same.map(|item| item.text.clone()).unwrap_or_default();
        }
        if target.text.is_empty() {
            reasons.push(Reason::new(
                Code::ActionPurpose,
                short(&target.reference),
                "say what to look for or change there",
            ));
        }
        !target.text.is_empty()
    });
}

/// Every path that the program has seen to exist.
fn known_paths(judgement: &Judgement<'_>) -> BTreeSet<RepoPath> {
    let listed = judgement.ledger.places().iter().map(|place| place.path.clone());
    let delivered = judgement.ledger.files().map(|file| file.stamp.path.clone());
    let ranked = judgement.candidates.iter().map(|candidate| candidate.file.path.clone());
    listed.chain(delivered).chain(ranked).collect()
}

/// The scope in normal form, when it is a known file, a folder above one, or a glob that is bounded: by a folder that
/// exists, or by a name or ending.
fn bounded(scope: &str, root: &str, known: &BTreeSet<RepoPath>) -> Option<String> {
    let exists = |path: &RepoPath| {
        *path != RepoPath::root()
            && (known.contains(path) || {
                let folder = format!("{path}/");
                known.iter().any(|file| file.as_str().starts_with(&folder))
            })
    };
    let path = RepoPath::parse(scope, root).ok()?;
    if exists(&path) {
        return Some(path.as_str().to_owned());
    }
    if !scope.contains(['*', '?', '[', '{']) {
        return None;
    }
    Glob::new(path.as_str()).ok()?;
    let folder: Vec<&str> =
        path.as_str().split('/').take_while(|part| !part.contains(['*', '?', '[', '{'])).collect();
    let fits = if folder.is_empty() {
        path.file_name().chars().any(char::is_alphanumeric)
    } else {
        RepoPath::parse(&folder.join("/"), "").is_ok_and(|folder| exists(&folder))
    };
    fits.then(|| path.as_str().to_owned())
}

/// Settles the action, and derives read targets when there are none.
pub(super) fn decide(work: &mut Work, judgement: &Judgement<'_>, confidence: Confidence) -> Action {
    let intent = judgement.question.intent;
    let claimed = work.claimed_action.unwrap_or(match intent {
        Intent::Answer => Action::AnswerFromReport,
        Intent::Edit | Intent::Debug => Action::ReadTargets,
    });
    if claimed == Action::Skip && !work.primary.is_empty() {
        work.reasons.push(Reason::new(
            Code::ActionInconsistent,
            "skip",
            "there are primary places",
        ));
    }
    let mut action = lower(work, judgement, confidence, claimed);
    if action > Action::ReadTargets
        && claimed <= Action::ReadTargets
        && work.read_targets.is_empty()
        && !work.primary.is_empty()
    {
        let derived = work.primary.iter().take(DERIVED).map(|item| Item {
            text: if item.text.is_empty() {
                "see what it does for the question".to_owned()
            } else {
                item.text.clone()
            },
            required: intent != Intent::Answer,
            ..item.clone()
        });
        work.read_targets = derived.collect();
        let detail = "the report named nothing to read; its primary places stand in";
        work.reasons.push(Reason::new(Code::ActionTargetsDerived, "read_targets", detail));
        action = Action::ReadTargets;
    }
    action
}

/// The first action at or below `action` that the report supports.
pub(super) fn lower(
    work: &mut Work,
    judgement: &Judgement<'_>,
    confidence: Confidence,
    action: Action,
) -> Action {
    let mut action = action;
    if action == Action::AnswerFromReport {
        let empty = work.primary.is_empty() && work.findings.is_empty();
        let problem = if judgement.question.intent != Intent::Answer {
            Some((Code::ActionIntent, "the code has to be opened to be changed or debugged"))
        } else if work.read_targets.iter().any(|target| target.required) {
            Some((Code::ActionInconsistent, "a read target is required"))
        } else if work.missing.iter().any(|gap| gap.critical) {
            Some((Code::ActionInconsistent, "something critical is missing"))
        } else if confidence == Confidence::Low || empty {
            Some((Code::ActionInconsistent, "the confidence is low"))
        } else {
            None
        };
        if let Some((code, detail)) = problem {
            // Without advice there is nothing inconsistent in it.
            if work.claimed_action.is_some() {
                work.reasons.push(Reason::new(code, action.word(), detail));
            }
            action = Action::ReadTargets;
        }
    }
    if action == Action::ReadTargets && work.read_targets.is_empty() {
        if work.claimed_action == Some(action) {
            let detail = "no read target is left";
            work.reasons.push(Reason::new(Code::ActionInconsistent, action.word(), detail));
        }
        action = Action::TargetedGapSearch;
    }
    if action == Action::TargetedGapSearch
        && (work.gap_search.terms.is_empty() || work.gap_search.scopes.is_empty())
    {
        if work.claimed_action == Some(action) {
            let detail = "it needs terms to search for and scopes that exist";
            work.reasons.push(Reason::new(Code::ActionInconsistent, action.word(), detail));
        }
        action = Action::Skip;
    }
    action
}
