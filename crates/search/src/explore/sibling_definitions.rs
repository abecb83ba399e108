//! Sibling groups: interchangeable definitions, of which one shows what the others do. The definitions of a group share
//! a supertype, or are registered in one place by lines of the same shape: a table of functions, a slice of handlers, a
//! list of routes.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::symbol_table::SymbolTable;
use crate::shared_memo::SharedMemo;
use retriever_graph::{EdgeKind, NodeId, NodeKind, ParameterList};

/// Members of a group.
const MIN_MEMBERS: usize = 3;
const MAX_MEMBERS: usize = 200;
/// Groups of one definition that are looked at.
const MAX_GROUPS: usize = 2_000;

/// What makes definitions siblings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum SiblingDefinitionsKey {
    /// A type that all implement or extend.
    Supertype(NodeId),
    /// A place where all are registered.
    Registry(NodeId),
}

/// Definitions that can stand for one another: types, or functions for a registry.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SiblingGroup {
    pub(super) key: SiblingDefinitionsKey,
    pub(super) members: BTreeSet<NodeId>,
}

/// The groups of a workspace, found when they are asked for.
pub(super) struct SiblingDefinitions<'a> {
    symbols: &'a SymbolTable<'a>,
    by_key: SharedMemo<SiblingDefinitionsKey, Arc<SiblingGroup>>,
}

impl<'a> SiblingDefinitions<'a> {
    pub(super) fn new(symbols: &'a SymbolTable<'a>) -> Self {
        Self { symbols, by_key: SharedMemo::default() }
    }

    /// Returns the largest group that a definition, or the type it belongs to, is a member of, and that member.
    pub(super) fn of(&self, node: NodeId) -> Option<(NodeId, Arc<SiblingGroup>)> {
        let owner = self.symbols.owner(node);
        let holder = if self.symbols.is_type(node) { Some(node) } else { owner };
        let by_type = holder.and_then(|holder| Some((holder, self.by_supertype(holder)?)));
        by_type.or_else(|| {
            let may_be_registered = owner.is_none() && self.symbols.is_function(node);
            may_be_registered.then(|| self.by_registry(node)).flatten().map(|group| (node, group))
        })
    }

    fn by_supertype(&self, holder: NodeId) -> Option<Arc<SiblingGroup>> {
        let above = self.symbols.graph.outgoing(holder).iter();
        let groups = above
            .filter(|edge| edge.kind.is_inheritance())
            .filter(|edge| self.symbols.is_type(edge.to))
            .take(MAX_GROUPS)
            .map(|edge| self.group(SiblingDefinitionsKey::Supertype(edge.to)))
            .filter(|group| group.members.len() >= MIN_MEMBERS);
        largest(groups)
    }

    fn by_registry(&self, function: NodeId) -> Option<Arc<SiblingGroup>> {
        let used = self.symbols.graph.incoming(function).iter();
        let groups = used
            .filter(|edge| edge.kind == EdgeKind::References)
            .filter(|edge| !self.symbols.is_aside(edge.from))
            .take(MAX_GROUPS)
            .map(|edge| self.group(SiblingDefinitionsKey::Registry(edge.from)))
            .filter(|group| {
                group.members.len() >= MIN_MEMBERS && group.members.contains(&function)
            });
        largest(groups)
    }

    fn group(&self, key: SiblingDefinitionsKey) -> Arc<SiblingGroup> {
        self.by_key.get(&key, || {
            let members = match key {
                SiblingDefinitionsKey::Supertype(above) => self.implementers(above),
                SiblingDefinitionsKey::Registry(place) => self.registered(place),
            };
            Arc::new(SiblingGroup { key, members })
        })
    }

    /// Returns the types that implement or extend a type; test doubles are no siblings.
    fn implementers(&self, above: NodeId) -> BTreeSet<NodeId> {
        let edges = self.symbols.graph.incoming(above).iter();
        edges
            .filter(|edge| edge.kind.is_inheritance())
            .map(|edge| edge.from)
            .filter(|from| self.symbols.is_type(*from) && !self.symbols.is_aside(*from))
            .take(MAX_MEMBERS)
            .collect()
    }

    /// Returns the largest set of functions that are handed over in one place by lines of the same shape.
    fn registered(&self, place: NodeId) -> BTreeSet<NodeId> {
        let mut by_shape: BTreeMap<String, BTreeSet<NodeId>> = BTreeMap::new();
        let Some(from) = self.symbols.graph.node(place) else { return BTreeSet::new() };
        if from.kind == NodeKind::File {
            return BTreeSet::new();
        }
        let text = self.symbols.text(&from.path);
        for edge in self.symbols.graph.outgoing(place).iter().take(MAX_MEMBERS) {
            let target = self.symbols.graph.node(edge.to);
            let is_member = edge.kind == EdgeKind::References
                && self.symbols.is_function(edge.to)
                && !self.symbols.is_aside(edge.to);
            let (Some(target), true) = (target, is_member) else { continue };
            let line = text.as_deref().and_then(|file| file.line(edge.line)).unwrap_or_default();
            let parameters = parameter_count(&target.signature);
            let shape = format!("{parameters} {}", line_shape(line, &target.name));
            by_shape.entry(shape).or_default().insert(edge.to);
        }
        let mut sets: Vec<BTreeSet<NodeId>> = by_shape.into_values().collect();
        sets.sort_by_key(|members| std::cmp::Reverse(members.len()));
        sets.into_iter().next().unwrap_or_default()
    }
}

/// Returns the group with most members; of equals the first by key.
fn largest(groups: impl Iterator<Item = Arc<SiblingGroup>>) -> Option<Arc<SiblingGroup>> {
    groups.min_by_key(|group| (std::cmp::Reverse(group.members.len()), group.key))
}

/// Returns a line without what differs between the entries of a table: names, strings, numbers.
fn line_shape(line: &str, name: &str) -> String {
    let mut shape = String::new();
    let mut quote: Option<char> = None;
    let mut word = String::new();
    let end_word = |word: &mut String, shape: &mut String| {
        // The registered name is what differs; other words are the table's.
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
                end_word(&mut word, &mut shape);
                shape.push('"');
                quote = Some(letter);
            }
            None if letter.is_alphanumeric() || letter == '_' => word.push(letter),
            None => {
                end_word(&mut word, &mut shape);
                if !letter.is_whitespace() {
                    shape.push(letter);
                }
            }
        }
    }
    end_word(&mut word, &mut shape);
    shape.trim_end_matches([',', ';']).to_owned()
}

/// Counts the parameters of a signature.
fn parameter_count(signature: &str) -> usize {
    let list = signature.split_once('(').map(|(_, list)| ParameterList::behind_parenthesis(list));
    list.map_or(0, |list| list.parameters.len())
}
