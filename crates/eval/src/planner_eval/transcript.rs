//! The transcript of a main agent: its calls, its answer and their cost.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use retriever_report::TokenUsage;
use retriever_workspace::LineRange;

/// Answer the question. It ends the work.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MainAgentAnswer {
    /// What was asked, in a few sentences that name files and symbols.
    pub summary: String,
    /// Places that show it, as path:start-end.
    pub places: Vec<String>,
    /// false when the repository does not have what is asked for.
    pub found: Option<bool>,
}

impl fmt::Display for MainAgentAnswer {
    /// Writes the summary and the places, a line each.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary)?;
        self.places.iter().try_for_each(|place| write!(f, "\n{place}"))
    }
}

/// A call with a result.
#[derive(Clone, Debug, PartialEq)]
pub struct MainAgentCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
    /// The lines that a `read` showed.
    pub read: Option<(String, LineRange)>,
}

impl fmt::Display for MainAgentCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.read {
            Some((path, lines)) => write!(f, "{} {path}:{lines}", self.tool),
            None => write!(f, "{} {}", self.tool, self.arguments),
        }
    }
}

/// The transcript of one question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MainAgentTranscript {
    /// Calls in their order.
    pub calls: Vec<MainAgentCall>,
    /// The answer; `None` when there is none.
    pub answer: Option<MainAgentAnswer>,
    /// Turns.
    pub steps: u32,
    /// Estimated tokens of the tool results that it received.
    pub shown_tokens: u64,
    /// Tokens as the endpoint counts them, else estimated.
    pub usage: TokenUsage,
    /// Tokens of the conversation at its end: the last prompt and the last answer.
    pub resident_tokens: u64,
    /// Milliseconds from the question to the answer.
    pub elapsed_ms: u64,
    /// Whether a model wrote the answer, so that its completion tokens are counted.
    pub by_model: bool,
    /// Cost of the tokens, when prices are configured.
    pub cost: Option<f64>,
    /// The model's failure.
    pub error: Option<String>,
}
