//! Tests that can't be made on a machine. A plain run says so and goes on; a run of CI allows it only for what `CI_WITHOUT` names.

use std::{env, io::Write};

/// Notes that what needs `name` is not tested here.
///
/// # Panics
///
/// When `CI_WITHOUT` is set and does not name it.
pub fn left_out(name: &str, reason: &str) {
    let without = env::var("CI_WITHOUT");
    let mut names = without.as_deref().unwrap_or(name).split_whitespace();
    assert!(
        names.any(|allowed| allowed == name),
        "{reason}; CI_WITHOUT={name} leaves out the tests that need it"
    );
    // Past the output capture of tests, so that a skipped test is not taken for a passed one.
    let _ = writeln!(std::io::stderr(), "SKIPPED: tests with {name}: {reason}");
}
