//! From a submitted report to a judged one: gathers what the pure validator needs to know of the world (how every cited
//! file stands now), has it judge, and keeps the better of two.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;

use super::{conversation::Broken, event::Event, run::Run};
use retriever_report::{
    Author, CodeMap, Confidence, MapLimits, ParsedReport, Reason, ReasonCode, Status,
    ValidationContext,
};
use retriever_search::RoleCues;
use retriever_workspace::{FileState, RepoPath, Workspace};

/// A report as it came: called for, or written as text.
pub(super) enum Submitted {
    Call(Result<Value, Broken>),
    Report(Box<ParsedReport>),
}

/// A judged report.
pub(super) struct Submission {
    /// What is left of it; `None` when it couldn't be read at all, or when nothing that it cites stands.
    pub(super) map: Option<CodeMap>,
    pub(super) reasons: Vec<Reason>,
    /// Whether one more turn could mend what is wrong.
    pub(super) repairable: bool,
    /// What to tell the model.
    pub(super) note: String,
}

impl Submission {
    pub(super) fn better(earlier: Option<Self>, later: Self) -> Option<Self> {
        let worth = |submission: &Self| {
            submission
                .map
                .as_ref()
                .map(|map| (map.confidence, map.primary.len() + map.findings.len()))
        };
        match earlier {
            Some(earlier) if worth(&earlier) > worth(&later) => Some(earlier),
            Some(_) | None => Some(later),
        }
    }

    pub(super) fn event(&self, step: u32, accepted: bool) -> Event {
        Event::DraftJudged {
            step,
            accepted,
            confidence: self.map.as_ref().map_or(Confidence::Low, |map| map.confidence),
            reasons: self.reasons.iter().map(ToString::to_string).collect(),
        }
    }
}

/// What stays the same for every report of an exploration.
pub(super) struct Judge<'a> {
    pub(super) author: Author,
    pub(super) status: Status,
    pub(super) cues: &'a RoleCues,
    pub(super) limits: MapLimits,
}

impl Judge<'_> {
    /// Judges the arguments of a `submit_report` call.
    pub(super) async fn judge(&self, submitted: Submitted, run: &Run<'_>) -> Submission {
        let parsed = match submitted {
            Submitted::Report(parsed) => *parsed,
            Submitted::Call(Ok(arguments)) => retriever_report::parse(&arguments),
            // What was complete before the JSON broke off is worth keeping.
            Submitted::Call(Err(broken)) => retriever_report::parse_text(&broken.text)
                .unwrap_or_else(|| ParsedReport {
                    draft: None,
                    problems: vec![Reason::new(
                        ReasonCode::SchemaUnusable,
                        "report",
                        broken.problem,
                    )],
                }),
        };
        let Some(draft) = parsed.draft else {
            let reasons = parsed.problems;
            let note = retriever_report::repair_note(&reasons);
            return Submission { map: None, reasons, repairable: true, note };
        };
        let cited = retriever_report::cited_paths(&draft, &run.ledger, run.shared.workspace.root());
        let standing = standings(&run.shared.workspace, cited).await;
        let judgement =
            ValidationContext { problems: &parsed.problems, ..self.judgement(run, &standing) };
        let validation = retriever_report::validate(&draft, &judgement);
        let note = retriever_report::repair_note(&validation.reasons);
        // That nothing was found is an answer; that nothing cited was delivered is none.
        let is_left = !draft.has_references() || validation.map.places().next().is_some();
        Submission {
            map: is_left.then_some(validation.map),
            reasons: validation.reasons,
            repairable: validation.repairable,
            note,
        }
    }

    /// Returns the map of last resort.
    pub(super) async fn fallback(&self, run: &Run<'_>) -> CodeMap {
        let standing =
            standings(&run.shared.workspace, retriever_report::fallback_paths(&run.ledger)).await;
        retriever_report::fallback(&self.judgement(run, &standing))
    }

    fn judgement<'a>(
        &'a self,
        run: &'a Run<'_>,
        standing: &'a BTreeMap<RepoPath, FileState>,
    ) -> ValidationContext<'a> {
        ValidationContext {
            question: run.question,
            root: run.shared.workspace.root(),
            ledger: &run.ledger,
            file_states: standing,
            candidates: &run.survey.candidates,
            scope: &run.survey.query.asked,
            problems: &[],
            cues: self.cues,
            author: self.author,
            status: self.status,
            limits: self.limits,
        }
    }
}

async fn standings(
    workspace: &Arc<Workspace>,
    paths: Vec<RepoPath>,
) -> BTreeMap<RepoPath, FileState> {
    let workspace = Arc::clone(workspace);
    let look =
        move || paths.into_iter().map(|path| (path.clone(), workspace.file_state(&path))).collect();
    // A panic while looking leaves every cited file unconfirmed, so that nothing of it is reported.
    tokio::task::spawn_blocking(look).await.unwrap_or_default()
}
