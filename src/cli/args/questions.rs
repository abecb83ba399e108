//! The arguments of the verbs that answer questions: `ask`, `explore`, `context`.

use std::path::PathBuf;

use clap::Args;
use retriever::{
    config::EffortPreset,
    search::{Intent, PlaceRole, SessionId},
};

use super::value_parsers::{duration, jobs, number_from, number_in, variants};

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
    /// Maximum number of model steps
    #[arg(long, value_name = "N", value_parser = number_from(1))]
    pub(crate) max_steps: Option<u32>,
    /// Maximum number of tool calls
    #[arg(long, value_name = "N", value_parser = number_from(1))]
    pub(crate) max_tool_calls: Option<u32>,
    /// Maximum tokens of tool results shown to the model
    #[arg(long, value_name = "TOKENS", value_parser = number_from(1))]
    pub(crate) observation_budget: Option<u32>,
    /// Time limit, such as 90, 90s or 2m; rounded up to seconds
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
    /// Fail when the model fails, or ends, without a report that holds
    #[arg(long)]
    pub(crate) no_fallback: bool,
    /// Exit with 4 when the model failed for a question of the batch; every map is still printed
    #[arg(long, requires = "batch", conflicts_with_all = ["no_fallback", "question"])]
    pub(crate) fail_on_fallback: bool,
    /// File of questions, one JSON object per line (schema question); prints one map per line; - is stdin
    #[arg(long, value_name = "FILE|-", conflicts_with_all = ["question", "intent", "role", "hint", "snippets", "session", "events", "html", "open", "record", "replay"])]
    pub(crate) batch: Option<PathBuf>,
    /// Questions of a batch that run at once
    #[arg(long, value_name = "N", default_value = "4", requires = "batch", conflicts_with = "question", value_parser = jobs)]
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
    /// Maximum number of results [default: by the repository's size]
    #[arg(long, value_name = "N", value_parser = number_in(1..=60))]
    pub(crate) limit: Option<u32>,
    /// Maximum number of characters of the answer [default: by the repository's size]
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
    /// Maximum number of characters of the answer [default: by the repository's size]
    #[arg(long, value_name = "CHARS", value_parser = number_from(1000))]
    pub(crate) budget: Option<u32>,
}
