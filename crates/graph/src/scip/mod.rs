//! SCIP indexes, as compilers' indexers write them: what they say of the files that are still as they were when they were
//! indexed. What becomes of it is [`crate::resolve`]'s; it is kept beside the files' facts.

mod import_scip_indexes;
mod read_scip_document;
mod scip_messages;
mod scip_symbol;

pub(super) use self::import_scip_indexes::overlays;
pub use self::import_scip_indexes::{ScipError, ScipImport, ScipIndex};
