//! The full-text index: the words of every file in their order, as numbers over one dictionary, so that a search reads about a
//! third of the bytes of the tree and no file that it does not print. A [`FullTextIndex`] keeps an [`FullTextSnapshot`] in step
//! with the tree, shares it among the searches of a process and, given a folder, stores it for the next process.
//!
//! Design notes.
//!
//! *Tokens and postings.* A query has up to 255 terms with alternatives, each matched by stem and by abbreviation, and needs counts
//! by field, adjacency and positions by line. Each word of the dictionary is compared with the terms once ([`word_marks`]). Counts
//! of all files come from the postings of the words that match ([`postings`]). Tokens are scanned for marked numbers, at one or
//! two nanoseconds a word, where words of a pair are adjacent and in the files whose passages are scored; one format serves
//! passages, word vectors and chunks ([`file_words`]). They are read from the stored segment file by file ([`segment_loading`]).
//! An edit makes a segment of its own; joining segments writes postings anew, which takes less than the tokens do.
//!
//! *A snapshot equals reading everything anew.* A file is read again when its stamp differs, or is too young to trust.
//! What is damaged, or stored by another version of the code, is not used. A file whose reading was cancelled is not in the
//! snapshot at all, and is read the next time.
//!
//! *Segments.* Files are read into one segment a task, and joined when there are more than a few. Stored are one segment, or
//! an older one of which at least half is in use and another of what has changed since. Frequent words get small numbers when
//! segments are joined. A stored segment is never changed, and working trees of one repository have links to the same file; the
//! list of files beside it is each tree's own. When a file becomes a secret, everything that may hold it is written anew.
//!
//! *What a process keeps.* A snapshot hands the texts that were read lately to the next one ([`file_text_cache`]), with what of them
//! depends on no query ([`file_analysis`]): one is used again for a file whose stamp can be trusted and whose content has the hash
//! of the text. A segment keeps the order of its words by first letters, the stems of those that questions had to compare
//! ([`words_by_first_letters`]), and the tokens and outlines that they read ([`segment_content_cache`]). The words of paths, and what paths
//! say of the tree, are read once a snapshot.
//!
//! Behind the tokens of a file stands its outline ([`crate::declarations::FileOutline`]), which depends on no query, either.

mod byte_strings;
mod chunk_vectors;
mod declaration_vectors;
mod file_analysis;
mod file_text_cache;
mod file_words;
mod files_with_words;
mod full_text_index;
mod full_text_snapshot;
mod grouped;
mod path_words;
mod postings;
mod query_term_counts;
mod query_term_matcher;
mod query_term_scanner;
mod segment;
mod segment_builder;
mod segment_content_cache;
mod segment_files;
mod segment_loading;
mod segment_merger;
mod source_tokenizer;
mod token_cursor;
mod token_stream_codec;
mod word_marks;
mod words_by_first_letters;

pub(crate) use self::{
    declaration_vectors::DeclarationVectors,
    file_analysis::FileAnalysis,
    file_words::FileWords,
    path_words::parts as path_parts,
    query_term_counts::{TermInField, TermTally},
    query_term_matcher::{QueryTermMatcher, TermHit},
    query_term_scanner::{QueryTermScanner, TallyScope},
    segment::{IndexedContentKind, IndexedFile},
    source_tokenizer::TermField,
};
pub use self::{
    full_text_index::{FullTextIndex, RemoteSnapshotSource},
    full_text_snapshot::FullTextSnapshot,
    segment_files::version,
};
