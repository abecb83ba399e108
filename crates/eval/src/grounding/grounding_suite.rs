//! Labelled statements about code and whole reports, each with the lines that its explorer had seen. The format is
//! described in `evals/grounding/README.md`.

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

/// A half of the suite. Repositories are split, not statements.
#[derive(Serialize, Deserialize, AsRefStr, Display, EnumString, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<SuiteSplit>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SuiteSplit {
    /// Read while the validator is worked on.
    Build,
    /// Not read; its figure is the result.
    Held,
}

/// The part of a report that a statement stands in.
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

/// What a statement is.
#[derive(Serialize, Deserialize, AsRefStr, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GroundingLabel {
    /// True; every name stands in the cited lines or their path.
    True,
    /// True; the evidence of a name stands elsewhere in the run.
    TrueNarrow,
    /// True; names what a dependency declares.
    TrueExternal,
    /// One word is another.
    FalseWord,
    /// A number or its unit is another.
    FalseNumber,
    /// Names what does not exist.
    InventedName,
    /// True of another function.
    OtherFunction,
    /// Caller and callee, or two steps, are exchanged.
    FalseDirection,
    /// Names what the explorer never saw.
    Undelivered,
    /// Tells the planner to run or disclose something.
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
    /// The half that its repository belongs to.
    pub half: SuiteSplit,
    /// The part of a report that it stands in.
    pub kind: ReportPart,
    /// What is said.
    pub text: String,
    /// The lines that are cited for it.
    pub refs: Vec<FileLines>,
    /// The lines that its explorer had seen.
    pub delivered: Vec<FileLines>,
    /// What it is.
    pub label: GroundingLabel,
    /// The part of `text` that must not reach the planner.
    #[serde(default)]
    pub wrong: Option<String>,
    /// Whether only its meaning is false.
    #[serde(default)]
    pub semantic: bool,
}

/// A whole report with its evidence, and whether a planner is well served by it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabelledReport {
    /// Name, unique in the suite.
    pub id: String,
    /// `owner/name`.
    pub repo: String,
    /// The commit of the checkout.
    pub commit: String,
    /// The half that its repository belongs to.
    pub half: SuiteSplit,
    /// What was asked.
    pub question: String,
    /// What the answer is for.
    pub intent: Intent,
    /// The lines that its explorer had seen.
    pub delivered: Vec<FileLines>,
    /// The arguments of `submit_report`.
    pub report: Value,
    /// Whether every statement is true, every place delivered, and no critical gap open.
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
    /// Adds the statements of a file, a JSON object a line.
    ///
    /// # Errors
    ///
    /// The number of the first line that is no statement, and what is wrong with it.
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

    /// Keeps one half.
    pub fn retain_half(&mut self, half: SuiteSplit) {
        self.statements.retain(|statement| statement.half == half);
        self.reports.retain(|report| report.half == half);
    }

    /// Returns the files of which lines were delivered.
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
