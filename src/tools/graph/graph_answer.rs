//! A definition of the graph, and a definition that answers a question, as a call of `graph` returns them.

use retriever_graph::{EdgeKind, EdgeResolution, Graph, Node, NodeId, NodeKind};
use retriever_report::evidence_ledger::Declaration;
use retriever_workspace::{LineRange, truncate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tools::{
    LineAnnotation,
    qualified_names::{SHOWN_NAME, last_part, owner},
};

/// Most lines of one relation that are shown.
pub(super) const MAX_SITES: usize = 5;
/// Most lines of a function that is shown as a whole in place of its heading and the lines of the relation.
const WHOLE_LINES: u32 = 6;

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

    /// Returns the last part of the qualified name, or the name of a file.
    pub(super) fn own_name(&self) -> &str {
        match self.kind {
            NodeKind::File => self.path.rsplit('/').next().unwrap_or(&self.path),
            _ => last_part(&self.qname),
        }
    }

    /// Returns the annotation of its line.
    pub(super) fn label(&self) -> Option<LineAnnotation> {
        let range = LineRange::new(self.start, self.end)?;
        let (name, kind) = (self.own_name().to_owned(), self.kind.to_string());
        let owner = self.owner.as_ref();
        Some(LineAnnotation {
            definition: Some(Declaration { range, name, kind }),
            declares: None,
            around: None,
            context: owner.map(|owner| format!("in {owner}")).unwrap_or_default(),
        })
    }

    /// Returns the annotation of a line inside the definition.
    pub(super) fn label_inside(&self) -> Option<LineAnnotation> {
        let owner = self.owner.as_ref().map(|owner| format!("{owner}.")).unwrap_or_default();
        let context = format!("in {owner}{}", self.own_name());
        Some(LineAnnotation { context, ..self.label()? })
    }

    /// Returns the definition as text: `auth.login (function, src/auth.py:3-9)`.
    pub(super) fn describe(&self) -> String {
        let repository = self.repository.as_ref().map(|name| format!("{name}:"));
        format!(
            "{} ({}, {}{}:{}-{})",
            truncate(&self.qname, SHOWN_NAME),
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
    /// The lines that call the target through an interface or base method, where others call it directly.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dispatched: Vec<u32>,
    /// Whether the definition is part of the tests.
    #[serde(skip)]
    pub(super) is_test: bool,
    /// Whether the lines are those of the target, which may be inside the definition.
    #[serde(skip)]
    pub(super) is_at_target: bool,
}

/// Returns the lines that assign a function to a field, and their file. Lines within the function itself are those of a
/// literal. A function that is assigned by name may be named in any file; then there are no lines.
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
            dispatched: Vec::new(),
            is_test: false,
            is_at_target: false,
        }
    }

    /// Returns the lines of the relation that are shown.
    pub(super) fn shown_lines(&self) -> impl Iterator<Item = u32> {
        let lists = [&self.lines, &self.handed_on, &self.dispatched];
        lists.into_iter().flat_map(|lines| lines.iter().take(MAX_SITES)).copied()
    }

    /// Whether its lines show the relation: it is in the definition, one step away.
    pub(super) fn is_shown_by_lines(&self) -> bool {
        let Definition { path, start, end, .. } = &self.definition;
        self.definition.repository.is_none()
            && !self.is_at_target
            && self.depth == Some(1)
            && (self.through.is_none() || self.relation == Some(EdgeKind::Calls))
            && self.literal_lines.is_empty()
            && self.package.is_none()
            && self.site.as_ref() == Some(path)
            && self.shown_lines().all(|line| (*start..=*end).contains(&line))
    }

    /// Whether `target` calls it on the shown lines, and there are no others.
    pub(super) fn is_called_in(&self, target: Option<&Definition>) -> bool {
        self.relation == Some(EdgeKind::Calls)
            && self.depth == Some(1)
            && self.definition.repository.is_none()
            && self.through.is_none()
            && self.package.is_none()
            && self.handed_on.is_empty()
            && self.dispatched.is_empty()
            && (1..=MAX_SITES).contains(&self.lines.len())
            && !self.is_shown_by_lines()
            && target.is_some_and(|target| {
                let is_within = |line: &u32| (target.start..=target.end).contains(line);
                self.site.as_ref() == Some(&target.path) && self.lines.iter().all(is_within)
            })
    }

    /// Whether it is a member of the target, which the note of its line says.
    pub(super) fn is_shown_as_member(&self) -> bool {
        self.relation == Some(EdgeKind::Parent)
            && self.resolution == Some(EdgeResolution::Exact)
            && self.definition.repository.is_none()
            && self.definition.owner.is_some()
            && self.depth == Some(1)
            && self.through.is_none()
            && self.package.is_none()
    }

    /// Returns the lines of the definition that are shown: all of a short function, else the line of its name.
    pub(super) fn heading_lines(&self) -> std::ops::RangeInclusive<u32> {
        let Definition { kind, line, start, end, .. } = self.definition;
        let is_short = kind == NodeKind::Function && end.saturating_sub(start) < WHOLE_LINES;
        // If the relation is in another place, the function itself was not requested.
        if is_short && self.relation.is_some() && self.is_shown_by_lines() {
            line..=end.max(line)
        } else {
            line..=line
        }
    }
}
