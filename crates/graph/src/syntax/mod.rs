//! Syntax trees under a budget: parsing, nodes whose every step is counted, and the tables that say what the nodes of a
//! grammar mean.

pub(crate) mod grammar_table;
pub(crate) mod node;
pub(crate) mod node_parts;
pub(crate) mod parse;

pub(crate) use self::node::{Node, Syntax};
