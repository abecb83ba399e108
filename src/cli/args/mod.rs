//! The arguments of every verb, as clap types. Help texts are imperative and have examples.

mod eval;

#[cfg(feature = "serve")]
use std::net::SocketAddr;
use std::{ops::RangeInclusive, path::PathBuf, str::FromStr};

use clap::{
    ArgAction, Args, Parser, Subcommand, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use clap_complete::Shell;
use retriever_setup::{HostAgent, SetupPart, SetupScope};
use strum::{IntoEnumIterator, ParseError, VariantArray};

use retriever::{
    UnknownVariant,
    config::EffortPreset,
    config::load_config,
    search::{Intent, PlaceRole, SessionId},
};

pub(crate) use self::eval::{
    CasesArgs, EvalArgs, EvalCommand, EvalSystemsArgs, GroundingArgs, PlannerArgs,
    RankingFeaturesArgs,
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

/// Maximum of `--jobs`.
const MAX_JOBS: usize = 256;

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

/// Answer a question with a code map
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  retriever \"how does a request reach its handler\"
  retriever ask how does a request reach its handler
  retriever ask --intent debug --role persistence --hint src/store \"why are writes lost on shutdown\"
  git log -1 --format=%B | retriever ask --offline -
  retriever ask --batch questions.jsonl --jobs 8 > maps.jsonl
  retriever ask --events run.jsonl --format json \"where are timeouts set\" > map.json")]
pub(crate) struct AskArgs {
    /// The question, quoted or not; - reads it from stdin; without one, a prompt asks for it at a terminal
    pub(crate) question: Vec<String>,
    /// What the answer is for
    #[arg(long, default_value = "answer", value_parser = variants::<Intent>())]
    pub(crate) intent: Intent,
    /// How much the run may spend
    #[arg(long, value_parser = variants::<EffortPreset>())]
    pub(crate) effort: Option<EffortPreset>,
    /// A role that the answer must cover; repeat it or separate by commas
    #[arg(long, value_delimiter = ',', value_parser = variants::<PlaceRole>())]
    pub(crate) role: Vec<PlaceRole>,
    /// A path that probably matters; repeat it for more
    #[arg(long, value_name = "PATH")]
    pub(crate) hint: Vec<String>,
    /// Name of the model
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// OpenAI-compatible endpoint, up to and including its version
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Send the API key over plain http to another machine
    #[arg(long)]
    pub(crate) insecure: bool,
    /// Answer without a model
    #[arg(long, conflicts_with = "replay")]
    pub(crate) offline: bool,
    /// Most model steps
    #[arg(long, value_name = "N", value_parser = number_from(1))]
    pub(crate) max_steps: Option<u32>,
    /// Most tool calls
    #[arg(long, value_name = "N", value_parser = number_from(1))]
    pub(crate) max_tool_calls: Option<u32>,
    /// Most tokens of tool results that the model is shown
    #[arg(long, value_name = "TOKENS", value_parser = number_from(1))]
    pub(crate) observation_budget: Option<u32>,
    /// Longest time, such as 90, 90s or 2m; rounded up to seconds
    #[arg(long, value_name = "DUR", value_parser = duration)]
    pub(crate) timeout: Option<u32>,
    /// Inline the code of the map's places, read from disk
    #[arg(long)]
    pub(crate) snippets: bool,
    /// Name of the chat that asks: an earlier answer that still holds is repeated, known places are given by ID only
    #[arg(long, value_name = "ID", conflicts_with_all = ["record", "replay"])]
    pub(crate) session: Option<SessionId>,
    /// Write every event as a line of JSON while the run goes on; - is stderr
    #[arg(long, value_name = "FILE|-")]
    pub(crate) events: Option<PathBuf>,
    /// Write the run as a page for a browser: the map with its code, the timeline, the candidates
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Open the first place in the editor that VISUAL or EDITOR names
    #[arg(long)]
    pub(crate) open: bool,
    /// Record the model's requests and answers
    #[arg(long, value_name = "FILE", conflicts_with_all = ["replay", "offline"])]
    pub(crate) record: Option<PathBuf>,
    /// Answer from a recording; tools and validation run again
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// Fail when the model fails
    #[arg(long)]
    pub(crate) no_fallback: bool,
    /// Exit with 4 when the model failed for a question of the batch; every map is printed all the same
    #[arg(long, requires = "batch", conflicts_with = "no_fallback")]
    pub(crate) fail_on_fallback: bool,
    /// File of questions, one JSON object per line (schema question); prints one map per line; - is stdin
    #[arg(long, value_name = "FILE|-", conflicts_with_all = ["question", "intent", "role", "hint", "snippets", "session", "events", "html", "open", "record", "replay"])]
    pub(crate) batch: Option<PathBuf>,
    /// Questions of a batch that run at once
    #[arg(long, value_name = "N", default_value = "4", requires = "batch", value_parser = jobs)]
    pub(crate) jobs: usize,
}

/// Print the source that answers a query, sized to the answer; no model is asked
#[derive(Debug, Args)]
#[command(after_help = "\
Prints ranked places, the code of the best of them, and the calls between them. Every place has an ID; context prints \
everything about it. The limit of an answer grows with the size of the repository.

Examples:
  retriever explore \"how does a request reach its handler\"
  retriever explore \"Store.save Journal.append\" --format markdown
  retriever explore --budget 8000 --depth 2 \"retry backoff\"")]
pub(crate) struct ExploreArgs {
    /// A question, words, or names of symbols, quoted or not; - reads it from stdin
    #[arg(required = true)]
    pub(crate) query: Vec<String>,
    /// Related items of each kind
    #[arg(long, value_name = "N", value_parser = number_from(0))]
    pub(crate) depth: Option<u32>,
    /// Most results [default: by the repository's size]
    #[arg(long, value_name = "N", value_parser = number_in(1..=60))]
    pub(crate) limit: Option<u32>,
    /// Most characters of the answer [default: by the repository's size]
    #[arg(long, value_name = "CHARS", value_parser = number_from(1000))]
    pub(crate) budget: Option<u32>,
    /// Print interchangeable definitions in full, too
    #[arg(long)]
    pub(crate) no_adaptive: bool,
    /// Open the first place in the editor that VISUAL or EDITOR names
    #[arg(long)]
    pub(crate) open: bool,
}

/// Print everything about places whose IDs explore has printed
#[derive(Debug, Args)]
#[command(after_help = "\
The start of an ID is enough when it is unique; four letters at least. IDs stay while a declaration keeps its name and file.

Examples:
  retriever context k3fa92xb
  retriever context k3fa 7wq2 --format markdown")]
pub(crate) struct ContextArgs {
    /// IDs, or lines of files
    #[arg(required = true, value_name = "ID|FILE:LINE")]
    pub(crate) ids: Vec<String>,
    /// The chat whose maps gave IDs such as s3 to places
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<SessionId>,
    /// Related items of each kind
    #[arg(long, value_name = "N", value_parser = number_from(0))]
    pub(crate) depth: Option<u32>,
    /// Most characters of the answer [default: by the repository's size]
    #[arg(long, value_name = "CHARS", value_parser = number_from(1000))]
    pub(crate) budget: Option<u32>,
}

/// Search the text of files, as the model does
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  retriever grep 'fn \\w+_timeout' -g '*.rs'
  retriever grep -F 'a[0]' src -C 2 --limit 20
  retriever grep -- '->.*Result'

A path is taken from the current folder, and from the root if nothing is there. Exits with 1 when nothing matches.")]
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

A path is taken from the current folder, and from the root if nothing is there; the newest files come first. Exits with 1 when \
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
    /// Most results
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

A path is taken from the current folder, and from the root if nothing is there.")]
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

/// Serve ask and the tools over MCP on stdin and stdout
#[cfg(feature = "mcp")]
#[derive(Debug, Args)]
#[command(after_help = "\
Without --root the client's file roots are served, else those of the configuration (workspace.roots), else the enclosing git \
top level, else the current folder.

Examples:
  retriever mcp
  retriever mcp --tools ask,explore,context
  retriever mcp --root ~/src/project --model gpt-5-mini")]
pub(crate) struct McpArgs {
    /// Tools to list, separated by commas; the others can still be called [default: all]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAMES",
        hide_possible_values = true,
        value_parser = PossibleValuesParser::new(retriever::mcp::STANDARD_TOOLS)
    )]
    pub(crate) tools: Vec<String>,
    #[command(flatten)]
    pub(crate) model: ServerModelArgs,
}

/// The model of all questions that a server answers.
#[cfg(feature = "mcp")]
#[derive(Clone, Debug, Args)]
pub(crate) struct ServerModelArgs {
    /// Name of the model
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// OpenAI-compatible endpoint, up to and including its version
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Send the API key over plain http to another machine
    #[arg(long)]
    pub(crate) insecure: bool,
    /// Answer without a model
    #[arg(long)]
    pub(crate) offline: bool,
}

/// Serve the verbs over HTTP: MCP and plain JSON
#[cfg(feature = "serve")]
#[derive(Debug, Args)]
#[command(after_help = "\
Serves [[serve.roots]] of the configuration, else the roots of the command as one repository; nothing else can be reached. \
Prints its address, and a line of JSON for each request to stderr, without questions. On other addresses than loopback clients \
must send the token that RETRIEVER_SERVE_TOKEN holds. SIGTERM lets running calls end first.

Examples:
  retriever serve --listen 127.0.0.1:7333
  curl -s localhost:7333/v1/ask -d '{\"question\": \"how is a job queued?\"}'
  curl -s localhost:7333/v1/explore -d '{\"root\": \"api\", \"query\": \"enqueue_job\"}'
  claude mcp add --transport http retriever http://localhost:7333/mcp")]
pub(crate) struct ServeArgs {
    /// Address and port; port 0 is any free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7333", value_parser = socket_address)]
    pub(crate) listen: SocketAddr,
    #[command(flatten)]
    pub(crate) model: ServerModelArgs,
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
    /// Where a trace leads to
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
    /// Count the call expressions that have no edge, are not unresolved calls of the graph, and are not excluded
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
    /// Greatest age of a publication that --prune-remote keeps
    #[arg(long, value_name = "DUR", default_value = "30d", value_parser = duration)]
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
never sent anywhere; report.receipts = false keeps none.

Examples:
  retriever savings
  retriever savings --since 30d --format json")]
pub(crate) struct SavingsArgs {
    /// Only answers of this last time, such as 12h or 30d
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

/// Returns a parser for a string enum: help, completions and errors list its variants.
fn variants<E>() -> impl TypedValueParser<Value = E>
where
    E: VariantArray + AsRef<str> + FromStr<Err = UnknownVariant> + Clone + Send + Sync,
{
    PossibleValuesParser::new(E::VARIANTS.iter().map(AsRef::as_ref)).try_map(|name| name.parse())
}

/// Returns a parser for an enum of another crate: help and errors list its variants.
fn names<E>() -> impl TypedValueParser<Value = E>
where
    E: IntoEnumIterator + Into<&'static str> + FromStr<Err = ParseError> + Clone + Send + Sync,
    E: 'static,
{
    PossibleValuesParser::new(E::iter().map(Into::<&'static str>::into))
        .try_map(|name| name.parse::<E>())
}

/// Returns a parser for whole numbers from `least` on.
fn number_from(least: u32) -> impl TypedValueParser<Value = u32> {
    number_in(least..=u32::MAX)
}

/// Returns a parser for whole numbers within `limits`, which its errors name.
fn number_in(limits: RangeInclusive<u32>) -> impl TypedValueParser<Value = u32> {
    move |text: &str| {
        let number = text.parse::<u32>().ok().filter(|number| limits.contains(number));
        number.ok_or_else(|| match (limits.start(), limits.end()) {
            (least, &u32::MAX) => format!("write a whole number, {least} or more"),
            (least, most) => format!("write a whole number from {least} to {most}"),
        })
    }
}

#[cfg(feature = "serve")]
fn socket_address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_| "write an IP address and a port, such as 127.0.0.1:7333")
}

fn jobs(text: &str) -> Result<usize, String> {
    let jobs = text.parse().ok().filter(|jobs| (1..=MAX_JOBS).contains(jobs));
    jobs.ok_or_else(|| format!("write a number from 1 to {MAX_JOBS}"))
}

fn duration(text: &str) -> Result<u32, String> {
    let seconds = load_config::seconds(text).and_then(|seconds| u32::try_from(seconds).ok());
    match seconds {
        Some(seconds) if seconds > 0 => Ok(seconds),
        _ => Err("write seconds, 1 or more, or a duration such as 90s, 2m or 1h 30m".to_owned()),
    }
}
