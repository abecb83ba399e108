//! The figures of the grounding suite: true statements kept and false ones passed, by half, label and kind, and the
//! share of right reports by confidence.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

use super::{
    grounding_suite::{GroundingLabel, SuiteSplit},
    validate_labelled_statements::{
        LabelledStatementVerdict, ValidatedLabelledStatement, ValidatedReport,
    },
};
use crate::text_table::{TableStyle, TextTable, heading};
use retriever_report::Confidence;

/// A share with its 95 % interval (Wilson's score interval).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proportion {
    /// Number of successes.
    pub count: usize,
    /// Number of trials.
    pub of: usize,
    /// `count / of`; 0 if `of` is 0.
    pub value: f64,
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

impl Proportion {
    /// Returns the share of `count` in `of`.
    pub fn new(count: usize, of: usize) -> Self {
        const Z: f64 = 1.959_964;
        let (n, p) = (of.max(1) as f64, count as f64 / of.max(1) as f64);
        let centre = p + Z * Z / (2.0 * n);
        let margin = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + Z * Z / n;
        let bound = |value: f64| (value / scale).clamp(0.0, 1.0);
        Self { count, of, value: p, low: bound(centre - margin), high: bound(centre + margin) }
    }
}

impl fmt::Display for Proportion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.of == 0 {
            return write!(f, "–");
        }
        let Self { count, of, value, low, high } = self;
        write!(f, "{value:.3} [{low:.3}, {high:.3}] {count}/{of}")
    }
}

/// The figures of one half.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroundingFigures {
    /// The half.
    pub half: SuiteSplit,
    /// True statements that are kept as submitted.
    pub kept_true: Proportion,
    /// False statements that keep their false part; without those that are false in meaning only.
    pub passed_false: Proportion,
    /// True statements that are kept as submitted and not called unconfirmed.
    pub confirmed_true: Proportion,
    /// False statements that keep their false part and are not called unconfirmed.
    pub confirmed_false: Proportion,
    /// False statements that pass, among those that are false in meaning only.
    pub passed_semantic: Proportion,
    /// Statements with an invented name that is kept.
    pub passed_invented: Proportion,
    /// By label: true statements kept, false ones passed.
    pub by_label: BTreeMap<String, Proportion>,
    /// True statements kept, by kind.
    pub kept_by_kind: BTreeMap<String, Proportion>,
    /// Right reports with high confidence.
    pub right_high: Proportion,
    /// Right reports among those of each confidence. It shows how far a confidence can be trusted if as many reports
    /// are wrong as here.
    pub right_by_confidence: BTreeMap<Confidence, Proportion>,
}

/// The result of the grounding suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroundingReport {
    /// Figures by half.
    pub figures: Vec<GroundingFigures>,
    /// Every statement.
    pub statements: Vec<ValidatedLabelledStatement>,
    /// Every report.
    pub reports: Vec<ValidatedReport>,
}

impl GroundingReport {
    /// Returns the figures of validated statements and reports.
    pub fn new(statements: Vec<ValidatedLabelledStatement>, reports: Vec<ValidatedReport>) -> Self {
        let figures = [SuiteSplit::Build, SuiteSplit::Held]
            .into_iter()
            .filter(|half| statements.iter().any(|statement| statement.half == *half))
            .map(|half| figures(half, &statements, &reports))
            .collect();
        Self { figures, statements, reports }
    }

    /// Returns the tables.
    pub fn table(&self, style: TableStyle) -> String {
        let mut out = String::new();
        for figures in &self.figures {
            out.push_str(&heading(&format!("grounding: {}", figures.half), style));
            out.push('\n');
            let mut table = TextTable::new(&["", "share [95 %] count"]);
            let mut row = |name: &str, share: Proportion| {
                table.rows.push(vec![name.to_owned(), share.to_string()]);
            };
            row("true kept", figures.kept_true);
            row("false passed", figures.passed_false);
            row("true kept, confirmed", figures.confirmed_true);
            row("false passed, confirmed", figures.confirmed_false);
            row("false in meaning passed", figures.passed_semantic);
            row("invented passed", figures.passed_invented);
            for (label, share) in &figures.by_label {
                row(&format!("label {label}"), *share);
            }
            for (kind, share) in &figures.kept_by_kind {
                row(&format!("true {kind}"), *share);
            }
            row("right reports called high", figures.right_high);
            for (confidence, share) in figures.right_by_confidence.iter().rev() {
                row(&format!("{confidence} reports that are right"), *share);
            }
            table.write(&mut out, style);
            out.push('\n');
        }
        out
    }
}

fn figures(
    half: SuiteSplit,
    statements: &[ValidatedLabelledStatement],
    reports: &[ValidatedReport],
) -> GroundingFigures {
    let statements: Vec<&ValidatedLabelledStatement> =
        statements.iter().filter(|statement| statement.half == half).collect();
    let share_of = |counts: &dyn Fn(&ValidatedLabelledStatement) -> bool,
                    of: &dyn Fn(&ValidatedLabelledStatement) -> bool| {
        let all = statements.iter().filter(|statement| of(statement));
        Proportion::new(all.clone().filter(|statement| counts(statement)).count(), all.count())
    };
    let share = |wanted: LabelledStatementVerdict,
                 of: &dyn Fn(&ValidatedLabelledStatement) -> bool| {
        share_of(&|statement| statement.outcome == wanted, of)
    };
    let confirmed = |wanted: LabelledStatementVerdict,
                     of: &dyn Fn(&ValidatedLabelledStatement) -> bool| {
        share_of(&|statement| statement.outcome == wanted && !statement.unconfirmed, of)
    };
    let by = |name: &dyn Fn(&ValidatedLabelledStatement) -> Option<String>| {
        let mut shares = BTreeMap::new();
        for statement in &statements {
            let Some(key) = name(statement) else { continue };
            let is_true = statement.label.is_true();
            let wanted = if is_true {
                LabelledStatementVerdict::Kept
            } else {
                LabelledStatementVerdict::Passed
            };
            let of = share(wanted, &|other| name(other).as_deref() == Some(key.as_str()));
            shares.entry(key).or_insert(of);
        }
        shares
    };
    let reports: Vec<&ValidatedReport> =
        reports.iter().filter(|report| report.half == half).collect();
    let right = reports.iter().filter(|report| report.right).count();
    let right_by_confidence = right_by_confidence(&reports);
    GroundingFigures {
        half,
        kept_true: share(LabelledStatementVerdict::Kept, &|s| s.label.is_true()),
        passed_false: share(LabelledStatementVerdict::Passed, &|s| {
            !s.label.is_true() && !s.semantic
        }),
        confirmed_true: confirmed(LabelledStatementVerdict::Kept, &|s| s.label.is_true()),
        confirmed_false: confirmed(LabelledStatementVerdict::Passed, &|s| {
            !s.label.is_true() && !s.semantic
        }),
        passed_semantic: share(LabelledStatementVerdict::Passed, &|s| s.semantic),
        passed_invented: share(LabelledStatementVerdict::Passed, &|s| {
            s.label == GroundingLabel::InventedName
        }),
        by_label: by(&|s| (!s.semantic).then(|| s.label.to_string())),
        kept_by_kind: by(&|s| s.label.is_true().then(|| s.kind.to_string())),
        right_high: Proportion::new(right_by_confidence[&Confidence::High].count, right),
        right_by_confidence,
    }
}

/// Returns the share of right reports among those of each confidence.
fn right_by_confidence(reports: &[&ValidatedReport]) -> BTreeMap<Confidence, Proportion> {
    let all = [Confidence::Low, Confidence::Medium, Confidence::High].into_iter();
    all.map(|confidence| {
        let called = reports.iter().filter(|report| report.confidence == confidence);
        let right = called.clone().filter(|report| report.right).count();
        (confidence, Proportion::new(right, called.count()))
    })
    .collect()
}
