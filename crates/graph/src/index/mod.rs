//! From text to a resolved graph: [`extract`] reads one file's facts, [`resolve`] joins the facts of all files, and
//! [`Index`] does so for a workspace whenever its files have changed. Where it is kept is [`crate::graph::store`]'s.

mod compare;
mod extract;
pub(crate) mod facts;
mod flow;
pub(crate) mod languages;
mod moves;
mod outline;
mod parts;
mod refresh;
mod resolve;
mod scan;
mod scip;
mod slice;
mod write;

pub use extract::{extract, parse_alone};
pub use facts::{FactsError, FileFacts};
pub use languages::Language;
pub use refresh::{Index, Progress, Status, Summary};
pub use resolve::{SourceFile, is_manifest, resolve};
pub use scip::{Imported, ScipError, ScipIndex};
