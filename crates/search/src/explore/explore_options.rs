//! What a caller can choose of an exploration, and the errors of a wrong choice.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use retriever_graph::indexing::IndexError;

/// Related items of each kind, unless the caller wants another number.
pub const DEFAULT_DEPTH: u32 = 5;
/// Smallest budget in characters: below it there is no room for an answer.
pub const MIN_BUDGET: usize = 1_000;
/// Longest query in bytes: a pasted log fits, a pasted repository doesn't.
const MAX_QUERY_BYTES: usize = 64 * 1024;

/// What `explore` prints, as it is configured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ExploreConfig {
    /// Whether interchangeable definitions off the flow are printed as signatures.
    pub adaptive: bool,
    /// Related items of each kind.
    pub depth: u32,
    /// Most characters of an answer; 0 takes the ceiling of the repository's size.
    pub budget_chars: u64,
}

impl Default for ExploreConfig {
    fn default() -> Self {
        Self { adaptive: true, depth: DEFAULT_DEPTH, budget_chars: 0 }
    }
}

/// What an exploration is to contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExploreOptions {
    /// Related items of each kind.
    pub depth: u32,
    /// Maximum number of results; none takes the tier's.
    pub limit: Option<usize>,
    /// Maximum number of characters of the answer; none takes the tier's.
    pub budget: Option<usize>,
    /// What of the answer the budget limits.
    pub limited_form: LimitedForm,
    /// Whether interchangeable definitions off the flow are printed as signatures.
    pub adaptive: bool,
}

/// The form of an answer that its budget limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LimitedForm {
    /// Whichever is longer.
    #[default]
    Longest,
    /// JSON.
    Json,
    /// Text, as Markdown.
    Text,
}

impl Default for ExploreOptions {
    fn default() -> Self {
        let limited_form = LimitedForm::default();
        Self { depth: DEFAULT_DEPTH, limit: None, budget: None, limited_form, adaptive: true }
    }
}

impl From<&ExploreConfig> for ExploreOptions {
    fn from(config: &ExploreConfig) -> Self {
        let budget = usize::try_from(config.budget_chars).unwrap_or(usize::MAX);
        let budget = Some(budget).filter(|chars| *chars > 0);
        let (depth, adaptive) = (config.depth, config.adaptive);
        Self { depth, budget, adaptive, ..Self::default() }
    }
}

/// Why there is no exploration. That nothing was found is an answer, not an error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExploreError {
    /// There is nothing to look for.
    #[error("the query is empty")]
    EmptyQuery,
    /// The query is too long to be one.
    #[error("the query has {0} bytes; at most {MAX_QUERY_BYTES} are taken")]
    LongQuery(usize),
    /// The budget leaves no room for an answer.
    #[error("a budget of {0} characters leaves no room; give {MIN_BUDGET} or more")]
    SmallBudget(usize),
    /// There is no graph to explore.
    #[error(transparent)]
    Index(#[from] IndexError),
}

/// Checks what can be checked before any file is read.
///
/// # Errors
///
/// [`ExploreError`].
pub fn check(query: &str, options: &ExploreOptions) -> Result<(), ExploreError> {
    if query.trim().is_empty() {
        return Err(ExploreError::EmptyQuery);
    }
    if query.len() > MAX_QUERY_BYTES {
        return Err(ExploreError::LongQuery(query.len()));
    }
    match options.budget {
        Some(budget) if budget < MIN_BUDGET => Err(ExploreError::SmallBudget(budget)),
        _ => Ok(()),
    }
}
