//! Renders a code map: Markdown for planners, plain text for terminals. The renderers print the map as it is.
//! Code is read through the caller's [`Snippets::read`].

mod calls_between_places;
mod markdown;
mod places_by_file;
mod shared_report_lines;
mod snippets;
mod terminal_text;

pub use calls_between_places::{CallBetweenPlaces, calls_between};
pub use markdown::markdown;
pub use snippets::Snippets;
pub use terminal_text::{MapTextLayout, TextStyle, text};
