//! Evals: labelled questions are put to the retriever and to baselines, and their answers are scored against the labels.
//!
//! This crate reads suites, finds checkouts, runs the questions, scores answers and writes reports. It knows no retriever
//! and no model: whoever has them implements [`Answerer`] (and [`planner::MainAgent`]) and never sees a label. Printing
//! and files of results are the caller's.

mod bm25;
mod checkout;
mod compare;
mod evaluated_system;
mod features;
pub mod grounding;
#[cfg(feature = "html")]
mod html;
mod metric;
pub mod planner;
mod report;
mod run;
mod score;
mod suite;
mod summary;
mod text_table;

pub use bm25::bm25;
pub use checkout::{CheckoutError, CommitPolicy, find, label_problems};
pub use compare::{Change, compare, sign_test};
pub use evaluated_system::{Answerer, Failure, Request, Response, System, SystemAnswer};
pub use features::{CaseFeatures, PlaceFeatures, features};
#[cfg(feature = "html")]
pub use html::{PlotError, html};
pub use metric::{Metric, MetricDirection};
pub use report::{REPORT_VERSION, Report};
pub use run::{CaseResult, Outcome, Plan, Progress, run};
pub use score::{Answer, CitedPlace, Scores, hits, score};
pub use suite::{Case, EvidenceRow, Label, Problem, ProblemKind, Span, Suite};
pub use summary::{Bucket, Estimate, Group, Summary, summarize};
pub use text_table::TableStyle;
