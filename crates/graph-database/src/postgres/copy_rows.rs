//! Publishes a graph: rows are written with COPY, and one transaction makes them visible to questions.

use std::{borrow::Cow, collections::BTreeMap, pin::pin, time::Duration};

use deadpool_postgres::{Object, Transaction};
use tokio_postgres::{
    Error,
    binary_copy::BinaryCopyInWriter,
    types::{ToSql, Type},
};

use super::{
    kind_codes,
    postgres_tables::{SCHEMA, tables},
};
use crate::{
    graph_database::SnapshotKey,
    repository_snapshot::{RepositorySnapshot, is_member, without_nul},
};

/// Stores a snapshot and removes publications that no reader can need.
pub(super) async fn publish(
    client: &mut Object,
    snapshot: &RepositorySnapshot,
) -> Result<SnapshotKey, Error> {
    let repository = snapshot.id();
    let transaction = begin(client).await?;
    // The lock on the row serialises publications of one repository.
    let sql = format!(
        "INSERT INTO {SCHEMA}.repositories AS r VALUES ($1, $2, 1, NULL, '', now(), 0, 0)
         ON CONFLICT (repository) DO UPDATE SET last_snapshot = r.last_snapshot + 1
         RETURNING last_snapshot, snapshot"
    );
    let row = transaction.query_one(&sql, &[&repository.0, &snapshot.repository]).await?;
    let key = SnapshotKey { repository, number: row.try_get("last_snapshot")? };
    // Running questions may still read the current publication.
    if let Some(current) = row.try_get::<_, Option<i32>>("snapshot")? {
        for table in tables() {
            let sql =
                format!("DELETE FROM {SCHEMA}.{table} WHERE repository = $1 AND snapshot <> $2");
            transaction.execute(&sql, &[&repository.0, &current]).await?;
        }
    }
    Rows { transaction: &transaction, key }.copy_all(snapshot).await?;
    let sql = format!(
        "UPDATE {SCHEMA}.repositories SET snapshot = $2, commit = $3, published = now(), nodes = $4, edges = $5
         WHERE repository = $1"
    );
    let (nodes, edges) = (count(snapshot.nodes.len()), count(snapshot.edges.len()));
    let values: [&(dyn ToSql + Sync); 5] =
        [&repository.0, &key.number, &snapshot.commit, &nodes, &edges];
    transaction.execute(&sql, &values).await?;
    transaction.commit().await?;
    Ok(key)
}

/// Begins a transaction without a time limit.
async fn begin(client: &mut Object) -> Result<Transaction<'_>, Error> {
    let transaction = client.transaction().await?;
    transaction.batch_execute("SET LOCAL statement_timeout = 0").await?;
    Ok(transaction)
}

/// Removes repositories that were not published for `keep`. Their rows stay, since a number is never given twice: a question that
/// runs meanwhile must not find another publication under the number that it knows.
pub(super) async fn prune(client: &mut Object, keep: Duration) -> Result<u64, Error> {
    let transaction = begin(client).await?;
    let sql = format!(
        "UPDATE {SCHEMA}.repositories SET snapshot = NULL, commit = '', nodes = 0, edges = 0
         WHERE snapshot IS NOT NULL AND published < now() - $1 * interval '1 second' RETURNING repository"
    );
    let old = transaction.query(&sql, &[&keep.as_secs_f64()]).await?;
    let old: Vec<i64> = old.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
    for table in tables() {
        let sql = format!("DELETE FROM {SCHEMA}.{table} WHERE repository = ANY($1)");
        transaction.execute(&sql, &[&old]).await?;
    }
    transaction.commit().await?;
    Ok(old.len() as u64)
}

/// Writes the rows of one publication.
struct Rows<'t> {
    transaction: &'t Transaction<'t>,
    key: SnapshotKey,
}

impl Rows<'_> {
    async fn copy_all(&self, snapshot: &RepositorySnapshot) -> Result<(), Error> {
        self.copy_files(snapshot).await?;
        self.copy_nodes(snapshot).await?;
        self.copy_names(snapshot).await?;
        self.copy_edges(snapshot).await?;
        self.copy_packages(snapshot).await?;
        self.copy_uses(snapshot).await
    }

    async fn copy_files(&self, snapshot: &RepositorySnapshot) -> Result<(), Error> {
        let rows = self.writer("files", "file, path", &[Type::INT4, Type::TEXT]).await?;
        let mut rows = pin!(rows);
        for (file, path) in (0_i32..).zip(&snapshot.files) {
            rows.as_mut().write(&self.row(&[&file, &without_nul(path)])).await?;
        }
        rows.finish().await.map(drop)
    }

    async fn copy_nodes(&self, snapshot: &RepositorySnapshot) -> Result<(), Error> {
        let columns = "node, file, kind, name, folded, qname, start_line, end_line, name_line, signature, is_declaration, is_member, is_private";
        let types = [
            Type::INT4,
            Type::INT4,
            Type::INT2,
            Type::TEXT,
            Type::TEXT,
            Type::TEXT,
            Type::INT4,
            Type::INT4,
            Type::INT4,
            Type::TEXT,
            Type::BOOL,
            Type::BOOL,
            Type::BOOL,
        ];
        let rows = self.writer("nodes", columns, &types).await?;
        let mut rows = pin!(rows);
        let nodes = snapshot.nodes.iter().zip(&snapshot.file_of);
        for (number, (node, file)) in (0_i32..).zip(nodes) {
            let (start, end, name_line) = (int(node.start), int(node.end), int(node.name_line));
            let row: [&(dyn ToSql + Sync); 13] = [
                &number,
                &int(*file),
                &kind_codes::of(node.kind),
                &without_nul(&node.name),
                &without_nul(&node.name).to_lowercase(),
                &without_nul(&node.qname),
                &start,
                &end,
                &name_line,
                &without_nul(&node.signature),
                &node.is_declaration,
                &is_member(node),
                &node.is_private,
            ];
            rows.as_mut().write(&self.row(&row)).await?;
        }
        rows.finish().await.map(drop)
    }

    async fn copy_names(&self, snapshot: &RepositorySnapshot) -> Result<(), Error> {
        let mut names: BTreeMap<String, i32> = BTreeMap::new();
        for node in &snapshot.nodes {
            *names.entry(without_nul(&node.name).to_lowercase()).or_default() += 1;
        }
        let rows = self.writer("names", "folded, total", &[Type::TEXT, Type::INT4]).await?;
        let mut rows = pin!(rows);
        for (folded, total) in &names {
            rows.as_mut().write(&self.row(&[folded, total])).await?;
        }
        rows.finish().await.map(drop)
    }

    async fn copy_edges(&self, snapshot: &RepositorySnapshot) -> Result<(), Error> {
        let columns = "from_node, from_kind, to_node, to_kind, kind, line, resolution";
        let types =
            [Type::INT4, Type::INT2, Type::INT4, Type::INT2, Type::INT2, Type::INT4, Type::INT2];
        let kinds: Vec<i16> = snapshot.nodes.iter().map(|node| kind_codes::of(node.kind)).collect();
        let rows = self.writer("edges", columns, &types).await?;
        let mut rows = pin!(rows);
        for edge in &snapshot.edges {
            let kind_at = |node: u32| kinds.get(node as usize).copied().unwrap_or_default();
            let row: [&(dyn ToSql + Sync); 7] = [
                &int(edge.from.0),
                &kind_at(edge.from.0),
                &int(edge.to.0),
                &kind_at(edge.to.0),
                &kind_codes::of(edge.kind),
                &int(edge.line),
                &kind_codes::of(edge.resolution),
            ];
            rows.as_mut().write(&self.row(&row)).await?;
        }
        rows.finish().await.map(drop)
    }

    async fn copy_packages(&self, snapshot: &RepositorySnapshot) -> Result<(), Error> {
        let types = [Type::INT2, Type::TEXT, Type::TEXT, Type::TEXT, Type::TEXT];
        let columns = "ecosystem, name, folder, requires, alias";
        let rows = self.writer("packages", columns, &types).await?;
        let mut rows = pin!(rows);
        for it in &snapshot.packages {
            let row: [&(dyn ToSql + Sync); 5] = [
                &kind_codes::of(it.ecosystem),
                &it.name,
                &without_nul(&it.folder),
                &it.requires,
                &it.alias,
            ];
            rows.as_mut().write(&self.row(&row)).await?;
        }
        rows.finish().await.map(drop)
    }

    async fn copy_uses(&self, snapshot: &RepositorySnapshot) -> Result<(), Error> {
        let columns = "from_node, from_kind, kind, line, ecosystem, module, names, name, is_of_value, arguments";
        let types = [
            Type::INT4,
            Type::INT2,
            Type::INT2,
            Type::INT4,
            Type::INT2,
            Type::TEXT_ARRAY,
            Type::TEXT_ARRAY,
            Type::TEXT,
            Type::BOOL,
            Type::TEXT_ARRAY,
        ];
        let rows = self.writer("uses", columns, &types).await?;
        let mut rows = pin!(rows);
        for (ecosystem, site) in &snapshot.uses {
            let from_kind =
                snapshot.nodes.get(site.from as usize).map(|node| kind_codes::of(node.kind));
            let row: [&(dyn ToSql + Sync); 10] = [
                &int(site.from),
                &from_kind.unwrap_or_default(),
                &kind_codes::of(site.kind),
                &int(site.line),
                &kind_codes::of(*ecosystem),
                &texts(&site.module),
                &texts(&site.names),
                &without_nul(site.names.last().map(String::as_str).unwrap_or_default()),
                &site.is_of_value,
                &site.arguments.as_deref().map(texts),
            ];
            rows.as_mut().write(&self.row(&row)).await?;
        }
        rows.finish().await.map(drop)
    }

    /// Begins to copy into a table whose first two columns are the key of the publication.
    async fn writer(
        &self,
        table: &str,
        columns: &str,
        types: &[Type],
    ) -> Result<BinaryCopyInWriter, Error> {
        let sql = format!(
            "COPY {SCHEMA}.{table} (repository, snapshot, {columns}) FROM STDIN (FORMAT binary)"
        );
        let sink = self.transaction.copy_in(&sql).await?;
        let types: Vec<Type> = [Type::INT8, Type::INT4].iter().chain(types).cloned().collect();
        Ok(BinaryCopyInWriter::new(sink, &types))
    }

    fn row<'r>(&'r self, columns: &[&'r (dyn ToSql + Sync)]) -> Vec<&'r (dyn ToSql + Sync)> {
        let mut row: Vec<&(dyn ToSql + Sync)> = vec![&self.key.repository.0, &self.key.number];
        row.extend(columns);
        row
    }
}

fn int(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn texts(texts: &[String]) -> Vec<Cow<'_, str>> {
    texts.iter().map(|text| without_nul(text)).collect()
}
