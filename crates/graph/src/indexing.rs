//! From text to a resolved graph: [`extract`] reads the facts of one file, [`resolve`] joins the facts of given files, and
//! [`GraphIndex`] does both for a workspace whenever its files have changed.

pub use crate::{
    call_graph_audit::{CallGraphAudit, UnresolvedCallGroup},
    facts::{FactsError, FileFacts, FileOmission},
    graph_model::RegisteredLanguage,
    incremental::{
        in_memory_graph::{SourceFile, package_exports, resolve, uses_of_imported_names},
        index_status::IndexStatus,
        portable_graph::PortableGraph,
        published_index_parts::ImportedNamesOfFile,
        remote_graph_source::RemoteGraphSource,
        store_refresh::RefreshSummary,
        unfinished_build::UnfinishedBuild,
        working_tree_scan::FileReadProgress,
        workspace_graph_index::{GraphIndex, IndexError},
    },
    languages::{
        Language, LanguageDefinition, LanguageRegistrationError, extract, extract_within,
        is_manifest, parse_alone,
    },
    resolve::{ImportedNameUse, PackageExport, RenamedName},
    scip::{ScipError, ScipImport, ScipIndex},
};

/// Returns the version of the code that makes graphs and facts. Those of another version are of no use.
pub fn version() -> String {
    crate::store::version().to_string()
}
