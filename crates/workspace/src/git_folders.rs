//! Which repository a folder is a working tree of.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::Workspace;

/// Name of git's folder, or of the file in a linked working tree that says where it is.
const GIT: &str = ".git";
/// Bytes of git's small files that are read.
const MAX_BYTES: u64 = 4_096;

/// Where git keeps a working tree and its repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitFolders {
    /// What is the working tree's own, such as its `HEAD`.
    pub own: PathBuf,
    /// What all working trees of the repository share.
    pub common: PathBuf,
}

impl Workspace {
    /// Returns the folder where git keeps the repository that the only root is a working tree of. It is the same for all
    /// working trees of a repository. `None` when the root is none, or when git does not know of the working tree.
    pub fn repository(&self) -> Option<PathBuf> {
        self.git_folders().map(|folders| folders.common)
    }

    /// Returns the folders where git keeps the working tree that is the only root; `None` as for [`Workspace::repository`].
    pub fn git_folders(&self) -> Option<GitFolders> {
        let mut roots = self.roots();
        let (Some((_, root)), None) = (roots.next(), roots.next()) else { return None };
        GitFolders::of(Path::new(root))
    }

    /// Returns the folders of the working trees that the roots are or lie in, each once.
    pub fn enclosing_working_trees(&self) -> Vec<GitFolders> {
        let mut trees: Vec<GitFolders> = Vec::new();
        for (_, root) in self.roots() {
            let tree = Path::new(root).ancestors().find_map(GitFolders::of);
            trees.extend(tree.filter(|tree| !trees.contains(tree)));
        }
        trees
    }
}

impl GitFolders {
    /// Returns the folders of the working tree whose top is `root`.
    pub(crate) fn of(root: &Path) -> Option<Self> {
        let git = root.join(GIT);
        if let Some(own) = resolved(&git).filter(|git| git.is_dir()) {
            let common = own.clone();
            return own.join("HEAD").is_file().then_some(Self { own, common });
        }
        // What the file in the tree says is believed when git's own folder says the same.
        let linked = root.join(line(&git)?.strip_prefix("gitdir:")?.trim());
        let tree = linked.join(line(&linked.join("gitdir"))?.trim());
        if resolved(&tree)? != resolved(&git)? {
            return None;
        }
        let common = resolved(&linked.join(line(&linked.join("commondir"))?.trim()))?;
        Some(Self { own: resolved(&linked)?, common })
    }
}

#[expect(clippy::disallowed_methods, reason = "git's folder is not read as part of the workspace")]
fn resolved(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

/// Returns the text of a small file.
#[expect(clippy::disallowed_methods, reason = "git's folder is not read as part of the workspace")]
fn line(path: &Path) -> Option<String> {
    let is_small = fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= MAX_BYTES);
    is_small.then(|| fs::read_to_string(path).ok())?
}
