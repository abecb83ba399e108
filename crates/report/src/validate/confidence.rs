//! The confidence of a map. It starts at high; everything that counts against the report lowers it and adds its code. The
//! model's own claim can lower it too, but never raise it.

use super::{
    claimed_role_check::covers,
    draft_under_validation::{DraftUnderValidation, PlaceUnderValidation},
    range_width::widest_declaration,
    validation_input::ValidationContext,
};
use crate::{
    code_map::{Confidence, MapStatus, ReportAuthor, Verdict},
    evidence_ledger::FileEvidence,
    validation_reason_codes::{ReasonCode, ValidationReason},
    validation_reason_parts::{ReasonDetail, ReasonSubject},
};
use retriever_workspace::LineRange;

/// Most places that one reason names.
const NAMED_PLACES: usize = 3;
/// Lines in a row that a search has to show for them to count as read.
const PASSAGE_LINES: u32 = 5;

/// Returns the confidence, and the reasons that lowered it beyond those already recorded in `state`.
pub(super) fn compute(
    state: &DraftUnderValidation,
    context: &ValidationContext<'_>,
) -> (Confidence, Vec<ValidationReason>) {
    let mut score = Score { confidence: Confidence::High, reasons: Vec::new() };
    score.count_evidence(state, context);
    score.count_roles(state, context);
    score.count_losses(state, context);
    for gap in &state.missing {
        // Another gap is told to the planner and does not lower the confidence.
        if gap.critical {
            let to = without_evidence(state, context);
            score.cap(to, ReasonCode::GapCritical, "missing", gap.what.clone());
        }
    }
    match context.status {
        MapStatus::Complete => {}
        MapStatus::Partial => {
            score.cap(Confidence::Medium, ReasonCode::Partial, "run", "was cut short");
        }
        MapStatus::Fallback => score.lower(Confidence::Low),
    }
    if context.author != ReportAuthor::Model {
        let detail = "no language model wrote this";
        score.cap(Confidence::Low, ReasonCode::NotModel, "author", detail);
    }
    if let Some(claimed) = state.claimed_confidence
        && claimed < score.confidence
    {
        let detail = "the model is less sure";
        score.cap(claimed, ReasonCode::ClaimedLower, "confidence", detail);
    }
    (score.confidence, score.reasons)
}

/// Whether most of the lines were read, or a search showed them with lines around them or as a whole declaration.
fn is_read(range: LineRange, file: &FileEvidence) -> bool {
    let is_passage = |run: &LineRange| run.covers(range) && run.width() >= PASSAGE_LINES;
    file.read.covered(range) * 2 >= range.width()
        || (range.width() > 1 && file.is_declaration(range))
        || file.delivered.runs().iter().any(is_passage)
}

/// The most confidence of a report that cites no code, or names something critical as missing: that it is not there can be shown.
fn without_evidence(state: &DraftUnderValidation, context: &ValidationContext<'_>) -> Confidence {
    if state.is_absence_shown(context) { Confidence::Medium } else { Confidence::Low }
}

/// The confidence so far, and what lowered it.
struct Score {
    confidence: Confidence,
    reasons: Vec<ValidationReason>,
}

impl Score {
    fn lower(&mut self, to: Confidence) {
        self.confidence = self.confidence.min(to);
    }

    fn cap(
        &mut self,
        to: Confidence,
        code: ReasonCode,
        part: &'static str,
        detail: impl Into<ReasonDetail>,
    ) {
        self.lower(to);
        self.reasons.push(ValidationReason::new(code, ReasonSubject::Part(part), detail));
    }

    /// Counts what the citations rest on: nothing, search hits, tests, or code that was read.
    fn count_evidence(&mut self, state: &DraftUnderValidation, context: &ValidationContext<'_>) {
        if state.primary.is_empty() && state.secondary.is_empty() && state.findings.is_empty() {
            let detail = "nothing cited is left";
            let to = without_evidence(state, context);
            return self.cap(to, ReasonCode::NoEvidence, "report", detail);
        }
        let to = without_evidence(state, context);
        if state.citations().all(|citation| citation.is_secondary(context)) {
            let detail = "only supporting files are cited";
            self.cap(to, ReasonCode::TestOnly, "report", detail);
        } else if state.primary.is_empty() && state.is_absence_shown(context) {
            // There is no place to cite.
            self.lower(to);
        } else if state.primary.is_empty() {
            let detail = "no primary place is left";
            self.cap(to, ReasonCode::NoEvidence, "primary", detail);
        }
        if state.findings.is_empty() {
            let detail = "no fact is left";
            self.cap(Confidence::Medium, ReasonCode::NoFindings, "findings", detail);
        }
        let shown_as =
            |item: &PlaceUnderValidation| format!("{}:{}", item.citation.path, item.citation.range);
        let is_unread = |item: &&PlaceUnderValidation| {
            let citation = &item.citation;
            citation.file(context).is_none_or(|file| !is_read(citation.range, file))
        };
        let unread: Vec<String> = state.primary.iter().filter(is_unread).map(shown_as).collect();
        if !unread.is_empty() {
            let total = state.primary.len();
            let to = if unread.len() * 2 > total { Confidence::Low } else { Confidence::Medium };
            let more = match unread.len().saturating_sub(NAMED_PLACES) {
                0 => String::new(),
                more => format!(" (+{more})"),
            };
            let listed = unread[..unread.len().min(NAMED_PLACES)].join(", ") + &more;
            let detail = format!("only hits of a search were shown of {listed}");
            self.cap(to, ReasonCode::Unread, "primary", ReasonDetail::said(detail));
        }
    }

    /// Counts the caller's roles that nothing covers. Roles that are read from the question or claimed by the model are hints.
    fn count_roles(&mut self, state: &DraftUnderValidation, context: &ValidationContext<'_>) {
        for role in state.requested_roles.iter().filter(|role| !covers(state, **role, context)) {
            let code = ReasonCode::RoleMissingCritical;
            self.cap(Confidence::Low, code, role.into(), "is not covered");
        }
    }

    /// Counts what validation removed. One loss excludes high confidence; losing a required read target, or as many primary
    /// places as are left, makes it low.
    fn count_losses(&mut self, state: &DraftUnderValidation, context: &ValidationContext<'_>) {
        let count =
            |code: ReasonCode| state.reasons.iter().filter(|reason| reason.code == code).count();
        let widest = widest_declaration(context.limits.max_width);
        let broad = state.citations().filter(|cited| cited.range.width() > widest).count();
        let unverified = count(ReasonCode::FactUnverified);
        let demoted = state.secondary.iter().filter(|item| item.is_demoted).count();
        let weaknesses = broad
            + unverified
            + count(ReasonCode::FactContradicted)
            + count(ReasonCode::SupportOnly).saturating_sub(demoted)
            + count(ReasonCode::ActionTargetsDerived);
        // These codes are no loss of content: a removed role label, a range reduced to lines that still hold, and a test that
        // was moved to another list.
        let is_no_loss = |code: ReasonCode| {
            [ReasonCode::RoleUnbacked, ReasonCode::RangeTightened, ReasonCode::SupportOnly]
                .contains(&code)
        };
        let is_loss =
            |reason: &ValidationReason| reason.code.is_rejection() && !is_no_loss(reason.code);
        if weaknesses > 0 || state.reasons.iter().any(is_loss) {
            self.lower(Confidence::Medium);
        }
        // A report that is for the most part beyond confirming is not to be relied on unread.
        let doubted = state.findings.iter().filter(|item| item.verdict == Verdict::Unconfirmed);
        if doubted.count() * 2 > state.findings.len() {
            self.lower(Confidence::Medium);
        }
        let lost_half = state.lost_primary > 0 && state.lost_primary >= state.primary.len();
        let is_vague = unverified * 2 > state.findings.len();
        if lost_half || state.lost_required > 0 || broad > 1 || is_vague {
            self.lower(Confidence::Low);
        }
    }
}
