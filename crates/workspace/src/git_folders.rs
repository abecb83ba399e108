//! The repository that a folder is a working tree of.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::Workspace;

/// Name of git's folder, or of the file that points to it in a linked working tree.
const GIT: &str = ".git";
/// Size limit of git's small files, in bytes.
const MAX_BYTES: u64 = 4_096;

/// Where git keeps a working tree and its repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitFolders {
    /// The folder of this working tree, with files such as `HEAD`.
    pub own: PathBuf,
    /// The folder that all working trees of the repository share.
    pub common: PathBuf,
}

impl Workspace {
    /// Returns git's folder of the repository that the only root is a working tree of. It is the same for all working
    /// trees of a repository. `None` when the root is not a working tree, or git does not list it.
    pub fn repository(&self) -> Option<PathBuf> {
        self.git_folders().map(|folders| folders.common)
    }

    /// Returns the git folders of the working tree that is the only root; `None` as for [`Workspace::repository`].
    pub fn git_folders(&self) -> Option<GitFolders> {
        let mut roots = self.roots();
        let (Some((_, root)), None) = (roots.next(), roots.next()) else { return None };
        GitFolders::of(Path::new(root))
    }

    /// Returns the git folders of the working trees that contain the roots, each once.
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
    /// Returns the git folders of the working tree whose top is `root`.
    pub(crate) fn of(root: &Path) -> Option<Self> {
        let git = root.join(GIT);
        if let Some(own) = resolved(&git).filter(|git| git.is_dir()) {
            let common = own.clone();
            return own.join("HEAD").is_file().then_some(Self { own, common });
        }
        // The file in the tree is untrusted, so git's own folder must point back to it.
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
