//! "Did you mean": existing paths that are similar to a misspelt one.

use std::{
    collections::BTreeSet,
    ops::ControlFlow,
    sync::{Mutex, PoisonError},
};

use crate::{Cancellation, RepoPath, WalkedFile, Workspace};

/// Similarity of two file names below which a path is not suggested.
const MIN_SIMILARITY: f64 = 0.78;
/// Longest path for which suggestions are made, in bytes, since comparing takes the product of both lengths.
const MAX_WANTED_BYTES: usize = 1024;

impl Workspace {
    /// Returns up to `limit` existing files and folders that are similar to `wanted`, best first: those with the same
    /// last parts, then those with a similar name. Empty for a path of more than 1,024 bytes, and when the work is
    /// cancelled.
    pub fn suggest_paths(
        &self,
        wanted: &str,
        limit: usize,
        cancellation: &Cancellation,
    ) -> Vec<RepoPath> {
        let wanted = wanted.trim().replace('\\', "/").to_lowercase();
        let wanted = wanted.trim_matches('/');
        if wanted.is_empty() || wanted.len() > MAX_WANTED_BYTES || limit == 0 {
            return Vec::new();
        }
        let files = Mutex::new(Vec::new());
        self.walk_parallel(&RepoPath::root(), || {
            |file: &WalkedFile<'_>| {
                files.lock().unwrap_or_else(PoisonError::into_inner).push(file.path.clone());
                if cancellation.is_cancelled() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            }
        });
        if cancellation.is_cancelled() {
            return Vec::new();
        }
        let mut paths: BTreeSet<RepoPath> = BTreeSet::new();
        for file in files.into_inner().unwrap_or_else(PoisonError::into_inner) {
            let mut folder = file.parent();
            while let Some(path) = folder.filter(|path| !path.as_str().is_empty()) {
                folder = path.parent();
                if !paths.insert(path) {
                    break;
                }
            }
            paths.insert(file);
        }
        let mut ranked: Vec<((usize, f64), RepoPath)> = paths
            .into_iter()
            .filter_map(|path| Some((similarity(wanted, &path.as_str().to_lowercase())?, path)))
            .collect();
        ranked.sort_by(|(a, left), (b, right)| {
            b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then_with(|| left.cmp(right))
        });
        ranked.into_iter().take(limit).map(|(_, path)| path).collect()
    }
}

/// Returns the similarity of two lower-case paths: the number of equal last parts, then the similarity of the file
/// names plus a share of that of the whole paths. `None` when they have nothing in common.
fn similarity(wanted: &str, path: &str) -> Option<(usize, f64)> {
    let shared = wanted.rsplit('/').zip(path.rsplit('/')).take_while(|(a, b)| a == b).count();
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let names = strsim::jaro_winkler(&name(wanted), &name(path));
    if shared == 0 && names < MIN_SIMILARITY {
        return None;
    }
    Some((shared, names + 0.2 * strsim::normalized_damerau_levenshtein(wanted, path)))
}
