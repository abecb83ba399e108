//! The functions that were delivered in full, each with its words.

use std::{collections::BTreeSet, str::FromStr};

use super::{RunEvidence, words_of};
use crate::validate::{
    citation::{Citation, cites_part},
    grounding::word_forms::stems,
};
use retriever_graph::NodeKind;
use retriever_search::Declaration;
use retriever_workspace::{LineRange, RepoPath};

/// A function with its delivered text: its comment, its lines, and names that the graph links to them.
pub(in crate::validate::grounding) struct DeliveredFunction<'a> {
    pub(in crate::validate::grounding) path: &'a RepoPath,
    pub(in crate::validate::grounding) declaration: &'a Declaration,
    pub(in crate::validate::grounding) stems: BTreeSet<String>,
    pub(in crate::validate::grounding) words: BTreeSet<&'a str>,
    related: BTreeSet<&'a str>,
}

impl DeliveredFunction<'_> {
    /// Whether its lines have `name` in any case, or an edge of the graph joins them to it.
    pub(in crate::validate::grounding) fn has(&self, name: &str) -> bool {
        self.words.contains(name)
            || self.related.contains(name)
            || self.words.iter().any(|word| word.eq_ignore_ascii_case(name))
    }

    /// Whether its text has a form of the word that `stem` begins: "mark" for "marks".
    pub(in crate::validate::grounding) fn says(&self, stem: &str) -> bool {
        let is_form = |own: &String| own.len() > 3 && stem.starts_with(own.as_str());
        self.stems.contains(stem) || self.stems.iter().any(is_form)
    }

    pub(in crate::validate::grounding) fn is_cited(&self, refs: &[Citation]) -> bool {
        cites_part(refs, self.path, self.declaration.range)
    }

    /// Whether one of the two is inside of the other.
    pub(in crate::validate::grounding) fn overlaps(&self, other: &Self) -> bool {
        self.path == other.path && self.declaration.range.overlaps(other.declaration.range)
    }
}

impl<'a> RunEvidence<'a> {
    /// Returns the functions of which every line was delivered.
    pub(in crate::validate::grounding) fn functions(&self) -> &[DeliveredFunction<'a>] {
        self.functions.get_or_init(|| {
            let named = self.declarations.values().flatten();
            let mut all: Vec<_> = named
                .filter(|(path, declaration)| {
                    declaration.is_function() && self.is_delivered_in_full(path, declaration.range)
                })
                .map(|(path, declaration)| self.function(path, declaration))
                .collect();
            all.sort_by_key(|function| (function.path, function.declaration.range));
            all
        })
    }

    pub(in crate::validate::grounding) fn is_delivered_in_full(
        &self,
        path: &RepoPath,
        range: LineRange,
    ) -> bool {
        self.file(path).is_some_and(|file| file.delivered.covered(range) == range.width())
    }

    /// Returns the name of the innermost value that a function is a member of, such as a table of handlers; nothing if it is
    /// a member of a type.
    pub(in crate::validate::grounding) fn object_around(
        &self,
        function: &DeliveredFunction<'_>,
    ) -> Option<&'a str> {
        let own = function.declaration.range;
        let structure = self.structure(function.path)?;
        let around = structure.declarations.iter().filter(|other| {
            other.range != own
                && other.range.start() <= own.start()
                && own.end() <= other.range.end()
        });
        let innermost = around.min_by_key(|other| other.range.width())?;
        let keeps_callbacks =
            NodeKind::from_str(&innermost.kind).is_ok_and(NodeKind::keeps_callbacks);
        keeps_callbacks.then_some(innermost.name.as_str())
    }

    fn function(&self, path: &'a RepoPath, declaration: &'a Declaration) -> DeliveredFunction<'a> {
        let first = self.comment_start(path, declaration.range.start());
        let range = LineRange::new(first, declaration.range.end()).unwrap_or(declaration.range);
        let (mut words, mut parts) = (BTreeSet::new(), BTreeSet::new());
        for (_, line) in self.file(path).into_iter().flat_map(|file| file.lines_in(range)) {
            words.extend(words_of(line));
            parts.extend(stems(line));
        }
        let relations = self.structure(path).map_or(&[][..], |of| of.relations.as_slice());
        let joined = relations.iter().filter(|relation| relation.range.overlaps(declaration.range));
        let related = joined.flat_map(|relation| {
            [Some(relation.other.as_str()), relation.other_container.as_deref()]
        });
        let related = related.flatten().collect();
        DeliveredFunction { path, declaration, stems: parts, words, related }
    }
}
