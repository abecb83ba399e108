//! How far a map may be trusted (design §6). Starts at high; everything that speaks against it lowers it and leaves its code.
//! The model's own claim can lower it too, never raise it.

use super::{
    Confidence, Status,
    code::{Code, Reason},
    validate::{Judgement, Work},
};
use crate::Author;
use retriever_search::Role;
use retriever_workspace::LineSet;

impl Work {
    /// Whether some surviving place or finding carries the role.
    pub(super) fn covers(&self, role: Role) -> bool {
        let items = self.primary.iter().chain(&self.secondary).map(|item| item.role);
        items.chain(self.findings.iter().map(|fact| fact.role)).any(|held| held == Some(role))
    }
}

/// Computes the confidence, and the reasons that held it down beside what was dropped.
pub(super) fn judge(work: &Work, judgement: &Judgement<'_>) -> (Confidence, Vec<Reason>) {
    let mut verdict = Verdict { confidence: Confidence::High, reasons: Vec::new() };
    evidence(work, judgement, &mut verdict);
    roles(work, judgement, &mut verdict);
    losses(work, &mut verdict);
    for gap in &work.missing {
        if gap.critical {
            verdict.cap(Confidence::Low, Code::GapCritical, "missing", &gap.what);
        } else {
            verdict.cap(Confidence::Medium, Code::GapOpen, "missing", &gap.what);
        }
    }
    match judgement.status {
        Status::Complete => {}
        Status::Partial => {
            verdict.cap(Confidence::Medium, Code::Partial, "run", "was cut short");
        }
        Status::Fallback => verdict.lower(Confidence::Low),
    }
    if judgement.author != Author::Model {
        verdict.cap(Confidence::Low, Code::NotModel, "author", "no language model wrote this");
    }
    if let Some(claimed) = work.claimed_confidence
        && claimed < verdict.confidence
    {
        verdict.cap(claimed, Code::ClaimedLower, "confidence", "the model is less sure");
    }
    (verdict.confidence, verdict.reasons)
}

struct Verdict {
    confidence: Confidence,
    reasons: Vec<Reason>,
}

impl Verdict {
    fn lower(&mut self, to: Confidence) {
        self.confidence = self.confidence.min(to);
    }

    fn cap(&mut self, to: Confidence, code: Code, reference: &str, detail: &str) {
        self.lower(to);
        self.reasons.push(Reason::new(code, reference, detail));
    }
}

/// What the citations rest on: nothing, search hits, tests, or code that was read.
fn evidence(work: &Work, judgement: &Judgement<'_>, verdict: &mut Verdict) {
    if work.primary.is_empty() && work.secondary.is_empty() && work.findings.is_empty() {
        verdict.cap(Confidence::Low, Code::NoEvidence, "report", "nothing cited is left");
        return;
    }
    if work.spots().all(|spot| spot.is_support(judgement)) {
        verdict.cap(Confidence::Low, Code::TestOnly, "report", "only supporting files are cited");
    } else if work.primary.is_empty() {
        verdict.cap(Confidence::Low, Code::NoEvidence, "primary", "no primary place is left");
    }
    if work.findings.is_empty() {
        verdict.cap(Confidence::Medium, Code::NoFindings, "findings", "no fact is left");
    }
    let unread = work
        .primary
        .iter()
        .filter(|item| {
            let read: Option<&LineSet> = item.spot.file(judgement).map(|file| &file.read);
            read.is_none_or(|read| read.covered(item.spot.range) * 2 < item.spot.range.width())
        })
        .count();
    if unread > 0 {
        let mostly = unread * 2 > work.primary.len();
        let to = if mostly { Confidence::Low } else { Confidence::Medium };
        let detail = format!("{unread} of {} primary places", work.primary.len());
        verdict.cap(to, Code::Unread, "primary", &detail);
    }
}

/// Whether the requested roles are covered. The caller's own are all critical; of those read from the question one may be
/// missing.
fn roles(work: &Work, judgement: &Judgement<'_>, verdict: &mut Verdict) {
    let missing: Vec<Role> =
        work.requested.iter().copied().filter(|role| !work.covers(*role)).collect();
    let all = missing.len() == work.requested.len();
    for role in &missing {
        if judgement.question.roles.contains(role) {
            verdict.cap(Confidence::Low, Code::RoleMissingCritical, role.word(), "is not covered");
        } else {
            let to = if missing.len() > 1 || all { Confidence::Low } else { Confidence::Medium };
            verdict.cap(to, Code::RoleMissing, role.word(), "is not covered");
        }
    }
}

/// What validation had to take away. One loss costs the highest confidence; losing a required target, or as many primary
/// places as are left, costs all of it.
fn losses(work: &Work, verdict: &mut Verdict) {
    let count = |code: Code| work.reasons.iter().filter(|reason| reason.code == code).count();
    let dropped = work.reasons.iter().any(|reason| reason.code.is_drop());
    let broad = count(Code::RangeBroad);
    let unverified = count(Code::FactUnverified);
    if dropped || broad > 0 || unverified > 0 || count(Code::SupportOnly) > 0 {
        verdict.lower(Confidence::Medium);
    }
    let derived = count(Code::ActionTargetsDerived) > 0;
    if derived {
        verdict.lower(Confidence::Medium);
    }
    let half = work.lost_primary > 0 && work.lost_primary >= work.primary.len();
    let vague = unverified > 0 && unverified * 2 > work.findings.len();
    if half || work.lost_required > 0 || broad > 1 || vague {
        verdict.lower(Confidence::Low);
    }
}
