//! Converts rows to nodes, edges, packages and uses.

use super::kind_codes;
use crate::{
    graph_database::{
        NodeKey, SnapshotKey, StoredEdge, StoredExternalUse, StoredNode, StoredPackage,
    },
    packages::PackageMention,
    repository_snapshot::RepositoryId,
};
use tokio_postgres::{Row, types::FromSql};

/// Returns an unsigned number, which is stored as a signed one.
pub(super) fn whole<'r, T>(row: &'r Row, column: &str) -> Result<T, tokio_postgres::Error>
where
    T: TryFrom<i64> + Default,
    i64: FromSql<'r>,
{
    row.try_get::<_, i64>(column).map(|number| T::try_from(number).unwrap_or_default())
}

pub(super) fn stored_node(row: &Row) -> Result<StoredNode, tokio_postgres::Error> {
    let number = |column: &str| {
        row.try_get::<_, i32>(column).map(|it| u32::try_from(it).unwrap_or_default())
    };
    let snapshot = SnapshotKey {
        repository: RepositoryId(row.try_get("repository")?),
        number: row.try_get("snapshot")?,
    };
    Ok(StoredNode {
        key: NodeKey { snapshot, node: number("node")? },
        repository: row.try_get("repository_name")?,
        kind: kind_codes::kind_at(row, "kind")?,
        name: row.try_get("name")?,
        qname: row.try_get("qname")?,
        path: row.try_get("path")?,
        start: number("start_line")?,
        end: number("end_line")?,
        name_line: number("name_line")?,
        signature: row.try_get("signature")?,
        is_declaration: row.try_get("is_declaration")?,
        is_member: row.try_get("is_member")?,
        is_private: row.try_get("is_private")?,
    })
}

pub(super) fn stored_edge(
    snapshot: SnapshotKey,
    row: &Row,
) -> Result<StoredEdge, tokio_postgres::Error> {
    let number = |column: usize| {
        row.try_get::<_, i32>(column).map(|it| u32::try_from(it).unwrap_or_default())
    };
    Ok(StoredEdge {
        from: NodeKey { snapshot, node: number(0)? },
        from_kind: kind_codes::kind_at(row, 1)?,
        to: NodeKey { snapshot, node: number(2)? },
        to_kind: kind_codes::kind_at(row, 3)?,
        kind: kind_codes::kind_at(row, 4)?,
        line: number(5)?,
        resolution: kind_codes::kind_at(row, 6)?,
    })
}

pub(super) fn stored_package(row: &Row) -> Result<StoredPackage, tokio_postgres::Error> {
    Ok(StoredPackage {
        snapshot: SnapshotKey {
            repository: RepositoryId(row.try_get("repository")?),
            number: row.try_get("snapshot")?,
        },
        mention: PackageMention {
            ecosystem: kind_codes::kind_at(row, "ecosystem")?,
            name: row.try_get("name")?,
            folder: row.try_get("folder")?,
            requires: row.try_get("requires")?,
            alias: row.try_get("alias")?,
        },
    })
}

pub(super) fn stored_use(
    snapshot: SnapshotKey,
    row: &Row,
) -> Result<StoredExternalUse, tokio_postgres::Error> {
    let number = |column: &str| {
        row.try_get::<_, i32>(column).map(|it| u32::try_from(it).unwrap_or_default())
    };
    Ok(StoredExternalUse {
        from: NodeKey { snapshot, node: number("from_node")? },
        from_kind: kind_codes::kind_at(row, "from_kind")?,
        kind: kind_codes::kind_at(row, "kind")?,
        line: number("line")?,
        ecosystem: kind_codes::kind_at(row, "ecosystem")?,
        module: row.try_get("module")?,
        names: row.try_get("names")?,
        is_of_value: row.try_get("is_of_value")?,
        arguments: row.try_get("arguments")?,
    })
}
