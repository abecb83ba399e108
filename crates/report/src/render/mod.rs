//! Renders a code map: JSON for programs, Markdown for planners, plain text for terminals. The renderers print the map as
//! it is. Code is read through the caller's [`Snippets::read`].

mod call_chain;
mod file_groups;
mod json;
mod lines;
mod markdown;
mod snippets;
mod text;

pub use call_chain::{Call, calls_between};
pub use json::{JsonStyle, json};
pub use markdown::markdown;
pub use snippets::Snippets;
pub use text::{PlaceAddress, Style, TextLayout, text};
