//! What happens in a run, as it happens: one value per event, for progress lines, JSONL logs and MCP notifications.
//! Events carry no source text and no secrets; a tool's arguments are what the model wrote.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::tools::ToolOutcome;
use retriever_report::{
    CodeMap, Confidence, MapSizeStats, MapStatus, RecommendedAction, ReportAuthor, StopReason,
    TokenUsage,
};
use retriever_search::Candidate;

/// Receives the events of a run. It is called from the run's own task, so it must return quickly.
pub trait Observer: Send + Sync {
    /// Takes one event.
    fn on_event(&self, event: &RunEvent);
}

/// One event of a run, in the order in which they happen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunEvent {
    /// The run begins.
    RunStarted {
        /// The question.
        question: String,
        /// Who answers.
        author: ReportAuthor,
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
    /// What the ranking found, best first.
    CandidatesRanked {
        /// The best candidates; those that the packet has no room for are among them.
        candidates: Vec<RankedCandidate>,
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
        usage: TokenUsage,
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
        outcome: ToolOutcome,
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
        /// Whether it is the answer so far. An earlier report stays when it is surer or holds anything that this one leaves out.
        kept: bool,
        /// The validator's confidence.
        confidence: Confidence,
        /// What was dropped or changed, `code reference`, in order.
        reasons: Vec<String>,
    },
    /// The answer.
    MapReturned {
        /// The map.
        map: Box<CodeMap>,
    },
    /// The run is over.
    RunFinished {
        /// How the map came to be.
        status: MapStatus,
        /// Its confidence.
        confidence: Confidence,
        /// What it recommends.
        action: RecommendedAction,
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
        density: MapSizeStats,
        /// Wall-clock milliseconds.
        elapsed_ms: u64,
    },
}

/// A candidate and why it has its rank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankedCandidate {
    /// Its file.
    pub path: String,
    /// Its lines; absent for a whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u32, u32)>,
    /// Names declared there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<String>,
    /// The sum of the parts.
    pub score: f64,
    /// The parts of its score, each with its points.
    pub parts: Vec<(String, f64)>,
}

impl From<&Candidate> for RankedCandidate {
    fn from(candidate: &Candidate) -> Self {
        let round = |points: f64| (points * 100.0).round() / 100.0;
        Self {
            path: candidate.file.path.to_string(),
            lines: candidate.range.map(|range| (range.start(), range.end())),
            symbols: candidate.symbols.iter().map(|symbol| symbol.name.clone()).collect(),
            score: round(candidate.score.total()),
            parts: candidate
                .score
                .iter()
                .map(|(part, points)| (part.as_ref().to_owned(), round(points)))
                .collect(),
        }
    }
}

impl RunEvent {
    /// Most candidates of one event.
    const MAX_CANDIDATES: usize = 40;

    pub(crate) fn candidates_ranked(candidates: &[Candidate]) -> Self {
        let best = candidates.iter().take(Self::MAX_CANDIDATES);
        Self::CandidatesRanked { candidates: best.map(RankedCandidate::from).collect() }
    }

    pub(crate) fn map_returned(map: &CodeMap) -> Self {
        Self::MapReturned { map: Box::new(map.clone()) }
    }

    pub(crate) fn run_finished(map: &CodeMap, redundant_calls: u32, density: MapSizeStats) -> Self {
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
