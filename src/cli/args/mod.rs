//! The arguments of every verb, as clap types. Help texts are imperative and have examples.

mod eval;
mod questions;
#[cfg(feature = "mcp")]
mod servers;
mod tool_verbs;
mod value_parsers;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, builder::TypedValueParser};
use clap_complete::Shell;
use retriever_setup::{HostAgent, SetupPart, SetupScope};

#[cfg(feature = "serve")]
pub(crate) use self::servers::ServeArgs;
#[cfg(feature = "mcp")]
pub(crate) use self::servers::{McpArgs, ServerModelArgs};
use self::value_parsers::{duration, names, number_from};
pub(crate) use self::{
    eval::{
        CasesArgs, EvalArgs, EvalCommand, EvalSystemsArgs, GroundingArgs, PlannerArgs,
        RankingFeaturesArgs,
    },
    questions::{AskArgs, ContextArgs, ExploreArgs},
    tool_verbs::{GlobArgs, GraphArgs, GrepArgs, PaginationArgs, ReadArgs},
};

/// Answer a question about a repository with a compact, verified code map
#[derive(Debug, Parser)]
#[command(name = "retriever", version, max_term_width = 100, override_usage = USAGE, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) verb: CliVerb,
}

const USAGE: &str = "\
retriever [OPTIONS] \"QUESTION\"
       retriever [OPTIONS] <COMMAND>";

const EXIT_CODES: &str = "\
Exit codes:
  0         an answer was printed
  1         grep or glob found nothing
  2         usage or bad input
  3         the configuration, the root, or what they name (a cache, a remote, an
            address) can't be used, a check of doctor failed, or index kept nothing
  4         the model failed, and --no-fallback or --fail-on-fallback was given
  5         internal error
  130, 143  interrupted";

#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// Root of the repository; repeat it for a workspace of several, whose paths begin with the name of a root [default:
    /// workspace.roots, else the enclosing git top level, else the current folder]
    #[arg(long = "root", global = true, value_name = "DIR")]
    pub(crate) roots: Vec<PathBuf>,
    /// Configuration file, in place of ~/.config/retriever/config.toml
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Remote that a first index is fetched from and published to: a URL of file, http(s), s3, gs or az [default: index.remote]
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) remote: Option<String>,
    /// Form of the answer; auto is text on a terminal and JSON otherwise; graph also has dot, mermaid and svg
    #[arg(long, global = true, value_enum, default_value_t = FormatChoice::Auto, hide_possible_values = true, value_name = "auto|json|markdown|text")]
    pub(crate) format: FormatChoice,
    /// Whether the answer is coloured
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, hide_possible_values = true, value_name = "auto|always|never")]
    pub(crate) color: ColorChoice,
    /// Print long answers at once, without the pager
    #[arg(long, global = true)]
    pub(crate) no_pager: bool,
    /// Print only errors on stderr
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print every event on stderr
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FormatChoice {
    Auto,
    Json,
    Markdown,
    Text,
    Dot,
    Mermaid,
    Svg,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ColorChoice {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CliVerb {
    Ask(Box<AskArgs>),
    Explore(ExploreArgs),
    Context(ContextArgs),
    Grep(GrepArgs),
    Glob(GlobArgs),
    Read(ReadArgs),
    #[cfg(feature = "mcp")]
    Mcp(McpArgs),
    #[cfg(feature = "serve")]
    Serve(ServeArgs),
    Eval(Box<EvalArgs>),
    Graph(GraphArgs),
    Index(IndexArgs),
    View(ViewArgs),
    Schema(SchemaArgs),
    Config(ConfigArgs),
    Doctor(DoctorArgs),
    Init(InitArgs),
    Cache(CacheArgs),
    Savings(SavingsArgs),
    Completions(CompletionsArgs),
    Upgrade(UpgradeArgs),
    Man(ManArgs),
}

/// Build, refresh, show or publish the index
#[derive(Debug, Args)]
#[command(after_help = "\
Every verb that needs the graph refreshes it by itself; this one prepares it, shows it or writes it out. It is kept in the \
user's cache folder, or below index.dir of the configuration.

Examples:
  retriever index
  retriever index --status
  retriever index --watch
  retriever index --export - | head
  retriever index --publish --remote s3://bucket/indexes
  retriever index --publish --repository github.com/acme/store
  retriever index --prune-remote --keep 30d")]
#[command(group(clap::ArgGroup::new("published").args(["publish", "prune_remote"])))]
pub(crate) struct IndexArgs {
    /// Print the state of the stored graph, and change nothing
    #[arg(long, conflicts_with_all = ["rebuild", "watch", "export", "scip"])]
    pub(crate) status: bool,
    /// Read every file again
    #[arg(long)]
    pub(crate) rebuild: bool,
    /// Keep running, and refresh whenever files change
    #[arg(long, conflicts_with = "export")]
    pub(crate) watch: bool,
    /// Write nodes and edges as lines of JSON; - is stdout
    #[arg(long, value_name = "FILE|-")]
    pub(crate) export: Option<PathBuf>,
    /// Import the edges of a SCIP index for files that have not changed since it was made; repeat it for more
    #[arg(long, value_name = "FILE")]
    pub(crate) scip: Vec<PathBuf>,
    /// Count the call expressions that the graph lost: without an edge, not recorded as unresolved, and not excluded
    #[arg(long, conflicts_with_all = ["status", "watch", "export", "publish"])]
    pub(crate) audit: bool,
    /// Publish the index of the commit that is checked out: to the remote, where other machines fetch their first index, and to
    /// the graph database, for graph --everywhere
    #[arg(long, conflicts_with_all = ["status", "watch", "export"])]
    pub(crate) publish: bool,
    /// The graph database [default: graph.database of the configuration]; --prune-remote prunes it only with this option
    #[arg(long, value_name = "URL", requires = "published")]
    pub(crate) database: Option<String>,
    /// The name that the repository is published under [default: index.repository of the configuration; else the address of git's remote]
    #[arg(long, value_name = "NAME", requires = "published")]
    pub(crate) repository: Option<String>,
    /// Remove publications older than --keep, and do nothing else: those of this repository from the remote, with --database
    /// those of all repositories from the graph database
    #[arg(long, conflicts_with_all = ["status", "rebuild", "watch", "export", "scip", "publish"])]
    pub(crate) prune_remote: bool,
    /// Maximum age of publications that --prune-remote keeps
    #[arg(long, value_name = "DUR", default_value = "30d", requires = "prune_remote", value_parser = duration)]
    pub(crate) keep: u32,
}

/// Write a run or a map as a page for a browser
#[derive(Debug, Args)]
#[command(after_help = "\
The page is one file that loads nothing and runs no script: the map with its code, what the validator did to each statement, \
and for a run its timeline and its candidates.

Examples:
  retriever ask --events run.jsonl --format json \"where are timeouts set\" > map.json
  retriever view run.jsonl -o run.html
  retriever view map.json > map.html")]
pub(crate) struct ViewArgs {
    /// Events that ask --events has written, or a map as JSON
    pub(crate) file: PathBuf,
    /// The page [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Print a JSON Schema, or list their names
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  retriever schema
  retriever schema code_map > code_map.schema.json")]
pub(crate) struct SchemaArgs {
    /// Name of the schema
    pub(crate) name: Option<String>,
}

/// Print the effective configuration and where each value comes from
#[derive(Debug, Args)]
#[command(after_help = "\
Secrets are not printed.

Examples:
  retriever config
  retriever config --format json")]
pub(crate) struct ConfigArgs {}

/// Check the root, configuration, index, agents' entries and model
#[derive(Debug, Args)]
#[command(after_help = "\
Exits with 3 when a check fails.

Examples:
  retriever doctor
  retriever doctor --root ../other --format json")]
pub(crate) struct DoctorArgs {}

/// Add retriever to the configuration of the agents on this machine
#[derive(Debug, Args)]
#[command(after_help = "\
Shows what would change, asks, and writes. Existing files keep every byte outside of retriever's entry, and --remove \
removes the entries. Nothing is written into a repository without --scope project. At a terminal it then tries the \
configured model, or asks for one.

Examples:
  retriever init --dry-run
  retriever init --agent claude-code --agent codex --yes
  retriever init --scope project --what mcp,instructions
  retriever init --remove")]
pub(crate) struct InitArgs {
    /// An agent; repeat it for more [default: those that are installed]
    #[arg(long, value_name = "AGENT", value_parser = names::<HostAgent>())]
    pub(crate) agent: Vec<HostAgent>,
    /// Whose files: user for all projects, project for those of this one [default: user; with --remove all]
    #[arg(long, value_name = "user|project", hide_possible_values = true, value_parser = names::<SetupScope>())]
    pub(crate) scope: Option<SetupScope>,
    /// Parts, with commas: mcp, subagent, skill, instructions [default: mcp,subagent,skill; with --remove all]
    #[arg(long, value_delimiter = ',', value_name = "PARTS", hide_possible_values = true, value_parser = names::<SetupPart>())]
    pub(crate) what: Option<Vec<SetupPart>>,
    /// Write without asking
    #[arg(short, long, conflicts_with = "dry_run")]
    pub(crate) yes: bool,
    /// Show what would change, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Remove what was written
    #[arg(long)]
    pub(crate) remove: bool,
}

/// Sum what answers took and saved, by root and week
#[derive(Debug, Args)]
#[command(after_help = "\
Each answer of ask, also over MCP, leaves a receipt on this machine: sizes, times and a hash of the question, no text. It is \
never sent anywhere; report.receipts = false turns receipts off.

Examples:
  retriever savings
  retriever savings --since 30d --format json")]
pub(crate) struct SavingsArgs {
    /// Count only recent answers: of the last 12h, 30d or the like
    #[arg(long, value_name = "DUR", value_parser = duration)]
    pub(crate) since: Option<u32>,
}

/// List the cached data of each root, and remove what is not needed
#[derive(Debug, Args)]
#[command(after_help = "\
The cache holds the code graph, the words and the sessions of each root. Everything in it can be made again. \
index.max_cache_mb limits its size: when a new root exceeds it, the data of the least recently used roots is removed.

Examples:
  retriever cache
  retriever cache --format json
  retriever cache prune --dry-run
  retriever cache prune --max-size 500")]
pub(crate) struct CacheArgs {
    #[command(subcommand)]
    pub(crate) action: Option<CacheAction>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CacheAction {
    /// List the data of each root, the most recently used first
    List,
    Prune(PruneArgs),
}

/// Remove the data of deleted roots, then of the least recently used, until the rest fits
#[derive(Debug, Args)]
pub(crate) struct PruneArgs {
    /// Megabytes to keep at most [default: index.max_cache_mb]
    #[arg(long, value_name = "MB", value_parser = number_from(1).map(u64::from))]
    pub(crate) max_size: Option<u64>,
    /// Print what would be removed, and remove nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Print shell completions
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  retriever completions bash > ~/.local/share/bash-completion/completions/retriever")]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

/// Print which package manager installed this program, and the command that upgrades it
#[derive(Debug, Args)]
#[command(after_help = "\
Nothing is downloaded or replaced.

Examples:
  retriever upgrade
  retriever upgrade --format json")]
pub(crate) struct UpgradeArgs {}

/// Write the man pages to a folder
#[derive(Debug, Args)]
#[command(hide = true)]
pub(crate) struct ManArgs {
    /// The folder
    pub(crate) folder: PathBuf,
}
