//! One step from a node to those that a question asks for: its callers and callees, what builds on it, its members and usages.

use std::collections::BTreeSet;

use super::{
    definition_sets::{NameInFamily, NodesByFullName, may_be_apart, name_in_family},
    found_relations::FoundRelations,
    graph_path_search::MAX_KEPT,
    overriding_methods::OverridingMethod,
};
use crate::{
    graph_model::{Edge, EdgeKind, EdgeResolution, NodeId, NodeKind},
    store::Graph,
};

/// Methods whose calls may run one that overrides them, at most.
const MAX_OVERRIDDEN: usize = 200;

/// A node that a question has reached.
pub(super) struct Reached {
    pub(super) node: NodeId,
    /// The lines of the node that count; all of them when there is no list.
    pub(super) lines: Option<Vec<u32>>,
    /// The file of the node, where it is another than that of the definition asked about.
    pub(super) apart: Option<NodeId>,
}

impl Reached {
    pub(super) fn whole(node: NodeId) -> Self {
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

impl Graph {
    pub(super) fn add_callers(&self, reached: &Reached, found: &mut FoundRelations) {
        self.callers_of(reached, None, found);
        self.callers_of_constructors(reached.node, found);
        self.callers_of_overridden(reached.node, found);
    }

    pub(super) fn add_callees(&self, reached: &Reached, found: &mut FoundRelations) {
        for edge in self.outgoing(reached.node).iter().filter(|edge| reached.has(edge.line)) {
            match edge.kind {
                EdgeKind::Calls => {
                    let apart = reached.apart.map(|file| (file, edge.line));
                    found.add_apart(edge.to, edge, Vec::from_iter(apart));
                }
                EdgeKind::Triggers => self.triggered_by(edge, found),
                _ => {}
            }
        }
    }

    /// Adds what implements, overrides or builds on a node.
    pub(super) fn add_inheritors(&self, at: NodeId, found: &mut FoundRelations) {
        let edges = self.incoming(at).iter().filter(|edge| edge.kind.is_inheritance());
        // Most have one name, and to find its nodes takes reading every file that has it.
        let declared = edges.clone().filter_map(|edge| self.node(edge.from));
        let declared = declared.filter(|node| node.is_declaration && may_be_apart(node));
        let names: BTreeSet<NameInFamily> = declared.map(name_in_family).collect();
        let nodes = self.by_full_name(names);
        edges.for_each(|edge| self.add_inheritor(edge, &nodes, found));
    }

    /// Adds what implements or inherits: of a method that is declared apart from its bodies, these.
    fn add_inheritor(&self, edge: &Edge, nodes: &NodesByFullName<'_>, found: &mut FoundRelations) {
        let is_declaration = self.node(edge.from).is_some_and(|node| node.is_declaration);
        let bodies = if is_declaration { self.apart_among(nodes, edge.from) } else { Vec::new() };
        if bodies.is_empty() {
            let apart = self.made_elsewhere(edge).map(|file| (file, edge.line));
            return found.add_apart(edge.from, edge, apart.collect());
        }
        let header = self.file_of(edge.from).map(|file| (file, edge.line));
        for body in bodies {
            found.add_apart(body, edge, Vec::from_iter(header));
        }
    }

    pub(super) fn add_members(&self, at: NodeId, found: &mut FoundRelations) {
        for edge in self.incoming(at).iter().filter(|edge| edge.kind == EdgeKind::Parent) {
            found.add(edge.from, edge, None);
        }
    }

    /// Adds what calls a method that this one overrides: that may run this one.
    fn callers_of_overridden(&self, method: NodeId, found: &mut FoundRelations) {
        let above = self.overridden_by(method);
        if above.is_empty() {
            return;
        }
        let overriding = OverridingMethod::new(self, method);
        for node in above {
            let reached = Reached::whole(node);
            let through = CallsThrough { node, overriding: Some(&overriding) };
            self.callers_of(&reached, Some(through), found);
        }
    }

    pub(super) fn add_usages(&self, at: NodeId, found: &mut FoundRelations) {
        for edge in self.outgoing(at).iter().filter(|edge| edge.kind == EdgeKind::ParamOf) {
            found.add(edge.to, edge, None);
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
                found.add(edge.from, edge, None);
            }
        }
        self.makers_of(at, found);
        self.annotations_with(at, found);
    }

    /// Adds what makes objects of a type, by its name or by a constructor of it. What builds on the type calls its constructor for an
    /// object of its own.
    fn makers_of(&self, ty: NodeId, found: &mut FoundRelations) {
        if !self.kind(ty).is_some_and(NodeKind::is_type) {
            return;
        }
        let builds = |edge: &&Edge| edge.kind.is_inheritance();
        let heirs: BTreeSet<NodeId> =
            self.incoming(ty).iter().filter(builds).map(|edge| edge.from).collect();
        let is_outside = |edge: &&Edge| {
            let around = self.types_around(edge.from);
            matches!(edge.kind, EdgeKind::Calls | EdgeKind::References)
                && !around.iter().any(|it| *it == ty || heirs.contains(it))
        };
        for edge in self.incoming(ty).iter().filter(|edge| edge.kind == EdgeKind::Calls) {
            found.add(edge.from, edge, None);
        }
        for constructor in self.constructors_of(ty) {
            for edge in self.incoming(constructor).iter().filter(is_outside) {
                found.add(edge.from, edge, None);
            }
        }
    }

    /// Adds what names a type in an annotation or hands it on as a value. What builds on the type is its inheritor.
    fn annotations_with(&self, ty: NodeId, found: &mut FoundRelations) {
        let is_function = self.kind(ty) == Some(NodeKind::Function);
        let builds = |edge: &&Edge| edge.kind.is_inheritance();
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
                && edge.from != ty
                && !is_function
                && !inheritors.contains(&edge.from)
                && !lines.contains(&(edge.from, edge.line))
        };
        for edge in self.incoming(ty).iter().filter(is_name) {
            found.add_line(edge.from, edge);
        }
    }

    /// Returns the node of the file that a node is in.
    pub(super) fn file_of(&self, node: NodeId) -> Option<NodeId> {
        self.path_of(node).map(|path| NodeId(self.nodes_of(path).start))
    }

    /// Adds the callers of the constructors of a type and, for a constructor, the callers of the types that it makes.
    fn callers_of_constructors(&self, made: NodeId, found: &mut FoundRelations) {
        for constructor in self.constructors_of(made) {
            self.callers_of(&Reached::whole(constructor), None, found);
        }
        for made in self.types_made_by(made) {
            let through = CallsThrough { node: made.node, overriding: None };
            let through = Some(through).filter(|_| made.is_open);
            self.callers_of(&Reached::whole(made.node), through, found);
        }
    }

    fn callers_of(
        &self,
        reached: &Reached,
        through: Option<CallsThrough<'_>>,
        found: &mut FoundRelations,
    ) {
        let at = reached.node;
        let makes = |edge: &&Edge| {
            matches!(edge.kind, EdgeKind::Calls | EdgeKind::Constructs | EdgeKind::DecoratedBy)
        };
        let method = through.and_then(|through| through.overriding);
        let runs = |edge: &&Edge| method.is_none_or(|method| method.is_run_by(self, edge, at));
        let through = through.map(|through| through.node);
        for edge in self.incoming(at).iter().filter(makes).filter(runs) {
            found.add(edge.from, edge, through);
        }
        for edge in self.incoming(at).iter().filter(|edge| edge.kind == EdgeKind::Triggers) {
            if !self.keeps_callbacks(edge.from) {
                found.add(edge.from, edge, through);
            } else if self.may_keep(edge.from) && self.runs_any(edge.from, reached) {
                let runs = self.incoming(edge.from).iter();
                for run in runs.filter(|run| run.kind == EdgeKind::Triggers) {
                    found.add(run.from, run, Some(edge.from));
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
            found.add(edge.from, edge, through);
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

    /// Adds the functions that a function runs without naming them: the callbacks of a field, or the field if none is known.
    fn triggered_by(&self, edge: &Edge, found: &mut FoundRelations) {
        let kept =
            if self.keeps_callbacks(edge.to) { self.kept_in(edge.to) } else { BTreeSet::new() };
        if kept.is_empty() || kept.len() > MAX_KEPT {
            found.add(edge.to, edge, None);
        } else {
            kept.into_iter().for_each(|to| found.add(to, edge, Some(edge.to)));
        }
    }

    /// Returns the interface or base methods that a method overrides, by itself or where it is declared, and those that these
    /// override in turn.
    fn overridden_by(&self, method: NodeId) -> BTreeSet<NodeId> {
        let mut above = BTreeSet::new();
        let is_function = |at: NodeId| self.kind(at) == Some(NodeKind::Function);
        let mut open = Vec::from_iter(Some(method).filter(|at| is_function(*at)));
        while let Some(at) = open.pop() {
            let is_body = self.node(at).is_some_and(|node| node.is_method && !node.is_declaration);
            let declared = if is_body { self.declared_apart(at) } else { Vec::new() };
            let edges = declared.into_iter().chain([at]).flat_map(|at| self.outgoing(at));
            for edge in edges.filter(|edge| edge.kind.is_inheritance()) {
                if edge.to != method && above.len() < MAX_OVERRIDDEN && above.insert(edge.to) {
                    open.push(edge.to);
                }
            }
        }
        above
    }
}
