//! The tables of a store.

/// A table of records by [`FileKey`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoreTable {
    /// The text of a manifest.
    Manifests,
    /// The part of a file's facts that the tables over all files are built from.
    Summaries,
    /// The nodes of a file.
    Nodes,
    /// The edges that start in a file.
    OutgoingEdges,
    /// The edges that end in a file.
    IncomingEdges,
    /// What resolving a file read and contributed.
    Resolutions,
    /// What a SCIP index says of a file.
    Overlays,
    /// Names of nodes, by bucket.
    Names,
}

impl StoreTable {
    /// The tables that make up a graph without imported edges.
    pub(crate) const OF_GRAPH: [Self; 7] = [
        Self::Manifests,
        Self::Summaries,
        Self::Nodes,
        Self::OutgoingEdges,
        Self::IncomingEdges,
        Self::Resolutions,
        Self::Names,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Manifests => "manifests",
            Self::Summaries => "summaries",
            Self::Nodes => "nodes",
            Self::OutgoingEdges => "outgoing_edges",
            Self::IncomingEdges => "incoming_edges",
            Self::Resolutions => "resolutions",
            Self::Overlays => "overlays",
            Self::Names => "names",
        }
    }
}
