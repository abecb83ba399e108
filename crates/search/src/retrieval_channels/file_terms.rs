//! The lexical channel: how often each term occurs in each field of a file.

use std::collections::BTreeMap;

use super::QueryContext;
use crate::index::{IndexedContentKind, QueryTermMatcher, TermField};
use retriever_workspace::{FileTraits, RepoPath, Workspace};

/// Occurrences of one term in one file, by field.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TermFieldCounts {
    pub(crate) body: f32,
    pub(crate) comment: f32,
    pub(crate) declared: f32,
    /// Greatest strength in the file's name.
    pub(crate) name: f32,
    /// Greatest strength in its folders.
    pub(crate) folder: f32,
}

/// A file and the terms in it.
pub(crate) struct FileTerms {
    pub(crate) path: RepoPath,
    pub(crate) traits: FileTraits,
    /// Words and line ends.
    pub(crate) length: u32,
    pub(crate) counts: BTreeMap<u8, TermFieldCounts>,
    pub(crate) is_minified: bool,
}

/// The terms in the path of the folder that was asked for last: neighbours of a walk are in one.
#[derive(Default)]
pub(crate) struct FolderTerms<'a> {
    folder: &'a str,
    terms: Vec<(u8, f32)>,
}

impl<'a> FolderTerms<'a> {
    fn of(&mut self, folder: &'a str, matcher: &QueryTermMatcher) -> &[(u8, f32)] {
        if folder != self.folder {
            *self = Self { folder, terms: matcher.terms_in(folder) };
        }
        &self.terms
    }
}

/// Counts the terms in the file at number `at` of the walk.
pub(crate) fn count_terms<'a>(
    workspace: &Workspace,
    path: &'a RepoPath,
    at: usize,
    context: &QueryContext<'_>,
    folder_terms: &mut FolderTerms<'a>,
) -> FileTerms {
    let QueryContext { matcher, scanner, expanded, .. } = *context;
    let known = scanner.index.file(path, at);
    let kind = known.map_or(IndexedContentKind::Unreadable, |(_, file)| file.kind);
    let mut terms = FileTerms {
        path: path.clone(),
        traits: known.map_or_else(|| workspace.traits(path, ""), |(_, file)| file.traits()),
        length: known.map_or(0, |(_, file)| file.length),
        counts: BTreeMap::new(),
        is_minified: kind == IndexedContentKind::Minified,
    };
    if kind == IndexedContentKind::Data {
        return terms;
    }
    let (folders, name) = path.as_str().rsplit_once('/').unwrap_or(("", path.as_str()));
    let name = name.split('.').find(|part| !part.is_empty()).unwrap_or(name);
    for (term, strength) in matcher.terms_in(name) {
        let counts = terms.counts.entry(term).or_default();
        counts.name = counts.name.max(strength);
    }
    for (term, strength) in folder_terms.of(folders, matcher) {
        let counts = terms.counts.entry(*term).or_default();
        counts.folder = counts.folder.max(*strength);
    }
    let Some(known) = known.filter(|_| kind == IndexedContentKind::Text) else { return terms };
    let mut in_text = vec![TermFieldCounts::default(); expanded.terms.len()];
    scanner.scan(known, |hit| {
        let Some(counts) = in_text.get_mut(usize::from(hit.term)) else { return };
        match hit.field {
            TermField::Body => counts.body += hit.strength,
            TermField::Comment => counts.comment += hit.strength,
            TermField::Declared => counts.declared += hit.strength,
        }
    });
    for (found, term) in in_text.into_iter().zip(0..u8::MAX) {
        let TermFieldCounts { body, comment, declared, .. } = found;
        if body + comment + declared > 0.0 {
            let counts = terms.counts.entry(term).or_default();
            (counts.body, counts.comment, counts.declared) = (body, comment, declared);
        }
    }
    terms
}
