//! From text to a resolved graph: [`extract`] reads the facts of one file, [`resolve`] joins the facts of given files, and
//! [`GraphIndex`] does both for a workspace whenever its files have changed.

pub use crate::{
    call_graph_audit::{CallGraphAudit, UnresolvedCallGroup},
    facts::{FactsError, FileFacts, Omission},
    graph::RegisteredLanguage,
    incremental::{
        graph_index::{GraphIndex, IndexError},
        in_memory_graph::{SourceFile, package_exports, resolve},
        index_status::IndexStatus,
        portable_graph::PortableGraph,
        refresh::RefreshSummary,
        remote_graph_source::RemoteGraphSource,
        unfinished_build::UnfinishedBuild,
        working_tree_scan::FileReadProgress,
    },
    languages::{
        Language, LanguageDefinition, LanguageRegistrationError, extract, extract_within,
        is_manifest, parse_alone,
    },
    resolve::{ImportedNameUse, PackageExport},
    scip::{ScipError, ScipImport, ScipIndex},
};

/// Returns the version of the code that makes graphs and facts. Those of another version are of no use.
pub fn version() -> String {
    crate::store::version().to_string()
}
