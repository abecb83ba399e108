//! The AQL statements. Values are bound, never inserted into the text.

use super::arango_collections::{GRAPH, NAMES, PACKAGES, REPOSITORIES, USES, VERTICES};
use crate::graph_database::EdgeDirection;

/// Nodes of all kinds that match a condition on `d`: one look-up per collection, since an edge does not tell the
/// collections of its ends.
fn vertices(condition: &str, result: &str) -> String {
    let of =
        |collection: &str| format!("(FOR d IN {collection} FILTER {condition} RETURN {result})");
    format!("UNION({})", VERTICES.map(of).join(", "))
}

/// The nodes of `@keys`.
pub(super) fn nodes() -> String {
    let vertices = vertices("d._key IN @keys", "d");
    format!(
        "FOR v IN {vertices}
           FOR r IN {REPOSITORIES} FILTER r._key == v.repository
             RETURN {{ node: v, repository: r.name }}"
    )
}

/// Whether the scope includes the repository `r`: it is in `@only`, unless that is null, and not in `@except`.
const IS_ASKED: &str = "(@only == null OR r._key IN @only) AND r._key NOT IN @except";

/// The nodes with one of the names `@folded`; of the kind `@kind`, unless that is null, and with `@place` in
/// `repository:path`.
pub(super) fn named() -> String {
    let vertices = vertices("d.folded IN @folded AND (@kind == null OR d.kind == @kind)", "d");
    format!(
        "FOR v IN {vertices}
           FOR r IN {REPOSITORIES}
             FILTER r._key == v.repository AND r.snapshot == v.snapshot AND {IS_ASKED}
               AND CONTAINS(CONCAT(r.name, ':', v.path), @place)
             SORT v.repository, v.number
             LIMIT @limit
             RETURN {{ node: v, repository: r.name }}"
    )
}

/// The edges of the kinds `@kinds` at the nodes of `@keys`.
pub(super) fn edges(direction: EdgeDirection) -> String {
    let direction = match direction {
        EdgeDirection::Outgoing => "OUTBOUND",
        EdgeDirection::Incoming => "INBOUND",
    };
    let starts = vertices("d._key IN @keys", "d._id");
    format!(
        "FOR start IN {starts}
           FOR v, e IN 1..1 {direction} start GRAPH '{GRAPH}' OPTIONS {{ edgeCollections: @kinds }}
             RETURN {{
               repository: e.repository, snapshot: e.snapshot, kind: e.kind, line: e.line, resolution: e.resolution,
               from_node: e.from_node, from_kind: e.from_kind, to_node: e.to_node, to_kind: e.to_kind
             }}"
    )
}

/// The names that contain each of `@words`, best first, and how many nodes have any such name. The words are also bound
/// as `@word0`, `@word1` and so on.
pub(super) fn names(words: usize) -> String {
    let holds: String =
        (0..words).map(|word| format!(" AND CONTAINS(n.folded, @word{word})")).collect();
    format!(
        "LET found = (
           FOR r IN {REPOSITORIES} FILTER r.snapshot != null AND {IS_ASKED}
             FOR n IN {NAMES} FILTER n.repository == r._key AND n.snapshot == r.snapshot{holds}
               COLLECT folded = n.folded AGGREGATE total = SUM(n.total)
               SORT folded IN @words DESC, CHAR_LENGTH(folded), folded
               RETURN {{ folded: folded, total: total }})
         RETURN {{ folded: SLICE(found[*].folded, 0, @limit), total: SUM(found[*].total) }}"
    )
}

/// The packages of the publications `@snapshots`.
pub(super) fn packages_of() -> String {
    format!(
        "FOR s IN @snapshots
           FOR p IN {PACKAGES} FILTER p.repository == s.repository AND p.snapshot == s.snapshot
             RETURN p"
    )
}

/// The packages with the names `@names` in the newest publications.
pub(super) fn packages_named() -> String {
    format!(
        "FOR p IN {PACKAGES} FILTER p.name IN @names
           FOR r IN {REPOSITORIES} FILTER r._key == p.repository AND r.snapshot == p.snapshot AND {IS_ASKED}
             RETURN p"
    )
}

/// The uses, in the publications `@snapshots`, of the names `@names`.
pub(super) fn uses_of() -> String {
    format!(
        "FOR s IN @snapshots
           FOR u IN {USES} FILTER u.repository == s.repository AND u.snapshot == s.snapshot AND u.name IN @names
             RETURN u"
    )
}

/// The uses in the nodes of `@parts`.
pub(super) fn uses_at() -> String {
    format!(
        "FOR s IN @parts
           FOR u IN {USES} FILTER u.repository == s.repository AND u.snapshot == s.snapshot AND u.from_node IN s.nodes
             RETURN u"
    )
}

pub(super) fn repositories() -> String {
    format!(
        "FOR r IN {REPOSITORIES} FILTER r.snapshot != null
           SORT r.name
           RETURN {{ name: r.name, commit: r.commit, nodes: r.nodes, edges: r.edges, touched: r.touched }}"
    )
}

/// Assigns a number to a publication. Numbers are never reused: the document of a repository stays when the repository
/// is pruned.
pub(super) fn begin() -> String {
    format!(
        "UPSERT {{ _key: @repository }}
         INSERT {{
           _key: @repository, name: @name, last: 1, snapshot: null, previous: null, pruned: 0, removed: 0,
           touched: DATE_NOW(), commit: '', nodes: 0, edges: 0
         }}
         UPDATE {{ _rev: OLD._rev, last: OLD.last + 1, touched: DATE_NOW() }} IN {REPOSITORIES}
         OPTIONS {{ ignoreRevs: false }}
         RETURN NEW.last"
    )
}

/// Makes a publication visible to questions, unless a newer one is visible, or this one was pruned before it was complete.
/// Returns the previous one.
pub(super) fn switch() -> String {
    format!(
        "FOR r IN {REPOSITORIES} FILTER r._key == @repository AND r.last >= @number AND r.pruned < @number
             AND (r.snapshot == null OR r.snapshot < @number)
           UPDATE r WITH {{
             previous: r.snapshot, snapshot: @number, touched: DATE_NOW(),
             commit: @commit, nodes: @nodes, edges: @edges
           }} IN {REPOSITORIES}
           OPTIONS {{ ignoreRevs: false }}
           RETURN NEW.previous"
    )
}

/// The publication that questions see, if it is not older than `@number`.
pub(super) fn newer() -> String {
    format!(
        "FOR r IN {REPOSITORIES} FILTER r._key == @repository AND r.last >= @number AND r.snapshot >= @number
           RETURN r.snapshot"
    )
}

/// Removes the documents of a publication from `@@collection`.
pub(super) fn remove_one() -> String {
    "FOR d IN @@collection FILTER d.repository == @repository AND d.snapshot == @number REMOVE d IN @@collection"
        .to_owned()
}

/// Removes the documents of publications before `@before` from `@@collection`.
pub(super) fn remove_before() -> String {
    "FOR d IN @@collection FILTER d.repository == @repository AND d.snapshot < @before REMOVE d IN @@collection"
        .to_owned()
}

/// Hides repositories that were not published for `@keep` milliseconds, and whose documents still exist. Running
/// publications of them will not become visible.
pub(super) fn hide() -> String {
    format!(
        "FOR r IN {REPOSITORIES} FILTER r.touched <= DATE_NOW() - @keep AND r.removed < r.last
           UPDATE r WITH {{ snapshot: null, pruned: r.last }} IN {REPOSITORIES}
           OPTIONS {{ ignoreRevs: false }}
           RETURN {{ repository: NEW._key, last: NEW.last }}"
    )
}

/// Records that the documents of a hidden repository up to `@last` are removed.
pub(super) fn note_removed() -> String {
    format!(
        "FOR r IN {REPOSITORIES} FILTER r._key == @repository AND r.removed < @last
           UPDATE r WITH {{ removed: @last }} IN {REPOSITORIES}
           OPTIONS {{ ignoreRevs: false }}"
    )
}
