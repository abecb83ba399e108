//! Checks a report: looks up the state of every file that it cites, validates it, and decides whether a map is left.

use std::sync::Arc;

use serde_json::Value;
use tokio::task::JoinError;

use super::{
    conversation::MalformedArguments,
    file_states_on_disk::{existing_paths, file_states},
    run_events::RunEvent,
    run_state::RunState,
    structures_of_shown_files::file_structures,
    turn_state_machine::ReportVerdict,
};
use retriever_report::{
    CodeMap, Confidence, JudgedDraft, KeptItems, MapLimits, MapStatus, ParsedReport, ReasonCode,
    ReasonSubject, ReportAuthor, ReportDraft, ValidationContext, ValidationReason,
    ValidationResult, cited_paths, corrected, evidence_ledger::EvidenceLedger, parse, parse_text,
    repair_note, scope_paths, validate, with_better_prose,
};

/// A report as the model submitted it.
pub(super) enum SubmittedReport {
    /// The arguments of a call.
    Called(Result<Value, MalformedArguments>),
    /// Written as text.
    Written(Box<ParsedReport>),
}

impl SubmittedReport {
    /// Whether it is a call without arguments.
    fn is_empty(&self) -> bool {
        matches!(self, Self::Called(Ok(Value::Object(fields))) if fields.is_empty())
    }

    fn parse(self) -> ParsedReport {
        match self {
            Self::Written(parsed) => *parsed,
            Self::Called(Ok(arguments)) => parse(&arguments),
            // What was complete before the JSON was cut off is kept.
            Self::Called(Err(malformed)) => {
                parse_text(&malformed.text).unwrap_or_else(|| ParsedReport {
                    draft: None,
                    problems: vec![ValidationReason::new(
                        ReasonCode::SchemaUnusable,
                        ReasonSubject::Part("report"),
                        malformed.problem,
                    )],
                })
            }
        }
    }
}

/// A validated report.
pub(super) struct CheckedReport {
    /// The draft as it was submitted; `None` if the submission could not be parsed.
    pub(super) draft: Option<ReportDraft>,
    /// What was wrong with the form of the submission.
    problems: Vec<ValidationReason>,
    /// What stands of the draft.
    kept: KeptItems,
    /// What was delivered before the draft was written.
    evidence: Arc<EvidenceLedger>,
    /// The map; `None` without a draft, or if the draft has references and none of them is valid.
    pub(super) map: Option<CodeMap>,
    pub(super) reasons: Vec<ValidationReason>,
    pub(super) repairable: bool,
}

impl CheckedReport {
    fn new(
        evidence: Arc<EvidenceLedger>,
        draft: ReportDraft,
        problems: Vec<ValidationReason>,
        validation: ValidationResult,
    ) -> Self {
        let is_usable = !draft.has_references() || validation.map.places().next().is_some();
        Self {
            draft: Some(draft),
            problems,
            kept: validation.kept,
            evidence,
            map: is_usable.then_some(validation.map),
            reasons: validation.reasons,
            repairable: validation.repairable,
        }
    }

    /// Which of two reports is kept: the later one, unless the earlier one is surer or has more.
    pub(super) fn kept_of(earlier: Option<&Self>, later: &Self) -> ReportChoice {
        match earlier {
            Some(earlier) if !later.holds_no_less_than(earlier) => ReportChoice::Earlier,
            Some(_) | None => ReportChoice::Later,
        }
    }

    fn holds_no_less_than(&self, earlier: &Self) -> bool {
        match (&self.map, &earlier.map) {
            (Some(own), Some(earlier)) => own.holds_no_less_than(earlier),
            (_, earlier) => earlier.is_none(),
        }
    }

    /// Returns the codes of what was refused.
    pub(super) fn rejections(&self) -> impl Iterator<Item = ReasonCode> {
        self.reasons.iter().map(|reason| reason.code).filter(|code| code.is_rejection())
    }

    pub(super) fn verdict(&self) -> ReportVerdict {
        ReportVerdict { usable: self.map.is_some(), repairable: self.repairable }
    }

    /// Returns the note that asks the model to repair the report.
    pub(super) fn repair_note(&self) -> String {
        repair_note(&self.reasons)
    }

    /// Returns the event of the check.
    pub(super) fn event(
        &self,
        step: u32,
        acceptance: ReportAcceptance,
        kept: ReportChoice,
    ) -> RunEvent {
        RunEvent::DraftJudged {
            step,
            accepted: acceptance == ReportAcceptance::Accepted,
            kept: kept == ReportChoice::Later,
            confidence: self.map.as_ref().map_or(Confidence::Low, |map| map.confidence),
            reasons: self.reasons.iter().map(ToString::to_string).collect(),
        }
    }
}

/// Whether a report ends the exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReportAcceptance {
    Accepted,
    Rejected,
}

/// Which of two reports becomes the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReportChoice {
    Earlier,
    Later,
}

/// What is the same for all reports of an exploration.
#[derive(Clone, Copy)]
pub(super) struct ReportChecker {
    pub(super) author: ReportAuthor,
    pub(super) status: MapStatus,
    pub(super) limits: MapLimits,
}

impl ReportChecker {
    /// Parses and validates a submission. A correction is merged with the report that it corrects.
    pub(super) async fn check(
        &self,
        submitted: SubmittedReport,
        rejected: Option<&CheckedReport>,
        run: &RunState<'_>,
    ) -> CheckedReport {
        let corrects = rejected.is_some_and(|it| it.draft.is_some());
        let ParsedReport { draft, problems } = if corrects && submitted.is_empty() {
            // A correction without a field leaves all as it was.
            ParsedReport { draft: Some(ReportDraft::default()), problems: Vec::new() }
        } else {
            submitted.parse()
        };
        let Some(draft) = draft else {
            let reasons = problems.clone();
            let (kept, evidence) = (KeptItems::default(), Arc::default());
            let repairable = true;
            return CheckedReport {
                draft,
                problems,
                kept,
                evidence,
                map: None,
                reasons,
                repairable,
            };
        };
        let first = rejected.and_then(|it| Some((it.draft.as_ref()?, &it.kept)));
        let Some((first, kept)) = first else {
            return self.check_draft(draft, problems, run).await;
        };
        let draft = draft.completed_from(first);
        let correction = self.validate(&draft, &problems, run).await;
        let merged = corrected(
            JudgedDraft { draft: first, kept },
            JudgedDraft { draft: &draft, kept: &correction.kept },
        );
        // A correction that keeps to the lists of the first report was validated with all of them.
        let judged = if merged == draft {
            CheckedReport::new(self.evidence(run), draft, problems.clone(), correction)
        } else {
            self.check_draft(merged.clone(), problems.clone(), run).await
        };
        let better = with_better_prose(
            JudgedDraft { draft: first, kept },
            JudgedDraft { draft: &merged, kept: &judged.kept },
        );
        if (&better.summary, &better.flow) == (&merged.summary, &merged.flow) {
            return judged;
        }
        self.check_draft(better, problems, run).await
    }

    /// Checks a report again, as the best of a run that was cut short before its repair.
    pub(super) async fn check_as_partial(
        &self,
        report: CheckedReport,
        run: &RunState<'_>,
    ) -> CheckedReport {
        let checker = Self { status: MapStatus::Partial, ..*self };
        match report.draft {
            Some(draft) => {
                checker.check_against(report.evidence, draft, report.problems, run).await
            }
            None => report,
        }
    }

    /// Validates a draft. A report that found nothing is usable; a report without a valid reference is not.
    pub(super) async fn check_draft(
        &self,
        draft: ReportDraft,
        problems: Vec<ValidationReason>,
        run: &RunState<'_>,
    ) -> CheckedReport {
        self.check_against(self.evidence(run), draft, problems, run).await
    }

    /// Returns what the author of a report that is written now has seen. Calls that are answered after a model wrote its report,
    /// or together with it, are no evidence for it.
    fn evidence(&self, run: &RunState<'_>) -> Arc<EvidenceLedger> {
        match self.author {
            ReportAuthor::Model => Arc::clone(&run.ledger_when_asked),
            ReportAuthor::Offline | ReportAuthor::Fallback => Arc::new(run.ledger.clone()),
        }
    }

    async fn check_against(
        &self,
        evidence: Arc<EvidenceLedger>,
        draft: ReportDraft,
        problems: Vec<ValidationReason>,
        run: &RunState<'_>,
    ) -> CheckedReport {
        let validation = self.validate_against(Arc::clone(&evidence), &draft, &problems, run).await;
        CheckedReport::new(evidence, draft, problems, validation)
    }

    /// Validates a draft that is written now, against the current state of the files.
    pub(super) async fn validate(
        &self,
        draft: &ReportDraft,
        problems: &[ValidationReason],
        run: &RunState<'_>,
    ) -> ValidationResult {
        self.validate_against(self.evidence(run), draft, problems, run).await
    }

    async fn validate_against(
        &self,
        ledger: Arc<EvidenceLedger>,
        draft: &ReportDraft,
        problems: &[ValidationReason],
        run: &RunState<'_>,
    ) -> ValidationResult {
        let cited = cited_paths(draft, &ledger, run.shared.workspace.root());
        let file_states = file_states(&run.shared.workspace, cited).await;
        let scopes = scope_paths(draft, run.shared.workspace.root());
        let existing_scopes = existing_paths(&run.shared.workspace, scopes).await;
        let limit = run.context.cancellation().clone();
        let structures = file_structures(&run.structures, run.shared, &ledger, limit).await;
        let Self { author, status, limits } = *self;
        let (shared, draft, problems) = (Arc::clone(run.shared), draft.clone(), problems.to_vec());
        let question = run.question.clone();
        let candidates = run.candidates.candidates.clone();
        let scope = run.candidates.query.scope.clone();
        let no_answer = run.candidates.no_answer.clone();
        // A report is long, and may be written to take time: other runs go on meanwhile.
        let validation = tokio::task::spawn_blocking(move || {
            let context = ValidationContext {
                question: &question,
                root: shared.workspace.root(),
                ledger: &ledger,
                file_states: &file_states,
                existing_scopes: &existing_scopes,
                structures: &structures,
                candidates: &candidates,
                no_answer: no_answer.as_ref(),
                scope: &scope,
                problems: &problems,
                cues: &shared.cues,
                author,
                status,
                limits,
            };
            validate(&draft, &context)
        });
        match validation.await.map_err(JoinError::try_into_panic) {
            Ok(validation) => validation,
            Err(Ok(panic)) => std::panic::resume_unwind(panic),
            // The runtime ends, and this task with it.
            Err(Err(_)) => std::future::pending().await,
        }
    }
}
