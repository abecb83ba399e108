//! A git repository: commits, branches and remotes, read from its folders.

use std::{
    collections::{BTreeSet, VecDeque},
    fs,
    path::{Path, PathBuf},
};

use retriever_workspace::GitFolders;

use super::{GitCommitReader, commit_id::is_commit_id, git_remote_url, normalize};

/// Size limit of a small file, in bytes.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// Most symbolic references that are followed.
const MAX_SYMBOLIC: usize = 5;

/// A repository, read from its git folders.
#[derive(Clone, Debug)]
pub struct GitRepository {
    /// The folder of this working tree.
    own: PathBuf,
    /// The folder that all working trees share.
    common: PathBuf,
}

impl GitRepository {
    /// Returns the repository in these folders; nothing is read yet.
    pub fn new(folders: GitFolders) -> Self {
        Self { own: folders.own, common: folders.common }
    }

    /// Returns the normalised address of the remote `origin`, or of the only remote.
    pub fn identity(&self) -> Option<String> {
        normalize(&git_remote_url::remote_url(&text(&self.common.join("config"))?)?)
    }

    /// Returns the commit that is checked out.
    pub fn head(&self) -> Option<String> {
        let mut name = "HEAD".to_owned();
        for _ in 0..MAX_SYMBOLIC {
            let value = self.reference(&name)?;
            match value.strip_prefix("ref:") {
                Some(target) => name = target.trim().to_owned(),
                None => return is_commit_id(&value).then_some(value),
            }
        }
        None
    }

    /// Returns `head` and its ancestors, the nearest first, at most `limit`.
    pub(crate) fn ancestors(&self, head: &str, limit: usize) -> Vec<String> {
        let reader = GitCommitReader::new(&self.common.join("objects"));
        let mut known = BTreeSet::from([head.to_owned()]);
        let mut queue = VecDeque::from([head.to_owned()]);
        let mut found = Vec::new();
        while let Some(commit) = queue.pop_front()
            && found.len() < limit
        {
            for parent in reader.parents(&commit) {
                if known.insert(parent.clone()) {
                    queue.push_back(parent);
                }
            }
            found.push(commit);
        }
        found
    }

    /// Returns the target of a reference: a commit, or another reference.
    fn reference(&self, name: &str) -> Option<String> {
        let is_plain = !name.split('/').any(|part| matches!(part, "" | "." | ".."));
        if !is_plain {
            return None;
        }
        let loose =
            [&self.own, &self.common].into_iter().find_map(|folder| text(&folder.join(name)));
        if let Some(value) = loose {
            return Some(value.trim().to_owned());
        }
        let packed = text(&self.common.join("packed-refs"))?;
        let line = packed.lines().find(|line| {
            line.split_once(' ').is_some_and(|(_, packed_name)| packed_name.trim() == name)
        })?;
        line.split_once(' ').map(|(value, _)| value.to_owned())
    }
}

/// Returns the text of a small file.
#[expect(clippy::disallowed_methods, reason = "git's folder is not read as part of the workspace")]
pub(super) fn text(path: &Path) -> Option<String> {
    let is_small =
        fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= MAX_FILE_BYTES);
    is_small.then(|| fs::read_to_string(path).ok())?
}
