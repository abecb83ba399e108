//! From text to a resolved graph: [`extract`] reads one file's facts, [`resolve`] joins the facts of all files, and
//! [`Index`] does so for a workspace whenever its files have changed. Where it is kept is [`crate::store`]'s.

pub use crate::{
    facts::{FactsError, FileFacts},
    incremental::refresh::{Index, Progress, Status, Summary},
    languages::Language,
    lowering::{extract, parse_alone},
    resolve::{SourceFile, is_manifest, resolve},
    scip::{Imported, ScipError, ScipIndex},
};
