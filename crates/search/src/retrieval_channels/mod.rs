//! The channels: each finds, in one way, where a query leads: files by their words and paths, files that the question
//! mentions, quoted texts, lines that publish a name, passages of a file, and places that the code graph reaches. What a
//! place is worth is decided in [`crate::ranking`].

mod entry_points;
mod file_mentions;
mod file_terms;
mod graph_expansion;
mod passages;
mod quoted_text;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use self::{
    entry_points::entry_point,
    file_mentions::{MentionedFile, mentioned_files},
    file_terms::{FileTerms, TermCounter, TermCounts, TermFieldCounts},
    graph_expansion::{GraphForSearch, ReachedNode},
    passages::{
        FileTermHits, MAX_WIDTH, Passage, WINDOW_LINES, clip_signature, densest_window, passages,
        text_of, widened,
    },
    quoted_text::{QuotedText, quoted_texts},
};
use crate::{
    embedding::SimilarPlaces,
    index::{QueryTermMatcher, QueryTermScanner},
    query::{ExpandedQuery, ParsedQuery},
};
use retriever_workspace::RepoPath;

/// What the channels look for.
#[derive(Clone, Copy)]
pub(crate) struct QueryContext<'a> {
    pub(crate) parsed: &'a ParsedQuery,
    pub(crate) expanded: &'a ExpandedQuery,
    /// Files and folders that the caller gave.
    pub(crate) hints: &'a BTreeSet<RepoPath>,
    pub(crate) matcher: &'a QueryTermMatcher,
    pub(crate) scanner: &'a QueryTermScanner<'a>,
    /// What is similar to the question by the user's model.
    pub(crate) similar: Option<&'a SimilarPlaces>,
    /// Files with texts that the question quotes.
    pub(crate) quoted: &'a BTreeMap<RepoPath, QuotedText>,
}
