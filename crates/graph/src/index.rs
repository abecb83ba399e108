//! From text to a resolved graph: [`extract`] reads one file's facts, [`resolve`] joins the facts of all files, and
//! [`Index`] does so for a workspace whenever its files have changed. Where it is kept is [`crate::store`]'s.

use std::collections::BTreeMap;

pub use crate::{
    facts::{FactsError, FileFacts},
    incremental::refresh::{Index, Progress, Status, Summary},
    languages::{Language, is_manifest},
    lowering::{extract, parse_alone},
    resolve::SourceFile,
    scip::{Imported, ScipError, ScipIndex},
};
use crate::{graph::Graph, languages::RULES, resolve::resolve_with_overlays};

/// Resolves all references among `files`. `manifests` are the texts of the files that [`is_manifest`] names, by path.
pub fn resolve(files: &[SourceFile], manifests: &[(String, String)]) -> Graph {
    resolve_with_overlays(files, manifests, &BTreeMap::new(), RULES)
}
