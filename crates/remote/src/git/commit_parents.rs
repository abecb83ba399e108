//! The parents of commits, from git's object folder.

use std::{
    cell::OnceCell,
    fs,
    path::{Path, PathBuf},
};

use super::{git_pack::GitPack, is_commit_id, zlib::inflate};

/// Reads commits of one object folder.
pub(super) struct GitCommitReader {
    objects: PathBuf,
    packs: OnceCell<Vec<GitPack>>,
}

impl GitCommitReader {
    pub(super) fn new(objects: &Path) -> Self {
        Self { objects: objects.to_owned(), packs: OnceCell::new() }
    }

    /// Returns the parents of a commit; empty when it is missing, as in a shallow clone.
    pub(super) fn parents(&self, commit: &str) -> Vec<String> {
        let Some(content) = self.loose(commit).or_else(|| self.packed(commit)) else {
            return Vec::new();
        };
        let text = String::from_utf8_lossy(&content);
        let header = text.lines().take_while(|line| !line.is_empty());
        let parents = header.filter_map(|line| line.strip_prefix("parent "));
        parents.filter(|id| is_commit_id(id)).map(str::to_owned).collect()
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "git's folder is not read as part of the workspace"
    )]
    fn loose(&self, commit: &str) -> Option<Vec<u8>> {
        let (folder, name) = commit.split_at_checked(2)?;
        let path = self.objects.join(folder).join(name);
        // Opening a pipe or a device may block.
        let file = fs::metadata(&path).is_ok_and(|file| file.is_file()).then_some(path)?;
        let content = inflate(fs::File::open(file).ok()?)?;
        let end = content.iter().position(|byte| *byte == 0)?;
        content.starts_with(b"commit ").then(|| content[end + 1..].to_vec())
    }

    fn packed(&self, commit: &str) -> Option<Vec<u8>> {
        let id = bytes_of(commit)?;
        let packs =
            self.packs.get_or_init(|| GitPack::open_all(&self.objects.join("pack"), id.len()));
        packs.iter().find_map(|pack| pack.commit(&id))
    }
}

/// Returns the bytes that hexadecimal digits spell.
fn bytes_of(hex: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = hex
        .chars()
        .map(|digit| digit.to_digit(16).and_then(|d| u8::try_from(d).ok()))
        .collect::<Option<_>>()?;
    Some(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}
