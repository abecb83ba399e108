//! Grammars and what their nodes mean to the lowering: one table a language.

pub(crate) mod parse;
pub(crate) mod table;
