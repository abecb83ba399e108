//! Counts the files that a walk leaves out, by a second walk without the rules.

use std::{borrow::Cow, path::Path};

use crate::{
    RepoPath, Workspace,
    directory_walk::{skipped_files::SkippedFiles, workspace_walk::below},
    open_file::{ResolvedPath, in_version_control},
};

/// Largest tree, in entries, whose skipped files are counted, since counting walks the whole tree again.
const MAX_COUNTED_ENTRIES: usize = 8_000;

impl Workspace {
    /// Counts the files below `scope` that a walk leaves out as hidden or ignored, given the number of files that it visited.
    /// A tree of more than 8,000 entries is not counted.
    pub fn count_skipped(&self, scope: &RepoPath, visited: u64) -> SkippedFiles {
        let uncounted = SkippedFiles { uncounted: true, ..SkippedFiles::default() };
        if visited >= MAX_COUNTED_ENTRIES as u64 {
            return uncounted;
        }
        let places = if self.is_above_the_roots(scope) {
            let whole = |root| ResolvedPath { root, inner: Cow::Owned(RepoPath::root()) };
            self.roots.iter().map(whole).collect()
        } else {
            Vec::from_iter(self.resolve(scope))
        };
        let (mut entries, mut all, mut hidden) = (0, 0, 0);
        for ResolvedPath { root, inner: scope } in &places {
            walkdir::WalkDir::new(Path::new(&root.path).join(scope.as_str()))
                .follow_links(false)
                .into_iter()
                .filter_entry(|entry| {
                    below(&root.path, entry.path()).is_some_and(|path| {
                        !in_version_control(&path) && !root.secrets.matches_folder(&path)
                    })
                })
                .take(MAX_COUNTED_ENTRIES - entries)
                .inspect(|_| entries += 1)
                .flatten()
                .filter(|entry| entry.file_type().is_file())
                .filter_map(|entry| below(&root.path, entry.path()))
                .filter(|path| !root.secrets.matches(path))
                .for_each(|path| {
                    all += 1;
                    let inner = path.as_str().get(scope.as_str().len()..).unwrap_or_default();
                    let is_hidden = inner.split('/').any(|part| part.starts_with('.'));
                    hidden += u64::from(!self.hidden && is_hidden);
                });
        }
        if entries == MAX_COUNTED_ENTRIES {
            return uncounted;
        }
        SkippedFiles {
            hidden,
            ignored: u64::saturating_sub(all, hidden + visited),
            ..SkippedFiles::default()
        }
    }
}
