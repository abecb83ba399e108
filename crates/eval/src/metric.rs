//! The scores by name. Each is defined once, here; `answer_score` computes it, `suite_summary` averages it, tables
//! print it.

use retriever_workspace::UnknownVariant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, VariantArray};

/// A number that is computed for a case. *Places* are a map's own places: primary, then secondary, then read targets.
/// *Gold files* are, one by one, the files of a fix and, for every required row, the files of its alternatives, of which
/// any one will do.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<Metric>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Metric {
    /// Required rows that a place hits / required rows. A place hits a label when they share a line, and the place is at
    /// most three times as wide as the label or lies inside it (`evals/README.md`).
    RoleRecall,
    /// Gold files among the first file of the ranking / gold files. A file ranks where its first place ranks.
    FileRecallAt1,
    /// As `file_recall_at1`, among the first 3 files.
    FileRecallAt3,
    /// As `file_recall_at1`, among the first 5 files.
    FileRecallAt5,
    /// As `file_recall_at1`, among the first 10 files.
    FileRecallAt10,
    /// Required rows that one of the first 20 ranked places, with what stands beside it, hits / required rows; a hit is as for
    /// `role_recall`.
    RangeRecallAt20,
    /// 1 / rank of the first gold file in the ranking, 0 when it holds none (mean reciprocal rank once averaged).
    Mrr,
    /// Searches only: the sum over the target files among the first 10 files of the ranking of 1 / log2(rank + 1), divided
    /// by the same sum with all targets first (normalised discounted cumulative gain). A ranked file is a target when it
    /// is what the target says, else when its path ends with the target.
    NdcgAt10,
    /// Files of the places that any label names / files of the places; 0 when no place is cited.
    FilePrecision,
    /// Gold files among the files of the places / gold files.
    FileRecall,
    /// Harmonic mean of `file_precision` and `file_recall`.
    FileF1,
    /// Lines of the places that any label holds / lines of the places; 0 when no place is cited.
    LinePrecision,
    /// Gold lines that the places hold / gold lines: the spans of a fix, and of every required row the alternative that
    /// is covered best.
    LineRecall,
    /// Harmonic mean of `line_precision` and `line_recall`.
    LineF1,
    /// References anywhere in the map to a file or to lines that the checkout doesn't have, or of which a line was not
    /// delivered to the model. Must be 0.
    Fabricated,
    /// Places in files that the case lists as distractors.
    Distractors,
    /// Negative questions only: 1 when the map is of low confidence and recommends `skip` or `targeted_gap_search`.
    NegativeOk,
    /// 1 when the map was not made from a report of the model that was asked.
    Fallback,
    /// [`retriever_report::MapSizeStats::report_tokens`].
    ReportTokens,
    /// [`retriever_report::MapSizeStats::observed_tokens`].
    ObservedTokens,
    /// [`retriever_report::MapSizeStats::compression`].
    Compression,
    /// [`retriever_report::MapSizeStats::raw_source_bytes`].
    RawSourceBytes,
    /// Model steps (`meta.steps`).
    Steps,
    /// Tool calls (`meta.tool_calls`).
    Calls,
    /// Wall-clock milliseconds of the answer.
    ElapsedMs,
    /// Searches only: wall-clock milliseconds of the ranking when it is asked for again, with everything loaded.
    SearchMs,
    /// Cost in the currency of the configured prices (`meta.cost`).
    Cost,
}

/// The direction in which a score improves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricDirection {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// Neither: the score is descriptive.
    Neither,
}

impl Metric {
    /// Returns the name of the score in tables.
    pub const fn label(self) -> &'static str {
        match self {
            Self::RoleRecall => "required-role recall",
            Self::FileRecallAt1 => "file recall@1",
            Self::FileRecallAt3 => "file recall@3",
            Self::FileRecallAt5 => "file recall@5",
            Self::FileRecallAt10 => "file recall@10",
            Self::RangeRecallAt20 => "range recall@20",
            Self::Mrr => "MRR",
            Self::NdcgAt10 => "NDCG@10",
            Self::FilePrecision => "map: file precision",
            Self::FileRecall => "map: file recall",
            Self::FileF1 => "map: file F1",
            Self::LinePrecision => "map: line precision",
            Self::LineRecall => "map: line recall",
            Self::LineF1 => "map: line F1",
            Self::Fabricated => "fabricated refs",
            Self::Distractors => "distractor hits",
            Self::NegativeOk => "negatives right",
            Self::Fallback => "fallbacks",
            Self::ReportTokens => "report tokens",
            Self::ObservedTokens => "observed tokens",
            Self::Compression => "compression ratio",
            Self::RawSourceBytes => "raw source bytes",
            Self::Steps => "steps",
            Self::Calls => "tool calls",
            Self::ElapsedMs => "latency ms",
            Self::SearchMs => "search ms, loaded",
            Self::Cost => "cost",
        }
    }

    /// Returns the direction in which the score improves.
    pub const fn better(self) -> MetricDirection {
        match self {
            Self::RoleRecall
            | Self::FileRecallAt1
            | Self::FileRecallAt3
            | Self::FileRecallAt5
            | Self::FileRecallAt10
            | Self::RangeRecallAt20
            | Self::Mrr
            | Self::NdcgAt10
            | Self::FilePrecision
            | Self::FileRecall
            | Self::FileF1
            | Self::LinePrecision
            | Self::LineRecall
            | Self::LineF1
            | Self::NegativeOk => MetricDirection::Higher,
            Self::Fabricated
            | Self::Distractors
            | Self::Fallback
            | Self::RawSourceBytes
            | Self::Cost => MetricDirection::Lower,
            Self::ReportTokens
            | Self::ObservedTokens
            | Self::Compression
            | Self::Steps
            | Self::Calls
            | Self::ElapsedMs
            | Self::SearchMs => MetricDirection::Neither,
        }
    }

    /// Formats a value for tables: shares with three digits, counts without.
    pub fn show(self, value: f64) -> String {
        match self {
            Self::ReportTokens | Self::ObservedTokens | Self::RawSourceBytes | Self::ElapsedMs => {
                format!("{value:.0}")
            }
            Self::Steps | Self::Calls | Self::SearchMs => format!("{value:.1}"),
            Self::Cost => format!("{value:.4}"),
            _ => format!("{value:.3}"),
        }
    }
}
