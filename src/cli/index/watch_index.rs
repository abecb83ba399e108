//! `index --watch`: refreshes the index whenever files change.

use std::{
    path::{Path, PathBuf},
    sync::mpsc,
    time::{Duration, Instant},
};

use notify::{RecursiveMode, Watcher};
use retriever::{
    indexing::GraphIndex,
    search::{FullTextIndex, VectorIndex},
};

use super::super::{
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
    exit_status::Exit,
};
use super::{print, print_warnings, refresh, refresh_vectors};

/// A refresh starts when nothing has changed for this long.
const DEBOUNCE: Duration = Duration::from_millis(100);

/// A refresh starts at the latest this long after the first change.
const MAX_DEBOUNCE: Duration = Duration::from_secs(2);

/// Refreshes until a signal ends the program. A refresh that is interrupted leaves the previous state.
pub(super) fn watch(
    context: &CommandContext<'_>,
    index: &GraphIndex,
    full_text: &FullTextIndex,
    vectors: Option<&VectorIndex>,
) -> Result<Exit, CommandError> {
    let (sender, events) = mpsc::channel();
    let failed = |error: notify::Error| {
        CommandError::new(CommandErrorKind::Setup, format!("cannot watch the root: {error}"))
            .hint("on Linux, fs.inotify.max_user_watches limits how many folders can be watched")
    };
    let mut watcher = notify::recommended_watcher(sender).map_err(failed)?;
    for (_, root) in index.workspace().roots() {
        watcher.watch(Path::new(root), RecursiveMode::Recursive).map_err(failed)?;
    }
    // Events that a refresh causes itself are ignored: reads, and writes to a store below the root.
    let is_own = |path: &PathBuf| index.folder().is_some_and(|folder| path.starts_with(folder));
    let changes = |event: &notify::Result<notify::Event>| {
        event.as_ref().map_or(true, |event| {
            !matches!(event.kind, notify::EventKind::Access(_)) && !event.paths.iter().all(is_own)
        })
    };
    let mut is_first = true;
    loop {
        let mut done = refresh(context, index, full_text)?;
        print_warnings(context, index);
        done.vectors = vectors.map(|vectors| refresh_vectors(context, index, full_text, vectors));
        if done.summary.changed + done.summary.removed > 0 || std::mem::take(&mut is_first) {
            print(context, &done)?;
        }
        loop {
            match events.recv() {
                Ok(event) if changes(&event) => break,
                Ok(_) => {}
                Err(_) => return Ok(Exit::Done),
            }
        }
        let since = Instant::now();
        while since.elapsed() < MAX_DEBOUNCE && events.recv_timeout(DEBOUNCE).is_ok() {}
    }
}
