//! Self-contained pages: the frame with its stylesheet, highlighted code, and pictures of graphs. A page loads nothing, runs
//! no script and obeys a content security policy that forbids both. What a page says is left to its caller.

mod frame;
mod highlight;
mod layout;
mod picture;

pub use frame::page;
pub use highlight::Highlighter;
pub use picture::{Picture, PictureEdge, PictureNode};
