//! Evals: the retriever and baselines answer labelled questions, and their answers are scored against the labels.
//!
//! This crate reads suites, finds checkouts, runs the questions, scores answers and writes reports. It depends on no
//! retriever and no model: the program that has them implements [`EvaluatedSystemRunner`] (and [`planner_eval::MainAgent`]) and never sees a
//! label. Printing and files of results are the caller's.

mod answer_score;
mod bm25;
mod case_checkout;
mod compare_runs;
mod eval_report;
mod evaluated_system;
pub mod grounding;
#[cfg(feature = "html")]
mod html_report;
mod metric;
mod metric_estimate;
pub mod planner_eval;
mod ranking_training_data;
mod run_suites;
mod suite;
mod suite_summary;
mod text_table;

pub use answer_score::{AnswerScores, CitedPlace, ScorableAnswer, hits, score};
pub use bm25::bm25;
pub use case_checkout::{CheckoutCommitMatch, CheckoutError, find, label_problems};
pub use compare_runs::{ScoreChange, compare, sign_test};
pub use eval_report::{EvalReport, REPORT_VERSION};
pub use evaluated_system::{
    AnswerFailure, EvalRequest, EvalResponse, EvaluatedSystem, EvaluatedSystemAnswer,
    EvaluatedSystemRunner,
};
#[cfg(feature = "html")]
pub use html_report::{ChartError, html};
pub use metric::{Metric, MetricDirection};
pub use metric_estimate::MetricEstimate;
pub use ranking_training_data::{TrainingCase, TrainingPlace, features};
pub use run_suites::{CaseResult, EvalOutcome, EvalPlan, EvalProgress, run};
pub use suite::{
    BugFixLines, EvalCase, ExpectedEvidence, ExpectedPlace, Suite, SuiteProblem, SuiteProblemKind,
};
pub use suite_summary::{ConfidenceBucket, MetricGroup, SuiteSummary, summarize};
pub use text_table::TableStyle;
