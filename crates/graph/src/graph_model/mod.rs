//! The data of the code graph: nodes, edges and the words for their kinds. [`crate::store`] keeps and reads them,
//! [`crate::graph_queries`] answers questions about them.

mod edge;
mod language_id;
mod node;

pub use self::edge::{
    CallDispatch, Edge, EdgeKind, EdgeResolution, OpenCallTarget, UnresolvedCall,
};
pub use self::language_id::{Language, RegisteredLanguage};
pub(crate) use self::language_id::{LanguageFamily, registrations_hash};
pub use self::node::{Node, NodeHeader, NodeId, NodeKind};
