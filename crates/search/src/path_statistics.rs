//! What the paths of a tree say of it as a whole. It is kept, since a question compares few files with it and most
//! questions are about the same tree.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::declarations;
use retriever_workspace::{FoundFile, RepoPath, base_name};

const HEADERS: &[&str] = &["h", "hh", "hpp", "hxx", "inl"];
const IMPLEMENTATIONS: &[&str] = &["c", "cc", "cpp", "cxx", "m", "mm"];

/// A top-level folder and the files below it; the root's own files have the empty name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopFolder {
    /// Its name.
    pub name: String,
    /// Files below it.
    pub files: usize,
}

/// The files of a tree, counted.
#[derive(Debug)]
pub(crate) struct TreeSummary {
    /// Folders above all code.
    pub(crate) depth: usize,
    /// Top-level folders, largest first.
    pub(crate) top_folders: Vec<TopFolder>,
    code_files: usize,
    /// Files of code.
    by_extension: FxHashMap<Box<str>, usize>,
    by_base_name: FxHashMap<Box<str>, Namesakes>,
    by_folder: FxHashMap<Box<str>, usize>,
}

/// Files whose names differ in their endings.
#[derive(Clone, Copy, Debug, Default)]
struct Namesakes {
    files: usize,
    has_header: bool,
    has_implementation: bool,
}

impl TreeSummary {
    /// Counts the files of a walk.
    pub(crate) fn of(entries: &[FoundFile]) -> Self {
        let mut tree = Self {
            depth: usize::MAX,
            top_folders: top_folders(entries),
            code_files: 0,
            by_extension: FxHashMap::default(),
            by_base_name: FxHashMap::default(),
            by_folder: FxHashMap::default(),
        };
        // Neighbours of a walk have the same folder.
        for files in entries.chunk_by(|one, next| folders_of(&one.path) == folders_of(&next.path)) {
            let folders = files.first().map_or("", |file| folders_of(&file.path));
            let code = files.iter().filter(|file| tree.add_code(&file.path)).count();
            if code > 0 {
                *tree.by_folder.entry(folders.into()).or_default() += code;
                let depth = folders.split('/').filter(|part| !part.is_empty()).count();
                tree.depth = tree.depth.min(depth);
            }
        }
        tree
    }

    /// Counts a file, if it is code.
    fn add_code(&mut self, path: &RepoPath) -> bool {
        let extension = path.extension();
        if !declarations::is_code(extension) {
            return false;
        }
        self.code_files += 1;
        match self.by_extension.get_mut(extension) {
            Some(files) => *files += 1,
            None => drop(self.by_extension.insert(extension.into(), 1)),
        }
        let namesakes = self.by_base_name.entry(base_name(path.file_name()).into()).or_default();
        namesakes.files += 1;
        namesakes.has_header |= is_one_of(HEADERS, extension);
        namesakes.has_implementation |= is_one_of(IMPLEMENTATIONS, extension);
        true
    }

    /// Returns the share of the code that files of an extension are.
    pub(crate) fn language_share(&self, extension: &str) -> f64 {
        let files = self.by_extension.get(extension).copied().unwrap_or_default();
        files as f64 / self.code_files.max(1) as f64
    }

    /// Returns the number of files of code with this name and any extension.
    pub(crate) fn namesakes(&self, base_name: &str) -> usize {
        self.by_base_name.get(base_name).map_or(0, |known| known.files)
    }

    /// Returns the number of files of code in a folder.
    pub(crate) fn files_in(&self, folders: &str) -> usize {
        self.by_folder.get(folders).copied().unwrap_or_default()
    }

    /// Whether the tree has the header of an implementation, or the implementation of a header.
    pub(crate) fn is_paired(&self, base_name: &str, extension: &str) -> bool {
        let known = self.by_base_name.get(base_name).copied().unwrap_or_default();
        (is_header(extension) && known.has_implementation)
            || (is_one_of(IMPLEMENTATIONS, extension) && known.has_header)
    }
}

/// Whether files of this extension are headers.
pub(crate) fn is_header(extension: &str) -> bool {
    is_one_of(HEADERS, extension)
}

fn folders_of(path: &RepoPath) -> &str {
    path.as_str().rsplit_once('/').map_or("", |(folders, _)| folders)
}

/// Whether `name` is one of `names`, without regard to case.
fn is_one_of(names: &[&str], name: &str) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

fn top_of(file: &FoundFile) -> &str {
    file.path.as_str().split_once('/').map_or("", |(top, _)| top)
}

fn top_folders(entries: &[FoundFile]) -> Vec<TopFolder> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    // Files are sorted by path, so that those of a folder are neighbours.
    for files in entries.chunk_by(|one, next| top_of(one) == top_of(next)) {
        let top = files.first().map_or("", top_of);
        *counts.entry(top).or_default() += files.len();
    }
    let mut folders: Vec<TopFolder> = counts
        .into_iter()
        .map(|(name, files)| TopFolder { name: name.to_owned(), files })
        .collect();
    folders.sort_by(|a, b| b.files.cmp(&a.files).then_with(|| a.name.cmp(&b.name)));
    folders
}
