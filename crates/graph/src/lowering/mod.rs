//! From the syntax tree of one file to its facts: [`Lower`] walks the tree and asks the language's [`Dialect`] where the
//! table of the grammar does not say enough. [`outline`] reads declarations without a tree. Nothing here looks at another
//! file.

mod definitions;
mod dialect;
mod events;
mod expressions;
mod lower;
mod outline;
mod parameters;
mod types;
mod values;

pub(crate) use self::{
    dialect::Dialect,
    lower::{Body, Context, Lower, find, index, kids, summary},
    outline::outline,
};
pub(crate) use crate::syntax::{
    parts::Parts,
    table::{GrammarTable, Role, Slot},
};
