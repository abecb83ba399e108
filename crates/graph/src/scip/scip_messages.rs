//! The messages of a SCIP index as far as they are used; protobuf skips the other fields. What they mean is
//! [`crate::scip::read_scip_document`]'s.

use prost::Message;

/// The role of an occurrence that defines its symbol.
pub(super) const DEFINITION: i32 = 1;
/// The role of an occurrence that declares its symbol ahead of its definition.
pub(super) const FORWARD_DEFINITION: i32 = 64;

#[derive(Clone, PartialEq, Message)]
pub(super) struct ScipIndexMessage {
    #[prost(message, optional, tag = "1")]
    pub(super) metadata: Option<ScipMetadataMessage>,
    #[prost(message, repeated, tag = "2")]
    pub(super) documents: Vec<ScipDocumentMessage>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ScipMetadataMessage {
    #[prost(message, optional, tag = "2")]
    pub(super) tool: Option<ScipToolMessage>,
    #[prost(string, tag = "3")]
    pub(super) project_root: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ScipToolMessage {
    #[prost(string, tag = "1")]
    pub(super) name: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ScipDocumentMessage {
    #[prost(string, tag = "1")]
    pub(super) relative_path: String,
    #[prost(message, repeated, tag = "2")]
    pub(super) occurrences: Vec<ScipOccurrenceMessage>,
    #[prost(message, repeated, tag = "3")]
    pub(super) symbols: Vec<ScipSymbolInformation>,
    #[prost(string, tag = "5")]
    pub(super) text: String,
    /// The unit of columns: 1 bytes, 2 UTF-16 units, 3 characters; 0 when the index does not say.
    #[prost(int32, tag = "6")]
    pub(super) position_encoding: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ScipOccurrenceMessage {
    /// Line, first and last column; or first line and column, last line and column. All from 0, the end exclusive.
    #[prost(int32, repeated, tag = "1")]
    pub(super) range: Vec<i32>,
    #[prost(string, tag = "2")]
    pub(super) symbol: String,
    #[prost(int32, tag = "3")]
    pub(super) roles: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ScipSymbolInformation {
    #[prost(string, tag = "1")]
    pub(super) symbol: String,
    #[prost(message, repeated, tag = "4")]
    pub(super) relationships: Vec<ScipRelationship>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ScipRelationship {
    #[prost(string, tag = "1")]
    pub(super) symbol: String,
    #[prost(bool, tag = "3")]
    pub(super) is_implementation: bool,
}
