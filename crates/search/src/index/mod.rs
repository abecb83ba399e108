//! The full-text index: the words of every file in their order, as numbers over one dictionary, so that a search reads about a
//! third of the bytes of the tree and no file that it does not print. A [`FullTextIndex`] keeps an [`FullTextSnapshot`] in step
//! with the tree, shares it among the searches of a process and, given a folder, stores it for the next process.
//!
//! Design notes.
//!
//! *Tokens and counts, not postings.* A query has up to 255 terms with alternatives, each matched by stem and by abbreviation, and
//! needs counts by field, adjacency and positions by line. Each word of the dictionary is compared with the terms once
//! ([`query_term_scanner`]). Counts of all files come from their word counts ([`word_counts`]), a tenth of the tokens: the words of
//! a file are in one place, so that an edit writes the counts of one file, and joining segments only gives words other
//! numbers. Lists of files by word would be shorter to read, and would have to be sorted anew with every segment. Tokens are
//! scanned for marked numbers, at one or two nanoseconds a word, where terms have to be adjacent and in the files whose passages
//! are scored; one format serves passages, word vectors and chunks ([`file_words`]). They are read from the stored segment file by
//! file ([`segment_loading`]).
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
//! *What a process keeps.* A snapshot hands the texts that were read lately to the next one ([`file_text_cache`]): one is used again for a
//! file whose stamp can be trusted and whose content has the hash of the text. What the paths say of the tree is counted once a
//! snapshot.
//!
//! Behind the tokens of a file stands its outline ([`crate::declarations::FileOutline`]), which depends on no query, either.

mod dictionary;
mod file_text_cache;
mod file_words;
mod full_text_index;
mod full_text_snapshot;
mod query_term_counts;
mod query_term_matcher;
mod query_term_scanner;
mod segment;
mod segment_builder;
mod segment_files;
mod segment_loading;
mod segment_merger;
mod source_tokenizer;
mod token_cursor;
mod token_stream_codec;
mod word_counts;

pub(crate) use self::{
    file_words::{FileWords, WordOccurrence},
    query_term_counts::TermTally,
    query_term_matcher::{QueryTermMatcher, TermHit},
    query_term_scanner::QueryTermScanner,
    segment::{FileTokens, IndexedContentKind, IndexedFile},
    source_tokenizer::TermField,
};
pub use self::{
    full_text_index::{FullTextIndex, RemoteSnapshotSource},
    full_text_snapshot::FullTextSnapshot,
    segment_files::version,
};
