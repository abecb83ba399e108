//! Words inside identifiers and text: splitting, stems and lemmas, stop words, and word vectors. Of the other modules
//! it uses the memo tables alone. What a word is worth in a query is decided in [`crate::query`].

mod identifiers;
mod noun_detection;
mod stems;
mod stop_words;
mod word_vectors;

pub(crate) use self::{
    identifiers::{
        SplitWords, is_word_byte, normalized, split_identifier, subword_count, subwords,
    },
    noun_detection::{is_only_verb, may_name_thing},
    stems::{StemPrefixes, is_abbreviation, kept_stem, stem, stem_variants},
    stop_words::{WordSpecificity, content_words, only_repeats, word_class},
    word_vectors::{MeasuredVector, TextVector, WordVectorId, similarity},
};
pub use identifiers::words_in;
