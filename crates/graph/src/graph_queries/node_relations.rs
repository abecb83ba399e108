//! The relations of one node: who calls it, what it calls, what implements it, where it is used. Every answer is
//! deduplicated, sorted, bounded, and says how much there is.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, VariantArray};

use super::{
    graph_path_search::MAX_KEPT,
    node_lookup::{is_secondary, is_test, is_test_node},
    overriding_methods::OverridingMethod,
};
use crate::{
    graph_model::{Edge, EdgeKind, EdgeResolution, Language, Node, NodeId, NodeKind},
    store::Graph,
};
use retriever_workspace::{Cancellation, UnknownVariant};

/// Nodes that one question visits at most.
pub(super) const MAX_VISITED: usize = 20_000;

/// A question about one node.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<NodeQuery>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeQuery {
    /// What calls or constructs it, also through an interface, and what hands it on as a value.
    Callers,
    /// What it calls.
    Callees,
    /// What implements or overrides it.
    Implementations,
    /// Its members.
    Methods,
    /// Functions and fields whose types name it, what makes one, what it decorates; for a file, the files that import it.
    Usages,
    /// What builds on it.
    Inheritors,
}

/// One answer: a node, the lines that relate it, and how far away it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedNode {
    /// The node.
    pub node: NodeId,
    /// Steps from the one asked about.
    pub depth: u32,
    /// The lines of the relation, in the file of the node that makes it.
    pub lines: Vec<u32>,
    /// The lines that stand in other files, with these: of an `impl` block in another file than the type, of a body in another
    /// file than the prototype that was asked about.
    pub elsewhere: Vec<(NodeId, u32)>,
    /// The lines that hand the function asked about on as a value, beside those that call it.
    pub handed_on: Vec<u32>,
    /// How sure it is: the least sure of its lines.
    pub resolution: EdgeResolution,
    /// The interface or base method that it goes through, if it isn't direct.
    pub through: Option<NodeId>,
    /// The relation.
    pub kind: EdgeKind,
}

/// A node that a question has reached.
struct Reached {
    node: NodeId,
    /// The lines of the node that count; all of them when there is no list.
    lines: Option<Vec<u32>>,
    /// The file of the node, where it is another than that of the definition asked about.
    apart: Option<NodeId>,
}

impl Reached {
    fn whole(node: NodeId) -> Self {
        Self { node, lines: None, apart: None }
    }

    fn has(&self, line: u32) -> bool {
        self.lines.as_ref().is_none_or(|lines| lines.contains(&line))
    }
}

/// Another definition whose calls are those of the node asked about.
#[derive(Clone, Copy)]
struct CallsThrough<'a> {
    node: NodeId,
    /// The method asked about, when it overrides that definition.
    overriding: Option<&'a OverridingMethod>,
}

/// A part of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedNodesPage {
    /// Sorted by depth, examples and the like behind production code and tests last, same file first, path and line.
    pub items: Vec<RelatedNode>,
    /// How many there are in all.
    pub total: usize,
    /// The question was cut off because it reaches too much.
    pub cut: bool,
}

impl Graph {
    /// Answers `operation` for `targets`, which are one definition (see [`Graph::overloads`]), down to `depth` steps (at
    /// least one, at most ten).
    pub fn related(
        &self,
        operation: NodeQuery,
        targets: &[NodeId],
        depth: u32,
        offset: usize,
        limit: usize,
    ) -> RelatedNodesPage {
        let depth = depth.clamp(1, 10);
        let mut seen: BTreeSet<NodeId> = targets.iter().copied().collect();
        let home = targets.first().and_then(|target| self.path_of(*target));
        let mut frontier: Vec<Reached> =
            targets.iter().map(|target| self.asked(*target, home)).collect();
        let mut all: Vec<RelatedNode> = Vec::new();
        let mut cut = false;
        for step in 1..=depth {
            let mut found: BTreeMap<NodeId, RelatedNode> = BTreeMap::new();
            for at in &frontier {
                self.step(operation, at, step, &mut found);
            }
            let fresh: Vec<RelatedNode> =
                found.into_values().filter(|r| step == 1 || !seen.contains(&r.node)).collect();
            frontier = fresh
                .iter()
                .filter(|related| seen.insert(related.node))
                .map(|related| self.reached(operation, related))
                .collect();
            all.extend(fresh);
            if seen.len() > MAX_VISITED {
                cut = true;
                break;
            }
            if frontier.is_empty() {
                break;
            }
        }
        if operation != NodeQuery::Callers {
            self.drop_prototypes(&mut all);
        }
        all.sort_by_cached_key(|related| {
            let node = self.node(related.node);
            let path = node.map_or("", |node| node.path.as_str());
            let line = node.map_or(0, |node| node.start);
            let place = (Some(path) != home, path.to_owned(), line, related.node);
            // The methods of a type come before its fields.
            let is_field = operation == NodeQuery::Methods && self.keeps_callbacks(related.node);
            let is_test = node.is_some_and(is_test_node);
            let is_beside = is_test || self.is_secondary(related.node);
            (related.depth, is_field, (is_test, is_beside), place)
        });
        let total = all.len();
        RelatedNodesPage { items: all.into_iter().skip(offset).take(limit).collect(), total, cut }
    }

    /// Drops declarations without a body of what is among `found` with one, as near or nearer.
    fn drop_prototypes(&self, found: &mut Vec<RelatedNode>) {
        let mut defined: BTreeMap<(&str, NodeKind), u32> = BTreeMap::new();
        for related in found.iter() {
            if let Some(node) = self.node(related.node).filter(|node| !node.is_declaration) {
                let depth = defined.entry((&node.qname, node.kind)).or_insert(related.depth);
                *depth = related.depth.min(*depth);
            }
        }
        found.retain(|related| {
            let node = self.node(related.node).filter(|node| {
                node.is_declaration && !node.language.capabilities().keeps_bodyless_apart()
            });
            let depth = node.and_then(|node| defined.get(&(node.qname.as_str(), node.kind)));
            depth.is_none_or(|depth| *depth > related.depth)
        });
    }

    /// Returns the nodes from which the next step continues.
    fn reached(&self, operation: NodeQuery, related: &RelatedNode) -> Reached {
        let lines = match operation {
            NodeQuery::Callers => Some([&related.lines[..], &related.handed_on].concat()),
            NodeQuery::Callees => {
                related.through.and_then(|kept_by| self.literal_lines(kept_by, related.node))
            }
            _ => None,
        };
        Reached { lines, ..Reached::whole(related.node) }
    }

    /// Returns a node that is asked about together with others, of which the first is in the file `home`.
    fn asked(&self, node: NodeId, home: Option<&str>) -> Reached {
        let is_apart = self.path_of(node) != home;
        Reached { apart: self.file_of(node).filter(|_| is_apart), ..Reached::whole(node) }
    }

    fn step(
        &self,
        operation: NodeQuery,
        reached: &Reached,
        depth: u32,
        found: &mut BTreeMap<NodeId, RelatedNode>,
    ) {
        let at = reached.node;
        match operation {
            NodeQuery::Callers => {
                self.callers_of(reached, None, depth, found);
                self.makers_of_objects(at, depth, found);
                self.callers_of_overridden(at, depth, found);
            }
            NodeQuery::Callees => {
                let outgoing = self.outgoing(at).iter().filter(|edge| reached.has(edge.line));
                for edge in outgoing {
                    match edge.kind {
                        EdgeKind::Calls => {
                            let apart = reached.apart.map(|file| (file, edge.line));
                            note_apart(found, edge.to, edge, depth, Vec::from_iter(apart));
                        }
                        EdgeKind::Triggers => self.triggered_by(edge, depth, found),
                        _ => {}
                    }
                }
            }
            NodeQuery::Implementations | NodeQuery::Inheritors => {
                for edge in self.incoming(at) {
                    if matches!(edge.kind, EdgeKind::Inherits | EdgeKind::Implements) {
                        let apart = self.made_elsewhere(edge).map(|file| (file, edge.line));
                        note_apart(found, edge.from, edge, depth, apart.collect());
                    }
                }
            }
            NodeQuery::Methods => {
                for edge in self.incoming(at).iter().filter(|edge| edge.kind == EdgeKind::Parent) {
                    note(found, edge.from, edge, depth, None);
                }
            }
            NodeQuery::Usages => self.usages_of(at, depth, found),
        }
    }

    /// What calls a method that this one overrides: that may run this one.
    fn callers_of_overridden(
        &self,
        method: NodeId,
        depth: u32,
        found: &mut BTreeMap<NodeId, RelatedNode>,
    ) {
        let above = self.implemented_by_edge(method);
        if above.is_empty() {
            return;
        }
        let overriding = OverridingMethod::new(self, method);
        for node in above {
            let reached = Reached::whole(node);
            let through = CallsThrough { node, overriding: Some(&overriding) };
            self.callers_of(&reached, Some(through), depth, found);
        }
    }

    fn usages_of(&self, at: NodeId, depth: u32, found: &mut BTreeMap<NodeId, RelatedNode>) {
        for edge in self.outgoing(at).iter().filter(|edge| edge.kind == EdgeKind::ParamOf) {
            note(found, edge.to, edge, depth, None);
        }
        let is_file = self.node(at).is_some_and(|node| node.kind == NodeKind::File);
        for edge in self.incoming(at) {
            let is_usage = match edge.kind {
                EdgeKind::Returns
                | EdgeKind::FieldType
                | EdgeKind::Constructs
                | EdgeKind::DecoratedBy => true,
                EdgeKind::Imports => is_file,
                _ => false,
            };
            if is_usage {
                note(found, edge.from, edge, depth, None);
            }
        }
        self.made_in(at, depth, found);
        self.name_it(at, depth, found);
    }

    /// What makes objects of a type, by its name or by a constructor of it. What builds on the type calls its constructor for an
    /// object of its own.
    fn made_in(&self, ty: NodeId, depth: u32, found: &mut BTreeMap<NodeId, RelatedNode>) {
        if !self.kind(ty).is_some_and(NodeKind::is_type) {
            return;
        }
        let builds = |edge: &&Edge| matches!(edge.kind, EdgeKind::Inherits | EdgeKind::Implements);
        let heirs: BTreeSet<NodeId> =
            self.incoming(ty).iter().filter(builds).map(|edge| edge.from).collect();
        let is_outside = |edge: &&Edge| {
            let around = self.types_around(edge.from);
            edge.kind == EdgeKind::Calls && !around.iter().any(|it| *it == ty || heirs.contains(it))
        };
        for edge in self.incoming(ty).iter().filter(|edge| edge.kind == EdgeKind::Calls) {
            note(found, edge.from, edge, depth, None);
        }
        for constructor in self.constructors_of(ty) {
            for edge in self.incoming(constructor).iter().filter(is_outside) {
                note(found, edge.from, edge, depth, None);
            }
        }
    }

    /// What names a type in an annotation. What builds on the type is its inheritor.
    fn name_it(&self, ty: NodeId, depth: u32, found: &mut BTreeMap<NodeId, RelatedNode>) {
        let is_function = self.kind(ty) == Some(NodeKind::Function);
        let builds = |edge: &&Edge| matches!(edge.kind, EdgeKind::Inherits | EdgeKind::Implements);
        let incoming = self.incoming(ty).iter();
        let (mut inheritors, mut lines) = (BTreeSet::new(), BTreeSet::new());
        for edge in incoming.filter(builds) {
            let elsewhere: Vec<NodeId> = self.made_elsewhere(edge).collect();
            let own = self.file_of(edge.from).filter(|_| elsewhere.is_empty());
            lines.extend(elsewhere.into_iter().chain(own).map(|file| (file, edge.line)));
            if self.kind(edge.from) != Some(NodeKind::File) {
                inheritors.insert(edge.from);
            }
        }
        let is_name = |edge: &&Edge| {
            edge.kind == EdgeKind::References
                && edge.resolution == EdgeResolution::Exact
                && edge.from != ty
                && !is_function
                && !inheritors.contains(&edge.from)
                && !lines.contains(&(edge.from, edge.line))
        };
        for edge in self.incoming(ty).iter().filter(is_name) {
            match found.get_mut(&edge.from) {
                Some(known) => insert_line(&mut known.lines, edge.line),
                None => note(found, edge.from, edge, depth, None),
            }
        }
    }

    /// Returns the node of the file that a node is in.
    fn file_of(&self, node: NodeId) -> Option<NodeId> {
        self.path_of(node).map(|path| NodeId(self.nodes_of(path).start))
    }

    /// Returns the calls by a node's name that are bound to no definition and may mean it: those in files of its languages that
    /// are not known to lead elsewhere, production code first; none if the question is cancelled. A call by the name that all
    /// constructors of a language have means any type's.
    pub fn unresolved_calls_by_name_of(
        &self,
        node: &Node,
        cancellation: &Cancellation,
    ) -> Vec<(&str, u32)> {
        let family = node.language.family();
        if node.language.capabilities().constructor_name == Some(&node.name) {
            return Vec::new();
        }
        let files: Vec<(&str, Range<u32>)> = self.files();
        let of_file = |(path, nodes): &(&'_ str, Range<u32>)| {
            let is_of_family = Language::of_path(path).map(Language::family) == Some(family);
            if !is_of_family || cancellation.check().is_err() {
                return Vec::new();
            }
            self.open_calls_by_name(NodeId(nodes.start), &node.name)
        };
        let lines: Vec<Vec<u32>> = files.par_iter().map(of_file).collect();
        if cancellation.check().is_err() {
            return Vec::new();
        }
        let mut calls = BTreeSet::new();
        for ((path, _), lines) in files.iter().zip(lines).filter(|(_, lines)| !lines.is_empty()) {
            let is_beside = is_test(path) || is_secondary(path);
            calls.extend(lines.into_iter().map(|line| (is_beside, *path, line)));
        }
        calls.into_iter().map(|(_, path, line)| (path, line)).collect()
    }

    /// Whether what calls a function does so without its name, by a sign or by a form of the language: such calls have no edges.
    pub fn is_run_unnamed(&self, function: NodeId) -> bool {
        let Some(node) = self.node(function).filter(|it| it.kind == NodeKind::Function) else {
            return false;
        };
        let name = node.name.as_str();
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '`' | '@' | '#');
        name.starts_with(|c| !is_word(c)) || (node.language.capabilities().runs_unnamed)(name)
    }

    /// What makes objects of a type by its constructors, and what makes them by a constructor, where that leads to the type.
    fn makers_of_objects(
        &self,
        made: NodeId,
        depth: u32,
        found: &mut BTreeMap<NodeId, RelatedNode>,
    ) {
        for constructor in self.constructors_of(made) {
            self.callers_of(&Reached::whole(constructor), None, depth, found);
        }
        for made in self.types_made_by(made) {
            let through = CallsThrough { node: made.node, overriding: None };
            let through = Some(through).filter(|_| made.is_open);
            self.callers_of(&Reached::whole(made.node), through, depth, found);
        }
    }

    fn callers_of(
        &self,
        reached: &Reached,
        through: Option<CallsThrough<'_>>,
        depth: u32,
        found: &mut BTreeMap<NodeId, RelatedNode>,
    ) {
        let at = reached.node;
        let makes = |edge: &&Edge| {
            matches!(edge.kind, EdgeKind::Calls | EdgeKind::Constructs | EdgeKind::DecoratedBy)
        };
        let method = through.and_then(|through| through.overriding);
        let runs = |edge: &&Edge| method.is_none_or(|method| method.is_run_by(self, edge, at));
        let through = through.map(|through| through.node);
        for edge in self.incoming(at).iter().filter(makes).filter(runs) {
            note(found, edge.from, edge, depth, through);
        }
        for edge in self.incoming(at).iter().filter(|edge| edge.kind == EdgeKind::Triggers) {
            if !self.keeps_callbacks(edge.from) {
                note(found, edge.from, edge, depth, through);
            } else if self.may_keep(edge.from) && self.runs_any(edge.from, reached) {
                let runs = self.incoming(edge.from).iter();
                for run in runs.filter(|run| run.kind == EdgeKind::Triggers) {
                    note(found, run.from, run, depth, Some(edge.from));
                }
            }
        }
        // What is handed on as a value is called where nothing names it. Exact references to a type are in annotations.
        let is_function = self.kind(at) == Some(NodeKind::Function);
        let is_value = |edge: &&Edge| {
            edge.kind == EdgeKind::References
                && (is_function || edge.resolution == EdgeResolution::Dynamic)
                && edge.from != at
        };
        for edge in self.incoming(at).iter().filter(is_value) {
            note(found, edge.from, edge, depth, through);
        }
    }

    /// Whether a call of what `kept_by` keeps runs the node itself or, of the literals inside of it, a line that counts.
    fn runs_any(&self, kept_by: NodeId, reached: &Reached) -> bool {
        self.literal_lines(kept_by, reached.node).is_none_or(|lines| {
            reached.lines.is_some() && lines.iter().any(|line| reached.has(*line))
        })
    }

    /// Whether a field keeps few enough callbacks to say something.
    fn may_keep(&self, field: NodeId) -> bool {
        self.kept_in(field).len() <= MAX_KEPT
    }

    /// Returns what a field keeps: functions, and definitions with function literals inside.
    pub(super) fn kept_in(&self, field: NodeId) -> BTreeSet<NodeId> {
        self.triggers(field).map(|kept| kept.to).collect()
    }

    /// The functions that a function runs without naming them: the callbacks of a field, or the field if none is known.
    fn triggered_by(&self, edge: &Edge, depth: u32, found: &mut BTreeMap<NodeId, RelatedNode>) {
        let kept =
            if self.keeps_callbacks(edge.to) { self.kept_in(edge.to) } else { BTreeSet::new() };
        if kept.is_empty() || kept.len() > MAX_KEPT {
            note(found, edge.to, edge, depth, None);
        } else {
            kept.into_iter().for_each(|to| note(found, to, edge, depth, Some(edge.to)));
        }
    }

    /// The interface or base methods that a method stands in for, by itself or where it is declared.
    fn implemented_by_edge(&self, at: NodeId) -> Vec<NodeId> {
        let is_function = self.node(at).is_some_and(|node| node.kind == NodeKind::Function);
        let is_body = self.node(at).is_some_and(|node| node.is_method && !node.is_declaration);
        let declared = if is_body { self.declared_apart(at) } else { Vec::new() };
        let mut above: Vec<NodeId> = std::iter::once(at)
            .chain(declared)
            .flat_map(|at| self.outgoing(at))
            .filter(|edge| {
                is_function && matches!(edge.kind, EdgeKind::Implements | EdgeKind::Inherits)
            })
            .map(|edge| edge.to)
            .collect();
        above.sort_unstable();
        above.dedup();
        above
    }

    /// Definitions of a file, in the order of lines.
    pub fn symbols(&self, path: &str) -> Vec<NodeId> {
        let nodes = self.nodes_of(path).map(NodeId);
        nodes.filter(|id| self.kind(*id).is_some_and(|kind| kind != NodeKind::File)).collect()
    }
}

fn note(
    found: &mut BTreeMap<NodeId, RelatedNode>,
    node: NodeId,
    edge: &Edge,
    depth: u32,
    through: Option<NodeId>,
) {
    let resolution = if through.is_some() { EdgeResolution::Dynamic } else { edge.resolution };
    let lines = vec![edge.line];
    let new = RelatedNode {
        node,
        depth,
        lines,
        elsewhere: Vec::new(),
        handed_on: Vec::new(),
        resolution,
        through,
        kind: edge.kind,
    };
    let Some(known) = found.get_mut(&node) else {
        found.insert(node, new);
        return;
    };
    let is_mention = |kind| kind == EdgeKind::References;
    match (is_mention(known.kind), is_mention(edge.kind)) {
        // A call takes precedence over a reference.
        (true, false) => {
            let is_own = known.through.is_none_or(|known| through == Some(known));
            let handed_on = if is_own { std::mem::take(&mut known.lines) } else { Vec::new() };
            *known = RelatedNode { handed_on, ..new };
        }
        // What hands on the interface's method does not hand on this one.
        (false, true) if through.is_none_or(|through| known.through == Some(through)) => {
            insert_line(&mut known.handed_on, edge.line);
        }
        (false, true) => {}
        _ if known.through.is_some() && through.is_none() => {
            let handed_on = std::mem::take(&mut known.handed_on);
            *known = RelatedNode { kind: known.kind, handed_on, ..new };
        }
        _ if known.through.is_none() && through.is_some() => {}
        _ => {
            known.resolution = known.resolution.max(resolution);
            insert_line(&mut known.lines, edge.line);
        }
    }
}

/// Notes a relation whose line may stand in other files than usual, `apart`.
fn note_apart(
    found: &mut BTreeMap<NodeId, RelatedNode>,
    node: NodeId,
    edge: &Edge,
    depth: u32,
    apart: Vec<(NodeId, u32)>,
) {
    match found.get_mut(&node) {
        Some(known) if !apart.is_empty() => {
            known.resolution = known.resolution.max(edge.resolution);
            known.elsewhere.extend(apart);
        }
        _ => {
            note(found, node, edge, depth, None);
            if let Some(new) = found.get_mut(&node).filter(|_| !apart.is_empty()) {
                new.lines.clear();
                new.elsewhere = apart;
            }
        }
    }
}

fn insert_line(lines: &mut Vec<u32>, line: u32) {
    if let Err(place) = lines.binary_search(&line) {
        lines.insert(place, line);
    }
}
