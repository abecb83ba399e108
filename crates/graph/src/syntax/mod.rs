//! Syntax trees under a budget: parsing, nodes whose every step is counted, and the tables that say what the nodes of a
//! grammar mean.

pub(crate) mod grammar_table;
pub(crate) mod parse;
pub(crate) mod syntax_node;
pub(crate) mod syntax_node_fields;

pub(crate) use self::syntax_node::{SyntaxNode, SyntaxTree};
