//! The lexical channel: how often each term occurs in each field of a file.

use super::QueryContext;
use crate::{
    declarations,
    index::{
        IndexedContentKind, IndexedFile, TallyScope, TermField, TermHit, TermInField, TermTally,
        path_parts,
    },
};
use retriever_workspace::{FileTraits, FoundFile, RepoPath, Workspace};

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
    /// Whether the term itself occurs, and not only abbreviations.
    pub(crate) is_whole: bool,
}

/// Occurrences of the terms that a file has, sorted by their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct TermCounts(Vec<(u8, TermFieldCounts)>);

impl TermCounts {
    /// Returns the occurrences of a term.
    pub(crate) fn get(&self, term: u8) -> TermFieldCounts {
        let at = self.0.binary_search_by_key(&term, |(known, _)| *known);
        at.map_or_else(|_| TermFieldCounts::default(), |at| self.0[at].1)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u8, &TermFieldCounts)> {
        self.0.iter().map(|(term, counts)| (*term, counts))
    }
}

/// A file and the terms in it.
pub(crate) struct FileTerms<'a> {
    pub(crate) path: &'a RepoPath,
    pub(crate) counts: TermCounts,
    indexed: Option<&'a IndexedFile>,
}

impl FileTerms<'_> {
    /// Returns the number of words and line ends.
    pub(crate) fn length(&self) -> u32 {
        self.indexed.map_or(0, |file| file.length)
    }

    pub(crate) fn is_minified(&self) -> bool {
        self.indexed.is_some_and(|file| file.kind == IndexedContentKind::Minified)
    }

    /// Whether it is code: by its extension, or as a script without one.
    pub(crate) fn is_code(&self) -> bool {
        declarations::is_code(self.path.extension())
            || self.indexed.is_some_and(IndexedFile::is_script)
    }

    pub(crate) fn traits(&self, workspace: &Workspace) -> FileTraits {
        self.indexed.map_or_else(|| workspace.traits(self.path, ""), IndexedFile::traits)
    }
}

/// Counts terms, one file after the other.
pub(crate) struct TermCounter<'a> {
    workspace: &'a Workspace,
    context: &'a QueryContext<'a>,
    tally: TermTally,
    /// The folder that was asked for last and the terms in its path: neighbours of a walk are in one.
    folder: Option<u32>,
    folder_terms: Vec<(u8, f32)>,
    /// Counts by term, of this file only.
    counts: Vec<TermFieldCounts>,
    /// The terms that were found in this file; they have counts.
    found: Vec<u8>,
    is_found: Vec<bool>,
}

impl<'a> TermCounter<'a> {
    pub(crate) fn new(workspace: &'a Workspace, context: &'a QueryContext<'a>) -> Self {
        let terms = context.expanded.terms.len();
        Self {
            workspace,
            context,
            tally: TermTally::new(terms),
            folder: None,
            folder_terms: Vec::new(),
            counts: vec![TermFieldCounts::default(); terms],
            found: Vec::new(),
            is_found: vec![false; terms],
        }
    }

    /// Counts the terms in a file, which has a number if it is indexed. Its path is not looked at then: there are many files.
    pub(crate) fn count(&mut self, entry: &'a FoundFile, number: Option<usize>) -> FileTerms<'a> {
        let scanner = self.context.scanner;
        let path = &entry.path;
        let indexed = number.and_then(|number| scanner.index.file_at_number(number));
        let kind = indexed.map_or(IndexedContentKind::Unreadable, |(_, file)| file.kind);
        if kind != IndexedContentKind::Data {
            self.count_path(path, number);
        }
        if let Some(indexed) = indexed.filter(|_| kind == IndexedContentKind::Text) {
            self.count_text(path, indexed);
        }
        FileTerms { path, counts: self.take(), indexed: indexed.map(|(_, file)| file) }
    }

    fn count_text(&mut self, path: &RepoPath, indexed: (usize, &IndexedFile)) {
        let mut tally = std::mem::take(&mut self.tally);
        let scope = self.context.scanner.tally(indexed, &mut tally);
        if scope != TallyScope::Complete {
            self.scan_text(path, indexed, scope, &mut tally);
        }
        tally.drain(|found| self.add(&found));
        self.tally = tally;
    }

    /// Completes a tally by the words of its file, or by its text if they can't be read.
    fn scan_text(
        &self,
        path: &RepoPath,
        indexed: (usize, &IndexedFile),
        scope: TallyScope,
        tally: &mut TermTally,
    ) {
        let QueryContext { scanner, matcher, .. } = *self.context;
        let tokens = scanner.index.tokens(indexed);
        if let Some(tokens) = &tokens
            && scope == TallyScope::UnlessAdjacent
            && !scanner.may_have_pair(indexed, tokens.stream())
        {
            return;
        }
        tally.clear();
        let add = |hit: TermHit| tally.add_hit(&hit);
        let kept = scanner.index.kept_analysis(path, indexed);
        let words = kept.as_ref().and_then(|kept| scanner.index.words_of(kept, Some(indexed.0)));
        if let Some(words) = words {
            scanner.scan_words(indexed.0, &words, add);
        } else if let Some(tokens) = &tokens {
            scanner.scan(indexed.0, tokens.stream(), add);
        } else if let Ok(file) = self.workspace.read(path) {
            matcher.scan(file.text(), file.extension(), add);
        }
    }

    fn add(&mut self, found: &TermInField) {
        let Some(counts) = self.counts_of(found.term) else { return };
        counts.is_whole |= found.is_whole;
        match found.field {
            TermField::Body => counts.body += found.strength,
            TermField::Comment => counts.comment += found.strength,
            TermField::Declared => counts.declared += found.strength,
        }
    }

    /// Counts the terms in a path: that of the file with a number in the index, or of one that is not there.
    fn count_path(&mut self, path: &RepoPath, number: Option<usize>) {
        let QueryContext { scanner, matcher, .. } = *self.context;
        let parts = || path_parts(path.as_str());
        let count_name = |hit: TermHit| {
            if let Some(counts) = self.counts_of(hit.term) {
                counts.name = counts.name.max(hit.strength);
                counts.is_whole |= hit.strength >= 1.0;
            }
        };
        match number {
            Some(number) => scanner.scan_name(number, count_name),
            None => matcher.scan(parts().1, "", count_name),
        }
        let known = number.map(|number| scanner.folder_of(number));
        if known.is_none() || self.folder != known {
            let terms = &mut self.folder_terms;
            terms.clear();
            let add = |hit: TermHit| terms.push((hit.term, hit.strength));
            match known {
                Some(known) => scanner.scan_folder(known, add),
                None => matcher.scan(parts().0, "", add),
            }
            self.folder = known;
        }
        for at in 0..self.folder_terms.len() {
            let (term, strength) = self.folder_terms[at];
            if let Some(counts) = self.counts_of(term) {
                counts.folder = counts.folder.max(strength);
                counts.is_whole |= strength >= 1.0;
            }
        }
    }

    fn counts_of(&mut self, term: u8) -> Option<&mut TermFieldCounts> {
        let at = usize::from(term);
        if !std::mem::replace(self.is_found.get_mut(at)?, true) {
            self.found.push(term);
        }
        self.counts.get_mut(at)
    }

    /// Returns the counts of this file, and begins the next one.
    fn take(&mut self) -> TermCounts {
        self.found.sort_unstable();
        let mut counts = Vec::with_capacity(self.found.len());
        for term in self.found.drain(..) {
            let at = usize::from(term);
            self.is_found[at] = false;
            counts.push((term, std::mem::take(&mut self.counts[at])));
        }
        TermCounts(counts)
    }
}
