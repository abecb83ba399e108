//! Finds a question's terms in text in one pass: identifiers whole, their words by stem, and words in a row. Nearly all text
//! is passed over after a look at its first three letters. What was packed before is scanned by [`crate::index`], which asks
//! here once for every word that there is.

use std::collections::{BTreeMap, HashMap};

use crate::{
    declarations::DeclaredNames,
    index::tokenizer::{LineContext, Token, tokens},
    query::parsed::{Term, TermForm},
    words,
};

/// Where in a file a term stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// In the name that a line declares.
    Declared,
    /// In code.
    Body,
    /// In a comment or doc text.
    Comment,
}

/// One match.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hit {
    /// 1-based line.
    pub(crate) line: u32,
    /// Index of the term in the reading.
    pub(crate) term: u8,
    /// Where it stood.
    pub(crate) field: Field,
    /// 1, or less for a clipped word.
    pub(crate) strength: f32,
}

/// What a clipped word counts.
pub(crate) const CLIPPED: f32 = 0.3;

/// A reading's terms, ready to be looked up.
pub(crate) struct TermMatcher {
    /// By the first three letters of a word: whether any term may start so.
    starts: Vec<bool>,
    wholes: HashMap<Box<[u8]>, u8>,
    words: HashMap<Box<[u8]>, u8>,
    pairs: BTreeMap<(u8, u8), u8>,
    /// Word terms by their first four letters, for clipped forms.
    clipped: HashMap<[u8; 4], Vec<(Box<str>, u8)>>,
}

impl TermMatcher {
    /// Prepares `terms`; more than 255 are not looked at.
    pub(crate) fn new(terms: &[Term]) -> Self {
        let mut matcher = Self {
            starts: vec![false; 1 << 15],
            wholes: HashMap::new(),
            words: HashMap::new(),
            pairs: BTreeMap::new(),
            clipped: HashMap::new(),
        };
        let numbered = || terms.iter().zip(0..u8::MAX);
        for (term, index) in numbered() {
            let stem: Box<[u8]> = term.stem.as_bytes().into();
            match term.form {
                TermForm::Whole => {
                    matcher.starts[start_of(&stem)] = true;
                    matcher.wholes.insert(stem, index);
                }
                TermForm::Word => {
                    matcher.starts[start_of(&stem)] = true;
                    matcher.starts[start_of(term.text.to_lowercase().as_bytes())] = true;
                    for form in words::forms_of(&term.stem) {
                        matcher.starts[start_of(form.as_bytes())] = true;
                    }
                    let common = words::weight_of(&term.text) != words::Weight::Full;
                    if let (Some(first), false) = (stem.first_chunk::<4>(), common) {
                        matcher
                            .clipped
                            .entry(*first)
                            .or_default()
                            .push((term.stem.as_str().into(), index));
                    }
                    matcher.words.insert(stem, index);
                }
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

    /// Returns the terms in a piece of text without lines: a path, a name.
    pub(crate) fn terms_in(&self, text: &str) -> Vec<(u8, f32)> {
        let mut found = Vec::new();
        self.scan(text, "", |hit| found.push((hit.term, hit.strength)));
        found
    }

    /// Calls `hit` for every match in `text`, in order, and returns the number of words and line ends in it.
    pub(crate) fn scan(&self, text: &str, extension: &str, mut hit: impl FnMut(Hit)) -> u32 {
        let mut line = Line::default();
        let mut in_doc = false;
        let mut run = Run::default();
        let mut buffer = Vec::with_capacity(64);
        let names = DeclaredNames::of(extension);
        tokens(text, extension, |token| match token {
            Token::Line(start) => {
                line = Line { number: line.number + 1, start, in_doc, known: None };
                run.position += 1;
            }
            Token::Doc => in_doc = !in_doc,
            Token::Identifier(at, token) => {
                let mut report = |term: u8, strength: f32| {
                    let Line { number, start, in_doc: doc, known } = &mut line;
                    let known = known.get_or_insert_with(|| {
                        LineContext::of(text, &names, (*number, *start), *doc)
                    });
                    let field = known.field(at, in_doc);
                    hit(Hit { line: *number + 1, term, field, strength });
                };
                if let Some(term) = self.whole(token, &mut buffer) {
                    report(term, 1.0);
                }
                words::split_identifier(token, |word| {
                    run.position += 1;
                    if let Some((term, strength)) = self.word(word, &mut buffer) {
                        report(term, strength);
                        if let Some(pair) = run.next(self, term) {
                            report(pair, strength);
                        }
                    }
                });
            }
        });
        run.position
    }

    /// Returns the term that a whole identifier is, given without separators and case.
    pub(crate) fn whole_of(&self, joined: &[u8]) -> Option<u8> {
        self.wholes.get(joined).copied()
    }

    /// Returns the terms that are whole identifiers, without separators and case.
    pub(crate) fn wholes(&self) -> impl Iterator<Item = &[u8]> {
        self.wholes.keys().map(AsRef::as_ref)
    }

    fn whole(&self, token: &[u8], buffer: &mut Vec<u8>) -> Option<u8> {
        let token = &token[token.iter().position(|byte| *byte != b'_')?..];
        if !self.starts[start_of(token)] && !token.iter().take(3).any(|byte| *byte == b'_') {
            return None;
        }
        buffer.clear();
        buffer.extend(token.iter().filter(|byte| **byte != b'_').map(u8::to_ascii_lowercase));
        self.wholes.get(buffer.as_slice()).copied()
    }

    /// Returns the term that a word is, and how strongly: 1, or less for a clipped one.
    pub(crate) fn word(&self, word: &[u8], buffer: &mut Vec<u8>) -> Option<(u8, f32)> {
        if word.len() < 2 || !self.starts[start_of(word)] {
            return None;
        }
        buffer.clear();
        buffer.extend_from_slice(word);
        buffer.make_ascii_lowercase();
        if let Some(term) = self.words.get(buffer.as_slice()) {
            return Some((*term, 1.0));
        }
        let stem = words::stem(std::str::from_utf8(buffer).ok()?);
        if let Some(term) = self.words.get(stem.as_bytes()) {
            return Some((*term, 1.0));
        }
        let similar = self.clipped.get(stem.as_bytes().first_chunk::<4>()?)?;
        similar
            .iter()
            .find(|(known, _)| words::is_clipping(known, &stem))
            .map(|(_, term)| (*term, CLIPPED))
    }
}

/// Folds the first three bytes into 15 bits, case left out.
fn start_of(word: &[u8]) -> usize {
    let fold = |at: usize| usize::from(word.get(at).copied().unwrap_or(0) & 31);
    fold(0) << 10 | fold(1) << 5 | fold(2)
}

/// Where in a row of words a scan is; line ends count, so that words of two lines are no neighbours.
#[derive(Default)]
pub(crate) struct Run {
    pub(crate) position: u32,
    before: Option<(u8, u32)>,
}

impl Run {
    /// Takes the term of the word at the position, and returns the pair that it makes with the word in front of it.
    pub(crate) fn next(&mut self, matcher: &TermMatcher, term: u8) -> Option<u8> {
        let (previous, place) = self.before.replace((term, self.position))?;
        let is_next = place + 1 == self.position;
        is_next.then(|| matcher.pairs.get(&(previous, term)).copied()).flatten()
    }
}

/// The line that is being read.
#[derive(Default)]
struct Line {
    number: u32,
    start: usize,
    /// Whether it starts inside of a doc string.
    in_doc: bool,
    /// Found out when its first match asks.
    known: Option<LineContext>,
}
