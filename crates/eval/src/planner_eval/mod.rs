//! Measures what a code map, and `explore`, are worth to an agent: a main agent with `grep`, `glob` and `read` answers
//! every question alone, with the retriever's map, and with `explore` as an additional tool. The cost and the citations
//! of the answers are compared. The caller runs the agent.

#[cfg(feature = "html")]
mod planner_html_page;
mod planner_metric;
mod planner_report;
mod planner_score;
mod run_planner_eval;
mod transcript;
pub use self::run_planner_eval::{
    MainAgent, MapSummary, PlannerArm, PlannerResult, PlannerTask, run,
};

#[cfg(feature = "html")]
pub use self::planner_html_page::html;
pub use self::{
    planner_metric::PlannerMetric,
    planner_report::{
        PLANNER_REPORT_VERSION, PlannerArmDifference, PlannerArmFigures, PlannerReport,
        PlannerSummary,
    },
    transcript::{MainAgentAnswer, MainAgentCall, MainAgentTranscript},
};
