//! The arguments of the model's tools as verbs: `grep`, `glob`, `read`, `graph`.

use clap::{ArgAction, Args};

use super::value_parsers::number_from;

/// Search the text of files, as the model does
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  retriever grep 'fn \\w+_timeout' -g '*.rs'
  retriever grep -F 'a[0]' src -C 2 --limit 20
  retriever grep -- '->.*Result'

A path is relative to the current folder, or to the root if nothing is there. Exits with 1 when nothing matches.")]
pub(crate) struct GrepArgs {
    /// Regular expression
    pub(crate) pattern: String,
    /// Folder or file to search in
    #[arg(value_name = "PATH", conflicts_with = "path")]
    pub(crate) place: Option<String>,
    /// Take the pattern as plain text
    #[arg(short = 'F', long, alias = "fixed-strings")]
    pub(crate) literal: bool,
    /// Glob that a file's path must match
    #[arg(short = 'g', long, alias = "glob", value_name = "GLOB")]
    pub(crate) include: Option<String>,
    /// The same as PATH
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// Ignore case
    #[arg(short, long)]
    pub(crate) ignore_case: bool,
    /// Flags of grep for what is always on here: line numbers, folders, names of files, regular expressions
    #[arg(short = 'n', short_aliases = ['r', 'R', 'H', 'E'], long, hide = true, action = ArgAction::Count)]
    pub(crate) line_number: u8,
    /// Lines shown around a match
    #[arg(short = 'C', long, value_name = "N", value_parser = number_from(0))]
    pub(crate) context: Option<u32>,
    /// Lines shown after a match
    #[arg(short = 'A', long, alias = "after-context", value_name = "N", value_parser = number_from(0))]
    pub(crate) after: Option<u32>,
    /// Lines shown before a match
    #[arg(short = 'B', long, alias = "before-context", value_name = "N", value_parser = number_from(0))]
    pub(crate) before: Option<u32>,
    #[command(flatten)]
    pub(crate) page: PaginationArgs,
}

/// List files by a glob, as the model does
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  retriever glob '**/*.proto'
  retriever glob '*test*' --path src --limit 20 --offset 20

A path is relative to the current folder, or to the root if nothing is there; the newest files come first. Exits with 1 when \
nothing matches.")]
pub(crate) struct GlobArgs {
    /// Glob
    pub(crate) pattern: String,
    /// Folder to list
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    #[command(flatten)]
    pub(crate) page: PaginationArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PaginationArgs {
    /// Maximum number of results
    #[arg(long, value_name = "N", value_parser = number_from(0))]
    pub(crate) limit: Option<u32>,
    /// Results to skip
    #[arg(long, value_name = "N", value_parser = number_from(0))]
    pub(crate) offset: Option<u32>,
}

/// Read lines of a file, as the model does
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  retriever read src/main.rs
  retriever read src/server.rs:120-160

A path is relative to the current folder, or to the root if nothing is there.")]
pub(crate) struct ReadArgs {
    /// The file, also as FILE:FIRST-LAST
    pub(crate) file: String,
    /// First line, from 1
    #[arg(long, value_name = "N", value_parser = number_from(0))]
    pub(crate) start_line: Option<u32>,
    /// Number of lines
    #[arg(long, value_name = "N", value_parser = number_from(0))]
    pub(crate) num_lines: Option<u32>,
}

/// Ask the code graph, as the model does
#[derive(Debug, Args)]
#[command(after_help = "\
Operations: callers, callees, implementations, methods, usages, inheritors, symbols (of a file), search, trace.

Examples:
  retriever graph callers Store.save
  retriever graph implementations Handler --kind interface --limit 50
  retriever graph symbols src/server.rs
  retriever graph trace main --to write_response
  retriever graph callers Store.save --everywhere
  retriever graph callers Store.save --format svg > callers.svg")]
pub(crate) struct GraphArgs {
    /// What to ask
    #[arg(value_name = "OP")]
    pub(crate) operation: String,
    /// A name, Type.member or full name; a path for symbols; words for search
    #[arg(required = true, num_args = 1..)]
    pub(crate) target: Vec<String>,
    /// Part of the path of the target's file
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Option<String>,
    /// Kind of the target
    #[arg(long)]
    pub(crate) kind: Option<String>,
    /// Steps to follow, 1 to 10
    #[arg(long, value_name = "N", value_parser = number_from(0))]
    pub(crate) depth: Option<u32>,
    /// End of the trace
    #[arg(long, value_name = "TARGET")]
    pub(crate) to: Option<String>,
    /// Ask all repositories that are published to the graph database
    #[arg(long)]
    pub(crate) everywhere: bool,
    /// The graph database [default: graph.database of the configuration]
    #[arg(long, value_name = "URL", requires = "everywhere")]
    pub(crate) database: Option<String>,
    #[command(flatten)]
    pub(crate) page: PaginationArgs,
}
