//! The tables, their indexes and the statements that create them.

use deadpool_postgres::Object;

/// The schema of the tables; its number changes with them, so that old and new programs can share a database.
pub(super) const SCHEMA: &str = "retriever_graph_2";

/// Partitions of each table of graphs.
const PARTITIONS: u32 = 16;

/// Key of the lock that serialises the creation of tables; an arbitrary number.
const CREATION_LOCK: i64 = 0x7265_7472_6965_7665;

/// The tables of graphs, and their columns.
const TABLES: [(&str, &str); 6] = [
    ("files", "file int4 NOT NULL, path text NOT NULL"),
    (
        "nodes",
        "node int4 NOT NULL, file int4 NOT NULL, kind int2 NOT NULL, name text NOT NULL, folded text NOT NULL,
         qname text NOT NULL, start_line int4 NOT NULL, end_line int4 NOT NULL, name_line int4 NOT NULL,
         signature text NOT NULL, is_declaration bool NOT NULL, is_member bool NOT NULL, is_private bool NOT NULL",
    ),
    ("names", "folded text NOT NULL, total int4 NOT NULL"),
    (
        "edges",
        "from_node int4 NOT NULL, from_kind int2 NOT NULL, to_node int4 NOT NULL, to_kind int2 NOT NULL,
         kind int2 NOT NULL, line int4 NOT NULL, resolution int2 NOT NULL",
    ),
    (
        "packages",
        "ecosystem int2 NOT NULL, name text NOT NULL, folder text NOT NULL, requires text, alias text",
    ),
    (
        "uses",
        "from_node int4 NOT NULL, from_kind int2 NOT NULL, kind int2 NOT NULL, line int4 NOT NULL,
         ecosystem int2 NOT NULL, module text[] NOT NULL, names text[] NOT NULL, name text NOT NULL,
         is_of_value bool NOT NULL, arguments text[]",
    ),
];

const INDEXES: [(&str, &str); 10] = [
    ("files", "repository, snapshot, file"),
    ("nodes", "repository, snapshot, node"),
    ("nodes", "folded"),
    ("names", "repository, snapshot"),
    ("edges", "repository, snapshot, from_node"),
    ("edges", "repository, snapshot, to_node"),
    ("packages", "repository, snapshot"),
    ("packages", "name"),
    ("uses", "repository, snapshot, from_node"),
    ("uses", "repository, snapshot, name"),
];

/// Returns the names of the tables of graphs.
pub(super) fn tables() -> impl Iterator<Item = &'static str> {
    TABLES.iter().map(|(name, _)| *name)
}

/// Creates missing tables and indexes.
pub(super) async fn create(client: &mut Object) -> Result<(), tokio_postgres::Error> {
    let sql = format!(
        "SELECT to_regclass('{SCHEMA}.edges') IS NOT NULL, to_regclass('{SCHEMA}.names_by_trigram') IS NOT NULL"
    );
    let found = client.query_one(&sql, &[]).await?;
    if !found.try_get::<_, bool>(0)? {
        run_alone(client, &definition()).await?;
    }
    if !found.try_get::<_, bool>(1)? {
        // Without the extension, or the right to create it, a search reads all names.
        let _ = run_alone(client, &trigram_index()).await;
    }
    Ok(())
}

/// Runs statements in one transaction, under the creation lock.
async fn run_alone(client: &mut Object, statements: &str) -> Result<(), tokio_postgres::Error> {
    let transaction = client.transaction().await?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&CREATION_LOCK]).await?;
    transaction.batch_execute(statements).await?;
    transaction.commit().await
}

/// Returns the statements of the index for substrings of names. The extension is part of PostgreSQL, and a user who may
/// create a schema may create it.
fn trigram_index() -> String {
    format!(
        "CREATE EXTENSION IF NOT EXISTS pg_trgm;
         CREATE INDEX IF NOT EXISTS names_by_trigram ON {SCHEMA}.names USING gin (folded gin_trgm_ops)"
    )
}

fn definition() -> String {
    let mut statements = vec![
        format!("CREATE SCHEMA IF NOT EXISTS {SCHEMA}"),
        format!(
            "CREATE TABLE IF NOT EXISTS {SCHEMA}.repositories (
               repository int8 PRIMARY KEY, name text NOT NULL, last_snapshot int4 NOT NULL, snapshot int4,
               commit text NOT NULL, published timestamptz NOT NULL, nodes int8 NOT NULL, edges int8 NOT NULL)"
        ),
    ];
    for (table, columns) in TABLES {
        statements.push(format!(
            "CREATE TABLE IF NOT EXISTS {SCHEMA}.{table} (repository int8 NOT NULL, snapshot int4 NOT NULL, {columns})
             PARTITION BY HASH (repository)"
        ));
        statements.extend((0..PARTITIONS).map(|part| {
            format!(
                "CREATE TABLE IF NOT EXISTS {SCHEMA}.{table}_{part} PARTITION OF {SCHEMA}.{table}
                 FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {part})"
            )
        }));
    }
    for (number, (table, columns)) in (1..).zip(INDEXES) {
        statements.push(format!(
            "CREATE INDEX IF NOT EXISTS {table}_by_{number} ON {SCHEMA}.{table} ({columns})"
        ));
    }
    statements.join(";\n")
}
