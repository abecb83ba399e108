//! A question's terms in packed texts: each word that there is was compared with them once, so that a scan only looks numbers
//! up.

use std::borrow::Cow;

use rayon::prelude::*;

use crate::index::{
    IndexSnapshot,
    codec::{Dictionary, FIRST, Item, Items, goes_on, word},
    decoded_text::{DecodedText, WordOccurrence},
    segment::{IndexedFile, Segment},
    term_matcher::{CLIPPED, Field, Hit, Run, TermMatcher},
};

/// Marks of a word beside the number of its term.
const MATCHES: u16 = 1 << 8;
const CLIPS: u16 = 1 << 9;
/// A term that is a whole identifier may begin with it.
const BEGINS: u16 = 1 << 10;
/// It is no word.
const OTHER: u16 = 1 << 11;

/// Fewest words that a thread takes at once.
const LEAST_WORDS: usize = 1 << 12;

/// The words of a tree, compared with a question's terms.
pub(crate) struct TermScanner<'a> {
    pub(crate) words: &'a IndexSnapshot,
    matcher: &'a TermMatcher,
    /// For each piece, marks by what stands in packed texts: nearly all of it is passed over after one look.
    marks: Vec<Vec<u16>>,
}

impl<'a> TermScanner<'a> {
    pub(crate) fn new(words: &'a IndexSnapshot, matcher: &'a TermMatcher) -> Self {
        let marks = words.pieces.iter().map(|piece| marks(&piece.vocabulary, matcher)).collect();
        // Here all threads help to find them out.
        for piece in &words.pieces {
            piece.senses();
        }
        Self { words, matcher, marks }
    }

    /// Calls `hit` for every match in the text of a file, in order.
    pub(crate) fn scan(&self, file: (usize, &IndexedFile), mut hit: impl FnMut(Hit)) {
        let (at, file) = file;
        let (Some(piece), Some(marks)) = (self.words.pieces.get(at), self.marks.get(at)) else {
            return;
        };
        let Segment { vocabulary, .. } = piece.as_ref();
        let mut items = Items::of(piece.stream(file));
        let (mut line, mut is_comment, mut in_doc) = (0_u32, false, false);
        // 2 in front of an identifier that stands in a declared name, 1 inside of it; who begins one halves it.
        let mut name = 0_u32;
        // IndexSnapshot in a row: what a word without a mark, or a line, stands between is not counted but seen by the bytes that are left
        // behind a match.
        let (mut run, mut behind) = (Run::default(), usize::MAX);
        loop {
            let next = if name == 0 { items.marked(marks) } else { items.next_with(marks) };
            let Some((left, number, mark)) = next else { break };
            if mark == 0 {
                name >>= u32::from(!goes_on(number));
                continue;
            }
            let Some((id, goes_on)) = word(number) else {
                match items.mark(number) {
                    Some(Item::Line { is_comment: comment }) => {
                        line += 1;
                        is_comment = comment;
                        continue;
                    }
                    Some(Item::Lines(lines)) => {
                        line += lines;
                        continue;
                    }
                    Some(Item::Doc) => in_doc = !in_doc,
                    _ => name = 2,
                }
                // These stand between no words.
                behind = if behind == left { items.left() } else { behind };
                continue;
            };
            name >>= u32::from(!goes_on);
            let field = if is_comment || in_doc {
                Field::Comment
            } else if name == 1 {
                Field::Declared
            } else {
                Field::Body
            };
            if !goes_on
                && mark & BEGINS != 0
                && let Some(term) = self.whole(vocabulary, id, items.clone())
            {
                hit(Hit { line, term, field, strength: 1.0 });
            }
            if mark & MATCHES != 0 {
                let term = mark.to_le_bytes()[0];
                let strength = if mark & CLIPS != 0 { CLIPPED } else { 1.0 };
                hit(Hit { line, term, field, strength });
                run.position += if behind == left { 1 } else { 2 };
                behind = items.left();
                if let Some(term) = run.next(self.matcher, term) {
                    hit(Hit { line, term, field, strength });
                }
            }
        }
    }

    /// Reads the text of a file and calls `word` for every word, in order.
    pub(crate) fn read(
        &self,
        (piece, file): (usize, &IndexedFile),
        word: impl FnMut(&WordOccurrence),
    ) -> Option<DecodedText<'a>> {
        let piece = self.words.pieces.get(piece)?;
        let (vocabulary, senses) =
            (Cow::Borrowed(&piece.vocabulary), Cow::Borrowed(piece.senses()));
        Some(DecodedText::read(vocabulary, senses, Cow::Borrowed(piece.stream(file)), word))
    }

    /// The term that is the whole identifier which begins with a word.
    fn whole(&self, vocabulary: &Dictionary, first: u32, rest: Items<'_>) -> Option<u8> {
        let mut joined = vocabulary.word(first).to_vec();
        for item in rest {
            let Item::Word { id, goes_on: true } = item else { break };
            joined.extend_from_slice(vocabulary.word(id));
        }
        self.matcher.whole_of(&joined)
    }
}

fn marks(vocabulary: &Dictionary, matcher: &TermMatcher) -> Vec<u16> {
    let mut first = [false; 256];
    let wholes: Vec<&[u8]> = matcher.wholes().collect();
    for whole in &wholes {
        if let Some(byte) = whole.first() {
            first[usize::from(*byte)] = true;
        }
    }
    let mark = |buffer: &mut Vec<u8>, id: u32| {
        let word = vocabulary.word(id);
        let mut mark = match matcher.word(word, buffer) {
            Some((term, strength)) if strength < 1.0 => MATCHES | CLIPS | u16::from(term),
            Some((term, _)) => MATCHES | u16::from(term),
            None => 0,
        };
        let may_begin = word.first().is_some_and(|byte| first[usize::from(*byte)]);
        if may_begin && wholes.iter().any(|whole| whole.starts_with(word)) {
            mark |= BEGINS;
        }
        mark
    };
    let all = u32::try_from(vocabulary.len()).unwrap_or(u32::MAX);
    let mut marks = vec![OTHER; FIRST as usize];
    let words = (0..all).into_par_iter().with_min_len(LEAST_WORDS);
    let words: Vec<u16> = words.map_init(Vec::new, mark).collect();
    // Each for itself, and where it goes on with an identifier.
    marks.extend(words.into_iter().flat_map(|mark| [mark, mark]));
    marks
}
