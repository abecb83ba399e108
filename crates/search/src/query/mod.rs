//! What a question says: the terms to look for and their weights, synonyms that code may use instead, the concepts it
//! consists of, and the kinds of place it asks for. Pure: nothing here reads a file.

mod issue_form;
mod name_query;
mod parsed_query;
mod query_concepts;
mod query_expansion;
mod question;
mod requested_place_kinds;
mod stack_trace;
mod synonyms;
mod term;
mod term_collector;

pub(crate) use self::{
    name_query::{NameQuery, own_part},
    query_concepts::QueryConcepts,
    query_expansion::ExpandedQuery,
};
pub use self::{
    parsed_query::ParsedQuery,
    question::{Intent, InvalidSessionId, PlaceRole, Question, SessionId},
    requested_place_kinds::{RequestedPlaceKinds, is_test_word},
    term::{FileMention, Term, TermForm},
};
