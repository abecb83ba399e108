//! ArangoDB, through its HTTP API: nodes and edges are documents of a named graph, and relations are followed by
//! traversals. It has been tested against a stand-in that checks requests and statements against the documentation,
//! never against a server.

mod aql_queries;
mod arango_client;
mod arango_collections;
mod arango_database;
mod arango_documents;
mod arango_server_address;
mod publish_documents;
pub use self::arango_database::ArangoDatabase;
