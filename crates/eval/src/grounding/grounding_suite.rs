//! Labelled statements about code and whole reports, each with the lines that were delivered to its author.
//! `evals/grounding/README.md` describes the format.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::{AsRefStr, Display, EnumString, VariantArray};

use retriever_search::Intent;
use retriever_workspace::UnknownVariant;

/// Lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileLines {
    /// The file, below the root.
    pub path: String,
    /// First line, 1-based.
    pub start: u32,
    /// Last line, inclusive.
    pub end: u32,
}

/// A half of the suite. Each repository is in one half.
#[derive(Serialize, Deserialize, AsRefStr, Display, EnumString, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<SuiteSplit>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SuiteSplit {
    /// Statements that developers of the validator read.
    Build,
    /// Statements that they do not read; their figures are the result.
    Held,
}

/// The part of a report that a statement belongs to.
#[derive(Serialize, Deserialize, AsRefStr, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReportPart {
    /// A finding.
    Fact,
    /// The flow.
    Flow,
    /// The summary.
    Summary,
    /// The reason of a primary place.
    Why,
    /// The purpose of a read target.
    Purpose,
    /// What was not found.
    Missing,
}

/// What is true or false in a statement.
#[derive(Serialize, Deserialize, AsRefStr, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GroundingLabel {
    /// True; the cited lines or their path have every name.
    True,
    /// True; the evidence of a name is elsewhere in the run.
    TrueNarrow,
    /// True; it names a declaration of a dependency.
    TrueExternal,
    /// A word is wrong.
    FalseWord,
    /// A number or its unit is wrong.
    FalseNumber,
    /// It names something that does not exist.
    InventedName,
    /// It is true of another function.
    OtherFunction,
    /// Caller and callee, or two steps, are swapped.
    FalseDirection,
    /// It names something that was never delivered.
    Undelivered,
    /// It tells the planner to run or disclose something.
    InjectedCommand,
}

impl GroundingLabel {
    /// Whether the statement should reach the planner.
    pub const fn is_true(self) -> bool {
        matches!(self, Self::True | Self::TrueNarrow | Self::TrueExternal)
    }
}

/// A statement with its evidence and its label.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabelledStatement {
    /// Name, unique in the suite.
    pub id: String,
    /// `owner/name`.
    pub repo: String,
    /// The commit of the checkout.
    pub commit: String,
    /// The code's language.
    pub language: String,
    /// The half of its repository.
    pub half: SuiteSplit,
    /// The part of a report that it belongs to.
    pub kind: ReportPart,
    /// The statement.
    pub text: String,
    /// The cited lines.
    pub refs: Vec<FileLines>,
    /// The delivered lines.
    pub delivered: Vec<FileLines>,
    /// Its label.
    pub label: GroundingLabel,
    /// The part of `text` that must not reach the planner.
    #[serde(default)]
    pub wrong: Option<String>,
    /// Whether only its meaning is false.
    #[serde(default)]
    pub semantic: bool,
}

/// A whole report with its evidence, and whether it is right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabelledReport {
    /// Name, unique in the suite.
    pub id: String,
    /// `owner/name`.
    pub repo: String,
    /// The commit of the checkout.
    pub commit: String,
    /// The half of its repository.
    pub half: SuiteSplit,
    /// The question.
    pub question: String,
    /// What the answer is for.
    pub intent: Intent,
    /// The delivered lines.
    pub delivered: Vec<FileLines>,
    /// The arguments of `submit_report`.
    pub report: Value,
    /// Whether every statement is true, every place was delivered, and no critical gap is open.
    pub right: bool,
}

/// Statements and reports.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroundingSuite {
    /// The statements.
    pub statements: Vec<LabelledStatement>,
    /// The reports.
    pub reports: Vec<LabelledReport>,
}

impl GroundingSuite {
    /// Adds the statements of a file with one JSON object per line.
    ///
    /// # Errors
    ///
    /// The number of the first line that is not a statement, and the reason.
    pub fn add_statements(&mut self, text: &str) -> Result<(), String> {
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let statement =
                serde_json::from_str(line).map_err(|error| format!("line {}: {error}", at + 1))?;
            self.statements.push(statement);
        }
        Ok(())
    }

    /// Adds a report.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn add_report(&mut self, text: &str) -> Result<(), String> {
        self.reports.push(serde_json::from_str(text).map_err(|error| error.to_string())?);
        Ok(())
    }

    /// Keeps the statements and reports of one half.
    pub fn retain_half(&mut self, half: SuiteSplit) {
        self.statements.retain(|statement| statement.half == half);
        self.reports.retain(|report| report.half == half);
    }

    /// Returns the files with delivered lines.
    pub fn delivered_paths(&self) -> BTreeSet<&str> {
        let statements = self.statements.iter().flat_map(|statement| &statement.delivered);
        let reports = self.reports.iter().flat_map(|report| &report.delivered);
        statements.chain(reports).map(|lines| lines.path.as_str()).collect()
    }

    /// Returns the statements and reports by the name of their checkout: `<owner>__<name>@<commit>`.
    pub fn by_checkout(self) -> BTreeMap<String, Self> {
        let name = |repo: &str, commit: &str| format!("{}@{commit}", repo.replace('/', "__"));
        let mut checkouts: BTreeMap<String, Self> = BTreeMap::new();
        for statement in self.statements {
            let checkout = name(&statement.repo, &statement.commit);
            checkouts.entry(checkout).or_default().statements.push(statement);
        }
        for report in self.reports {
            let checkout = name(&report.repo, &report.commit);
            checkouts.entry(checkout).or_default().reports.push(report);
        }
        checkouts
    }
}
