//! The words of a packed text one after the other, each with where it stands, for who wants all of them; what a question's terms hit is
//! [`crate::index::term_scanner`]'s.

use std::{borrow::Cow, ops::Range};

use crate::{
    declarations::DeclaredNames,
    index::{
        codec::{Dictionary, Encoder, Item, Items, word},
        term_matcher::Field,
    },
    words::{self, vectors::VectorId},
};
use retriever_workspace::LineRange;

/// A word of a packed text.
#[derive(Clone, Copy)]
pub(crate) struct WordOccurrence {
    pub(crate) sense: VectorId,
    /// 1-based.
    pub(crate) line: u32,
    pub(crate) field: Field,
    /// Whether it stands in a doc string.
    pub(crate) in_doc: bool,
    /// Whether it goes on with the identifier of the word in front.
    pub(crate) goes_on: bool,
}

/// The words of one text by the lines that they stand on.
pub(crate) struct DecodedText<'a> {
    vocabulary: Cow<'a, Dictionary>,
    senses: Cow<'a, [VectorId]>,
    stream: Cow<'a, [u8]>,
    /// Where the words of each line begin in the packed text, from line 0 to the last that has some.
    starts: Vec<u32>,
}

impl<'a> DecodedText<'a> {
    /// Reads a packed text, whose words have these `senses`, and calls `found` for every word, in order.
    pub(crate) fn read(
        vocabulary: Cow<'a, Dictionary>,
        senses: Cow<'a, [VectorId]>,
        stream: Cow<'a, [u8]>,
        mut found: impl FnMut(&WordOccurrence),
    ) -> Self {
        let mut starts = vec![0];
        let (mut line, mut is_comment, mut in_doc) = (0_u32, false, false);
        let (mut named, mut is_name) = (false, false);
        let mut items = Items::of(&stream);
        loop {
            let left = items.left();
            let Some(number) = items.number() else { break };
            let Some((id, goes_on)) = word(number) else {
                match items.mark(number) {
                    Some(Item::Line { is_comment: comment }) => {
                        line += 1;
                        is_comment = comment;
                    }
                    Some(Item::Lines(lines)) => line = line.saturating_add(lines),
                    Some(Item::Doc) => in_doc = !in_doc,
                    _ => named = true,
                }
                continue;
            };
            if starts.len() <= line as usize {
                let here = u32::try_from(stream.len() - left).unwrap_or(u32::MAX);
                starts.resize(line as usize + 1, here);
            }
            if !goes_on {
                is_name = std::mem::take(&mut named);
            }
            let field = match (is_comment || in_doc, is_name) {
                (true, _) => Field::Comment,
                (false, true) => Field::Declared,
                (false, false) => Field::Body,
            };
            let sense = senses.get(id as usize).copied().unwrap_or(VectorId::UNKNOWN);
            found(&WordOccurrence { sense, line, field, in_doc, goes_on });
        }
        Self { vocabulary, senses, stream, starts }
    }

    /// Reads `text`, as [`DecodedText::read`] does once it is packed.
    pub(crate) fn of(
        text: &str,
        extension: &str,
        found: impl FnMut(&WordOccurrence),
    ) -> DecodedText<'static> {
        let (mut packer, mut stream) = (Encoder::default(), Vec::new());
        packer.pack(text, extension, &DeclaredNames::of(extension), &mut stream);
        let senses = packer.vocabulary.iter().map(VectorId::of).collect();
        DecodedText::read(Cow::Owned(packer.vocabulary), senses, Cow::Owned(stream), found)
    }

    /// The words on `lines` in small letters, in order.
    pub(crate) fn words(&self, lines: LineRange) -> impl Iterator<Item = &[u8]> {
        self.ids(lines).map(|id| self.vocabulary.word(id))
    }

    /// What the words on `lines` mean, in order.
    pub(crate) fn senses(&self, lines: LineRange) -> impl Iterator<Item = VectorId> {
        self.ids(lines).map(|id| self.sense(id))
    }

    /// What the words of `name` mean, which stands on `line`.
    pub(crate) fn senses_of_name(&self, line: u32, name: &str) -> Vec<VectorId> {
        let here = || LineRange::line(line).into_iter().flat_map(|line| self.ids(line));
        let mut senses = Vec::new();
        words::split_identifier(name.as_bytes(), |word| {
            let is_it = |id: &u32| self.vocabulary.word(*id).eq_ignore_ascii_case(word);
            let known = here().find(is_it).map(|id| self.sense(id));
            senses.push(known.unwrap_or_else(|| VectorId::of(&word.to_ascii_lowercase())));
        });
        senses
    }

    fn sense(&self, id: u32) -> VectorId {
        self.senses.get(id as usize).copied().unwrap_or(VectorId::UNKNOWN)
    }

    /// The numbers of the words on `lines`, in order.
    fn ids(&self, lines: LineRange) -> impl Iterator<Item = u32> {
        let start_of = |line: u32| self.starts.get(line as usize).map(|start| *start as usize);
        let end = start_of(lines.end().saturating_add(1)).unwrap_or(self.stream.len());
        let range: Range<usize> = start_of(lines.start()).unwrap_or(end)..end;
        let words = Items::of(self.stream.get(range).unwrap_or_default());
        words.filter_map(|item| match item {
            Item::Word { id, .. } => Some(id),
            _ => None,
        })
    }
}
