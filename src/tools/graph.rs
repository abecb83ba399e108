//! `graph`: who calls what, what implements what, and the way from one function to another, out of the code graph. Every
//! answer shows real lines of files as they are now: signatures, and the lines that make the relation.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use strum::{AsRefStr, Display, EnumString, VariantArray};

use super::{
    Excerpt, Observation, Outcome, Tool, ToolContext, ToolError, ToolOutput, graph_answer, target,
};
use retriever_graph::{EdgeKind, Graph, Node, NodeKind, Resolution, index::Index};
use retriever_report::ledger::EvidenceSource;
use retriever_workspace::{FileVersion, RepoPath, UnknownVariant};
use retriever_workspace::{truncate, truncate_line};

/// Results of a page when nobody says.
pub(super) const DEFAULT_LIMIT: u32 = 20;
/// Results of a page at most.
pub(super) const MAX_LIMIT: u32 = 100;
/// Steps that a relation is followed at most.
pub(super) const MAX_DEPTH: u32 = 10;
/// Characters of a target that are repeated.
const SHOWN_TARGET: usize = 120;

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
    /// Functions and fields whose types name it.
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

/// The `graph` tool.
pub struct GraphTool {
    index: Arc<Index>,
}

impl GraphTool {
    /// Returns the tool over `index`, which is brought up to date at every call.
    pub fn new(index: Arc<Index>) -> Self {
        Self { index }
    }
}

/// Ask the code graph, which knows definitions and not just text: who calls a function, what it calls, what implements an
/// interface, where a type is used, how one function reaches another. Example: {"operation": "callers", "target": "Store.save"}.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(example = json!({"operation": "callers", "target": "Store.save"}))]
pub struct GraphArguments {
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
}

/// A definition of the graph.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Definition {
    /// Its full name.
    pub qname: String,
    /// Its kind.
    pub kind: NodeKind,
    /// Its file.
    pub path: String,
    /// Its first line.
    pub start: u32,
    /// Its last line.
    pub end: u32,
    /// The line that names it.
    pub line: u32,
}

impl Definition {
    pub(super) fn of(node: &Node) -> Self {
        Self {
            qname: node.qname.clone(),
            kind: node.kind,
            path: node.path.clone(),
            start: node.start,
            end: node.end,
            line: node.name_line,
        }
    }

    /// The definition in words: `auth.login (function, src/auth.py:3-9)`.
    pub(super) fn describe(&self) -> String {
        format!(
            "{} ({}, {}:{}-{})",
            truncate(&self.qname, SHOWN_TARGET),
            self.kind,
            self.path,
            self.start,
            self.end
        )
    }
}

/// A definition that answers, and how.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Answer {
    /// The definition.
    pub definition: Definition,
    /// The relation, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<EdgeKind>,
    /// How sure the relation is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolution: Option<Resolution>,
    /// Steps from the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The interface or base method that the relation goes through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
    /// The file of the lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// The lines that make the relation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<u32>,
}

/// What the graph says.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GraphOutput {
    /// How the call ended.
    pub outcome: Outcome,
    /// What was found, in one sentence.
    pub headline: String,
    /// What was asked about, when it was clear.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Definition>,
    /// Answers of this page.
    pub answers: Vec<Answer>,
    /// Definitions that the target may mean, best first, when it was not clear.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Definition>,
    /// All there are.
    pub total: usize,
    /// What to know and what to do next.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    #[serde(skip)]
    pub(super) excerpts: Vec<Excerpt>,
}

impl GraphOutput {
    pub(super) fn sentence(outcome: Outcome, headline: impl Into<String>) -> Self {
        Self {
            outcome,
            headline: headline.into(),
            target: None,
            answers: Vec::new(),
            candidates: Vec::new(),
            total: 0,
            notes: Vec::new(),
            excerpts: Vec::new(),
        }
    }

    pub(super) fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Reads the lines that the answer is shown with.
    fn with_lines(mut self, context: &ToolContext) -> Self {
        let mut wanted: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
        let mut want = |path: &str, line: u32| {
            wanted.entry(path.to_owned()).or_default().insert(line);
        };
        for candidate in &self.candidates {
            want(&candidate.path, candidate.line);
        }
        for answer in &self.answers {
            if answer.definition.kind != NodeKind::File {
                want(&answer.definition.path, answer.definition.line);
            }
            for line in answer.lines.iter().take(graph_answer::MAX_SITES) {
                want(answer.site.as_deref().unwrap_or(&answer.definition.path), *line);
            }
        }
        for (path, lines) in wanted {
            let file =
                RepoPath::parse(&path, "").ok().and_then(|path| context.workspace.read(&path).ok());
            let Some(file) = file else { continue };
            let lines: Vec<(u32, String)> = lines
                .into_iter()
                .filter_map(|line| Some((line, truncate_line(file.line(line)?))))
                .collect();
            self.excerpts.push(Excerpt { file: FileVersion::of(&file), lines });
        }
        self
    }
}

impl ToolOutput for GraphOutput {
    fn observation(&self) -> Observation {
        let mut footer: Vec<String> = self.candidates.iter().map(Definition::describe).collect();
        footer.extend(self.answers.iter().filter_map(graph_answer::relation_in_words));
        footer.extend(self.notes.iter().cloned());
        Observation {
            outcome: self.outcome,
            source: EvidenceSource::Graph,
            headline: self.headline.clone(),
            excerpts: self.excerpts.clone(),
            listing: Vec::new(),
            footer,
        }
    }
}

impl Tool for GraphTool {
    const NAME: &'static str = "graph";
    type Arguments = GraphArguments;
    type Output = GraphOutput;

    fn run(
        &self,
        context: &ToolContext,
        arguments: GraphArguments,
    ) -> Result<GraphOutput, ToolError> {
        let question = match Question::new(&arguments) {
            Ok(question) => question,
            Err(refusal) => return Ok(*refusal),
        };
        let answer = self
            .index
            .ask(&context.cancellation, |graph| graph_answer::answer(graph, context, &question));
        let answer = answer.map_err(|error| ToolError::Model(error.to_string()))?;
        Ok(answer.with_lines(context))
    }
}

/// Arguments that make sense.
pub(super) struct Question<'a> {
    pub(super) operation: GraphOperation,
    pub(super) target: &'a str,
    pub(super) file: Option<&'a str>,
    pub(super) kind: Option<NodeKind>,
    pub(super) depth: u32,
    pub(super) to: Option<&'a str>,
    pub(super) limit: usize,
    pub(super) offset: usize,
}

impl<'a> Question<'a> {
    fn new(arguments: &'a GraphArguments) -> Result<Self, Box<GraphOutput>> {
        let bad = |sentence: &str, note: String| {
            Box::new(GraphOutput::sentence(Outcome::BadArguments, sentence).note(note))
        };
        let operation = arguments.operation.trim().parse::<GraphOperation>().map_err(|error| {
            let wanted = arguments.operation.to_lowercase();
            let likeness = |word: &str| strsim::jaro_winkler(&wanted, word);
            let words = GraphOperation::VARIANTS.iter().map(|operation| operation.as_ref());
            let nearest = words.max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
            let note = match nearest.filter(|word| likeness(word) > 0.7) {
                Some(word) => format!("did you mean operation={word:?}?"),
                None => "callers and callees are about functions, search is about names".to_owned(),
            };
            bad(&format!("operation {}", truncate(&error.to_string(), 300)), note)
        })?;
        let kind = arguments.kind.as_deref().map(str::trim).filter(|kind| !kind.is_empty());
        let kind = kind.map(str::parse::<NodeKind>).transpose().map_err(|error| {
            let sentence = format!("kind {}", truncate(&error.to_string(), 300));
            bad(&sentence, "leave kind out to get every kind".to_owned())
        })?;
        if arguments.target.trim().is_empty() {
            let note = "give a name, Type.member, or an ID such as c7".to_owned();
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
            let target = truncate(&arguments.target, SHOWN_TARGET);
            let fields =
                [("operation", json!("trace")), ("target", json!(target)), ("to", json!("…"))];
            return Err(bad("trace needs to know where to", target::call("graph", &fields)));
        }
        Ok(Self {
            operation,
            target: arguments.target.trim().trim_matches(['`', '"', '\'']),
            file: present(&arguments.file),
            kind,
            depth: arguments.depth.unwrap_or(1),
            to,
            limit: arguments.limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT) as usize,
            offset: arguments.offset.unwrap_or_default() as usize,
        })
    }
}

/// Whether the graph holds anything.
pub(super) fn is_empty(graph: &Graph) -> bool {
    graph.files().is_empty()
}
