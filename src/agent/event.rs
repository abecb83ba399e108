//! What happens in a run, as it happens: one value per event, for progress lines, JSONL logs and MCP notifications.
//! Events carry no source text and no secrets; a tool's arguments are what the model wrote.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::tools::Outcome;
use retriever_report::{Action, Author, CodeMap, Confidence, Density, Status, StopReason, Usage};

/// Something that wants to know. Called from the run's own task: it must return quickly.
pub trait Observer: Send + Sync {
    /// Takes one event.
    fn on_event(&self, event: &Event);
}

/// One event of a run, in the order in which they happen.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// The run begins.
    RunStarted {
        /// The question.
        question: String,
        /// Who answers.
        author: Author,
        /// Name of the model, when it has one.
        model: Option<String>,
    },
    /// The candidates are ranked.
    ReconFinished {
        /// Files that were looked at.
        files: u64,
        /// Candidates that were found.
        candidates: u64,
        /// Estimated tokens of the packet.
        packet_tokens: u64,
        /// Wall-clock milliseconds.
        elapsed_ms: u64,
        /// Steps the run may take.
        max_steps: u32,
        /// Tool calls the run may make.
        max_tool_calls: u32,
        /// Tokens of tool output the run may show.
        max_observed_tokens: u64,
    },
    /// A model step begins.
    StepStarted {
        /// 1 for the first.
        step: u32,
        /// Steps in all.
        of: u32,
        /// Whether only a report is accepted.
        forced: bool,
    },
    /// The model was told to come to an end.
    Nudged {
        /// The step before which it was.
        step: u32,
    },
    /// The model answered.
    ModelAnswered {
        /// The step.
        step: u32,
        /// Calls in the answer.
        calls: u64,
        /// Tokens of this answer.
        usage: Usage,
        /// HTTP attempts beyond the first.
        retries: u32,
        /// Wall-clock milliseconds.
        elapsed_ms: u64,
    },
    /// The model gave no answer.
    ModelFailed {
        /// The step.
        step: u32,
        /// Stable short name of the error.
        error: String,
        /// The error in words.
        message: String,
    },
    /// A tool call begins.
    ToolStarted {
        /// The step.
        step: u32,
        /// Number of the call in the run, from 1.
        call: u32,
        /// The tool.
        tool: String,
        /// What the model wrote.
        arguments: Value,
    },
    /// A tool call is answered.
    ToolFinished {
        /// The step.
        step: u32,
        /// Number of the call in the run, from 1.
        call: u32,
        /// The tool.
        tool: String,
        /// How it ended.
        outcome: Outcome,
        /// Estimated tokens of the answer.
        tokens: u64,
        /// Lines that were never shown before.
        new_lines: u32,
        /// Wall-clock milliseconds.
        elapsed_ms: u64,
    },
    /// A report was submitted and judged.
    DraftJudged {
        /// The step.
        step: u32,
        /// Whether it ends the run.
        accepted: bool,
        /// The validator's confidence.
        confidence: Confidence,
        /// What was dropped or changed, `code reference`, in order.
        reasons: Vec<String>,
    },
    /// The run is over.
    RunFinished {
        /// How the map came to be.
        status: Status,
        /// Its confidence.
        confidence: Confidence,
        /// What it recommends.
        action: Action,
        /// Why the exploration ended.
        stop_reason: StopReason,
        /// Steps taken.
        steps: u32,
        /// Tool calls answered.
        tool_calls: u32,
        /// Calls that were answered as redundant.
        redundant_calls: u32,
        /// What the map costs against what was read for it, and how tight its places are.
        #[serde(flatten)]
        density: Density,
        /// Wall-clock milliseconds.
        elapsed_ms: u64,
    },
}

impl Event {
    pub(crate) fn run_finished(map: &CodeMap, redundant_calls: u32, density: Density) -> Self {
        Self::RunFinished {
            status: map.status,
            confidence: map.confidence,
            action: map.recommended_primary_action,
            stop_reason: map.meta.stop_reason,
            steps: map.meta.steps,
            tool_calls: map.meta.tool_calls,
            redundant_calls,
            density,
            elapsed_ms: map.meta.elapsed_ms,
        }
    }
}
