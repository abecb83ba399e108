//! The trait of a tool, the context of a call, and an object-safe version of the trait.

use std::{collections::BTreeMap, sync::Arc};

use retriever_report::evidence_ledger::{EvidenceId, EvidenceLedger};
use retriever_workspace::{Cancellation, LineRange, RepoPath, Workspace};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    SuggestedCallSyntax, ToolObservation, ToolSpec, tool_arguments, tool_error::ToolError,
    tool_schema,
};

/// What a call may use besides its arguments.
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
    /// Whether the question of the run asks for tests. If not, results summarise tests beside other code in one line.
    pub wants_tests: bool,
}

impl ToolContext {
    /// Returns the context of a call, given the state of `ledger`.
    pub fn new(
        workspace: Arc<Workspace>,
        ledger: &EvidenceLedger,
        cancellation: Cancellation,
    ) -> Self {
        let places = ledger.places().iter();
        let places = places.map(|place| (place.id, (place.path.clone(), place.range)));
        let places = Arc::new(places.collect());
        let call_syntax = SuggestedCallSyntax::default();
        Self { workspace, cancellation, places, call_syntax, wants_tests: false }
    }

    /// Writes a call that a result suggests.
    pub(crate) fn suggest(&self, tool: &str, arguments: &[(&str, Value)]) -> String {
        self.call_syntax.write(tool, arguments)
    }

    /// Whether the call should return a partial result early.
    pub fn is_cancelled(&self) -> bool {
        self.cancellation.is_cancelled()
    }
}

/// A typed result: serialised for programs, shown through [`ToolObservation`] to models and users.
pub trait ToolOutput: Serialize + JsonSchema {
    /// Returns the observation of the result.
    fn observation(&self) -> ToolObservation;
}

/// One tool. Implementations keep the specification for the model together with the code.
pub trait Tool: Send + Sync + 'static {
    /// Name by which the model calls it.
    const NAME: &'static str;
    /// Its arguments; the type's doc comment is the tool's description, its fields' are the parameters'.
    type Arguments: DeserializeOwned + JsonSchema;
    /// Its typed result.
    type Output: ToolOutput;

    /// Returns the specification for models.
    fn describe(&self) -> ToolSpec {
        tool_schema::spec::<Self::Arguments>(Self::NAME)
    }

    /// Returns what a call looks for, if that is a text. What models have looked for is known where their statements are checked.
    #[expect(unused_variables, reason = "the default looks for nothing")]
    fn searched(arguments: &Self::Arguments) -> Option<SearchedText> {
        None
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

/// What a call looks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchedText {
    /// A pattern or a name.
    pub text: String,
    /// Whether the repository holds it nowhere, in no case of letters, if nothing is found.
    pub is_exhaustive: bool,
}

/// The result of a call through [`ErasedTool`].
#[derive(Clone, Debug)]
pub struct ToolResult {
    /// What was looked for.
    pub searched: Option<SearchedText>,
    /// For models and users.
    pub observation: ToolObservation,
    /// The typed result, for programs.
    pub typed: Value,
}

/// The object-safe version of [`Tool`], implemented for every tool.
pub trait ErasedTool: Send + Sync {
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

impl<T: Tool> ErasedTool for T {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn spec(&self) -> ToolSpec {
        self.describe()
    }

    fn output_schema(&self) -> Value {
        tool_schema::output::<T::Output>()
    }

    fn call(&self, context: &ToolContext, arguments: &Value) -> Result<ToolResult, ToolError> {
        let arguments = tool_arguments::parse::<T::Arguments>(T::NAME, arguments)?;
        let searched = T::searched(&arguments);
        let output = self.run(context, arguments)?;
        let typed = serde_json::to_value(&output)
            .map_err(|error| ToolError::Fatal(format!("{}: {error}", T::NAME)))?;
        Ok(ToolResult { searched, observation: output.observation(), typed })
    }
}
