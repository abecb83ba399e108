//! Which files of a walk are not those of the commit that is checked out, as far as git's index tells without reading a file.

use std::path::Path;

use super::{DirectoryWalk, FoundFile};
use crate::{Workspace, tracked_files::TrackedFilesCache};

impl Workspace {
    /// Returns how many files of a walk surely are not what git has checked out: git does not track them, or they had another
    /// size. 0 when the root is not the top of a working tree.
    pub fn changed_since_checkout(&self, walk: &DirectoryWalk) -> usize {
        let mut roots = self.roots();
        let (Some((_, root)), None) = (roots.next(), roots.next()) else { return 0 };
        let tracked = TrackedFilesCache::default().of(Path::new(root));
        let differs = |file: &&FoundFile| tracked.differs(file.path.as_str(), file.size);
        if tracked.is_empty() { 0 } else { walk.files.iter().filter(differs).count() }
    }
}
