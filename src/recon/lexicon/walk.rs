//! The words of a packed text one after the other, each with where it stands, for who wants all of them; what a question's terms hit is
//! [`super::scan`]'s.

use super::{
    super::{declarations::NamesOnLines, matcher::Field},
    stream::{Item, Items, Packer, Vocabulary},
};

/// A word of a packed text.
#[derive(Clone, Copy)]
pub(in crate::recon) struct PackedWord<'a> {
    /// In small letters.
    pub(in crate::recon) text: &'a [u8],
    /// 1-based.
    pub(in crate::recon) line: u32,
    pub(in crate::recon) field: Field,
    /// Whether it stands in a doc string.
    pub(in crate::recon) in_doc: bool,
    /// Whether it goes on with the identifier of the word in front.
    pub(in crate::recon) goes_on: bool,
}

/// Calls `word` for every word of `text`, in order, as [`read`] does once it is packed.
pub(in crate::recon) fn read_text(text: &str, extension: &str, word: impl FnMut(PackedWord<'_>)) {
    let (mut packer, mut stream) = (Packer::default(), Vec::new());
    packer.pack(text, extension, &NamesOnLines::of(extension), &mut stream);
    read(&packer.vocabulary, &stream, word);
}

/// Calls `word` for every word of a packed text, in order.
pub(super) fn read(vocabulary: &Vocabulary, stream: &[u8], mut word: impl FnMut(PackedWord<'_>)) {
    let (mut line, mut is_comment, mut in_doc) = (0, false, false);
    let (mut named, mut is_name) = (false, false);
    for item in Items::of(stream) {
        match item {
            Item::Line { is_comment: comment } => {
                line += 1;
                is_comment = comment;
            }
            Item::Lines(lines) => line += lines,
            Item::Doc => in_doc = !in_doc,
            Item::Name => named = true,
            Item::Word { id, goes_on } => {
                if !goes_on {
                    is_name = std::mem::take(&mut named);
                }
                let field = match (is_comment || in_doc, is_name) {
                    (true, _) => Field::Comment,
                    (false, true) => Field::Declared,
                    (false, false) => Field::Body,
                };
                word(PackedWord { text: vocabulary.word(id), line, field, in_doc, goes_on });
            }
        }
    }
}
