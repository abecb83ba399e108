//! "Did you mean": the existing paths that a misspelled one most likely stands for.

use std::{
    collections::BTreeSet,
    ops::ControlFlow,
    sync::{Mutex, PoisonError},
};

use super::{RepoPath, Workspace};

/// Similarity of two names below which a path is no suggestion.
const LIKE: f64 = 0.78;

impl Workspace {
    /// Returns up to `most` existing files and folders that `wanted` may stand for, best first: those that end in the
    /// same parts, then those with a similar name.
    pub fn nearest(&self, wanted: &str, most: usize) -> Vec<RepoPath> {
        let wanted = wanted.trim().replace('\\', "/").to_lowercase();
        let wanted = wanted.trim_matches('/');
        if wanted.is_empty() || most == 0 {
            return Vec::new();
        }
        let files = Mutex::new(Vec::new());
        self.visit(&RepoPath::root(), || {
            |file: &super::Visited<'_>| {
                files.lock().unwrap_or_else(PoisonError::into_inner).push(file.path.clone());
                ControlFlow::Continue(())
            }
        });
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
            .filter_map(|path| Some((likeness(wanted, &path.as_str().to_lowercase())?, path)))
            .collect();
        ranked.sort_by(|(a, left), (b, right)| {
            b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then_with(|| left.cmp(right))
        });
        ranked.into_iter().take(most).map(|(_, path)| path).collect()
    }
}

/// How alike two lower-case paths are: the number of equal last parts, then the similarity of the names, with that of
/// the whole paths to tell equals apart. `None` when they have nothing in common.
fn likeness(wanted: &str, path: &str) -> Option<(usize, f64)> {
    let shared = wanted.rsplit('/').zip(path.rsplit('/')).take_while(|(a, b)| a == b).count();
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let names = strsim::jaro_winkler(&name(wanted), &name(path));
    if shared == 0 && names < LIKE {
        return None;
    }
    Some((shared, names + 0.2 * strsim::normalized_damerau_levenshtein(wanted, path)))
}
