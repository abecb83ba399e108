//! Evals: labelled questions are put to the retriever and to baselines, and their answers are scored against the labels.
//!
//! This crate reads suites, finds checkouts, runs the questions, scores answers and writes reports. It depends on no
//! retriever and no model: the program that has them implements [`Answerer`] (and [`planner::MainAgent`]) and never sees a
//! label. Printing and files of results are the caller's.

mod bm25;
mod checkout;
mod compare;
mod evaluated_system;
pub mod grounding;
#[cfg(feature = "html")]
mod html_report;
mod metric;
pub mod planner;
mod report;
mod run;
mod score;
mod suite;
mod summary;
mod text_table;
mod training_data;

pub use bm25::bm25;
pub use checkout::{AcceptedCommits, CheckoutError, find, label_problems};
pub use compare::{ScoreChange, compare, sign_test};
pub use evaluated_system::{
    AnswerFailure, Answerer, EvalRequest, EvalResponse, EvaluatedSystem, SystemAnswer,
};
#[cfg(feature = "html")]
pub use html_report::{PlotError, html};
pub use metric::{Metric, MetricDirection};
pub use report::{REPORT_VERSION, Report};
pub use run::{CaseResult, EvalOutcome, EvalPlan, EvalProgress, run};
pub use score::{CitedPlace, ScorableAnswer, Scores, hits, score};
pub use suite::{
    EvalCase, ExpectedEvidence, ExpectedPlace, FixedLines, Suite, SuiteProblem, SuiteProblemKind,
};
pub use summary::{ConfidenceBucket, MetricEstimate, MetricGroup, SuiteSummary, summarize};
pub use text_table::TableStyle;
pub use training_data::{TrainingCase, TrainingPlace, features};
