//! Rules about the workspace's source that no lint knows. A rule with exceptions has a list of them in `lists/`, which may
//! only shrink: `UPDATE=1 cargo test -p retriever-tidy` removes what has been mended, and writes the lists of public items.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test may panic, and reads the sources"
)]

mod ci;
mod files;
mod manifests;
mod names;
mod source_readers;
mod structure;
mod support;
