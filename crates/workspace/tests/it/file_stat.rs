//! What shows without reading a file that it has not changed, and until when that shows nothing.

use std::time::{Duration, UNIX_EPOCH};

use pretty_assertions::assert_eq;
use retriever_workspace::{FileStat, FoundFile, RepoPath};

/// One second, in nanoseconds.
const SECOND: u64 = 1_000_000_000;

/// Returns the size and times of a file, the times in nanoseconds since 1970.
fn stat(size: u64, modified: u64, changed: u64) -> FileStat {
    let path = RepoPath::parse("src/a.rs", "").unwrap();
    let modified = UNIX_EPOCH + Duration::from_nanos(modified);
    FileStat::of(&FoundFile { path, size, modified, changed })
}

#[test]
fn a_file_of_another_size_or_time_has_changed() {
    let known = stat(9, 5 * SECOND, 6 * SECOND);
    assert_eq!(stat(9, 5 * SECOND, 6 * SECOND), known);
    for other in [(8, 5, 6), (9, 4, 6), (9, 5, 7)] {
        let (size, modified, changed) = other;
        assert_ne!(stat(size, modified * SECOND, changed * SECOND), known, "{other:?}");
    }
}

/// (time of the last write, time of the last change, until when a further write may leave them as they are)
const TIMES: &[(u64, u64, u64)] = &[
    // Whole seconds may be those of a file system that has no others.
    (5 * SECOND, 5 * SECOND, 7 * SECOND),
    (5 * SECOND, 0, 7 * SECOND),
    (5 * SECOND, 8 * SECOND, 10 * SECOND),
    (5 * SECOND + 1, 5 * SECOND, 5 * SECOND + 20_000_001),
    (5 * SECOND, 5 * SECOND + 1, 5 * SECOND + 20_000_001),
    (5 * SECOND + 1, 8 * SECOND + 1, 8 * SECOND + 20_000_001),
];

#[test]
fn the_times_of_a_young_file_show_nothing() {
    for (modified, changed, until) in TIMES.iter().copied() {
        let stat = stat(9, modified, changed);
        let is_racy = [until - 1, until, until + 1].map(|now| stat.is_racy(now));
        assert_eq!(is_racy, [true, true, false], "{modified} {changed}");
    }
}
