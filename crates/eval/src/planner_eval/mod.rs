//! What a code map, and `explore`, are worth to the agent that gets them: a main agent with `grep`, `glob` and `read` answers
//! every question alone, with the map of the retriever before it, and with `explore` as one more tool. What each answer cost and
//! cites is compared. The agent's conversation is the caller's.

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
