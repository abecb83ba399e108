//! Density figures of a map: its tokens compared with the tokens that were observed for it, and the widths of its places.
//! Events and eval results take these figures from here.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::code_map::{CodeMap, MAX_PLACE_LINES, Place};
use retriever_workspace::LineRange;

/// Shorter source lines are ignored: they occur in prose by chance.
const MIN_RAW_LINE_BYTES: usize = 24;

/// The density of one map.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MapSizeStats {
    /// Estimated tokens of the map as JSON.
    pub report_tokens: u64,
    /// Estimated tokens of everything that was shown to the model as observations.
    pub observed_tokens: u64,
    /// `report_tokens` / `observed_tokens`; 0 when nothing was observed.
    pub compression: f64,
    /// Bytes of trimmed source lines of at least 24 bytes, from the cited files, that the prose of the map contains verbatim.
    pub raw_source_bytes: u64,
    /// Widths of the primary places.
    pub primary: PlaceWidths,
    /// Widths of all places: primary, secondary and read targets; each distinct range counts once.
    pub cited: PlaceWidths,
}

/// Widths of places, in lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlaceWidths {
    /// Number of places.
    pub places: usize,
    /// Median.
    pub median: f64,
    /// 90th percentile, by nearest rank.
    pub p90: u32,
    /// Share of places wider than 120 lines.
    pub over_120: f64,
}

impl MapSizeStats {
    /// Measures `map`. `sources` are the texts of the files that it cites.
    pub fn of<'a>(map: &CodeMap, sources: impl IntoIterator<Item = &'a str>) -> Self {
        let (report, observed) = (map.meta.report_tokens, map.meta.observed_tokens);
        Self {
            report_tokens: report,
            observed_tokens: observed,
            compression: if observed == 0 { 0.0 } else { report as f64 / observed as f64 },
            raw_source_bytes: raw_source_bytes(map, sources),
            primary: PlaceWidths::of_places(map.primary.iter().map(|item| &item.place)),
            cited: PlaceWidths::of_places(map.listed_places()),
        }
    }
}

impl PlaceWidths {
    fn of_places<'a>(places: impl Iterator<Item = &'a Place>) -> Self {
        let distinct: BTreeSet<_> = places.map(|place| (&place.path, place.range())).collect();
        Self::of(distinct.into_iter().filter_map(|(_, range)| range).map(LineRange::width))
    }

    /// Summarises widths.
    pub fn of(widths: impl IntoIterator<Item = u32>) -> Self {
        let mut widths: Vec<u32> = widths.into_iter().collect();
        widths.sort_unstable();
        let wide = widths.iter().filter(|width| **width > MAX_PLACE_LINES).count();
        let at = |index: usize| widths.get(index).copied().unwrap_or_default();
        let (half, last) = (widths.len() / 2, widths.len().saturating_sub(1));
        let lower = if widths.len().is_multiple_of(2) { half.saturating_sub(1) } else { half };
        Self {
            places: widths.len(),
            median: f64::midpoint(f64::from(at(lower)), f64::from(at(half.min(last)))),
            p90: at((widths.len() * 9).div_ceil(10).saturating_sub(1)),
            over_120: wide as f64 / widths.len().max(1) as f64,
        }
    }
}

fn raw_source_bytes<'a>(map: &CodeMap, sources: impl IntoIterator<Item = &'a str>) -> u64 {
    let mut prose: Vec<&str> = vec![&map.summary, &map.flow];
    prose.extend(map.primary.iter().map(|item| item.why.as_str()));
    prose.extend(map.secondary.iter().map(|item| item.why.as_str()));
    prose.extend(map.findings.iter().map(|finding| finding.fact.as_str()));
    prose.extend(map.read_targets.iter().map(|target| target.purpose.as_str()));
    prose.extend(map.known.iter().map(|place| place.why.as_str()));
    prose.extend(map.missing.iter().map(|missing| missing.what.as_str()));
    let prose = prose.join("\n");
    let lines: BTreeSet<&str> = sources
        .into_iter()
        .flat_map(str::lines)
        .map(str::trim)
        .filter(|line| line.len() >= MIN_RAW_LINE_BYTES)
        .collect();
    lines.into_iter().filter(|line| prose.contains(line)).map(|line| line.len() as u64).sum()
}
