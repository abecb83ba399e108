//! Which files of a walk differ from the checked-out commit, as far as git's index shows without reading files.

use std::path::Path;

use super::{DirectoryWalk, FoundFile};
use crate::{Workspace, tracked_files::TrackedFilesCache};

impl Workspace {
    /// Returns how many files of a walk certainly differ from the checked-out commit: git does not track them, or their
    /// size is different. Returns 0 when the root is not the top of a working tree.
    pub fn changed_since_checkout(&self, walk: &DirectoryWalk) -> usize {
        let mut roots = self.roots();
        let (Some((_, root)), None) = (roots.next(), roots.next()) else { return 0 };
        let tracked = TrackedFilesCache::default().of(Path::new(root));
        let differs = |file: &&FoundFile| tracked.differs(file.path.as_str(), file.size);
        if tracked.is_empty() { 0 } else { walk.files.iter().filter(differs).count() }
    }
}
