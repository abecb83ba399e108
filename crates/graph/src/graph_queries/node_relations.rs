//! The relations of one node: who calls it, what it calls, what implements it, where it is used. Every answer is
//! deduplicated, sorted, bounded, and says how much there is.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, VariantArray};

use super::{
    found_relations::{FoundRelations, RelatedNode},
    relation_steps::Reached,
    secondary_code::is_test_node,
};
use crate::{
    graph_model::{CallDispatch, Edge, EdgeKind, EdgeResolution, NodeId, NodeKind},
    store::Graph,
};
use retriever_workspace::UnknownVariant;

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
    /// Functions and fields whose types name it, what makes one, what it decorates; for a file, the files that import it; for a
    /// value, what uses it.
    Usages,
    /// What builds on it.
    Inheritors,
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
            let mut found = FoundRelations::new(step);
            for at in self.until_cancelled(&frontier) {
                self.step(operation, at, &mut found);
            }
            let fresh: Vec<RelatedNode> =
                found.into_nodes().filter(|r| step == 1 || !seen.contains(&r.node)).collect();
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
        let all = self.sorted(operation, home, all);
        let total = all.len();
        RelatedNodesPage { items: all.into_iter().skip(offset).take(limit).collect(), total, cut }
    }

    /// Answers where the value `targets` is used: by its edges, and by the lines of files that name it, which make none.
    pub fn usages_of_value(
        &self,
        targets: &[NodeId],
        lines: &[(String, BTreeSet<u32>)],
        offset: usize,
        limit: usize,
    ) -> RelatedNodesPage {
        let mut found = FoundRelations::new(1);
        for target in targets {
            self.add_usages(*target, &mut found);
            // Where a case is named or made, there is an edge as a rule.
            let is_case = self.kind(*target) == Some(NodeKind::Variant);
            let names = |kind| matches!(kind, EdgeKind::Calls | EdgeKind::References);
            for edge in self.incoming(*target).iter().filter(|it| is_case && names(it.kind)) {
                found.add_line(edge.from, edge);
            }
        }
        let home = targets.first().and_then(|target| self.node(*target));
        let (kind, resolution) = (EdgeKind::References, EdgeResolution::Exact);
        for (path, lines) in self.until_cancelled(lines) {
            let definitions = self.symbols(path);
            for line in lines.iter().copied() {
                let from = self.user_at(path, &definitions, line);
                let is_name = home.is_some_and(|it| it.path == *path && it.name_line == line);
                if let Some((from, to)) = from.zip(targets.first()).filter(|_| !is_name) {
                    let (to, dispatch) = (*to, CallDispatch::Open);
                    let edge = Edge { from, kind, to, line, resolution, dispatch };
                    found.add_line(from, &edge);
                }
            }
        }
        let home = home.map(|home| home.path.as_str());
        let all = self.sorted(NodeQuery::Usages, home, found.into_nodes().collect());
        let total = all.len();
        let items = all.into_iter().skip(offset).take(limit).collect();
        RelatedNodesPage { items, total, cut: false }
    }

    /// Returns the innermost function or type of a file, of the `definitions` in it, around a line, or the file.
    fn user_at(&self, path: &str, definitions: &[NodeId], line: u32) -> Option<NodeId> {
        let around = definitions.iter().filter_map(|at| Some((*at, self.node(*at)?)));
        let around = around.filter(|(_, node)| {
            (node.start..=node.end).contains(&line)
                && (node.kind == NodeKind::Function || node.kind.is_type())
        });
        let innermost = around.min_by_key(|(at, node)| (node.end - node.start, Reverse(*at)));
        let file = || self.nodes_of(path).next().map(NodeId);
        innermost.map(|(at, _)| at).or_else(file)
    }

    /// Sorts what was found, as seen from the file `home`.
    fn sorted(
        &self,
        operation: NodeQuery,
        home: Option<&str>,
        mut all: Vec<RelatedNode>,
    ) -> Vec<RelatedNode> {
        all.sort_by_cached_key(|related| {
            let node = self.node(related.node);
            let path = node.map_or("", |node| node.path.as_str());
            let line = node.map_or(0, |node| node.start);
            let place = (Some(path) != home, path.to_owned(), line, related.node);
            // The methods of a type come before its fields.
            let is_field = operation == NodeQuery::Methods && self.keeps_callbacks(related.node);
            let is_test = node.is_some_and(is_test_node);
            let is_test_or_secondary = is_test || self.is_secondary(related.node);
            (related.depth, is_field, (is_test, is_test_or_secondary), place)
        });
        all
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
            NodeQuery::Callers => {
                Some([&related.lines[..], &related.handed_on, &related.dispatched].concat())
            }
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

    fn step(&self, operation: NodeQuery, reached: &Reached, found: &mut FoundRelations) {
        match operation {
            NodeQuery::Callers => self.add_callers(reached, found),
            NodeQuery::Callees => self.add_callees(reached, found),
            NodeQuery::Implementations | NodeQuery::Inheritors => {
                self.add_inheritors(reached.node, found);
            }
            NodeQuery::Methods => self.add_members(reached.node, found),
            NodeQuery::Usages => self.add_usages(reached.node, found),
        }
    }

    /// Definitions of a file, in the order of lines.
    pub fn symbols(&self, path: &str) -> Vec<NodeId> {
        let nodes = self.nodes_of(path).map(NodeId);
        nodes.filter(|id| self.kind(*id).is_some_and(|kind| kind != NodeKind::File)).collect()
    }
}
