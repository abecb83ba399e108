//! Renders a code map: JSON for programs, Markdown for planners, plain text for terminals. The renderers print the map as
//! it is. Code is read through the caller's [`Snippets::read`].

mod calls_between_places;
mod file_groups;
mod json;
mod lines;
mod markdown;
mod snippets;
mod terminal_text;

pub use calls_between_places::{PlaceCall, calls_between};
pub use json::{JsonStyle, json};
pub use markdown::markdown;
pub use snippets::Snippets;
pub use terminal_text::{MapTextLayout, TextStyle, text};
