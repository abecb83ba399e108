//! PostgreSQL, and servers with its protocol and its SQL. All tables that hold graphs are partitioned by a hash of the
//! repository, and each statement that reads or writes them names the repository or asks about all.

mod copy_rows;
mod kind_codes;
mod postgres_database;
mod postgres_tables;
mod row_decoding;
mod sql_queries;
pub use self::postgres_database::PostgresDatabase;
