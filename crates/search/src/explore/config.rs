//! What a caller can configure of an exploration.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What `explore` prints.
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
        Self { adaptive: true, depth: 5, budget_chars: 0 }
    }
}
