//! What a question says: the terms to look for and their weights, synonyms that code may use instead, the concepts it
//! consists of, and the kinds of place it asks for. Pure: nothing here reads a file.

mod concepts;
mod expansion;
mod name;
mod parsed;
mod question;
mod scope;
mod stack_trace;
mod synonyms;
mod term;
mod term_collector;

pub(crate) use self::{concepts::Concepts, expansion::ExpandedQuery, name::QueryName};
pub use self::{
    parsed::ParsedQuery,
    question::{Intent, InvalidSessionId, Question, Role, SessionId},
    scope::QuestionScope,
    term::{FileMention, Term, TermForm, TermKind},
};
