//! Finds a query's terms in text in one pass: whole identifiers, words by stem, and pairs of adjacent words. Three
//! letters are enough to skip nearly all text. Indexed files are read by [`super::query_term_scanner`], which calls
//! this once for every word of the dictionary.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{
    source_tokenizer::{LinePosition, LineTokenContext, SourceToken, TermField, tokenize},
    words_by_first_letters::{GROUPS, folded_letters},
};
use crate::{
    declarations::DeclaredNames,
    query::{Term, TermForm},
    words::{self, WordSpecificity},
};

/// Strength of a match by abbreviation.
pub(super) const ABBREVIATED: f32 = 0.3;

/// An occurrence of a term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TermHit {
    /// From 1.
    pub(crate) line: u32,
    /// Number of the term.
    pub(crate) term: u8,
    pub(crate) field: TermField,
    /// 1, or less for an abbreviation.
    pub(crate) strength: f32,
}

/// A query's terms, ready to be looked up.
pub(crate) struct QueryTermMatcher {
    /// By the folded first letters of a word: whether any term may begin with them.
    prefixes: Vec<bool>,
    identifiers: FxHashMap<Box<[u8]>, u8>,
    words: FxHashMap<Box<[u8]>, u8>,
    pairs: BTreeMap<(u8, u8), u8>,
    /// Stems of words that may be abbreviated, by their first four letters.
    abbreviable: FxHashMap<[u8; 4], Vec<(Box<str>, u8)>>,
}

impl QueryTermMatcher {
    /// Prepares `terms`, at most 255.
    pub(crate) fn new(terms: &[Term]) -> Self {
        let mut matcher = Self {
            prefixes: vec![false; GROUPS],
            identifiers: FxHashMap::default(),
            words: FxHashMap::default(),
            pairs: BTreeMap::new(),
            abbreviable: FxHashMap::default(),
        };
        let numbered = || terms.iter().zip(0..u8::MAX);
        for (term, index) in numbered() {
            match term.form {
                TermForm::Whole => {
                    matcher.set_first_letters(term.stem.as_bytes());
                    matcher.identifiers.insert(term.stem.as_bytes().into(), index);
                }
                TermForm::Word => matcher.add_word(term, index),
                TermForm::Pair => {}
            }
        }
        for (term, index) in numbered().filter(|(term, _)| term.form == TermForm::Pair) {
            let Some((one, other)) = term.stem.split_once(' ') else { continue };
            if let (Some(one), Some(other)) =
                (matcher.words.get(one.as_bytes()), matcher.words.get(other.as_bytes()))
            {
                matcher.pairs.insert((*one, *other), index);
            }
        }
        matcher
    }

    fn add_word(&mut self, term: &Term, index: u8) {
        let stem = term.stem.as_bytes();
        self.set_first_letters(stem);
        self.set_first_letters(term.text.to_lowercase().as_bytes());
        for variant in words::stem_variants(&term.stem) {
            self.set_first_letters(variant.as_bytes());
        }
        let is_content = words::word_class(&term.text) == WordSpecificity::Content;
        if let (Some(first), true) = (stem.first_chunk::<4>(), is_content) {
            let abbreviable = self.abbreviable.entry(*first).or_default();
            abbreviable.push((term.stem.as_str().into(), index));
        }
        self.words.insert(stem.into(), index);
    }

    fn set_first_letters(&mut self, word: &[u8]) {
        self.prefixes[usize::from(folded_letters(word))] = true;
    }

    fn has_first_letters(&self, word: &[u8]) -> bool {
        self.prefixes[usize::from(folded_letters(word))]
    }

    /// Returns the folded first letters of words that may be terms.
    pub(super) fn first_letters(&self) -> impl Iterator<Item = u16> {
        (0..).zip(&self.prefixes).filter(|(_, is_first)| **is_first).map(|(letters, _)| letters)
    }

    /// Returns the terms in a path or a name, each with its strength.
    pub(crate) fn terms_in(&self, text: &str) -> Vec<(u8, f32)> {
        let mut found = Vec::new();
        let (mut pairs, mut buffer) = (AdjacentTermDetector::default(), Vec::new());
        tokenize(text, "", |token| match token {
            SourceToken::Line(_) => pairs.position += 1,
            SourceToken::DocString => {}
            SourceToken::Identifier(_, identifier) => {
                let report = |term, strength| found.push((term, strength));
                self.match_parts(identifier, &mut pairs, &mut buffer, report);
            }
        });
        found
    }

    /// Calls `found` with every hit in `text`, in order.
    pub(crate) fn scan(&self, text: &str, extension: &str, mut found: impl FnMut(TermHit)) {
        let (mut line, mut facts) = (LinePosition::default(), None);
        let mut in_doc_string = false;
        let mut pairs = AdjacentTermDetector::default();
        let mut buffer = Vec::with_capacity(64);
        let names = DeclaredNames::unknown(extension);
        tokenize(text, extension, |token| match token {
            SourceToken::Line(byte) => {
                line = LinePosition { index: line.index + 1, byte, in_doc_string };
                facts = None;
                pairs.position += 1;
            }
            SourceToken::DocString => in_doc_string = !in_doc_string,
            SourceToken::Identifier(at, identifier) => {
                let report = |term: u8, strength: f32| {
                    let facts: &LineTokenContext =
                        facts.get_or_insert_with(|| LineTokenContext::of(text, &names, line));
                    let field = if in_doc_string { TermField::Comment } else { facts.field(at) };
                    found(TermHit { line: line.index + 1, term, field, strength });
                };
                self.match_parts(identifier, &mut pairs, &mut buffer, report);
            }
        });
    }

    /// Calls `report` with the terms of a whole identifier and of its words, each with its strength.
    fn match_parts(
        &self,
        identifier: &[u8],
        pairs: &mut AdjacentTermDetector,
        buffer: &mut Vec<u8>,
        mut report: impl FnMut(u8, f32),
    ) {
        if let Some(term) = self.match_identifier(identifier, buffer) {
            report(term, 1.0);
        }
        words::split_identifier(identifier, |word| {
            pairs.position += 1;
            if let Some((term, strength)) = self.match_word(word, buffer) {
                report(term, strength);
                if let Some(pair) = pairs.next(self, term) {
                    report(pair, strength);
                }
            }
        });
    }

    /// Returns the term of a whole identifier in lower case and without separators.
    pub(super) fn identifier(&self, normalized: &[u8]) -> Option<u8> {
        self.identifiers.get(normalized).copied()
    }

    /// Returns the terms that are whole identifiers, in lower case and without separators.
    pub(super) fn identifiers(&self) -> impl Iterator<Item = &[u8]> {
        self.identifiers.keys().map(AsRef::as_ref)
    }

    /// Returns which of the terms that are whole identifiers, a bit each, begin and end with a word.
    pub(super) fn identifiers_at(&self, word: &[u8]) -> (u64, u64) {
        let bits = |is_one: &dyn Fn(&[u8]) -> bool| {
            let ones = self.identifiers().zip(0_u32..).filter(|(identifier, _)| is_one(identifier));
            // Those beyond the last bit share it.
            ones.fold(0, |bits, (_, at)| bits | 1 << at.min(u64::BITS - 1))
        };
        (bits(&|it| it.starts_with(word)), bits(&|it| it.ends_with(word)))
    }

    /// Returns the terms of words that make a pair.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (u8, u8)> {
        self.pairs.keys().copied()
    }

    fn match_identifier(&self, identifier: &[u8], buffer: &mut Vec<u8>) -> Option<u8> {
        let identifier = &identifier[identifier.iter().position(|byte| *byte != b'_')?..];
        let begins_with_separator = || identifier.iter().take(3).any(|byte| *byte == b'_');
        if !self.has_first_letters(identifier) && !begins_with_separator() {
            return None;
        }
        buffer.clear();
        buffer.extend(identifier.iter().filter(|byte| **byte != b'_').map(u8::to_ascii_lowercase));
        self.identifiers.get(buffer.as_slice()).copied()
    }

    /// Returns the term of a word, and its strength.
    fn match_word(&self, word: &[u8], buffer: &mut Vec<u8>) -> Option<(u8, f32)> {
        if !self.has_first_letters(word) {
            return None;
        }
        buffer.clear();
        buffer.extend_from_slice(word);
        buffer.make_ascii_lowercase();
        self.match_stemmed(buffer, |word| Some(words::kept_stem(std::str::from_utf8(word).ok()?)))
    }

    /// Returns the term of a word in lower case, and its strength. `stem` returns that of the word; none for what is no text.
    pub(super) fn match_stemmed<S: AsRef<[u8]>>(
        &self,
        word: &[u8],
        stem: impl FnOnce(&[u8]) -> Option<S>,
    ) -> Option<(u8, f32)> {
        if word.len() < 2 {
            return None;
        }
        if let Some(term) = self.words.get(word) {
            return Some((*term, 1.0));
        }
        let stem = stem(word)?;
        let stem = stem.as_ref();
        if let Some(term) = self.words.get(stem) {
            return Some((*term, 1.0));
        }
        let similar = self.abbreviable.get(stem.first_chunk::<4>()?)?;
        similar
            .iter()
            .find(|(known, _)| words::is_abbreviation(known.as_bytes(), stem))
            .map(|(_, term)| (*term, ABBREVIATED))
    }
}

/// Finds terms of adjacent words. Line ends take a position, so that words of two lines are not adjacent.
#[derive(Default)]
pub(super) struct AdjacentTermDetector {
    pub(super) position: u32,
    previous: Option<(u8, u32)>,
}

impl AdjacentTermDetector {
    /// Takes the term of the word at the position; returns the term of the pair that it ends.
    pub(super) fn next(&mut self, matcher: &QueryTermMatcher, term: u8) -> Option<u8> {
        let (previous, place) = self.previous.replace((term, self.position))?;
        let is_adjacent = place + 1 == self.position;
        is_adjacent.then(|| matcher.pairs.get(&(previous, term)).copied()).flatten()
    }
}
