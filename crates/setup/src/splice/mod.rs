//! Changes of a text that keep every other byte: insertions when an entry is added, cuts when it is removed. Each
//! format's file computes the positions; parsing only finds them and rejects damaged files, nothing is printed from a
//! syntax tree.

pub(crate) mod json;
mod line_positions;
pub(crate) mod markdown;
mod text_insertion;
pub(crate) mod toml;
pub(crate) mod yaml;

pub(crate) use self::line_positions::{
    indentation, line_break, line_end, line_of, line_start, position,
};
pub(crate) use self::text_insertion::{AddedText, cut, insert, undo};
pub use self::text_insertion::{SpliceRefusal, TextInsertion};
