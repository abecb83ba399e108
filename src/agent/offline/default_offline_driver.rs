//! The built-in driver: reads the best candidates, then reports what it read. It does not judge what it reads, so its maps
//! have low confidence.

use serde_json::{Value, json};

use super::offline_draft;
use crate::agent::offline_driver::{OfflineDriver, OfflineState};
use retriever_report::Draft;

/// Candidates that are read.
const MAX_READS: usize = 12;
/// Lines that are read of one candidate.
const MAX_READ_LINES: u32 = 120;
/// Files that are listed if there is no candidate.
const MAX_LISTED_FILES: u32 = 40;

/// The built-in driver.
#[derive(Clone, Copy, Debug, Default)]
pub struct DefaultOfflineDriver;

impl OfflineDriver for DefaultOfflineDriver {
    fn calls(&self, state: &OfflineState<'_>) -> Vec<(&'static str, Value)> {
        if state.round > 1 {
            return Vec::new();
        }
        let reads = state.candidates.iter().take(MAX_READS).filter_map(|candidate| {
            let range = candidate.range?;
            let lines = range.width().min(MAX_READ_LINES);
            let file = candidate.file.path.as_str();
            let arguments =
                json!({ "file": file, "start_line": range.start(), "num_lines": lines });
            Some(("read", arguments))
        });
        let mut calls: Vec<_> = reads.collect();
        if calls.is_empty() {
            calls.push(("glob", json!({ "pattern": "*", "limit": MAX_LISTED_FILES })));
        }
        calls
    }

    fn report(&self, state: &OfflineState<'_>) -> Draft {
        offline_draft::candidate_report(state, &offline_draft::read_candidates(state))
    }
}
