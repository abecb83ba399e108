//! The arguments of `eval`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use retriever::config::EffortPreset;
use retriever_eval::{EvaluatedSystem, grounding::SuiteSplit, planner_eval::PlannerArm};

use super::value_parsers::{number_from, variants};

/// Ask the retriever and baselines labelled questions, and score the answers
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Examples:
  retriever eval evals/suites/fixtures.jsonl --corpora evals/fixtures --offline
  retriever eval known.jsonl held-out.jsonl --corpora ../checkouts --model NAME --repeats 3 --jobs 4 --out now.json
  retriever eval known.jsonl --corpora ../checkouts --offline --baseline before.json --format text
  retriever eval planner known.jsonl --corpora ../checkouts --model NAME --planner-model OTHER

Suites are printed side by side, each with its difference to the first. evals/README.md says how cases are labelled and \
how every score is computed. Exits with 2 when a case can't be used; the others are still scored."
)]
pub(crate) struct EvalArgs {
    #[command(subcommand)]
    pub(crate) other: Option<EvalCommand>,
    #[command(flatten)]
    pub(crate) answers: EvalSystemsArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EvalCommand {
    Planner(PlannerArgs),
    Features(RankingFeaturesArgs),
    Grounding(GroundingArgs),
}

/// Submit labelled statements about code to the validator; count true ones that it keeps and false ones that it passes
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  retriever eval grounding evals/grounding --corpora ../checkouts --half held --format text

evals/grounding/README.md says how the statements are labelled. No model is asked.")]
pub(crate) struct GroundingArgs {
    /// Folder of the statements
    #[arg(required = true, value_name = "SUITE")]
    pub(crate) suite: PathBuf,
    /// Folder of checkouts: <owner>__<name>@<commit12>
    #[arg(long, required = true, value_name = "DIR")]
    pub(crate) corpora: Option<PathBuf>,
    /// Judge only one half of the repositories
    #[arg(long, value_parser = variants::<SuiteSplit>())]
    pub(crate) half: Option<SuiteSplit>,
    /// Keep the whole result as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Write the ranking features of labelled questions as training data, one JSON object per case
#[derive(Debug, Args)]
pub(crate) struct RankingFeaturesArgs {
    #[command(flatten)]
    pub(crate) cases: CasesArgs,
    /// Output file; a case is written as soon as it is scored
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct EvalSystemsArgs {
    #[command(flatten)]
    pub(crate) cases: CasesArgs,
    /// What to measure; separate by commas [default: all]
    #[arg(long, value_delimiter = ',', value_parser = variants::<EvaluatedSystem>())]
    pub(crate) system: Vec<EvaluatedSystem>,
    /// Write the whole result as JSON; until then FILE.partial has the finished cases, and a rerun continues from it
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write the tables with plots as one HTML page
    #[cfg(feature = "eval-html")]
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Compare with the result of an earlier run
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Keep every conversation with the model as DIR/<suite>/<case>.jsonl
    #[arg(long, value_name = "DIR", conflicts_with_all = ["replay", "offline"])]
    pub(crate) record: Option<PathBuf>,
    /// Answer from such recordings, without a model; tools and validation run again
    #[arg(long, value_name = "DIR", conflicts_with_all = ["offline", "model"])]
    pub(crate) replay: Option<PathBuf>,
}

/// Let a main agent answer labelled questions alone, with maps of ask, and with explore; compare the results
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  retriever eval planner known.jsonl --corpora ../checkouts --model NAME --planner-model OTHER --out now.json
  retriever eval planner known.jsonl --corpora ../checkouts --offline --planner-model NAME --base-url URL --html now.html
  retriever eval planner evals/suites/fixtures.jsonl --corpora evals/fixtures --offline --scripted --format text

The main agent has grep, glob and read, and the budget of an ask. evals/README.md defines every figure.")]
pub(crate) struct PlannerArgs {
    #[command(flatten)]
    pub(crate) cases: CasesArgs,
    /// Name of the main agent's model [default: the retriever's]
    #[arg(long, value_name = "MODEL")]
    pub(crate) planner_model: Option<String>,
    /// Configuration file whose [model], with its endpoint, key and prices, is the main agent's
    #[arg(long, value_name = "FILE")]
    pub(crate) planner_config: Option<PathBuf>,
    /// What the main agent may use besides grep, glob and read; separate by commas [default: all]
    #[arg(long, value_delimiter = ',', value_parser = variants::<PlannerArm>())]
    pub(crate) arm: Vec<PlannerArm>,
    /// Use a scripted program as the main agent
    #[arg(long, conflicts_with_all = ["planner_model", "planner_config"])]
    pub(crate) scripted: bool,
    /// Keep the whole result as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write the tables with plots and every answer as one HTML page
    #[cfg(feature = "eval-html")]
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

/// Which questions are asked, of which model, and how often.
#[derive(Debug, Args)]
pub(crate) struct CasesArgs {
    /// Files of cases, one JSON object per line
    #[arg(required = true, value_name = "SUITE")]
    pub(crate) suites: Vec<PathBuf>,
    /// Folder of checkouts: <id>, <owner>__<name>@<commit12>, <owner>__<name> or <name>
    #[arg(long, required = true, value_name = "DIR")]
    pub(crate) corpora: Option<PathBuf>,
    /// How often each question is asked
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number_from(1))]
    pub(crate) repeats: u32,
    /// Questions that run at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number_from(1))]
    pub(crate) jobs: u32,
    /// Name of the model
    #[arg(long, conflicts_with = "offline")]
    pub(crate) model: Option<String>,
    /// OpenAI-compatible endpoint, up to and including its version
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Measure without a model
    #[arg(long)]
    pub(crate) offline: bool,
    /// How much a run may spend
    #[arg(long, value_parser = variants::<EffortPreset>())]
    pub(crate) effort: Option<EffortPreset>,
    /// Ask only these cases; separate by commas
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub(crate) case: Vec<String>,
    /// Take checkouts of any commit
    #[arg(long)]
    pub(crate) any_commit: bool,
}
