//! Checks a report: looks up the state of every file that it cites, validates it, and decides whether a map is left.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::Value;
use tokio::task::JoinError;

use super::{
    conversation::MalformedArguments, file_states_on_disk::file_states,
    file_structures::file_structures, run_events::RunEvent, run_state::RunState,
    turn_state_machine::ReportVerdict,
};
use retriever_report::{
    CodeMap, Confidence, Finding, MapLimits, MapStatus, ParsedReport, Place, ReasonCode,
    ReportAuthor, ReportDraft, ValidationContext, ValidationReason, ValidationResult, cited_paths,
    parse, parse_text, repair_note, validate,
};

/// A report as the model submitted it.
pub(super) enum SubmittedReport {
    /// The arguments of a call.
    Called(Result<Value, MalformedArguments>),
    /// Written as text.
    Written(Box<ParsedReport>),
}

impl SubmittedReport {
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
                        "report",
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
    /// The map; `None` without a draft, or if the draft has references and none of them is valid.
    pub(super) map: Option<CodeMap>,
    pub(super) reasons: Vec<ValidationReason>,
    pub(super) repairable: bool,
}

impl CheckedReport {
    /// Which of two reports is kept: the later one, unless the earlier one is surer or holds anything that the later one does not.
    pub(super) fn kept_of(earlier: Option<&Self>, later: &Self) -> ReportChoice {
        match earlier {
            Some(earlier) if !later.holds_all_of(earlier) => ReportChoice::Earlier,
            Some(_) | None => ReportChoice::Later,
        }
    }

    fn holds_all_of(&self, earlier: &Self) -> bool {
        let (Some(own), Some(earlier)) = (&self.map, &earlier.map) else {
            return earlier.map.is_none();
        };
        let cites = |place: &Place| {
            own.places().any(|own| {
                let lines = own.range().zip(place.range());
                own.path == place.path && lines.is_some_and(|(own, lines)| own.covers(lines))
            })
        };
        own.confidence >= earlier.confidence
            // A repair may replace a reference of a finding that was wrong.
            && earlier.listed_places().all(cites)
            && own.primary.len() >= earlier.primary.len()
            && holds_findings(&own.findings, &earlier.findings)
            && own.summary.is_empty() <= earlier.summary.is_empty()
            && own.flow.is_empty() <= earlier.flow.is_empty()
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

/// Whether each of the `earlier` findings has one of its own among `later`: the same fact, or one about the same lines and, if
/// it has any in backticks, one of the same names.
fn holds_findings(later: &[Finding], earlier: &[Finding]) -> bool {
    let is_same_place = |own: &Place, other: &Place| {
        let lines = own.range().zip(other.range());
        own.path == other.path && lines.is_some_and(|(own, other)| own.overlaps(other))
    };
    let names = |fact: &str| -> BTreeSet<String> {
        fact.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let mut left: Vec<&Finding> = later.iter().collect();
    earlier.iter().all(|finding| {
        let is_same = |own: &&Finding| own.fact == finding.fact;
        let wanted = names(&finding.fact);
        let is_reworded = |own: &&Finding| {
            own.refs.iter().any(|own| finding.refs.iter().any(|other| is_same_place(own, other)))
                && (wanted.is_empty() || !wanted.is_disjoint(&names(&own.fact)))
        };
        let found = left.iter().position(is_same).or_else(|| left.iter().position(is_reworded));
        found.map(|at| left.swap_remove(at)).is_some()
    })
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
    /// Parses and validates a submission. What a repair leaves out is taken from the `rejected` draft.
    pub(super) async fn check(
        &self,
        submitted: SubmittedReport,
        rejected: Option<&ReportDraft>,
        run: &RunState<'_>,
    ) -> CheckedReport {
        let ParsedReport { draft, problems } = submitted.parse();
        let Some(draft) = draft else {
            let reasons = problems.clone();
            return CheckedReport { draft, problems, map: None, reasons, repairable: true };
        };
        let draft = match rejected {
            Some(rejected) => draft.completed_from(rejected),
            None => draft,
        };
        self.check_draft(draft, problems, run).await
    }

    /// Checks a report again, as the best of a run that was cut short before its repair.
    pub(super) async fn check_as_partial(
        &self,
        report: CheckedReport,
        run: &RunState<'_>,
    ) -> CheckedReport {
        let checker = Self { status: MapStatus::Partial, ..*self };
        match report.draft {
            Some(draft) => checker.check_draft(draft, report.problems, run).await,
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
        let validation = self.validate(&draft, &problems, run).await;
        let is_usable = !draft.has_references() || validation.map.places().next().is_some();
        CheckedReport {
            draft: Some(draft),
            problems,
            map: is_usable.then_some(validation.map),
            reasons: validation.reasons,
            repairable: validation.repairable,
        }
    }

    /// Validates a draft against the current state of the files.
    pub(super) async fn validate(
        &self,
        draft: &ReportDraft,
        problems: &[ValidationReason],
        run: &RunState<'_>,
    ) -> ValidationResult {
        let cited = cited_paths(draft, &run.ledger, run.shared.workspace.root());
        let file_states = file_states(&run.shared.workspace, cited).await;
        let limit = run.context.cancellation().clone();
        let structures = file_structures(&run.structures, run.shared, &run.ledger, limit).await;
        let Self { author, status, limits } = *self;
        let (shared, draft, problems) = (Arc::clone(run.shared), draft.clone(), problems.to_vec());
        let (question, ledger) = (run.question.clone(), run.ledger.clone());
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
