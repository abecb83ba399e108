//! Tests that can't be made on a machine. A plain run says so and goes on; with `CI_STRICT` it is allowed only for what
//! `CI_WITHOUT` names.

use std::{env, io::Write};

/// Notes that what needs `name` is not tested here.
///
/// # Panics
///
/// When `CI_STRICT` is set and `CI_WITHOUT` does not name it.
pub fn left_out(name: &str, reason: &str) {
    let without = env::var("CI_WITHOUT").unwrap_or_default();
    assert!(
        env::var_os("CI_STRICT").is_none() || without.split_whitespace().any(|it| it == name),
        "{reason}; CI_WITHOUT={name} leaves out the tests that need it"
    );
    // Past the output capture of tests, so that a skipped test is not taken for a passed one.
    let _ = writeln!(std::io::stderr(), "SKIPPED: tests with {name}: {reason}");
}
