//! The checkout of a case: its folder, whether its commit is that of the labels, and whether the labels fit it. The
//! caller makes checkouts; this module neither runs git nor writes.

use std::path::{Path, PathBuf};

use crate::suite::EvalCase;
use retriever_workspace::Workspace;

/// Digits of a commit in a folder's name.
const SHORT: usize = 12;

/// Which commits are accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CheckoutCommitMatch {
    /// A checkout of another commit is refused, if its commit is known.
    #[default]
    Exact,
    /// Any checkout of the repository is accepted; labels may not fit.
    Any,
}

/// Why a case has no checkout.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckoutError {
    /// There is no folder.
    #[error("no checkout of {repo}: there is none of {tried}")]
    Missing {
        /// The repository.
        repo: String,
        /// The folders that were tried.
        tried: String,
    },
    /// The checkout is of another commit.
    #[error("{found} is a checkout of {repo} at {is}, and the labels are for {wanted}")]
    WrongCommit {
        /// The repository.
        repo: String,
        /// The folder.
        found: String,
        /// Its commit.
        is: String,
        /// The case's commit.
        wanted: String,
    },
}

/// Finds the checkout of `case` below `corpora`: `<id>`, `<owner>__<name>@<commit12>`, `<owner>__<name>`, `<name>`.
///
/// A commit is judged by the folder's name (`…@<commit>`) and by `.git/HEAD`; a folder that has neither is taken as it is.
///
/// # Errors
///
/// [`CheckoutError`] when there is no folder, or the folder is of another commit and `policy` is exact.
pub fn find(
    corpora: &Path,
    case: &EvalCase,
    policy: CheckoutCommitMatch,
) -> Result<PathBuf, CheckoutError> {
    let flat = case.repo.replace('/', "__");
    let name = case.repo.rsplit('/').next().unwrap_or(&case.repo);
    let pinned = case.commit.as_ref().map(|commit| format!("{flat}@{}", &commit[..SHORT]));
    let is_plain = |name: &String| !name.contains(['/', '\\']) && name != ".." && name != ".";
    let names: Vec<String> =
        [Some(case.id.clone()), pinned, Some(flat.clone()), Some(name.to_owned())]
            .into_iter()
            .flatten()
            .filter(is_plain)
            .collect();
    let mut wrong = None;
    // A folder of another commit is named in the error, and with `Any` it is used.
    for name in names.iter().chain(&of_other_commits(corpora, &flat)) {
        let folder = corpora.join(name);
        if !folder.is_dir() {
            continue;
        }
        match (&case.commit, commit_of(&folder)) {
            (Some(wanted), Some(is))
                if policy == CheckoutCommitMatch::Exact && !same(wanted, &is) =>
            {
                wrong.get_or_insert(CheckoutError::WrongCommit {
                    repo: case.repo.clone(),
                    found: folder.display().to_string(),
                    is,
                    wanted: wanted.clone(),
                });
            }
            _ => return Ok(folder),
        }
    }
    Err(wrong.unwrap_or_else(|| CheckoutError::Missing {
        repo: case.repo.clone(),
        tried: format!("{} in {}", names.join(", "), corpora.display()),
    }))
}

/// Returns the labels of `case` whose file or lines do not exist in `workspace`.
pub fn label_problems(case: &EvalCase, workspace: &Workspace) -> Vec<String> {
    let mut found: Vec<String> = case
        .labels()
        .filter_map(|(path, range)| {
            let read = workspace.normalize(path).ok().map(|path| workspace.read(&path));
            match (read, range) {
                (Some(Ok(file)), Some(range)) if range.end() > file.line_count() => Some(format!(
                    "the label {path}:{range} is outside its file, which has {} lines",
                    file.line_count()
                )),
                (Some(Ok(_)), _) => None,
                (Some(Err(error)), _) => Some(format!("the label {path} can't be read: {error}")),
                (None, _) => Some(format!("the label {path} is not a path")),
            }
        })
        .collect();
    found.dedup();
    found
}

fn same(wanted: &str, is: &str) -> bool {
    let shared = wanted.len().min(is.len());
    shared > 0 && wanted.get(..shared).is_some_and(|start| is[..shared].eq_ignore_ascii_case(start))
}

#[expect(clippy::disallowed_methods, reason = "the user names the folder of checkouts")]
fn of_other_commits(corpora: &Path, flat: &str) -> Vec<String> {
    let prefix = format!("{flat}@");
    let mut names: Vec<String> = std::fs::read_dir(corpora)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.starts_with(&prefix))
        .collect();
    names.sort();
    names
}

/// Returns the commit of a checkout by its name or its `.git`, if known.
fn commit_of(folder: &Path) -> Option<String> {
    let name = folder.file_name()?.to_str()?;
    let is_commit = |text: &str| text.len() >= 7 && text.bytes().all(|b| b.is_ascii_hexdigit());
    let named = name.rsplit_once('@').map(|(_, commit)| commit).filter(|commit| is_commit(commit));
    named.map(str::to_owned).or_else(|| head(folder).filter(|commit| is_commit(commit)))
}

/// Resolves `HEAD`: itself, a loose reference, or a packed one. `.git` is a file in worktrees.
#[expect(clippy::disallowed_methods, reason = "no workspace reads version control")]
fn head(folder: &Path) -> Option<String> {
    let read =
        |path: PathBuf| std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    let dot_git = folder.join(".git");
    let git = match read(dot_git.clone()) {
        Some(pointer) => folder.join(pointer.strip_prefix("gitdir:")?.trim()),
        None => dot_git,
    };
    let head = read(git.join("HEAD"))?;
    let Some(reference) = head.strip_prefix("ref:").map(str::trim) else { return Some(head) };
    let common = read(git.join("commondir")).map_or_else(|| git.clone(), |path| git.join(path));
    [&git, &common].into_iter().find_map(|git| read(git.join(reference))).or_else(|| {
        read(common.join("packed-refs"))?.lines().find_map(|line| {
            line.strip_suffix(reference)?.split_whitespace().next().map(str::to_owned)
        })
    })
}
