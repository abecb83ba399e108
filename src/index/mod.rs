//! From text to a resolved graph: [`extract`] reads one file's facts, [`resolve`] joins the facts of all files. Reading
//! files, keeping facts between runs and noticing changes are left to the store.

mod extract;
pub(crate) mod facts;
pub(crate) mod languages;
mod resolve;

pub use extract::extract;
pub use facts::{FactsError, FileFacts};
pub use languages::Language;
pub use resolve::{SourceFile, is_manifest, resolve};
