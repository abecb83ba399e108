//! Measures how well the validator separates true statements from false ones: a labelled statement is submitted as a
//! report, with its delivered lines, and the result is compared with its label.

mod grounding_report;
mod grounding_suite;
mod validate_labelled_statements;

pub use grounding_report::{GroundingFigures, GroundingReport, Proportion};
pub use grounding_suite::{
    FileLines, GroundingLabel, GroundingSuite, LabelledReport, LabelledStatement, ReportPart,
    SuiteSplit,
};
pub use validate_labelled_statements::{
    LabelledStatementCheckout, LabelledStatementVerdict, ValidatedLabelledStatement,
    ValidatedReport,
};
