//! The store of one root: SQLite databases with one record a file and table, and the [`Graph`] that is read from them. Most
//! records are in the *base*, which working trees of one repository share.
//!
//! Several processes share a store on disk. Readers see one consistent state, one process writes at a time, and a killed
//! writer leaves the state before. A store in memory belongs to one process and has the same content.
//!
//! The store is a cache. Every record starts with a hash of itself, and the database holds the version of the code that
//! wrote it: a damaged or older store is an error, and the caller creates a new one. What the records mean is known by
//! [`crate::incremental`], except for nodes and edges, which [`Graph`] reads.

pub(crate) mod checksummed_record;
mod compressed_record;
mod content_addressed_facts;
mod edge_record;
mod graph_reader;
mod graph_state;
mod graph_store;
mod layered_store;
mod name_record;
mod node_encoding;
mod node_record;
mod shared_base_store;
mod store_error;
mod store_schema;
mod store_table;

pub use self::graph_reader::Graph;
pub(crate) use self::{
    checksummed_record::FileKey,
    content_addressed_facts::{ContentAddressedFacts, FactsContentId},
    edge_record::{FileEdgeRecords, IncomingEdges, OutgoingEdge, OutgoingEdges, PackedEdges},
    graph_state::{GraphFiles, GraphSource, GraphState},
    graph_store::{GraphStore, size_on_disk},
    name_record::NameTableBucket,
    node_encoding::{FileNodes, PackedBytes},
    node_record::NodeRecord,
    store_error::StoreError,
    store_schema::{UNFINISHED, version},
    store_table::StoreTable,
};
