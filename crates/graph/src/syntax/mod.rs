//! Syntax trees under a budget: parsing, nodes whose every step is counted, and the tables that say what the nodes of a
//! grammar mean.

pub(crate) mod node;
pub(crate) mod parse;
pub(crate) mod parts;
pub(crate) mod table;

pub(crate) use self::node::{Node, Syntax};
