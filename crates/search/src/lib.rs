//! Search without a model. [`find_candidates`] finds and ranks the places that may answer a question; [`explore`] turns
//! ranked places into source that is sized to a query.
//!
//! The modules, each using only those before it:
//!
//! - `bounded_memo`, `shared_memo`, `lazy_byte_pattern`, `per_file_limits`: tools of all;
//! - `words`: splitting of identifiers, stems, stop words, word vectors;
//! - `query`: the question, its parsed and its expanded form, concepts;
//! - `declarations`: declarations found in plain text, and the outline of a file;
//! - `score_parts`, `candidate`, `call_flow`: a place that may answer, why it ranks where it does, and how calls join places;
//! - `path_statistics`: what the paths of a tree say of it as a whole;
//! - `index`: the full-text index of a tree, and how a query's terms are found in it;
//! - `search_corpus`, `texts_of_one_search`: what one search looks at;
//! - `embedding`: vectors of declarations by a model of the user's, and the places that are similar to a question;
//! - `role_vocabulary`: which words and forms of code show that a place plays a role;
//! - `retrieval_channels`: the ways in which places are found;
//! - `ranking`: how places are scored, ordered and chosen;
//! - `candidate_search`: a search from the question to the chosen candidates;
//! - `explore`: what of the ranked places is printed.
#![deny(missing_docs)]

mod bounded_memo;
mod call_flow;
mod candidate;
mod candidate_search;
mod declarations;
mod embedding;
pub mod explore;
mod index;
mod lazy_byte_pattern;
mod path_statistics;
mod per_file_limits;
mod query;
mod ranking;
mod retrieval_channels;
mod role_vocabulary;
mod score_parts;
mod search_corpus;
mod shared_memo;
mod texts_of_one_search;
mod words;

pub use self::{
    call_flow::{CallFlowLink, CallFlowPlace},
    candidate::{
        CallGraphFeatures, CallNeighbour, CallRelation, Candidate, CandidateSource, Symbol,
    },
    candidate_search::{
        CandidateSet, TrainingPool, candidate_pool, find_candidates, prepare, scan_candidates,
    },
    declarations::{
        Declaration, NestedDeclaration, code_lines, declarations, is_code_comment, is_comment_line,
    },
    embedding::{
        Embedder, EmbeddingError, QuantisedVector, ReducedStaticModel, SimilarPlaces,
        StaticModelError, VectorCount, VectorIndex, VectorSnapshot, check_static_model,
        reduced_static_model,
    },
    index::{FullTextIndex, FullTextSnapshot, RemoteSnapshotSource, version as words_version},
    path_statistics::TopFolder,
    query::{
        FileMention, Intent, InvalidSessionId, ParsedQuery, PlaceRole, Question,
        RequestedPlaceKinds, SessionId, Term, TermForm, is_test_word,
    },
    ranking::{
        AnswerEvidence, FeatureVector, FileFeature, FileFeatures, NoAnswerReason, RankingFeature,
        ScoredCandidate, ScoredFile,
    },
    role_vocabulary::RoleCues,
    score_parts::{ScorePart, ScoreParts},
    search_corpus::{RepositorySizeTier, SearchCorpus},
    words::words_in,
};
