//! The statements that read the tables.

use std::borrow::Cow;

use super::postgres_tables::SCHEMA;
use crate::graph_database::{EdgeDirection, MAX_ROWS, RepositoryScope};

/// The nodes that [`select_nodes`] reads.
pub(super) struct NodeRowFilter {
    /// Condition on columns of `nodes`.
    own: Cow<'static, str>,
    /// Condition that also uses the repository `r` and the file `f` of a node `n`, with the order.
    joined: &'static str,
}

/// The nodes of some names in the newest publications.
pub(super) fn named(scope: &RepositoryScope) -> NodeRowFilter {
    let repositories = within(scope, "repository", 5);
    NodeRowFilter {
        own: format!("folded = ANY($1) AND ($2::int2 IS NULL OR kind = $2){repositories}").into(),
        joined: NEWEST_AT_PLACE,
    }
}

/// Nodes by number. It is the only filter that may read an older publication.
pub(super) const NUMBERED: NodeRowFilter = NodeRowFilter {
    own: Cow::Borrowed("repository = $1 AND snapshot = $2 AND node = ANY($3)"),
    joined: "true",
};

/// Returns a condition on a repository column; the repositories of the scope are bound to `parameter`.
fn within(scope: &RepositoryScope, column: &str, parameter: u32) -> String {
    match scope {
        RepositoryScope::All => String::new(),
        RepositoryScope::Only(_) => format!(" AND {column} = ANY(${parameter})"),
        RepositoryScope::Except(_) => format!(" AND {column} <> ALL(${parameter})"),
    }
}

const NEWEST_AT_PLACE: &str =
    "r.snapshot = n.snapshot AND position($3 IN r.name || ':' || f.path) > 0
    ORDER BY n.repository, n.node LIMIT $4";

/// Reads nodes of the newest publications, or of a given one.
///
/// The nodes are read before they are joined: without statistics, as after a first publication, a server walks all nodes in the
/// order of the result to save a sort (20 s for 500,000 nodes).
pub(super) fn select_nodes(NodeRowFilter { own, joined }: &NodeRowFilter) -> String {
    format!(
        "WITH n AS MATERIALIZED (SELECT * FROM {SCHEMA}.nodes WHERE {own})
         SELECT n.repository, n.snapshot, n.node, r.name AS repository_name, n.kind, n.name, n.qname, f.path,
           n.start_line, n.end_line, n.name_line, n.signature, n.is_declaration, n.is_member, n.is_private
         FROM n
         JOIN {SCHEMA}.repositories r ON r.repository = n.repository
         JOIN {SCHEMA}.files f ON f.repository = n.repository AND f.snapshot = n.snapshot AND f.file = n.file
         WHERE {joined}"
    )
}

/// Reads the edges at nodes of one publication.
pub(super) fn select_edges(direction: EdgeDirection) -> String {
    let end = match direction {
        EdgeDirection::Outgoing => "from_node",
        EdgeDirection::Incoming => "to_node",
    };
    format!(
        "SELECT from_node, from_kind, to_node, to_kind, kind, line, resolution FROM {SCHEMA}.edges
         WHERE repository = $1 AND snapshot = $2 AND {end} = ANY($3) AND kind = ANY($4)
         LIMIT {limit}",
        limit = MAX_ROWS + 1
    )
}

/// Reads names by the words in them, best first, and the number of nodes with any such name. Only the pattern of one
/// word, the fourth parameter, can use an index.
pub(super) fn select_names(scope: &RepositoryScope) -> String {
    let scope = within(scope, "n.repository", 5);
    format!(
        "SELECT n.folded, (sum(sum(n.total)) OVER ())::int8 AS total
         FROM {SCHEMA}.names n
         JOIN {SCHEMA}.repositories r ON r.repository = n.repository AND r.snapshot = n.snapshot
         WHERE n.folded LIKE $4 AND n.folded LIKE ALL($1){scope}
         GROUP BY n.folded ORDER BY n.folded <> ALL($2), length(n.folded), n.folded LIMIT $3"
    )
}

/// Reads the packages of publications.
pub(super) fn select_packages_of() -> String {
    format!(
        "SELECT p.repository, p.snapshot, ecosystem, name, folder, requires, alias FROM {SCHEMA}.packages p
         JOIN unnest($1::int8[], $2::int4[]) AS wanted (repository, snapshot)
           ON p.repository = wanted.repository AND p.snapshot = wanted.snapshot"
    )
}

/// Reads the repositories that publish or require packages of some names.
pub(super) fn select_packages_named(scope: &RepositoryScope) -> String {
    let scope = within(scope, "p.repository", 2);
    format!(
        "SELECT p.repository, p.snapshot, ecosystem, p.name, folder, requires, alias
         FROM {SCHEMA}.packages p
         JOIN {SCHEMA}.repositories r ON r.repository = p.repository AND r.snapshot = p.snapshot
         WHERE p.name = ANY($1){scope}"
    )
}

/// Reads uses of imports in one publication, by a column.
pub(super) fn select_uses(column: &str) -> String {
    format!(
        "SELECT from_node, from_kind, kind, line, ecosystem, module, names, is_of_value, arguments
         FROM {SCHEMA}.uses WHERE repository = $1 AND snapshot = $2 AND {column} = ANY($3)"
    )
}

pub(super) fn select_repositories() -> String {
    format!(
        "SELECT name, commit, nodes, edges, published FROM {SCHEMA}.repositories WHERE snapshot IS NOT NULL ORDER BY name"
    )
}
