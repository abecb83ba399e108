//! From text to a resolved graph: [`extract`] reads the facts of one file, [`resolve`] joins the facts of given files, and
//! [`Index`] does both for a workspace whenever its files have changed.

pub use crate::{
    audit::{CallAudit, HoleClass},
    facts::{FactsError, FileFacts, Omission},
    graph::RegisteredLanguage,
    incremental::{
        given_files::{SourceFile, resolve},
        portable_graph::PortableGraph,
        refresh::{Index, IndexError, Progress, Status, Summary},
        upstream::Upstream,
    },
    languages::{
        Language, LanguageDefinition, RegistrationError, extract, extract_within, is_manifest,
        parse_alone,
    },
    resolve::ImportedUse,
    scip::{Imported, ScipError, ScipIndex},
};

/// Returns the version of the code that makes graphs and facts. Those of another version are of no use.
pub fn version() -> String {
    crate::store::version().to_string()
}
