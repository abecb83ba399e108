//! PostgreSQL, and servers with its protocol and its SQL. All tables of graphs are partitioned by a hash of the
//! repository; each statement on them names the repository or reads all.

mod copy_rows;
mod kind_codes;
mod postgres_database;
mod postgres_tables;
mod row_decoding;
mod sql_queries;
pub use self::postgres_database::PostgresDatabase;
