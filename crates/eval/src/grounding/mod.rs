//! How well the validator tells true statements from false ones: a labelled statement is submitted as a report of its own,
//! over the lines that its explorer had seen, and what is left of it is compared with its label.

mod judge;
mod report;
mod suite;

pub use judge::{JudgedCheckout, ReportResult, StatementOutcome, StatementResult};
pub use report::{GroundingFigures, GroundingReport, Proportion};
pub use suite::{
    FileLines, GroundingSuite, ScriptedReport, Statement, StatementKind, StatementLabel, SuiteHalf,
};
