//! The size and times of a file, found without reading it. Equal values mean that the file has not changed, unless they
//! are too young ([`FileStat::is_racy`]).

use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use crate::FoundFile;

/// Most nanoseconds by which the clock of a file system lags behind.
const FINE_LAG: u64 = 20_000_000;
/// The same for file systems that store whole seconds.
const COARSE_LAG: u64 = 2_000_000_000;

/// Size and times of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStat {
    size: u64,
    modified: u64,
    changed: u64,
}

impl FileStat {
    /// Returns the size and times of a walked file.
    pub fn of(entry: &FoundFile) -> Self {
        let modified = entry.modified.duration_since(UNIX_EPOCH).unwrap_or_default();
        let modified = u64::try_from(modified.as_nanos()).unwrap_or(u64::MAX);
        Self { size: entry.size, modified, changed: entry.changed }
    }

    /// Whether a write after `now`, in nanoseconds since 1970, could result in the same values.
    pub fn is_racy(self, now: u64) -> bool {
        let youngest = self.modified.max(self.changed);
        let whole =
            [self.modified, self.changed].iter().all(|time| time.is_multiple_of(1_000_000_000));
        youngest.saturating_add(if whole { COARSE_LAG } else { FINE_LAG }) >= now
    }
}
