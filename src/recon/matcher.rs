//! Finds a question's terms in text in one pass: identifiers whole, their words by stem, and words in a row. Nearly all text
//! is passed over after a look at its first three letters, so that a whole repository can be read for every question.

use std::collections::{BTreeMap, HashMap};

use super::{
    declarations,
    reading::{Term, TermForm},
    words,
};

/// Where in a file a term stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// In the name that a line declares.
    Declared,
    /// In code.
    Body,
    /// In a comment or doc text.
    Comment,
}

/// One match.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hit {
    /// 1-based line.
    pub(super) line: u32,
    /// Index of the term in the reading.
    pub(super) term: u8,
    /// Where it stood.
    pub(super) field: Field,
    /// 1, or less for a clipped word.
    pub(super) strength: f32,
}

const CLIPPED: f32 = 0.3;

/// A reading's terms, ready to be looked up.
pub(super) struct Matcher {
    /// By the first three letters of a word: whether any term may start so.
    starts: Vec<bool>,
    wholes: HashMap<Box<[u8]>, u8>,
    words: HashMap<Box<[u8]>, u8>,
    pairs: BTreeMap<(u8, u8), u8>,
    /// Word terms by their first four letters, for clipped forms.
    clipped: HashMap<[u8; 4], Vec<(Box<str>, u8)>>,
}

impl Matcher {
    /// Prepares `terms`; more than 255 are not looked at.
    pub(super) fn new(terms: &[Term]) -> Self {
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
    pub(super) fn terms_in(&self, text: &str) -> Vec<(u8, f32)> {
        let mut found = Vec::new();
        self.scan(text, "", |hit| found.push((hit.term, hit.strength)));
        found
    }

    /// Calls `hit` for every match in `text`, in order, and returns the number of words in it.
    pub(super) fn scan(&self, text: &str, extension: &str, mut hit: impl FnMut(Hit)) -> u32 {
        let bytes = text.as_bytes();
        let mut line = Line::default();
        let (mut at, mut position, mut in_doc) = (0, 0_u32, false);
        let mut before: Option<(u8, u32)> = None;
        let doc_strings = matches!(extension, "py" | "pyi" | "ex" | "exs");
        let mut buffer = Vec::with_capacity(64);
        while at < bytes.len() {
            let byte = bytes[at];
            if !words::is_word_byte(byte) {
                if byte == b'\n' {
                    line = Line { number: line.number + 1, start: at + 1, ..Line::default() };
                    position += 1;
                } else if doc_strings && byte == b'"' && bytes[at..].starts_with(b"\"\"\"") {
                    in_doc = !in_doc;
                    at += 2;
                }
                at += 1;
                continue;
            }
            let length = bytes[at..].iter().position(|byte| !words::is_word_byte(*byte));
            let end = length.map_or(bytes.len(), |length| at + length);
            let token = &bytes[at..end];
            let mut report = |line: &mut Line, term: u8, strength: f32| {
                let field = line.field_at(text, extension, at, in_doc);
                hit(Hit { line: line.number + 1, term, field, strength });
            };
            if let Some(term) = self.whole(token, &mut buffer) {
                report(&mut line, term, 1.0);
            }
            words::split_identifier(token, |word| {
                position += 1;
                if let Some((term, strength)) = self.word(word, &mut buffer) {
                    report(&mut line, term, strength);
                    if let Some((previous, place)) = before
                        && place + 1 == position
                        && let Some(pair) = self.pairs.get(&(previous, term))
                    {
                        report(&mut line, *pair, strength);
                    }
                    before = Some((term, position));
                }
            });
            at = end;
        }
        position
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

    fn word(&self, word: &[u8], buffer: &mut Vec<u8>) -> Option<(u8, f32)> {
        if word.len() < 2 || !self.starts[start_of(word)] {
            return None;
        }
        buffer.clear();
        buffer.extend(word.iter().map(u8::to_ascii_lowercase));
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

/// What is known of the line that is being read; found out when its first match asks.
#[derive(Default)]
struct Line {
    number: u32,
    start: usize,
    known: Option<LineFacts>,
}

#[derive(Clone, Copy)]
struct LineFacts {
    comment: bool,
    /// Bytes of the name it declares.
    name: (usize, usize),
}

impl Line {
    fn field_at(&mut self, text: &str, extension: &str, at: usize, in_doc: bool) -> Field {
        let start = self.start;
        let facts = *self.known.get_or_insert_with(|| {
            let length = text[start..].find('\n').unwrap_or(text.len() - start);
            let line = &text[start..start + length];
            let trimmed = line.trim_start();
            let comment = in_doc
                || ["//", "/*", "* ", "*/", "--", "<!--", "\"\"\""]
                    .iter()
                    .any(|mark| trimmed.starts_with(mark))
                || (trimmed.starts_with('#')
                    && !trimmed.starts_with("#[")
                    && !trimmed.starts_with("#define"));
            let name = (!comment).then(|| declarations::name_on_line(extension, line)).flatten();
            let name = name.map_or((0, 0), |name| {
                let offset = start + (name.as_ptr() as usize - line.as_ptr() as usize);
                (offset, offset + name.len())
            });
            LineFacts { comment, name }
        });
        if facts.comment {
            Field::Comment
        } else if facts.name.0 <= at && at < facts.name.1 {
            Field::Declared
        } else {
            Field::Body
        }
    }
}
