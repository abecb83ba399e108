//! Evals: labelled questions are put to the retriever and to baselines, and what comes back is scored against the labels.
//! Nothing here touches the answers: systems see questions only. Printing and files of results are the caller's.

mod checkout;
mod compare;
mod features;
mod grid;
#[cfg(feature = "eval-html")]
mod html;
mod metric;
pub mod planner;
mod report;
mod run;
mod score;
mod suite;
mod summary;
mod system;
mod tapes;

pub use checkout::{CheckoutError, CommitPolicy, find, misfits};
pub use compare::{Change, compare, sign_test};
pub use features::{CaseFeatures, PlaceFeatures, features};
pub use grid::TableStyle;
#[cfg(feature = "eval-html")]
pub use html::{PlotError, html};
pub use metric::{Better, Metric};
pub use report::{REPORT_VERSION, Report};
pub use run::{CaseResult, Outcome, Plan, Progress, run};
pub use score::{Answered, Cited, Scores, hits, score};
pub use suite::{Case, Label, Problem, ProblemKind, Row, Span, Suite};
pub use summary::{Bucket, Estimate, Summary, summarize};
pub use system::{Output, Setup, System, SystemError, answer};
pub use tapes::Tapes;
