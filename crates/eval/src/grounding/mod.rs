//! How well the validator tells true statements from false ones: a labelled statement is submitted as a report of its own,
//! over the lines that its explorer had seen, and what is left of it is compared with its label.

mod report;
mod suite;
mod validate_statements;

pub use report::{GroundingFigures, GroundingReport, Proportion};
pub use suite::{
    FileLines, GroundingLabel, GroundingStatement, GroundingSuite, ReportPart, ScriptedReport,
    SuiteHalf,
};
pub use validate_statements::{
    StatementCheckout, StatementVerdict, ValidatedReport, ValidatedStatement,
};
