//! From text to a resolved graph: [`extract`] reads one file's facts, [`resolve`] joins the facts of all files, and
//! [`Index`] does so for a workspace whenever its files have changed. Where it is kept is [`crate::graph::store`]'s.

mod compare;
mod moves;
mod parts;
mod refresh;
pub(crate) mod resolve;
mod scan;
mod scip;
mod slice;
mod write;

pub use crate::facts::{FactsError, FileFacts};
pub use crate::languages::Language;
pub use crate::lowering::{extract, parse_alone};
pub use refresh::{Index, Progress, Status, Summary};
pub use resolve::{SourceFile, is_manifest, resolve};
pub use scip::{Imported, ScipError, ScipIndex};
