//! Self-contained pages: the frame with its stylesheet, highlighted code, and pictures of graphs. A page loads nothing, runs
//! no script and obeys a content security policy that forbids both. What a page says is left to its caller.

mod highlight;
mod page_template;
mod picture;
mod picture_layout;

pub use highlight::Highlighter;
pub use page_template::page;
pub use picture::{Picture, PictureEdge, PictureNode};
