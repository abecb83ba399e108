//! The budget of a run, and its presets.

use retriever_workspace::UnknownVariant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use strum::{AsRefStr, Display, EnumString, VariantArray};

/// The budget of a run: a preset, and values that override those of the preset.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BudgetConfig {
    /// The preset.
    pub effort: EffortPreset,
    /// Model steps; 0 is the value of the preset.
    pub max_steps: u32,
    /// Tool calls; 0 is the value of the preset.
    pub max_tool_calls: u32,
    /// Observed tokens; 0 is the value of the preset.
    pub observation_tokens: u64,
    /// Seconds; 0 is the value of the preset.
    pub timeout_s: u64,
}

/// The budget of a run, resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunBudget {
    /// Model steps.
    pub steps: u32,
    /// Tool calls.
    pub calls: u32,
    /// Observed tokens.
    pub tokens: u64,
    /// Wall-clock time.
    pub time: Duration,
    /// Tokens of the map.
    pub map_tokens: u64,
}

impl RunBudget {
    /// The budget without limits.
    pub(crate) const UNLIMITED: Self = Self {
        steps: u32::MAX,
        calls: u32::MAX,
        tokens: u64::MAX,
        time: Duration::MAX,
        map_tokens: u64::MAX,
    };

    /// Returns the lower value of both, limit by limit.
    pub(super) fn at_most(&self, ceiling: &Self) -> Self {
        Self {
            steps: self.steps.min(ceiling.steps),
            calls: self.calls.min(ceiling.calls),
            tokens: self.tokens.min(ceiling.tokens),
            time: self.time.min(ceiling.time),
            map_tokens: self.map_tokens.min(ceiling.map_tokens),
        }
    }

    /// Returns the preset of `effort`.
    pub const fn preset(effort: EffortPreset) -> Self {
        let (steps, calls, tokens, seconds, map_tokens) = match effort {
            EffortPreset::Quick => (4, 12, 20_000, 60, 900),
            EffortPreset::Medium => (10, 40, 60_000, 300, 1_600),
            EffortPreset::Thorough => (24, 120, 150_000, 720, 2_600),
        };
        Self { steps, calls, tokens, time: Duration::from_secs(seconds), map_tokens }
    }
}

impl BudgetConfig {
    /// Returns the preset with the overrides applied. Calls and tokens that are not overridden grow with the number of `files`,
    /// by the same tiers as `explore`.
    pub(super) fn resolve(&self, files: usize) -> RunBudget {
        let preset = RunBudget::preset(self.effort);
        let percent: u32 = match files {
            0..5_000 => 100,
            5_000..15_000 => 125,
            _ => 150,
        };
        let preset = RunBudget {
            calls: preset.calls * percent / 100,
            tokens: preset.tokens * u64::from(percent) / 100,
            ..preset
        };
        RunBudget {
            steps: if self.max_steps == 0 { preset.steps } else { self.max_steps },
            calls: if self.max_tool_calls == 0 { preset.calls } else { self.max_tool_calls },
            tokens: if self.observation_tokens == 0 {
                preset.tokens
            } else {
                self.observation_tokens
            },
            time: if self.timeout_s == 0 {
                preset.time
            } else {
                Duration::from_secs(self.timeout_s)
            },
            ..preset
        }
    }
}

/// The presets of [`RunBudget`].
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<EffortPreset>)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EffortPreset {
    /// Few steps, for a simple question.
    Quick,
    /// The default.
    #[default]
    Medium,
    /// Many steps, for a large or unclear question.
    Thorough,
}
