//! The size and times of a file, found without reading it. Equal values mean that the file has not changed, unless they
//! are too young ([`FileStat::is_racy`]).

use std::{
    fs::Metadata,
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use crate::FoundFile;

/// Nanoseconds that the clock of a file system may lag behind.
const FINE_LAG: u64 = 20_000_000;
/// The same for file systems that keep whole seconds.
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
        Self { size: entry.size, modified: nanoseconds(entry.modified), changed: entry.changed }
    }

    pub(crate) fn of_metadata(facts: &Metadata) -> Self {
        let modified = facts.modified().unwrap_or(UNIX_EPOCH);
        Self { size: facts.len(), modified: nanoseconds(modified), changed: changed(facts) }
    }

    /// Whether a write after `now`, in nanoseconds since 1970, could leave the same values.
    pub fn is_racy(self, now: u64) -> bool {
        let youngest = self.modified.max(self.changed);
        let whole =
            [self.modified, self.changed].iter().all(|time| time.is_multiple_of(1_000_000_000));
        youngest.saturating_add(if whole { COARSE_LAG } else { FINE_LAG }) >= now
    }
}

fn nanoseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// Returns when the content, name or owner last changed, in nanoseconds since 1970.
#[cfg(unix)]
pub(crate) fn changed(facts: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;

    let seconds = u64::try_from(facts.ctime()).unwrap_or_default();
    seconds
        .saturating_mul(1_000_000_000)
        .saturating_add(u64::try_from(facts.ctime_nsec()).unwrap_or_default())
}

#[cfg(not(unix))]
pub(crate) fn changed(_: &Metadata) -> u64 {
    0
}
