//! The result of a `graph` call, typed and as an observation.

use std::collections::{BTreeMap, BTreeSet};

use retriever_graph::{EdgeKind, EdgeResolution, Graph, Node, NodeId, NodeKind};
use retriever_report::evidence_ledger::{Declaration, EvidenceSource};
use retriever_workspace::{FileVersion, LineRange, RepoPath, truncate, truncate_line};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tools::{
    LineAnnotation, ObservationExcerpt, ToolContext, ToolObservation, ToolOutcome, ToolOutput,
};

/// Lines of one relation that are shown.
pub(super) const MAX_SITES: usize = 5;
/// What separates the parts of full names.
pub(super) const SEPARATORS: [char; 4] = ['.', ':', '#', '\\'];
/// Lines of a function that is shown as a whole in place of its heading and the lines of the relation.
const WHOLE_LINES: u32 = 6;
/// Says that a function is named without being called.
const HANDED_ON: &str = "references: handed over as a value";
/// Answers of one kind that are named besides their lines.
const MAX_NAMED: usize = 12;
/// Characters of a target that are repeated.
pub(super) const SHOWN_TARGET: usize = 120;

/// A definition of the graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// The type that it is a member of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The repository that has the file, when that is not the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// Its heading, where its lines are not at hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
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
            owner: owner(node),
            repository: None,
            signature: None,
        }
    }

    /// Returns the annotation of its line.
    fn label(&self) -> Option<LineAnnotation> {
        let range = LineRange::new(self.start, self.end)?;
        let (name, kind) = (last_part(&self.qname).to_owned(), self.kind.to_string());
        let owner = self.owner.as_ref();
        Some(LineAnnotation {
            definition: Some(Declaration { range, name, kind }),
            declares: None,
            context: owner.map(|owner| format!("in {owner}")).unwrap_or_default(),
        })
    }

    /// The definition in words: `auth.login (function, src/auth.py:3-9)`.
    pub(super) fn describe(&self) -> String {
        let repository = self.repository.as_ref().map(|name| format!("{name}:"));
        format!(
            "{} ({}, {}{}:{}-{})",
            truncate(&self.qname, SHOWN_TARGET),
            self.kind,
            repository.unwrap_or_default(),
            self.path,
            self.start,
            self.end
        )
    }
}

/// A definition that answers, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GraphAnswer {
    /// The definition.
    pub definition: Definition,
    /// The relation, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<EdgeKind>,
    /// How sure the relation is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolution: Option<EdgeResolution>,
    /// Steps from the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The interface or base method that the relation goes through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
    /// The lines of the definition that run, when only function literals inside of it do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub literal_lines: Vec<u32>,
    /// The package that joins two repositories, where the relation leads from one to the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<PackageLink>,
    /// The file of the lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// The lines that make the relation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<u32>,
    /// The lines that hand the target on as a value, where others call it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handed_on: Vec<u32>,
}

/// Returns the lines at which a function is assigned to a field, and their file. Lines within the function itself are those
/// of a literal. A function that is assigned by name may have been named in any file: then there are no lines.
pub(super) fn kept_at<'a>(
    graph: &'a Graph,
    kept: NodeId,
    lines: &'a [u32],
) -> (Option<&'a str>, &'a [u32]) {
    match graph.heading(kept) {
        Some(node) if lines.iter().all(|line| (node.start..=node.end).contains(line)) => {
            (Some(node.path), lines)
        }
        _ => (None, &[]),
    }
}

/// Why a relation leads from one repository to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PackageLink {
    /// Where the package is published: `cargo`, `go`, `npm`, `pypi`, `maven`, `nuget`, `gem`, `composer` or `swift`.
    pub ecosystem: String,
    /// Its name.
    pub name: String,
    /// The versions that the user requires.
    pub requires: String,
}

impl GraphAnswer {
    /// A definition that answers by itself, without a relation.
    pub(super) fn of(definition: Definition) -> Self {
        Self {
            definition,
            relation: None,
            resolution: None,
            depth: None,
            through: None,
            literal_lines: Vec::new(),
            package: None,
            site: None,
            lines: Vec::new(),
            handed_on: Vec::new(),
        }
    }

    /// The lines of the relation, all that are shown.
    fn shown_lines(&self) -> impl Iterator<Item = u32> {
        let handed_on = self.handed_on.iter().take(MAX_SITES);
        self.lines.iter().take(MAX_SITES).chain(handed_on).copied()
    }

    /// Whether its lines say where the relation is: one that stands in the definition, one step away.
    fn is_shown_by_lines(&self) -> bool {
        let Definition { path, start, end, .. } = &self.definition;
        self.definition.repository.is_none()
            && self.depth == Some(1)
            && self.through.is_none()
            && self.literal_lines.is_empty()
            && self.package.is_none()
            && self.site.as_ref() == Some(path)
            && self.lines.len().max(self.handed_on.len()) <= MAX_SITES
            && self.shown_lines().all(|line| (*start..=*end).contains(&line))
    }

    /// Whether it is a member of the target, which the note on its line says.
    fn is_shown_as_member(&self) -> bool {
        self.relation == Some(EdgeKind::Parent)
            && self.resolution == Some(EdgeResolution::Exact)
            && self.definition.repository.is_none()
            && self.definition.owner.is_some()
            && self.depth == Some(1)
            && self.through.is_none()
            && self.package.is_none()
    }

    /// The lines of its definition that are shown: all of a short function, else the one that names it.
    fn heading_lines(&self) -> std::ops::RangeInclusive<u32> {
        let Definition { kind, line, start, end, .. } = self.definition;
        let is_short = kind == NodeKind::Function && end.saturating_sub(start) < WHOLE_LINES;
        // Where the relation stands in another place the function itself was not asked for.
        if is_short && self.relation.is_some() && self.is_shown_by_lines() {
            line..=end.max(line)
        } else {
            line..=line
        }
    }
}

/// What the graph says.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GraphOutput {
    /// How the call ended.
    pub outcome: ToolOutcome,
    /// What was found, in one sentence.
    pub headline: String,
    /// What was asked about, when it was clear.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Definition>,
    /// Answers of this page.
    pub answers: Vec<GraphAnswer>,
    /// Definitions that the target may mean, best first, when it was not clear.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Definition>,
    /// All there are.
    pub total: usize,
    /// What to know and what to do next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    #[serde(skip)]
    pub(super) excerpts: Vec<ObservationExcerpt>,
}

impl GraphOutput {
    pub(super) fn sentence(outcome: ToolOutcome, headline: impl Into<String>) -> Self {
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
    pub(super) fn with_lines(mut self, context: &ToolContext) -> Self {
        let is_here = |definition: &Definition| definition.repository.is_none();
        let mut wanted: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
        let mut want = |path: &str, line: u32| {
            wanted.entry(path.to_owned()).or_default().insert(line);
        };
        for candidate in self.candidates.iter().filter(|candidate| is_here(candidate)) {
            want(&candidate.path, candidate.line);
        }
        for answer in self.answers.iter().filter(|answer| is_here(&answer.definition)) {
            if answer.definition.kind != NodeKind::File {
                answer.heading_lines().for_each(|line| want(&answer.definition.path, line));
            }
            for line in answer.shown_lines() {
                want(answer.site.as_deref().unwrap_or(&answer.definition.path), line);
            }
        }
        let listed = self.answers.iter().map(|answer| &answer.definition).chain(&self.candidates);
        let mut labels: BTreeMap<String, BTreeMap<u32, LineAnnotation>> = BTreeMap::new();
        for definition in listed.filter(|definition| definition.kind != NodeKind::File) {
            let of_file = labels.entry(definition.path.clone()).or_default();
            of_file.extend(definition.label().map(|label| (definition.line, label)));
        }
        for (path, lines) in wanted {
            let file =
                RepoPath::parse(&path, "").ok().and_then(|path| context.workspace.read(&path).ok());
            let Some(file) = file else { continue };
            let lines: Vec<(u32, String)> = lines
                .into_iter()
                .filter_map(|line| Some((line, truncate_line(file.line(line)?))))
                .collect();
            let labels = labels.remove(&path).unwrap_or_default();
            self.excerpts.push(ObservationExcerpt {
                labels,
                ..ObservationExcerpt::new(FileVersion::of(&file), lines)
            });
        }
        self
    }
}

impl ToolOutput for GraphOutput {
    fn observation(&self) -> ToolObservation {
        let mut footer: Vec<String> = self.candidates.iter().map(Definition::describe).collect();
        footer.extend(relations_by_kind(&self.answers));
        footer.extend(self.answers.iter().filter_map(relation_in_words));
        footer.extend(self.notes.iter().cloned());
        ToolObservation {
            outcome: self.outcome,
            source: EvidenceSource::Graph,
            headline: self.headline.clone(),
            excerpts: self.excerpts.clone(),
            listing: Vec::new(),
            footer,
            explanation: None,
        }
    }
}

/// Returns the type that a member belongs to.
fn owner(node: &Node) -> Option<String> {
    let is_member = node.is_method || node.kind == NodeKind::Field;
    let above = node.qname.strip_suffix(&node.name).filter(|_| is_member)?;
    let owner = last_part(above.trim_end_matches(SEPARATORS));
    // A path is that of a package, not a type.
    (!owner.is_empty() && !owner.contains('/')).then(|| truncate(owner, SHOWN_TARGET))
}

/// Returns the name with that of the type that it belongs to: `Store.save`.
pub(in crate::tools) fn short_name(node: &Node) -> String {
    match owner(node) {
        Some(owner) => format!("{owner}.{}", node.name),
        None => node.name.clone(),
    }
}

/// Returns the last part of a full name.
fn last_part(qname: &str) -> &str {
    qname.rsplit(SEPARATORS).next().unwrap_or(qname)
}

/// Returns the names of the answers whose lines say everything but the kind of the relation, by kind: `inferred: a, b`. An
/// exact call needs no word.
fn relations_by_kind(answers: &[GraphAnswer]) -> Vec<String> {
    let mut kinds: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for answer in answers.iter().filter(|answer| answer.is_shown_by_lines()) {
        let (Some(relation), Some(resolution)) = (&answer.relation, &answer.resolution) else {
            continue;
        };
        if !answer.handed_on.is_empty() {
            let names = kinds.entry(format!("also {HANDED_ON}")).or_default();
            names.push(last_part(&answer.definition.qname));
        }
        let kind = match (relation, resolution) {
            (EdgeKind::Calls, EdgeResolution::Exact) => continue,
            (EdgeKind::Calls, resolution) => resolution.to_string(),
            (relation, EdgeResolution::Exact) => verb_of(relation, answer).to_owned(),
            (relation, resolution) => format!("{}, {resolution}", verb_of(relation, answer)),
        };
        kinds.entry(kind).or_default().push(last_part(&answer.definition.qname));
    }
    let say = |(kind, mut names): (String, Vec<&str>)| {
        names.dedup();
        let more = names.len().saturating_sub(MAX_NAMED);
        let more = if more > 0 { format!(" +{more}") } else { String::new() };
        let names: Vec<String> =
            names.iter().take(MAX_NAMED).map(|name| truncate(name, 60)).collect();
        format!("{kind}: {}{more}", names.join(", "))
    };
    kinds.into_iter().map(say).collect()
}

fn verb_of<'a>(relation: &'a EdgeKind, answer: &GraphAnswer) -> &'a str {
    let kind = answer.definition.kind;
    match relation {
        EdgeKind::References => HANDED_ON,
        EdgeKind::Constructs => "constructs: makes one by a literal",
        EdgeKind::Triggers if !answer.literal_lines.is_empty() => {
            "triggers: a function literal inside runs as a callback that is kept"
        }
        EdgeKind::Triggers if answer.through.is_some() => {
            "triggers: runs as a callback that is kept"
        }
        EdgeKind::Triggers if matches!(kind, NodeKind::Field | NodeKind::Variable) => {
            "triggers: the callbacks that it keeps are called"
        }
        EdgeKind::Triggers => "triggers: made to run without being called by name",
        other => other.as_ref(),
    }
}

/// Returns the relation in words, to stand beside the lines of an answer: `login calls it at src/a.py:4, 9 (exact)`.
fn relation_in_words(answer: &GraphAnswer) -> Option<String> {
    let signature =
        answer.definition.signature.as_ref().map(|it| format!(": {}", truncate(it, 200)));
    let signature = signature.unwrap_or_default();
    let (Some(relation), Some(resolution)) = (&answer.relation, &answer.resolution) else {
        let definition = &answer.definition;
        return definition
            .repository
            .as_ref()
            .map(|_| format!("{}{signature}", definition.describe()));
    };
    if answer.is_shown_by_lines() || answer.is_shown_as_member() {
        return None;
    }
    let definition = &answer.definition;
    let verb = verb_of(relation, answer);
    let at = match &answer.site {
        Some(site) if !answer.lines.is_empty() => {
            format!(" at {site}:{}", lines_in_words(&answer.lines))
        }
        _ => String::new(),
    };
    let handed_on = match answer.handed_on.as_slice() {
        [] => String::new(),
        lines => format!("; also {HANDED_ON} at {}", lines_in_words(lines)),
    };
    let through = answer
        .through
        .as_ref()
        .map(|name| format!(", through {}", truncate(name, 120)))
        .unwrap_or_default();
    let depth = answer
        .depth
        .filter(|depth| *depth > 1)
        .map(|depth| format!(", step {depth}"))
        .unwrap_or_default();
    let package = answer.package.as_ref().map(|it| {
        format!(
            ", by {} package {} {}",
            it.ecosystem,
            truncate(&it.name, 120),
            truncate(&it.requires, 60)
        )
    });
    let package = package.unwrap_or_default();
    Some(format!(
        "{}: {verb}{at}, {resolution}{through}{depth}{package}{signature}{handed_on}",
        definition.describe()
    ))
}

fn lines_in_words(lines: &[u32]) -> String {
    let shown: Vec<String> = lines.iter().take(MAX_SITES).map(ToString::to_string).collect();
    let more = lines.len().saturating_sub(shown.len());
    let more = if more > 0 { format!(" and {more} more lines") } else { String::new() };
    shown.join(",") + &more
}
