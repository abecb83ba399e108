//! What can be typed behind `eval`.

use std::path::PathBuf;

use clap::{Args, Subcommand, value_parser};
use retriever::config::EffortPreset;
use retriever_eval::{EvaluatedSystem, grounding::SuiteSplit, planner_eval::PlannerArm};

use super::variants;

/// Put labelled questions to the retriever and to baselines, and score the answers
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

Suites stand side by side, each with its difference to the first. evals/README.md says how cases are labelled and \
how every score is computed. Exits with 2 when a case can't be used; the others are scored all the same."
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

/// Submit labelled statements about code to the validator, and count the true ones kept and the false ones passed
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

/// Tell what ranking knows of the places of labelled questions, a JSON object a case, to learn from
#[derive(Debug, Args)]
pub(crate) struct RankingFeaturesArgs {
    #[command(flatten)]
    pub(crate) cases: CasesArgs,
    /// Where to; a line is written as soon as it is known
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
    /// Keep the whole result as JSON; while it runs FILE.partial holds what is done, and a rerun goes on from there
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

/// Have a main agent answer labelled questions alone, with the map of an ask and with explore, and compare
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
    /// What the main agent has beside them; separate by commas [default: all]
    #[arg(long, value_delimiter = ',', value_parser = variants::<PlannerArm>())]
    pub(crate) arm: Vec<PlannerArm>,
    /// Let a program be the main agent
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

/// Which questions are put, to whom, and how often.
#[derive(Debug, Args)]
pub(crate) struct CasesArgs {
    /// Files of cases, a JSON object a line
    #[arg(required = true, value_name = "SUITE")]
    pub(crate) suites: Vec<PathBuf>,
    /// Folder of checkouts: <id>, <owner>__<name>@<commit12>, <owner>__<name> or <name>
    #[arg(long, required = true, value_name = "DIR")]
    pub(crate) corpora: Option<PathBuf>,
    /// Times that every question is put
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..))]
    pub(crate) repeats: u32,
    /// Questions at a time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..))]
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
    /// Put only these cases; separate by commas
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub(crate) case: Vec<String>,
    /// Take checkouts of any commit
    #[arg(long)]
    pub(crate) any_commit: bool,
}
