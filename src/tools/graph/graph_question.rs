//! The question of a `graph` call, checked: an operation, a target and limits, or the answer that says what is wrong.

use retriever_graph::{LookupTarget, NodeKind};
use retriever_workspace::{UnknownVariant, truncate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use strum::{AsRefStr, Display, EnumString, VariantArray};

use super::graph_output::GraphOutput;
use crate::tools::{ToolContext, ToolOutcome, qualified_names::SHOWN_NAME};

/// Default number of results of a page.
pub(super) const DEFAULT_LIMIT: u32 = 20;
/// Maximum number of results of a page.
pub(super) const MAX_LIMIT: u32 = 100;
/// Maximum number of steps that a relation is followed.
pub(super) const MAX_DEPTH: u32 = 10;

/// Files of a tree from which on nothing is looked for that would read each of them: unresolved calls, uses of imported names.
pub(super) const MAX_FILES: usize = 50_000;

/// What the graph can be asked.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<GraphOperation>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GraphOperation {
    /// What calls the target.
    Callers,
    /// What the target calls.
    Callees,
    /// What implements or overrides it.
    Implementations,
    /// Its members.
    Methods,
    /// Functions and fields whose types name it; for a variable, constant or field, what uses it.
    Usages,
    /// What builds on it.
    Inheritors,
    /// Definitions of a file.
    Symbols,
    /// Definitions whose names hold all words.
    Search,
    /// The way from the target to another function.
    Trace,
}

impl GraphOperation {
    /// Whether it asks what builds on a type or a method.
    pub(super) const fn asks_for_inheritors(self) -> bool {
        matches!(self, Self::Implementations | Self::Inheritors)
    }
}

/// Refuses arguments, with what to do about them.
fn bad(sentence: &str, note: String) -> Box<GraphOutput> {
    Box::new(GraphOutput::sentence(ToolOutcome::BadArguments, sentence).note(note))
}

/// Reads the name of an operation.
fn operation_of(spelled: &str) -> Result<GraphOperation, Box<GraphOutput>> {
    spelled.trim().parse::<GraphOperation>().map_err(|error| {
        let wanted = spelled.to_lowercase();
        let likeness = |word: &str| strsim::jaro_winkler(&wanted, word);
        let words = GraphOperation::VARIANTS.iter().map(|operation| operation.as_ref());
        let nearest = words.max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        let near = nearest.filter(|word| likeness(word) > 0.7);
        let note = match (note_of_word(&wanted), near) {
            (Some(note), _) => note.to_owned(),
            (None, Some(word)) => format!("did you mean {word}?"),
            (None, None) => {
                "callers and callees are about functions, search is about names".to_owned()
            }
        };
        bad(&format!("operation {}", truncate(&error.to_string(), 300)), note)
    })
}

/// Returns what to ask for in place of an operation that others call so.
fn note_of_word(word: &str) -> Option<&'static str> {
    match word.trim().trim_end_matches('s') {
        "import" | "importer" | "imported_by" | "dependent" | "dependencie" | "dependency" => {
            Some("usages of a file are the files that import it; what it imports is at its top")
        }
        "reference" | "ref" | "use" | "used_by" | "user" | "read" | "write" => {
            Some("usages tells where a type or a value is used, callers where a function is called")
        }
        "subclasse" | "subclass" | "subtype" | "children" | "heir" | "derived" => {
            Some("inheritors tells what builds on a type")
        }
        "definition" | "define" | "find" | "lookup" | "declaration" => {
            Some("search finds definitions by name, symbols are the definitions of a file")
        }
        "path" | "flow" => Some("trace finds the way from one function to another"),
        _ => None,
    }
}

/// Arguments that make sense.
#[derive(Clone, Copy)]
pub(super) struct GraphQuestion<'a> {
    /// What its answer may use.
    pub(super) context: &'a ToolContext,
    pub(super) operation: GraphOperation,
    pub(super) target: &'a str,
    pub(super) file: Option<&'a str>,
    pub(super) kind: Option<NodeKind>,
    pub(super) depth: u32,
    pub(super) to: Option<&'a str>,
    pub(super) limit: usize,
    pub(super) offset: usize,
    pub(super) is_everywhere: bool,
}

impl<'a> GraphQuestion<'a> {
    pub(super) fn new(
        context: &'a ToolContext,
        arguments: &'a GraphToolArguments,
    ) -> Result<Self, Box<GraphOutput>> {
        let operation = operation_of(&arguments.operation)?;
        let kind = arguments.kind.as_deref().map(str::trim).filter(|kind| !kind.is_empty());
        let kind = kind.map(str::parse::<NodeKind>).transpose().map_err(|error| {
            let sentence = format!("kind {}", truncate(&error.to_string(), 300));
            bad(&sentence, "leave kind out to get every kind".to_owned())
        })?;
        if arguments.target.trim().is_empty() {
            let or_id = if context.call_syntax.has_ids() { ", or an ID such as c7" } else { "" };
            let note = format!("give a name or Type.member{or_id}");
            return Err(bad("there is no target", note));
        }
        if arguments.depth == Some(0) {
            return Err(bad("depth 0 leads nowhere", format!("give a depth of 1 to {MAX_DEPTH}")));
        }
        if arguments.limit == Some(0) {
            return Err(bad("limit 0 shows nothing", format!("give a limit of 1 to {MAX_LIMIT}")));
        }
        let present = |text: &'a Option<String>| {
            text.as_deref().map(str::trim).filter(|text| !text.is_empty())
        };
        let to = present(&arguments.to);
        if operation == GraphOperation::Trace && to.is_none() {
            let target = truncate(&arguments.target, SHOWN_NAME);
            let fields =
                [("operation", json!("trace")), ("target", json!(target)), ("to", json!("…"))];
            return Err(bad("trace needs to know where to", context.suggest("graph", &fields)));
        }
        Ok(Self {
            context,
            operation,
            target: arguments.target.trim().trim_matches(['`', '"', '\'']),
            file: present(&arguments.file),
            kind,
            depth: arguments.depth.unwrap_or(1),
            to,
            limit: arguments.limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT) as usize,
            offset: arguments.offset.unwrap_or_default() as usize,
            is_everywhere: arguments.everywhere == Some(true),
        })
    }

    /// Returns what `name` is looked up by: it is in the file, and of the kind, that are asked for.
    pub(super) const fn lookup_target<'n>(&self, name: &'n str) -> LookupTarget<'n>
    where
        'a: 'n,
    {
        LookupTarget { name, file: self.file, kind: self.kind }
    }

    /// Writes the call for the answers from `offset` on.
    pub(super) fn call_from(&self, offset: usize) -> String {
        self.context.suggest(
            "graph",
            &[
                ("operation", json!(self.operation.as_ref())),
                ("target", json!(self.target)),
                ("file", json!(self.file)),
                ("kind", json!(self.kind.as_ref().map(NodeKind::as_ref))),
                ("depth", json!((self.depth > 1).then_some(self.depth))),
                ("offset", json!(offset)),
                ("limit", json!((self.limit != DEFAULT_LIMIT as usize).then_some(self.limit))),
                ("everywhere", json!(self.is_everywhere.then_some(true))),
            ],
        )
    }
}

/// Ask the code graph, which knows definitions and not just text: who calls a function, what it calls, what implements an
/// interface, where a type is used, how one function reaches another. Example: {"operation": "callers", "target": "Store.save"}.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(example = json!({"operation": "callers", "target": "Store.save"}))]
pub struct GraphToolArguments {
    /// callers, callees, implementations, methods, usages, inheritors: what relates to the target. symbols: definitions in the
    /// file that is the target. search: definitions whose names hold the target's words. trace: the way to `to`.
    #[schemars(with = "GraphOperation")]
    #[serde(alias = "op")]
    pub operation: String,
    /// A name, `Type.member`, a full name, or an ID (c7). For symbols a path.
    #[serde(alias = "name", alias = "symbol", alias = "from")]
    pub target: String,
    /// Part of the path of the target's file, when its name is not unique.
    #[serde(default, alias = "path")]
    pub file: Option<String>,
    /// Kind of the target, when its name is not unique.
    #[serde(default)]
    #[schemars(with = "Option<NodeKind>")]
    pub kind: Option<String>,
    /// Steps to follow, 1 to 10. Default: 1.
    #[serde(default)]
    pub depth: Option<u32>,
    /// For trace: where the way leads to; like the target.
    #[serde(default)]
    pub to: Option<String>,
    /// Most results. Default: 20.
    #[serde(default)]
    pub limit: Option<u32>,
    /// Results to skip.
    #[serde(default)]
    pub offset: Option<u32>,
    /// Ask all published repositories, not this one. Their files can't be read here.
    #[serde(default)]
    pub everywhere: Option<bool>,
}
