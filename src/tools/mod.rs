//! What the model can do: read-only tools, each one file that fuses its limits, its arguments (whose doc comments the
//! model reads), its typed result and how that result is shown. Tools never touch the ledger: they return typed
//! results, [`render`] cuts and prints them, and what was printed is registered.

mod enclosing_declarations;
pub mod glob;
pub mod graph;
pub mod grep;
mod place_argument;
pub mod read;
pub mod render;
mod suggested_call;
pub(crate) mod tool_arguments;
mod tool_registry;

use std::{collections::BTreeMap, sync::Arc};

pub use retriever_report::schema::{self, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
pub use suggested_call::{SuggestedCallSyntax, SuggestedCommandWriter};
pub use tool_registry::ToolRegistry;

use retriever_report::evidence_ledger::{Declaration, EvidenceId, EvidenceLedger, EvidenceSource};
use retriever_workspace::{Cancellation, FileVersion, LineRange, RepoPath, Workspace};

/// How a call ended, for the model's eyes and for redundancy checks: four different kinds of "nothing".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolOutcome {
    /// Something was found and all of it is in the result.
    Found,
    /// Something was found; the limit or the budget cut it.
    Truncated,
    /// The search ran and nothing matched.
    NoMatch,
    /// The pattern can't be used.
    BadPattern,
    /// The path isn't there, or can't be read, or is refused.
    BadPath,
    /// The arguments make no sense together.
    BadArguments,
    /// Already shown, or asked before: answered at no cost.
    Redundant,
    /// The tool failed, and the run with it.
    Failed,
}

/// Lines of one file that a tool wants shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Excerpt {
    /// The file.
    pub file: FileVersion,
    /// Lines in ascending order; the text is already clipped to the line limit and decoded.
    pub lines: Vec<(u32, String)>,
    /// What is said of a line, by line; a line that has a label opens a block.
    pub labels: BTreeMap<u32, LineAnnotation>,
}

/// What is said of a line of an excerpt before its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineAnnotation {
    /// The definition that the line stands for: its ID is that of the whole definition.
    pub definition: Option<Declaration>,
    /// What is around it: `in Store 3-90`.
    pub context: String,
}

impl Excerpt {
    /// Returns lines of `file` that stand for themselves.
    pub fn new(file: FileVersion, lines: Vec<(u32, String)>) -> Self {
        Self { file, lines, labels: BTreeMap::new() }
    }
}

/// A tool's result before any cut: what [`render`] prints from.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolObservation {
    /// How the call ended.
    pub outcome: ToolOutcome,
    /// The source that the excerpts' lines count as.
    pub source: EvidenceSource,
    /// First line: what was found, in totals. Never cut.
    pub headline: String,
    /// Lines of files.
    pub excerpts: Vec<Excerpt>,
    /// Paths of a listing, in order; they get IDs and are no evidence of any line.
    pub listing: Vec<RepoPath>,
    /// Last lines: what was left out and the call that brings it. Never cut.
    pub footer: Vec<String>,
}

impl ToolObservation {
    /// Returns an observation that is only a sentence.
    pub fn sentence(outcome: ToolOutcome, headline: impl Into<String>) -> Self {
        Self {
            outcome,
            source: EvidenceSource::Listing,
            headline: headline.into(),
            excerpts: Vec::new(),
            listing: Vec::new(),
            footer: Vec::new(),
        }
    }
}

/// Why a call has no observation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// The model's doing: goes back to it as text, and the run goes on.
    #[error("{0}")]
    Model(String),
    /// The run can't go on.
    #[error("{0}")]
    Fatal(String),
}

/// What a call may use beside its arguments.
#[derive(Clone)]
pub struct ToolContext {
    /// The files.
    pub workspace: Arc<Workspace>,
    /// Ends long work when the run is cancelled or out of time.
    pub cancellation: Cancellation,
    /// Places that have an ID, so that an ID can be given in place of a path.
    pub places: Arc<BTreeMap<EvidenceId, (RepoPath, Option<LineRange>)>>,
    /// How the result writes the calls that it suggests.
    pub call_syntax: SuggestedCallSyntax,
}

impl ToolContext {
    /// Returns the context of a call after what `ledger` records.
    pub fn new(
        workspace: Arc<Workspace>,
        ledger: &EvidenceLedger,
        cancellation: Cancellation,
    ) -> Self {
        let places = ledger.places().iter();
        let places = places.map(|place| (place.id, (place.path.clone(), place.range)));
        let places = Arc::new(places.collect());
        Self { workspace, cancellation, places, call_syntax: SuggestedCallSyntax::default() }
    }

    /// Writes a call that a result suggests.
    pub(crate) fn suggest(&self, tool: &str, arguments: &[(&str, Value)]) -> String {
        self.call_syntax.write(tool, arguments)
    }

    /// Whether the call should return early with what it has.
    pub fn is_cancelled(&self) -> bool {
        self.cancellation.is_cancelled()
    }
}

/// A typed result: serialised as it is for programs, shown through [`ToolObservation`] to models and people.
pub trait ToolOutput: Serialize + JsonSchema {
    /// Returns what is to be shown.
    fn observation(&self) -> ToolObservation;
}

/// One tool. Implementations keep the spec that the model sees tied to the code that runs.
pub trait Tool: Send + Sync + 'static {
    /// Name by which the model calls it.
    const NAME: &'static str;
    /// Its arguments; the type's doc comment is the tool's description, its fields' are the parameters'.
    type Arguments: DeserializeOwned + JsonSchema;
    /// Its typed result.
    type Output: ToolOutput;

    /// Returns what a model is told of the tool.
    fn describe(&self) -> ToolSpec {
        schema::spec::<Self::Arguments>(Self::NAME)
    }

    /// Runs the call. Nothing found, a bad pattern and a missing path are outputs, not errors.
    ///
    /// # Errors
    ///
    /// [`ToolError`]; only [`ToolError::Fatal`] ends the run.
    fn run(
        &self,
        context: &ToolContext,
        arguments: Self::Arguments,
    ) -> Result<Self::Output, ToolError>;
}

/// What comes back from an erased call.
#[derive(Clone, Debug)]
pub struct ToolResult {
    /// For models and people.
    pub observation: ToolObservation,
    /// The typed result, for programs.
    pub typed: Value,
}

/// The object-safe twin of [`Tool`], implemented for every tool.
pub trait AnyTool: Send + Sync {
    /// Name by which the model calls it.
    fn name(&self) -> &'static str;

    /// Returns the spec.
    fn spec(&self) -> ToolSpec;

    /// Returns the JSON Schema of [`ToolResult::typed`].
    fn output_schema(&self) -> Value;

    /// Runs the call from unparsed arguments.
    ///
    /// # Errors
    ///
    /// As for [`Tool::run`]; arguments that don't parse are a [`ToolError::Model`].
    fn call(&self, context: &ToolContext, arguments: &Value) -> Result<ToolResult, ToolError>;
}

impl<T: Tool> AnyTool for T {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn spec(&self) -> ToolSpec {
        self.describe()
    }

    fn output_schema(&self) -> Value {
        schema::output::<T::Output>()
    }

    fn call(&self, context: &ToolContext, arguments: &Value) -> Result<ToolResult, ToolError> {
        let arguments = tool_arguments::parse::<T::Arguments>(T::NAME, arguments)?;
        let output = self.run(context, arguments)?;
        let typed = serde_json::to_value(&output)
            .map_err(|error| ToolError::Fatal(format!("{}: {error}", T::NAME)))?;
        Ok(ToolResult { observation: output.observation(), typed })
    }
}
