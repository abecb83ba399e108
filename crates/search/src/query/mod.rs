//! What a question says: its own words, what they may also be called in code, and what kinds of place it asks for. Pure: no
//! file is read here.

pub(crate) mod concepts;
pub(crate) mod expansion;
pub(crate) mod parsed;
pub(crate) mod question;
mod stack_trace;
