//! Self-contained pages: the frame with its stylesheet, highlighted code, and diagrams of graphs. A page loads nothing,
//! runs no script and has a content security policy that forbids both. The caller writes its content.

mod diagram_layout;
mod graph_diagram;
mod page_template;
mod syntax_highlighting;

pub use graph_diagram::{DiagramEdge, DiagramNode, GraphDiagram};
pub use page_template::page;
pub use syntax_highlighting::SyntaxHighlighter;
