//! A file's text packed: numbers of words in their order, with what a scan has to know of lines and identifiers. About a third
//! of the text, read at a nanosecond or two a word.

use rustc_hash::FxHashMap;

use crate::{
    declarations::DeclaredNames,
    index::tokenizer::{LineContext, Token, tokens},
    words,
};

const LINE: u32 = 0;
const COMMENT: u32 = 1;
const LINES: u32 = 2;
const DOC: u32 = 3;
const NAME: u32 = 4;
/// What lies above are words: twice their number, and one more when they go on with an identifier.
pub(crate) const FIRST: u32 = 5;

/// A part of a packed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// A line begins, a comment or not.
    Line { is_comment: bool },
    /// So many lines without a word.
    Lines(u32),
    /// A doc string opens or closes.
    Doc,
    /// The next identifier stands in the name that its line declares.
    Name,
    /// A word; whether it goes on with the identifier of the word in front.
    Word { id: u32, goes_on: bool },
}

/// The parts of a packed text.
#[derive(Clone)]
pub(crate) struct Items<'a>(&'a [u8]);

impl<'a> Items<'a> {
    pub(crate) fn of(stream: &'a [u8]) -> Self {
        Self(stream)
    }

    /// How many bytes are left.
    #[inline]
    pub(crate) fn left(&self) -> usize {
        self.0.len()
    }

    /// What a number stands for that is no word.
    #[inline]
    pub(crate) fn mark(&mut self, number: u32) -> Option<Item> {
        Some(match number {
            LINE => Item::Line { is_comment: false },
            COMMENT => Item::Line { is_comment: true },
            LINES => Item::Lines(self.number()?),
            DOC => Item::Doc,
            _ => Item::Name,
        })
    }

    /// The next number: a word's, see [`word`], or a mark's.
    #[inline]
    pub(crate) fn number(&mut self) -> Option<u32> {
        // One byte or two can't be foretold, so that nothing is decided by it.
        if let [first, second, ..] = self.0 {
            let more = first >> 7;
            if more & (second >> 7) == 0 {
                self.0 = &self.0[1 + usize::from(more)..];
                let behind = u32::from(*second) << 7 & u32::from(more).wrapping_neg();
                return Some(u32::from(first & 0x7f) | behind);
            }
        }
        self.any_number()
    }

    /// The next number that has a mark in `marks`, with its mark, and how many bytes were left in front of it.
    #[inline]
    pub(crate) fn marked(&mut self, marks: &[u16]) -> Option<(usize, u32, u16)> {
        loop {
            let next = self.next_with(marks)?;
            if next.2 != 0 {
                return Some(next);
            }
        }
    }

    /// The same for the next number, whether or not it has a mark.
    #[inline]
    pub(crate) fn next_with(&mut self, marks: &[u16]) -> Option<(usize, u32, u16)> {
        let left = self.left();
        let number = self.number()?;
        Some((left, number, marks.get(number as usize).copied().unwrap_or_default()))
    }

    fn any_number(&mut self) -> Option<u32> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        if *first < 0x80 {
            return Some(u32::from(*first));
        }
        let mut number = u32::from(first & 0x7f);
        for shift in [7, 14, 21, 28] {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u32::from(byte & 0x7f) << shift;
            if *byte < 0x80 {
                break;
            }
        }
        Some(number)
    }
}

impl Iterator for Items<'_> {
    type Item = Item;

    #[inline]
    fn next(&mut self) -> Option<Item> {
        let number = self.number()?;
        match word(number) {
            Some((id, goes_on)) => Some(Item::Word { id, goes_on }),
            None => self.mark(number),
        }
    }
}

/// The word that a number stands for, and whether it goes on with an identifier.
#[inline]
pub(crate) fn word(number: u32) -> Option<(u32, bool)> {
    let word = number.checked_sub(FIRST)?;
    Some((word >> 1, goes_on(number)))
}

/// Whether a word goes on with an identifier, by its number.
#[inline]
pub(crate) fn goes_on(number: u32) -> bool {
    number % 2 != FIRST % 2
}

/// Adds `item` to a packed text.
pub(crate) fn push(stream: &mut Vec<u8>, item: Item) {
    match item {
        Item::Line { is_comment: false } => number(stream, LINE),
        Item::Line { is_comment: true } => number(stream, COMMENT),
        Item::Lines(lines) => {
            number(stream, LINES);
            number(stream, lines);
        }
        Item::Doc => number(stream, DOC),
        Item::Name => number(stream, NAME),
        Item::Word { id, goes_on } => {
            number(stream, FIRST.saturating_add(id.saturating_mul(2)) + u32::from(goes_on));
        }
    }
}

fn number(stream: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        stream.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    stream.push(number.to_le_bytes()[0]);
}

/// IndexSnapshot by number, in small letters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dictionary {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl Dictionary {
    /// Returns the words that follow one another in `bytes`, by where each ends; none when these don't fit.
    pub(crate) fn of(bytes: &[u8], ends: impl Iterator<Item = u32>) -> Option<Self> {
        let ends: Vec<u32> = ends.collect();
        let fits = ends.is_sorted() && ends.last().is_none_or(|end| *end as usize <= bytes.len());
        fits.then(|| Self { bytes: bytes.to_vec(), ends })
    }

    pub(crate) fn push(&mut self, word: &[u8]) {
        self.bytes.extend_from_slice(word);
        self.ends.push(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
    }

    /// All words one after the other.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where each of them ends.
    pub(crate) fn ends(&self) -> &[u32] {
        &self.ends
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The word of a number; an unknown number has no letters.
    pub(crate) fn word(&self, id: u32) -> &[u8] {
        let at = id as usize;
        let start = at.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied());
        match (start, self.ends.get(at)) {
            (Some(start), Some(end)) => self.between(start, *end),
            _ => &[],
        }
    }

    /// All words, by number.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(start, end)| self.between(*start, *end))
    }

    fn between(&self, start: u32, end: u32) -> &[u8] {
        self.bytes.get(start as usize..end as usize).unwrap_or_default()
    }
}

/// Identifiers that are remembered at once: about two megabytes.
const MOST_MET: usize = 1 << 14;

/// Packs texts over one vocabulary.
#[derive(Default)]
pub(crate) struct Encoder {
    pub(crate) vocabulary: Dictionary,
    ids: FxHashMap<Box<[u8]>, u32>,
    buffer: Vec<u8>,
    /// Identifiers that were met before: where their words stand in `packed`, and how many they are.
    met: FxHashMap<Box<[u8]>, (usize, usize, u32)>,
    packed: Vec<u8>,
}

impl Encoder {
    /// Packs `text`, on whose lines these `names` are declared, onto `stream` and returns the number of words and line ends in it.
    pub(crate) fn pack(
        &mut self,
        text: &str,
        extension: &str,
        names: &DeclaredNames,
        stream: &mut Vec<u8>,
    ) -> u32 {
        let mut position = 0_u32;
        let mut in_doc = false;
        // Where the line starts, whether inside of a doc string, and what is known once it has a word.
        let (mut line, mut line_in_doc, mut known) = ((0, 0), false, None);
        let mut waiting = 1_u32;
        tokens(text, extension, |token| match token {
            Token::Line(start) => {
                (line, line_in_doc, known) = ((line.0 + 1, start), in_doc, None);
                waiting += 1;
                position += 1;
            }
            Token::Doc => {
                in_doc = !in_doc;
                push(stream, Item::Doc);
            }
            Token::Identifier(at, token) => {
                let facts: &LineContext = known.get_or_insert_with(|| {
                    let facts = LineContext::of(text, names, line, line_in_doc);
                    if waiting > 1 {
                        push(stream, Item::Lines(waiting - 1));
                    }
                    push(stream, Item::Line { is_comment: facts.comment });
                    waiting = 0;
                    facts
                });
                let is_name = facts.names(at);
                let words = self.identifier(token);
                if is_name && words.1 > 0 {
                    push(stream, Item::Name);
                }
                stream.extend_from_slice(words.0);
                position += words.1;
            }
        });
        position
    }

    /// The packed words of an identifier, and how many they are. Most identifiers come again.
    fn identifier(&mut self, token: &[u8]) -> (&[u8], u32) {
        let (start, end, words) = match self.met.get(token) {
            Some(place) => *place,
            None => {
                if self.met.len() >= MOST_MET {
                    self.met.clear();
                    self.packed.clear();
                }
                let start = self.packed.len();
                let mut words = 0;
                words::split_identifier(token, |word| {
                    let id = self.id(word);
                    push(&mut self.packed, Item::Word { id, goes_on: words > 0 });
                    words += 1;
                });
                let place = (start, self.packed.len(), words);
                self.met.insert(token.into(), place);
                place
            }
        };
        (&self.packed[start..end], words)
    }

    fn id(&mut self, word: &[u8]) -> u32 {
        self.buffer.clear();
        self.buffer.extend_from_slice(word);
        self.buffer.make_ascii_lowercase();
        if let Some(id) = self.ids.get(self.buffer.as_slice()) {
            return *id;
        }
        let id = u32::try_from(self.vocabulary.len()).unwrap_or(u32::MAX);
        self.vocabulary.push(&self.buffer);
        self.ids.insert(self.buffer.as_slice().into(), id);
        id
    }
}
