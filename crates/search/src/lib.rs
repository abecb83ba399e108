//! Search without a model. [`find_candidates`] finds and ranks the places that may answer a question; [`explore`] turns
//! ranked places into source that is sized to a query.
//!
//! The folders, each using only those before it:
//!
//! - `words`: splitting of identifiers, stems, stop words, word vectors;
//! - `query`: the question, its parsed and its expanded form, concepts;
//! - `declarations`: declarations found in plain text, and the outline of a file;
//! - `index`: the token index of a tree, and how a query's terms are found in it;
//! - `roles`: which words and forms of code show that a place plays a role;
//! - `channels`: the ways in which places are found;
//! - `ranking`: how places are scored, ordered and chosen;
//! - `explore`: what of the ranked places is printed.
#![deny(missing_docs)]

mod byte_pattern;
mod candidate;
mod candidates;
mod channels;
mod corpus;
mod declarations;
pub mod explore;
mod index;
mod limits;
mod memo;
mod query;
mod ranking;
mod roles;
mod text_cache;
mod words;

pub use self::{
    candidate::{Call, Candidate, CandidateSource, GraphFeatures, ScoreParts, Symbol},
    candidates::{
        CandidatePool, CandidateSet, TopFolder, candidate_pool, find_candidates, prepare,
        scan_candidates,
    },
    corpus::{Corpus, SizeTier},
    declarations::{Declaration, NestedDeclaration, declarations, is_comment_line},
    index::{IndexSnapshot, TokenIndex, WordsUpstream, version as words_version},
    query::{
        FileMention, Intent, InvalidSessionId, ParsedQuery, Question, QuestionScope, Role,
        SessionId, Term, TermForm, TermKind,
    },
    ranking::{
        Feature, FeatureVector, FileFeature, FileFeatures, NoAnswer, ScoredCandidate, ScoredFile,
    },
    roles::RoleCues,
    words::words_in,
};
