//! Search without a model: candidates for what a question may be about, and source sized to a query.

mod byte_pattern;
mod candidate;
mod candidates;
mod channels;
mod declarations;
pub mod explore;
mod index;
mod memo;
mod query;
mod ranking;
mod roles;
mod text_cache;
mod words;

pub use candidate::{Call, Candidate, CandidateSource, GraphFeatures, ScoreParts, Symbol};
pub use candidates::{
    CandidateSet, Corpus, SizeTier, TopFolder, candidate_pool, find_candidates, prepare,
    scan_candidates,
};
pub use declarations::{Declared, declaration::Declaration, declarations};
pub use index::{IndexSnapshot, TokenIndex};
pub use query::{
    parsed::{FileMention, ParsedQuery, Term, TermForm, TermKind},
    question::{BadSessionId, Intent, Question, QuestionScope, Role, SessionId},
};
pub use ranking::{
    features::{Feature, FeatureVector, Found},
    no_answer::NoAnswer,
};
pub use roles::{RoleCues, words_in};
