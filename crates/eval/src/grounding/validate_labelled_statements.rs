//! Validates one statement, or one report, as if a model had submitted it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::grounding_suite::{
    FileLines, GroundingLabel, GroundingSuite, LabelledReport, LabelledStatement, ReportPart,
    SuiteSplit,
};
use retriever_report::{
    CodeMap, Confidence, DraftFinding, DraftGap, DraftPrimary, DraftReadTarget, FileStructure,
    MapLimits, MapStatus, ReportAuthor, ReportDraft, ValidationContext, ValidationReason,
    ValidationResult, Verdict, cited_paths,
    evidence_ledger::{EvidenceLedger, EvidenceSource, FileVersion, LineRange},
    parse, validate,
};
use retriever_search::{ParsedQuery, Question, RoleCues};
use retriever_workspace::{RepoPath, Workspace};

/// The verdict on a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelledStatementVerdict {
    /// It is kept as submitted.
    Kept,
    /// A part of it is kept; of a false one, a part without the false part.
    Trimmed,
    /// Nothing of it is kept.
    Dropped,
    /// Its false part is kept.
    Passed,
}

/// A statement after validation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValidatedLabelledStatement {
    /// ID of the statement.
    pub id: String,
    /// Its repository.
    pub repo: String,
    /// Its half.
    pub half: SuiteSplit,
    /// Its label.
    pub label: GroundingLabel,
    /// The part of a report that it belongs to.
    pub kind: ReportPart,
    /// Whether only its meaning is false.
    pub semantic: bool,
    /// The verdict.
    pub outcome: LabelledStatementVerdict,
    /// Whether the map calls the kept part unconfirmed by its lines.
    pub unconfirmed: bool,
    /// The kept part.
    pub left: String,
    /// Reason codes of validation.
    pub reasons: Vec<String>,
}

/// A report after validation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValidatedReport {
    /// ID of the report.
    pub id: String,
    /// Its half.
    pub half: SuiteSplit,
    /// Whether the report is right.
    pub right: bool,
    /// Confidence of the map.
    pub confidence: Confidence,
    /// Tokens of the map.
    pub tokens: u64,
    /// Reason codes of validation.
    pub reasons: Vec<String>,
}

/// The checkout of statements.
pub struct LabelledStatementCheckout<'a> {
    /// Its files.
    pub workspace: &'a Workspace,
    /// The cues of roles.
    pub cues: &'a RoleCues,
    /// Declarations and relations of the files of [`GroundingSuite::delivered_paths`].
    pub structures: &'a BTreeMap<RepoPath, FileStructure>,
}

impl LabelledStatementCheckout<'_> {
    /// Validates every statement and report of `suite`, all of which belong to this checkout.
    ///
    /// # Errors
    ///
    /// The first statement or report whose lines the checkout does not have.
    pub fn judge(
        &self,
        suite: &GroundingSuite,
    ) -> Result<(Vec<ValidatedLabelledStatement>, Vec<ValidatedReport>), String> {
        let statements = suite
            .statements
            .iter()
            .map(|statement| self.statement(statement))
            .collect::<Result<_, _>>()?;
        let reports =
            suite.reports.iter().map(|report| self.report(report)).collect::<Result<_, _>>()?;
        Ok((statements, reports))
    }

    fn statement(
        &self,
        statement: &LabelledStatement,
    ) -> Result<ValidatedLabelledStatement, String> {
        let ledger =
            self.ledger(&statement.delivered).map_err(|e| format!("{}: {e}", statement.id))?;
        // The question has no name, since names of the question count as shown.
        let question = Question::new("how does it work?");
        let limits = MapLimits { max_tokens: 10_000, ..MapLimits::default() };
        let validation = self.validate(&draft_of(statement), &ledger, &question, limits);
        let (left, verdict) = prose_of(statement.kind, &validation.map);
        let wrong = statement.wrong.as_deref().unwrap_or(&statement.text);
        let outcome = if left.is_empty() {
            LabelledStatementVerdict::Dropped
        } else if statement.label.is_true() {
            if left == statement.text {
                LabelledStatementVerdict::Kept
            } else {
                LabelledStatementVerdict::Trimmed
            }
        } else if left.contains(wrong) {
            LabelledStatementVerdict::Passed
        } else {
            LabelledStatementVerdict::Trimmed
        };
        Ok(ValidatedLabelledStatement {
            id: statement.id.clone(),
            repo: statement.repo.clone(),
            half: statement.half,
            label: statement.label,
            kind: statement.kind,
            semantic: statement.semantic,
            outcome,
            unconfirmed: verdict == Verdict::Unconfirmed,
            left,
            reasons: validation.reasons.iter().map(ToString::to_string).collect(),
        })
    }

    fn report(&self, report: &LabelledReport) -> Result<ValidatedReport, String> {
        let ledger = self.ledger(&report.delivered).map_err(|e| format!("{}: {e}", report.id))?;
        let question = Question { intent: report.intent, ..Question::new(&report.question) };
        let draft =
            parse(&report.report).draft.ok_or_else(|| format!("{}: no report", report.id))?;
        let validation = self.validate(&draft, &ledger, &question, MapLimits::default());
        Ok(ValidatedReport {
            id: report.id.clone(),
            half: report.half,
            right: report.right,
            confidence: validation.map.confidence,
            tokens: validation.map.meta.report_tokens,
            reasons: validation.reasons.iter().map(ToString::to_string).collect(),
        })
    }

    /// Returns a ledger with the delivered lines: single lines as hits of a search, others as reads.
    fn ledger(&self, delivered: &[FileLines]) -> Result<EvidenceLedger, String> {
        let mut ledger = EvidenceLedger::new();
        for lines in delivered {
            let path = self.workspace.normalize(&lines.path).map_err(|error| error.to_string())?;
            let file = self.workspace.read(&path).map_err(|error| error.to_string())?;
            let range = LineRange::new(lines.start, lines.end)
                .filter(|range| range.end() <= file.line_count())
                .ok_or_else(|| format!("{path} has no lines {}-{}", lines.start, lines.end))?;
            let source =
                if range.width() == 1 { EvidenceSource::Grep } else { EvidenceSource::Read };
            let text: Vec<(u32, String)> =
                file.lines(range).map(|(number, line)| (number, line.to_owned())).collect();
            ledger.record_delivery(&FileVersion::of(&file), source, &text);
            ledger.assign_id(&path, Some(range));
        }
        Ok(ledger)
    }

    fn validate(
        &self,
        draft: &ReportDraft,
        ledger: &EvidenceLedger,
        question: &Question,
        limits: MapLimits,
    ) -> ValidationResult {
        let root = self.workspace.root();
        let states: BTreeMap<_, _> = cited_paths(draft, ledger, root)
            .into_iter()
            .map(|path| (path.clone(), self.workspace.file_state(&path)))
            .collect();
        let problems: [ValidationReason; 0] = [];
        validate(
            draft,
            &ValidationContext {
                question,
                root,
                ledger,
                file_states: &states,
                existing_scopes: &BTreeSet::new(),
                structures: self.structures,
                no_answer: None,
                candidates: &[],
                scope: &ParsedQuery::of(question).scope,
                cues: self.cues,
                problems: &problems,
                author: ReportAuthor::Model,
                status: MapStatus::Complete,
                limits,
            },
        )
    }
}

/// Returns a report with the statement and its references.
fn draft_of(statement: &LabelledStatement) -> ReportDraft {
    let text = statement.text.clone();
    let mut refs =
        statement.refs.iter().map(|lines| format!("{}:{}-{}", lines.path, lines.start, lines.end));
    let place = |(reference, why): (String, String)| DraftPrimary {
        reference,
        symbols: Vec::new(),
        role: None,
        why,
    };
    let mut draft = ReportDraft::default();
    match statement.kind {
        ReportPart::Fact => {
            draft.findings = vec![DraftFinding {
                fact: text,
                role: None,
                refs: refs.collect(),
                number: None,
                position: None,
            }];
            return draft;
        }
        ReportPart::Why => draft.primary.extend(refs.next().map(|first| place((first, text)))),
        ReportPart::Purpose => {
            draft.read_targets.extend(refs.next().map(|reference| DraftReadTarget {
                reference,
                purpose: text,
                required: false,
            }));
        }
        ReportPart::Flow => draft.flow = text,
        ReportPart::Summary => draft.summary = text,
        ReportPart::Missing => {
            draft.missing = vec![DraftGap { what: text, role: None, critical: false }];
        }
    }
    draft.primary.extend(refs.map(|reference| place((reference, String::new()))));
    draft
}

fn prose_of(kind: ReportPart, map: &CodeMap) -> (String, Verdict) {
    match kind {
        ReportPart::Fact => {
            map.findings.first().map(|finding| (finding.fact.clone(), finding.verdict))
        }
        ReportPart::Flow => Some((map.flow.clone(), map.flow_verdict)),
        ReportPart::Summary => Some((map.summary.clone(), map.summary_verdict)),
        ReportPart::Why => map.primary.first().map(|item| (item.why.clone(), item.verdict)),
        ReportPart::Purpose => {
            map.read_targets.first().map(|item| (item.purpose.clone(), item.verdict))
        }
        ReportPart::Missing => {
            map.missing.first().map(|gap| (gap.what.clone(), Verdict::AsSubmitted))
        }
    }
    .unwrap_or_default()
}
