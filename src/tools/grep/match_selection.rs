//! Chooses the matches to show: code before data and tests, code before comments, and repeated lines once: a comment,
//! and a key of data in sibling files, such as the same message in many languages.

use std::collections::{BTreeMap, BTreeSet};

use retriever_graph::indexing::Language;
use retriever_workspace::{FileTraits, RepoPath};

use super::{
    DEFAULT_LIMIT, SHOWN_PER_FILE, count,
    grep_search::{FileMatches, MatchingLine},
};
use crate::tools::ToolContext;

/// Extensions of files with keys and values.
const DATA: &[&str] = &[
    "arb", "csv", "ftl", "ini", "json", "po", "resx", "strings", "toml", "xlf", "xml", "yaml",
    "yml",
];
/// Number of files in a folder from which a repeated key is shown once.
const MIN_SIBLINGS: usize = 4;
/// Length of the longest language code.
const LONGEST_LANGUAGE: usize = 3;
/// Number of lines of a file that every page of a search has.
const ALWAYS_KNOWN: usize = DEFAULT_LIMIT as usize + 1;
/// Most omitted comments whose places are named.
const NAMED_COMMENTS: usize = 10;
/// Most folders whose omissions are named.
const NAMED_FOLDERS: usize = 3;

/// Whether a file has keys and values.
pub(super) fn is_data(path: &RepoPath) -> bool {
    DATA.contains(&path.extension())
}

/// The lines of a file that can be shown.
pub(super) struct FoundLines<'a> {
    pub(super) path: &'a RepoPath,
    /// Number of all matching lines, including those that were not recorded.
    pub(super) total: u64,
    pub(super) lines: Vec<MatchingLine>,
}

impl FoundLines<'_> {
    /// Returns the numbers of at most `most` lines, in order; if not all fit, comments are left out first.
    pub(super) fn best(mut self, most: usize) -> Vec<u32> {
        if self.lines.len() > most {
            // A later page has recorded more of them.
            self.lines.truncate(ALWAYS_KNOWN);
            self.lines.sort_by_key(|line| (line.is_comment, line.number));
            self.lines.truncate(most);
            self.lines.sort_by_key(|line| line.number);
        }
        self.lines.iter().map(|line| line.number).collect()
    }
}

/// Returns how many lines of a file are shown: more than [`SHOWN_PER_FILE`] if the other files leave space.
pub(super) fn share_of_a_file(files: &[FoundLines<'_>], room: usize) -> usize {
    let fills = |share: &usize| {
        files.iter().map(|file| file.lines.len().min(*share)).sum::<usize>() >= room
    };
    (SHOWN_PER_FILE..room).find(fills).unwrap_or(room.max(SHOWN_PER_FILE))
}

/// The repeated matches: keys of data that several files of a folder have, and comments.
#[derive(Default)]
pub(super) struct RepeatedLines<'a> {
    /// The lines of each file that are left out.
    left_out: BTreeMap<&'a RepoPath, BTreeSet<u32>>,
    /// The places of the comments among them.
    comments: Vec<(&'a RepoPath, u32)>,
}

/// Whether a file has, by its name, the source texts of translations: those in English, or of no language.
fn is_default_language(path: &RepoPath) -> bool {
    let name = path.file_name();
    let stem = name.strip_suffix(path.extension()).unwrap_or(name);
    let parts: Vec<&str> = stem.split(['.', '-', '_']).filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        [only] if only.len() > LONGEST_LANGUAGE => true,
        parts => parts.iter().any(|part| matches!(*part, "en" | "default" | "base")),
    }
}

impl<'a> RepeatedLines<'a> {
    /// Compares the files of each folder, unless only that folder is searched, and the comments of code, unless only
    /// one file is. `files` are in the order of the page.
    pub(super) fn of(
        context: &ToolContext,
        scope: &RepoPath,
        files: &[(MatchedFileKind, &'a RepoPath, &'a FileMatches)],
    ) -> Self {
        let mut repeated = Self::default();
        let is_one_file = files.iter().any(|(_, path, _)| *path == scope);
        if !context.call_syntax.is_of_model() || is_one_file {
            return repeated;
        }
        let mut siblings: BTreeMap<(Option<RepoPath>, &str), Vec<_>> = BTreeMap::new();
        for (_, path, file) in files.iter().filter(|(_, path, _)| is_data(path)) {
            siblings.entry((path.parent(), path.extension())).or_default().push((*path, *file));
        }
        siblings.retain(|(folder, _), files| {
            files.len() >= MIN_SIBLINGS && folder.as_ref() != Some(scope)
        });
        for mut group in siblings.into_values() {
            let mut seen = BTreeSet::new();
            group.sort_by_key(|(path, _)| (!is_default_language(path), path.as_str().len(), *path));
            for (path, file) in group {
                // The omissions must not depend on the page, and a later page has recorded more lines.
                let lines = &file.lines[..file.lines.len().min(ALWAYS_KNOWN)];
                let own: BTreeSet<u64> = lines.iter().map(|line| line.key).collect();
                let again = lines.iter().filter(|line| seen.contains(&line.key));
                let again: BTreeSet<u32> = again.map(|line| line.number).collect();
                if !again.is_empty() {
                    repeated.left_out.insert(path, again);
                }
                seen.extend(own);
            }
        }
        repeated.leave_out_comments(files);
        repeated
    }

    /// Leaves out comments that repeat an earlier one, such as those of overloads. Summarised matches are not code, so
    /// they hide none.
    fn leave_out_comments(&mut self, files: &[(MatchedFileKind, &'a RepoPath, &'a FileMatches)]) {
        let mut seen = BTreeSet::new();
        let code = files.iter().filter(|(kind, ..)| *kind == MatchedFileKind::Code);
        for (_, path, file) in code {
            let lines = &file.lines[..file.lines.len().min(ALWAYS_KNOWN)];
            let comments = lines.iter().filter(|line| line.is_comment);
            let again = comments.filter(|line| !seen.insert(line.key));
            let again: BTreeSet<u32> = again.map(|line| line.number).collect();
            self.comments.extend(again.iter().map(|line| (*path, *line)));
            if !again.is_empty() {
                self.left_out.entry(path).or_default().extend(again);
            }
        }
    }

    /// Returns those of `lines` that are shown.
    pub(super) fn without(&self, path: &RepoPath, lines: &[MatchingLine]) -> Vec<MatchingLine> {
        let left_out = self.left_out.get(path);
        let is_shown = |line: &&MatchingLine| left_out.is_none_or(|it| !it.contains(&line.number));
        lines.iter().filter(is_shown).copied().collect()
    }

    /// Returns a note for each folder with the number of omitted lines, and the call that shows them, which `search_in`
    /// writes.
    pub(super) fn notes(&self, search_in: impl Fn(&RepoPath) -> String) -> Vec<String> {
        let mut folders: BTreeMap<RepoPath, usize> = BTreeMap::new();
        for (path, lines) in self.left_out.iter().filter(|(path, _)| is_data(path)) {
            let folder = path.parent().unwrap_or_else(RepoPath::root);
            *folders.entry(folder).or_default() += lines.len();
        }
        let named = folders.iter().take(NAMED_FOLDERS);
        let say = |(folder, lines): (&RepoPath, &usize)| {
            format!("and {lines} more with the same keys in {folder}/: {}", search_in(folder))
        };
        let mut notes: Vec<String> = named.map(say).collect();
        if let rest @ 1.. = folders.len().saturating_sub(NAMED_FOLDERS) {
            notes.push(format!("and more with the same keys in {rest} other folders"));
        }
        notes.extend(self.comments_in_words());
        notes
    }

    /// Names the places of omitted comments, which a read or a search of the file shows.
    fn comments_in_words(&self) -> Option<String> {
        let comments = count(self.comments.len() as u64, "comment", "comments");
        let named = self.comments.iter().take(NAMED_COMMENTS);
        let named: Vec<String> = named.map(|(path, line)| format!("{path}:{line}")).collect();
        let more = match self.comments.len().saturating_sub(NAMED_COMMENTS) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!named.is_empty()).then(|| {
            format!("and {comments} with the words of another match: {}{more}", named.join(", "))
        })
    }
}

/// What kind of file has matches; the matches of the first kinds are shown first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MatchedFileKind {
    Code,
    /// Data and texts, such as the same message in many languages.
    Data,
    Test,
    /// Generated, copied in, or support of tests.
    Aside,
}

impl MatchedFileKind {
    pub(super) fn of(path: &RepoPath, traits: &FileTraits) -> Self {
        match traits {
            FileTraits { generated: true, .. }
            | FileTraits { vendored: true, .. }
            | FileTraits { support: true, .. } => Self::Aside,
            FileTraits { test: true, .. } => Self::Test,
            FileTraits { docs_example: true, .. } => Self::Data,
            _ if Language::of_path(path.as_str()).is_some() => Self::Code,
            _ => Self::Data,
        }
    }
}
