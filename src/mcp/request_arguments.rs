//! The arguments of `ask`, `explore` and `context`, over MCP and over HTTP. Their doc comments are shown to the
//! planner's model.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::config::{BudgetConfig, EffortPreset};
use retriever_search::{Intent, PlaceRole, Question, SessionId, explore::ExploreOptions};

pub(crate) const ASK: &str = "ask";
pub(crate) const EXPLORE: &str = "explore";
pub(crate) const CONTEXT: &str = "context";

/// Explore the repository for a question: returns checked places and facts, a confidence and what to do next.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AskToolArguments {
    /// The question, in a sentence or two
    question: String,
    /// What you will do with the answer
    #[serde(default)]
    intent: Intent,
    /// How much may be spent
    effort: Option<EffortPreset>,
    /// Roles that the answer must cover
    #[serde(default)]
    roles: Vec<PlaceRole>,
    /// Paths that probably matter
    #[serde(default)]
    hints: Vec<String>,
    /// Whether the text holds the code of the map's places
    #[serde(default)]
    pub(super) snippets: bool,
    /// A name for this chat: an answer that still holds is given again, places you have by their IDs only
    session: Option<SessionId>,
}

impl AskToolArguments {
    /// Returns the budget of the run; `usual` has the defaults.
    pub(crate) fn budget(&self, usual: &BudgetConfig) -> BudgetConfig {
        BudgetConfig { effort: self.effort.unwrap_or(usual.effort), ..usual.clone() }
    }

    pub(crate) fn into_question(self) -> Question {
        Question {
            text: self.question,
            intent: self.intent,
            roles: self.roles,
            hints: self.hints,
            session: self.session,
        }
    }
}

/// Print ranked source for a query, without a model. Places have IDs for context.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExploreToolArguments {
    /// A question, words, or names of symbols
    pub(crate) query: String,
    /// Related places of each kind. Default: 5
    depth: Option<u32>,
    /// Most places that are ranked
    limit: Option<u32>,
    /// Most characters of the answer
    budget: Option<u32>,
    /// false: never shorten interchangeable definitions to signatures
    adaptive: Option<bool>,
}

/// Print all about places that explore listed: code, callers, callees, siblings.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ContextToolArguments {
    /// IDs of explore, or unique starts of them; lines, such as `src/main.rs:7`; with `session`, IDs of its maps, such as `s3`
    #[schemars(length(max = 50))]
    pub(super) ids: Vec<String>,
    /// The chat whose maps gave IDs to places
    pub(super) session: Option<SessionId>,
    /// Related places of each kind. Default: 5
    depth: Option<u32>,
    /// Most characters of the answer
    budget: Option<u32>,
}

impl ExploreToolArguments {
    /// Returns the options; `usual` has the defaults.
    pub(crate) fn options(&self, usual: &ExploreOptions) -> ExploreOptions {
        ExploreOptions {
            depth: self.depth.unwrap_or(usual.depth),
            limit: self.limit.and_then(|limit| usize::try_from(limit).ok()),
            budget: chars(self.budget).or(usual.budget),
            adaptive: self.adaptive.unwrap_or(usual.adaptive),
            ..usual.clone()
        }
    }
}

impl ContextToolArguments {
    /// Returns the options; `usual` has the defaults.
    pub(super) fn options(&self, usual: &ExploreOptions) -> ExploreOptions {
        ExploreOptions {
            depth: self.depth.unwrap_or(usual.depth),
            budget: chars(self.budget).or(usual.budget),
            ..usual.clone()
        }
    }
}

fn chars(budget: Option<u32>) -> Option<usize> {
    budget.and_then(|chars| usize::try_from(chars).ok())
}
