//! SiblingGroups: definitions that can stand for one another, so that one of them says what the others do. A family shares a
//! supertype with three implementers or more, or is registered in one place, line by line: a table of functions, a slice of
//! handlers, a list of routes.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crate::explore::symbol_table::SymbolTable;
use crate::memo::Memo;
use retriever_graph::{EdgeKind, NodeId, NodeKind};

/// Members that make a family.
const FEWEST: usize = 3;
/// Most members that are looked at.
const MOST: usize = 200;

/// What shows that definitions are siblings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum GroupKey {
    /// A type that all implement or extend.
    Supertype(NodeId),
    /// A place where all are registered.
    Registry(NodeId),
}

/// Definitions that can stand for one another: types, or functions for a registry.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SiblingGroup {
    pub(super) tie: GroupKey,
    pub(super) members: BTreeSet<NodeId>,
}

/// SiblingGroups as they are asked for.
pub(super) struct SiblingGroups<'a> {
    atlas: &'a SymbolTable<'a>,
    known: Memo<GroupKey, Arc<SiblingGroup>>,
}

impl<'a> SiblingGroups<'a> {
    pub(super) fn new(atlas: &'a SymbolTable<'a>) -> Self {
        Self { atlas, known: Memo::default() }
    }

    /// The largest family that a definition, or the type it belongs to, is a member of; with the member itself.
    pub(super) fn of(&self, node: NodeId) -> Option<(NodeId, Arc<SiblingGroup>)> {
        let owner = self.atlas.owner(node);
        let holder = if self.atlas.is_type(node) { Some(node) } else { owner };
        let by_type = holder.and_then(|holder| {
            let above = self.atlas.graph.outgoing(holder).iter();
            let families = above
                .filter(|edge| matches!(edge.kind, EdgeKind::Implements | EdgeKind::Inherits))
                .filter(|edge| self.atlas.is_type(edge.to))
                .map(|edge| self.family(GroupKey::Supertype(edge.to)))
                .filter(|family| family.members.len() >= FEWEST);
            largest(families).map(|family| (holder, family))
        });
        by_type.or_else(|| {
            if owner.is_some() || !self.atlas.is_function(node) {
                return None;
            }
            let used = self.atlas.graph.incoming(node).iter();
            let families = used
                .filter(|edge| edge.kind == EdgeKind::References)
                .filter(|edge| !self.atlas.is_aside(edge.from))
                .map(|edge| self.family(GroupKey::Registry(edge.from)))
                .filter(|family| family.members.len() >= FEWEST && family.members.contains(&node));
            largest(families).map(|family| (node, family))
        })
    }

    fn family(&self, tie: GroupKey) -> Arc<SiblingGroup> {
        self.known.get(&tie, || {
            let members = match tie {
                GroupKey::Supertype(above) => self.implementers(above),
                GroupKey::Registry(place) => self.registered(place),
            };
            Arc::new(SiblingGroup { tie, members })
        })
    }

    /// The types that implement or extend a type; test doubles make no family.
    fn implementers(&self, above: NodeId) -> BTreeSet<NodeId> {
        let edges = self.atlas.graph.incoming(above).iter();
        edges
            .filter(|edge| matches!(edge.kind, EdgeKind::Implements | EdgeKind::Inherits))
            .map(|edge| edge.from)
            .filter(|from| self.atlas.is_type(*from) && !self.atlas.is_aside(*from))
            .take(MOST)
            .collect()
    }

    /// The functions that are handed over in one place by lines of the same shape.
    fn registered(&self, place: NodeId) -> BTreeSet<NodeId> {
        let mut shapes: BTreeMap<String, BTreeSet<NodeId>> = BTreeMap::new();
        let Some(from) = self.atlas.graph.node(place) else { return BTreeSet::new() };
        if from.kind == NodeKind::File {
            return BTreeSet::new();
        }
        let text = self.atlas.text(&from.path);
        for edge in self.atlas.graph.outgoing(place).iter().take(MOST) {
            let target = self.atlas.graph.node(edge.to);
            let is_member = edge.kind == EdgeKind::References
                && self.atlas.is_function(edge.to)
                && !self.atlas.is_aside(edge.to);
            let (Some(target), true) = (target, is_member) else { continue };
            let line = text.as_deref().and_then(|file| file.line(edge.line)).unwrap_or_default();
            let shape = format!("{} {}", parameters(&target.signature), shape(line, &target.name));
            shapes.entry(shape).or_default().insert(edge.to);
        }
        let mut families: Vec<BTreeSet<NodeId>> = shapes.into_values().collect();
        families.sort_by_key(|members| std::cmp::Reverse(members.len()));
        families.into_iter().next().unwrap_or_default()
    }
}

/// The family with most members; the first of equals by what ties it.
fn largest(families: impl Iterator<Item = Arc<SiblingGroup>>) -> Option<Arc<SiblingGroup>> {
    families.min_by_key(|family| (std::cmp::Reverse(family.members.len()), family.tie))
}

/// A line without what differs between one entry of a table and the next: names, strings, numbers.
fn shape(line: &str, name: &str) -> String {
    let mut shape = String::new();
    let mut quote: Option<char> = None;
    let mut word = String::new();
    let close = |word: &mut String, shape: &mut String| {
        // The name itself is what differs; what stands around it in every line is the table's.
        if !word.is_empty() && word != name && !word.starts_with(|c: char| c.is_ascii_digit()) {
            shape.push('w');
        }
        word.clear();
    };
    for letter in line.trim().chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            Some(_) => {}
            None if matches!(letter, '"' | '\'' | '`') => {
                close(&mut word, &mut shape);
                shape.push('"');
                quote = Some(letter);
            }
            None if letter.is_alphanumeric() || letter == '_' => word.push(letter),
            None => {
                close(&mut word, &mut shape);
                if !letter.is_whitespace() {
                    shape.push(letter);
                }
            }
        }
    }
    close(&mut word, &mut shape);
    shape.trim_end_matches([',', ';']).to_owned()
}

/// How many parameters a signature has.
fn parameters(signature: &str) -> usize {
    let Some((_, rest)) = signature.split_once('(') else { return 0 };
    let mut depth = 0_i32;
    let mut count = 0;
    let mut any = false;
    for letter in rest.chars() {
        match letter {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' if depth == 0 => break,
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 0 => count += 1,
            letter if !letter.is_whitespace() => any = true,
            _ => {}
        }
    }
    if any { count + 1 } else { 0 }
}
