//! SCIP indexes, as compilers' indexers write them: what they say of the files that are still as they were when they were
//! indexed. What becomes of it is [`crate::resolve`]'s; it is kept beside the files' facts.

mod scip_documents;
mod scip_index;
mod scip_messages;
mod scip_symbol;

pub(super) use self::scip_index::overlays;
pub use self::scip_index::{ScipError, ScipImport, ScipIndex};
